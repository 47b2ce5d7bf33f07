#include "sparsedyn/logs/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "local_fit.hpp"
#include "motion_columns.hpp"
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

/// One derivative of a joint's motion, into the columns from `first` on.
void differentiate_motion(const JointMotion& motion, const WindowChoice& choice, std::size_t order, double step,
                          std::size_t first, Differentiated& made) {
  LocalFit fit(choice.half[order - 1]);
  std::vector<double> v(motion.kinds), a(motion.kinds);
  const std::vector<double>& wanted = order == 1 ? v : a;
  MeanSquares speed(motion.kinds);
  for (const auto& [from, to] : stretches_of(motion, static_cast<std::size_t>(fit.samples())))
    for (std::size_t i = from; i < to; ++i) {
      motion.derivatives(i, fit.at(i - from, to - from), step, v.data(), a.data());
      speed.add(v);
      for (std::size_t c = 0; c < motion.kinds; ++c) made.values[first + c][i] = wanted[c];
    }
  const double gains[] = {fit.inside().gain(1) / step, fit.inside().gain(2) / (step * step)};
  const std::vector<double> noise = motion.deviations(choice.noise, gains, speed, order),
                            bias = motion.in_columns(choice.bias[order - 1]);
  for (std::size_t c = 0; c < motion.kinds; ++c) {
    made.deviation[first + c] = std::hypot(noise[c], bias[c] / std::pow(step, static_cast<double>(order)));
    made.window[first + c] = fit.samples() * step;
    made.cutoff[first + c] = cutoff_of_half(fit.half()) / step;
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
  const int stated = stated_half(options, samples, step);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int order : {1, 2})
    for (const JointMotion& motion : motions)
      for (const std::string& name : motion.velocity_columns)
        made.columns.push_back((order == 1 ? "dq." : "ddq.") + name), made.values.emplace_back(samples, nan);
  const std::size_t all = made.columns.size() / 2;
  made.deviation.assign(2 * all, 0.0), made.window.assign(2 * all, 0.0), made.cutoff.assign(2 * all, 0.0);
  std::size_t first = 0;
  for (const JointMotion& motion : motions) {
    const WindowChoice choice = choose_windows(motion, stated);
    for (const std::size_t order : {std::size_t{1}, std::size_t{2}})
      differentiate_motion(motion, choice, order, step, order == 1 ? first : all + first, made);
    first += motion.kinds;
  }
  return made;
}

}  // namespace sparsedyn
