#include "sparsedyn/logs/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "local_fit.hpp"
#include "motion_columns.hpp"

namespace sparsedyn {
namespace {

constexpr double two_pi = 6.283185307179586476925;
constexpr int pilot_half = 6;         // window in which noise is estimated
constexpr double within_noise = 1.2;  // of mean squares, beside what noise makes
constexpr double no_noise = 1e-9;     // of positions, beside their size: rounding of printed numbers

using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

/// Runs of samples without a gap that are long enough for the window.
Stretches stretches_of(const JointMotion& motion, std::size_t shortest) {
  Stretches found;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= motion.samples; ++i) {
    if (i < motion.samples && !motion.is_gap(i)) continue;
    if (i - from >= shortest) found.push_back({from, i});
    from = i + 1;
  }
  return found;
}

/// Adds up squares of what the fit leaves of the positions, and by how many freedoms.
void noise_of(const JointMotion& motion, std::vector<double>& deviation) {
  LocalFit fit(pilot_half);
  const FitWeights& w = fit.inside();
  const double share = 1 - w.weight[0][pilot_half];  // of a white residual's variance
  deviation.assign(motion.kinds, 0.0);
  std::vector<double> sum(motion.kinds, 0.0);
  double count = 0;
  for (const auto& [from, to] : stretches_of(motion, static_cast<std::size_t>(fit.samples())))
    for (std::size_t i = from + pilot_half; i + pilot_half < to; ++i, ++count)
      for (std::size_t c = 0; c < motion.kinds; ++c) {
        double fitted = 0;
        for (int j = 0; j < fit.samples(); ++j)
          fitted += w.weight[0][static_cast<std::size_t>(j)] * motion.local(i, static_cast<long>(i) - pilot_half + j, c);
        const double residual = motion.local(i, static_cast<long>(i), c) - fitted;
        sum[c] += residual * residual;
      }
  for (std::size_t c = 0; c < motion.kinds && count > 0; ++c) deviation[c] = std::sqrt(sum[c] / (count * share));
}

/// Whether a derivative made with two windows differs, in mean square at up to 2000 samples, by no more than noise of these
/// deviations makes of it.
bool agree(const JointMotion& motion, const std::vector<double>& noise, LocalFit& large, LocalFit& small, std::size_t order) {
  const FitWeights &a = large.inside(), &b = small.inside();
  std::vector<double> difference = a.weight[order];
  for (int j = 0; j < small.samples(); ++j)
    difference[static_cast<std::size_t>(large.half() - small.half() + j)] -= b.weight[order][static_cast<std::size_t>(j)];
  double gain = 0;
  for (double d : difference) gain += d * d;
  const std::size_t stride = std::max<std::size_t>(1, motion.samples / 2000), half = static_cast<std::size_t>(large.half());
  std::vector<double> sum(motion.kinds, 0.0);
  double count = 0;
  for (const auto& [from, to] : stretches_of(motion, difference.size()))
    for (std::size_t i = from + half; i + half < to; i += stride, ++count)
      for (std::size_t c = 0; c < motion.kinds; ++c) {
        double d = 0;
        for (std::size_t j = 0; j < difference.size(); ++j)
          d += difference[j] * motion.local(i, static_cast<long>(i) - large.half() + static_cast<long>(j), c);
        sum[c] += d * d;
      }
  for (std::size_t c = 0; c < motion.kinds; ++c) {
    const double floor = no_noise * motion.size(c), expected = (noise[c] * noise[c] + floor * floor) * gain;
    if (count > 0 && sum[c] / count > within_noise * expected) return false;
  }
  return count > 0;
}

/// The largest half window that agrees with all smaller ones, for all motions.
int chosen_half(const std::vector<JointMotion>& motions, std::size_t samples) {
  std::vector<int> halves{4};
  while (halves.back() * 5 / 4 + 1 <= static_cast<int>(samples) / 8 && halves.back() < 500)
    halves.push_back(halves.back() * 5 / 4 + 1);
  int best = static_cast<int>(halves.size()) - 1;
  for (const JointMotion& motion : motions) {
    std::vector<double> noise;
    noise_of(motion, noise);
    int own = 0;
    for (int k = 1; k <= best; ++k) {
      LocalFit large(halves[static_cast<std::size_t>(k)]);
      bool all = true;
      for (int s = 0; s < k && all; ++s) {
        LocalFit small(halves[static_cast<std::size_t>(s)]);
        all = agree(motion, noise, large, small, 2) && agree(motion, noise, large, small, 1);
      }
      if (!all) break;
      own = k;
    }
    best = std::min(best, own);
  }
  return halves[static_cast<std::size_t>(best)];
}

int half_of(const DifferentiateOptions& options, const std::vector<JointMotion>& motions, std::size_t samples, double step) {
  const int largest = std::max(LocalFit::smallest_half, (static_cast<int>(std::min<std::size_t>(samples, 20001)) - 1) / 2);
  if (options.window > 0)
    return std::clamp(static_cast<int>(std::lround((options.window / step - 1) / 2)), LocalFit::smallest_half, largest);
  if (options.cutoff > 0) return half_of_cutoff(options.cutoff * step, largest);
  return chosen_half(motions, samples);
}

/// Takes jumps by nearly a multiple of 2π out of an angle.
void unwrap(const std::string& column, std::vector<double>& angle, std::vector<Differentiated::Jump>& jumps) {
  double turns = 0, last = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < angle.size(); ++i) {
    if (!std::isfinite(angle[i])) continue;
    const double jump = std::round((angle[i] - last) / two_pi);
    if (std::abs(jump) >= 1 && std::abs(angle[i] - last - jump * two_pi) < 1) {
      turns -= jump;
      jumps.push_back({column, i});
    }
    last = angle[i];
    angle[i] += turns * two_pi;
  }
}

}  // namespace

