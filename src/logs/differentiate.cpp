#include "sparsedyn/logs/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "local_fit.hpp"
#include "motion_columns.hpp"
#include "rotation_fit.hpp"
#include "window_choice.hpp"

namespace sparsedyn {
namespace {

constexpr double two_pi = 6.283185307179586476925;

/// The half window that the options state; 0: none.
int stated_half(const DifferentiateOptions& options, std::size_t samples, double step) {
  const int largest = std::max(LocalFit::smallest_half, (static_cast<int>(samples) - 1) / 2);
  if (options.window > 0) {
    const double half = std::min((options.window / step - 1) / 2, static_cast<double>(largest));
    return std::max(static_cast<int>(std::lround(half)), LocalFit::smallest_half);
  }
  return options.cutoff > 0 ? half_of_cutoff(options.cutoff * step, largest) : 0;
}

/// What the step of an angle to sample i is likely to be: the median of the steps around it, as those of a fast wheel are
/// alike. 0 for a column that holds more than one turn, so that nobody has wrapped it.
class LikelySteps {
 public:
  explicit LikelySteps(const std::vector<double>& angle) : steps_(angle.size(), std::nan("")) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < angle.size(); ++i) {
      if (!std::isfinite(angle[i])) continue;
      least = std::min(least, angle[i]), most = std::max(most, angle[i]);
      if (i > 0 && std::isfinite(angle[i - 1])) steps_[i] = std::remainder(angle[i] - angle[i - 1], two_pi);
    }
    wrapped_ = most - least <= two_pi * (1 + 1e-6);
  }
  double at(std::size_t i) const {
    constexpr std::size_t side = 3;
    if (!wrapped_) return 0;
    std::vector<double> around;
    for (std::size_t k = i - std::min(i, side); k <= i + side && k < steps_.size(); ++k)
      if (std::isfinite(steps_[k])) around.push_back(steps_[k]);
    if (around.empty()) return 0;
    const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
    std::nth_element(around.begin(), middle, around.end());
    return *middle;
  }

 private:
  std::vector<double> steps_;
  bool wrapped_ = false;
};

/// Takes jumps by nearly a multiple of 2π out of an angle.
void unwrap(const std::string& column, std::vector<double>& angle, std::vector<Differentiated::Jump>& jumps) {
  const LikelySteps likely(angle);
  double turns = 0, last = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < angle.size(); ++i) {
    if (!std::isfinite(angle[i])) continue;
    const double beyond = angle[i] - last - likely.at(i), jump = std::round(beyond / two_pi);
    if (std::abs(jump) >= 1 && std::abs(beyond - jump * two_pi) < 1) {
      turns -= jump;
      jumps.push_back({column, i});
    }
    last = angle[i];
    angle[i] += turns * two_pi;
  }
}

/// Windows of one size but where an orientation turns too far in them: there, smaller ones.
class Windows {
 public:
  Windows(const JointMotion& motion, int half) : motion_(motion), half_(half) {}
  /// At sample i of the stretch [from, to).
  const FitWeights& at(std::size_t i, std::size_t from, std::size_t to) {
    for (int half = half_;; half = half * 8 / 9) {
      const FitWeights& fit = fits_.try_emplace(half, half).first->second.at(i - from, to - from);
      const std::size_t first = i + static_cast<std::size_t>(fit.first), count = fit.weight[0].size();
      if (half == LocalFit::smallest_half || !motion_.turns_beyond(most_turning, i, first, count)) return fit;
    }
  }

 private:
  const JointMotion& motion_;
  int half_;
  std::map<int, LocalFit> fits_;
};

/// Root mean squares of one derivative's gains, over windows that lie around their samples.
class MeanGains {
 public:
  /// fits: how many there will be, about.
  MeanGains(const JointMotion& motion, int order, std::size_t fits)
      : motion_(motion), order_(order), stride_(1 + fits / 1000) {}
  void add(std::size_t i, const FitWeights& fit) {
    if (2 * static_cast<std::size_t>(-fit.first) + 1 != fit.weight[0].size()) return;
    for (int k : {1, 2}) sum_[k] += fit.gain(k) * fit.gain(k);
    if (count_++ % stride_ != 0) return;
    const double with_spin = motion_.gain_with_spin(i, fit, static_cast<std::size_t>(order_)),
                 ratio = with_spin > 0 ? with_spin / fit.gain(order_) : 1;
    spins_ += ratio * ratio, ++looked_at_;
  }
  double of(int k) const { return std::sqrt(sum_[k] / static_cast<double>(count_)); }
  /// Of an orientation's axes, beside other freedoms'.
  double ratio_of_axes() const { return std::sqrt(spins_ / static_cast<double>(looked_at_)); }