Differentiated differentiate(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                             double step, const DifferentiateOptions& options) {
  if (!(step > 0)) throw std::invalid_argument("the step between samples is expected to be > 0");
  if (!(options.cutoff >= 0) || !(options.window >= 0)) throw std::invalid_argument("cutoff and window are expected to be ≥ 0");
  Differentiated made;
  std::vector<JointMotion> motions = motions_in(columns, values);
  if (motions.empty()) throw std::invalid_argument("no column q.* that a joint's position is in");
  const std::size_t samples = motions.front().samples;
  for (JointMotion& motion : motions)
    for (const std::size_t c : motion.angles()) unwrap(motion.q_column(c), motion.position[c], made.unwrapped);
  LocalFit fit(half_of(options, motions, samples, step));
  made.window = fit.samples() * step;
  made.cutoff = cutoff_of_half(fit.half()) / step;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int order : {1, 2})
    for (const JointMotion& motion : motions)
      for (const std::string& name : motion.velocity_columns)
        made.columns.push_back((order == 1 ? "dq." : "ddq.") + name), made.values.emplace_back(samples, nan);
  const std::size_t all = made.columns.size() / 2;
  made.deviation.assign(2 * all, 0.0);
  std::size_t first = 0;
  for (const JointMotion& motion : motions) {
    std::vector<double> noise, v(motion.kinds), a(motion.kinds);
    noise_of(motion, noise);
    const double gains[] = {fit.inside().gain(1) / step, fit.inside().gain(2) / (step * step)};
    MeanSquares mean(motion.kinds);
    for (const auto& [from, to] : stretches_of(motion, static_cast<std::size_t>(fit.samples())))
      for (std::size_t i = from; i < to; ++i) {
        motion.derivatives(i, fit.at(i - from, to - from), step, v.data(), a.data());
        mean.add(v);
        for (std::size_t c = 0; c < motion.kinds; ++c) made.values[first + c][i] = v[c], made.values[all + first + c][i] = a[c];
      }
    motion.deviations(noise, gains, mean, &made.deviation[first], &made.deviation[all + first]);
    first += motion.kinds;
  }
  return made;
}

}  // namespace sparsedyn