 private:
  const JointMotion& motion_;
  const int order_;
  const std::size_t stride_;
  double sum_[3] = {0, 0, 0}, spins_ = 0;
  std::size_t count_ = 0, looked_at_ = 0;
};

/// The deviations of positions: noise, and the rounding of numbers that a window's sums make of them, at worst all to one side.
std::vector<double> with_rounding(const JointMotion& motion, std::vector<double> noise, double fallback, int samples) {
  for (std::size_t c = 0; c < noise.size(); ++c) {
    const double own = motion.rounding(c);
    noise[c] = std::hypot(noise[c], (own > 0 ? own : fallback) * std::sqrt(static_cast<double>(samples)));
  }
  return noise;
}

/// One derivative of a joint's motion, into the columns from `first` on. rounding: of positions that are zero throughout.
void differentiate_motion(const JointMotion& motion, const WindowChoice& choice, std::size_t order, double step,
                          std::size_t first, double rounding, Differentiated& made) {
  LocalFit nominal(choice.half[order - 1]);
  Windows windows(motion, nominal.half());
  std::vector<double> v(motion.kinds), a(motion.kinds);
  const std::vector<double>& wanted = order == 1 ? v : a;
  MeanSquares speed(motion.kinds);
  MeanGains mean(motion, static_cast<int>(order), motion.samples);
  for (const auto& [from, to] : stretches_of(motion, static_cast<std::size_t>(nominal.samples())))
    for (std::size_t i = from; i < to; ++i) {
      const FitWeights& fit = windows.at(i, from, to);
      motion.derivatives(i, fit, step, v.data(), a.data());
      speed.add(v), mean.add(i, fit);
      for (std::size_t c = 0; c < motion.kinds; ++c) made.values[first + c][i] = wanted[c];
    }
  const double gains[] = {mean.of(1) / step, mean.of(2) / (step * step)};
  std::vector<double> positions = with_rounding(motion, choice.noise, rounding, nominal.samples());
  for (std::size_t c = 0; c < motion.kinds; ++c)
    if (motion.is_axis(c)) positions[c] *= mean.ratio_of_axes();
  const std::vector<double> noise = motion.deviations(positions, gains, speed, order),
                            bias = motion.in_columns(choice.bias[order - 1]);
  for (std::size_t c = 0; c < motion.kinds; ++c) {
    made.deviation[first + c] = std::hypot(noise[c], bias[c] / std::pow(step, static_cast<double>(order)));
    made.window[first + c] = nominal.samples() * step;
    made.cutoff[first + c] = cutoff_of_half(nominal.half()) / step;
  }
}

/// What rounding leaves of the largest position of the log.
double largest_rounding(const std::vector<JointMotion>& motions) {
  double largest = 0;
  for (const JointMotion& motion : motions)
    for (std::size_t c = 0; c < motion.kinds; ++c) largest = std::max(largest, motion.rounding(c));
  return largest > 0 ? largest : std::numeric_limits<double>::epsilon();
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
  const int stated = stated_half(options, samples, step);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int order : {1, 2})
    for (const JointMotion& motion : motions)
      for (const std::string& name : motion.velocity_columns)
        made.columns.push_back((order == 1 ? "dq." : "ddq.") + name), made.values.emplace_back(samples, nan);
  const std::size_t all = made.columns.size() / 2;
  made.deviation.assign(2 * all, 0.0), made.window.assign(2 * all, 0.0), made.cutoff.assign(2 * all, 0.0);
  const double rounding = largest_rounding(motions);
  std::size_t first = 0;
  for (const JointMotion& motion : motions) {
    const WindowChoice choice = choose_windows(motion, stated);
    if (choice.bounded) made.bounded.push_back(motion.name);
    for (const std::size_t order : {std::size_t{1}, std::size_t{2}})
      differentiate_motion(motion, choice, order, step, order == 1 ? first : all + first, rounding, made);
    first += motion.kinds;
  }
  return made;
}

}  // namespace sparsedyn
