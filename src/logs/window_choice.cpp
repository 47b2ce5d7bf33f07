#include "window_choice.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "local_fit.hpp"
#include "rotation_fit.hpp"

namespace sparsedyn {
namespace {

constexpr int pilot_half = 3;              // window in which noise is estimated before one is chosen
constexpr double rounding = 1e-9;          // of positions, beside their size: printed numbers
constexpr int largest_choice = 500;        // half window
constexpr std::size_t most_places = 3000;  // samples at which windows are compared
constexpr std::size_t most_residuals = 20000;
constexpr std::size_t larger = 3;      // steps in the list of windows to the one that tells the bias
constexpr double small_bias = 0.2;     // squared, beside the noise's
constexpr double well_smaller = 0.75;  // windows beside which a lost motion is looked for
constexpr double by_chance = 4;        // deviations of a mean square
constexpr double coloured = 1;         // what noise that is not white may add to that mean square, beside it
constexpr double quarter_turn = 1.5707963267948966;
constexpr double may_turn_further = 0.1;    // of the windows
constexpr std::size_t most_turnings = 300;  // windows that are looked at
constexpr double kept_by_gaps = 0.98;       // of the samples that the smallest window can differentiate

/// Samples that can be differentiated with this window, and those among them that have it to both sides.
std::pair<std::size_t, std::size_t> reach(const JointMotion& motion, int half) {
  const auto ends = static_cast<std::size_t>(2 * half);
  std::size_t all = 0, whole = 0;
  for (const auto& [from, to] : stretches_of(motion, ends + 1)) all += to - from, whole += to - from - ends;
  return {all, whole};
}

/// Samples that have this window to both sides.
std::vector<std::size_t> middles(const JointMotion& motion, int half) {
  const auto side = static_cast<std::size_t>(half);
  std::vector<std::size_t> found;
  for (const auto& [from, to] : stretches_of(motion, 2 * side + 1))
    for (std::size_t i = from + side; i + side < to; ++i) found.push_back(i);
  return found;
}

/// Whether an orientation turns by more than a quarter from the middle of too many windows to their ends. Rotation vectors,
/// which windows are fitted to, amplify noise towards a whole turn, where they have no direction.
bool turns_too_far(const JointMotion& motion, int half) {
  const std::vector<std::size_t> places = middles(motion, half);
  const std::size_t stride = 1 + places.size() / most_turnings, side = static_cast<std::size_t>(half);
  std::size_t far = 0, all = 0;
  for (std::size_t p = 0; p < places.size(); p += stride, ++all)
    far += motion.turns_beyond(quarter_turn, places[p], places[p] - side, 2 * side + 1);
  return static_cast<double>(far) > may_turn_further * static_cast<double>(all);
}

/// Whether the window around sample i can be fitted as it is: the smallest can, whatever it turns.
bool is_within(const JointMotion& motion, std::size_t i, int half) {
  const auto side = static_cast<std::size_t>(half);
  return half == LocalFit::smallest_half || !motion.turns_beyond(most_turning, i, i - side, 2 * side + 1);
}

/// Half windows to choose from, each an eighth larger than the one before; with the largest, half of the samples still have a
/// whole window, few are lost between gaps, and orientations turn little in it.
std::vector<int> candidates(const JointMotion& motion) {
  const std::size_t most = reach(motion, LocalFit::smallest_half).first;
  std::vector<int> halves{LocalFit::smallest_half};
  if (most == 0) return halves;
  for (int next; (next = halves.back() * 9 / 8 + 1) <= largest_choice;) {
    const auto [all, whole] = reach(motion, next);
    if (2 * whole < most || static_cast<double>(all) < kept_by_gaps * static_cast<double>(most)) break;
    if (turns_too_far(motion, next)) break;
    halves.push_back(next);
  }
  return halves;
}

/// The derivatives of one joint with several windows, each made when it is asked for; NaN where a window has no room.
class Trials {
 public:
  Trials(const JointMotion& motion, std::vector<int> halves)
      : motion_(motion), halves_(std::move(halves)), noise_(position_noise(motion, pilot_half)), made_(halves_.size()) {
    for (std::size_t c = 0; c < motion.kinds; ++c) noise_[c] = std::hypot(noise_[c], rounding * motion.size(c));
    for (int half : halves_) fits_.push_back(LocalFit(half).inside());
    const std::vector<std::size_t> places = middles(motion, LocalFit::smallest_half);
    stride_ = 1 + places.size() / most_places;
    for (std::size_t p = 0; p < places.size(); p += stride_) places_.push_back(places[p]);
  }

  std::size_t windows() const { return halves_.size(); }
  int half(std::size_t k) const { return halves_[k]; }
  /// σ² ‖w_k‖², of a freedom.
  double variance(std::size_t c, int order, std::size_t k) const {
    const double deviation = noise_[c] * fits_[k].gain(order);
    return deviation * deviation;
  }
  /// The mean square of the bias of the k-th window.
  double squared_bias(std::size_t c, int order, std::size_t k) {
    double found = 0;
    if (const std::size_t K = std::min(k + larger, windows() - 1); K > k) {
      const double ratio = scale(K) / scale(k) - 1;
      found = std::max(0.0, compare(c, order, K, k).beyond_noise / (ratio * ratio));
    } else if (const std::size_t s = k - std::min(k, larger); s < k) {  // no larger one has room: b_k − b_s tells b_k, too
      const double ratio = 1 - scale(s) / scale(k);
      found = std::max(0.0, compare(c, order, k, s).beyond_noise / (ratio * ratio));
    }
    for (std::size_t s = 0; s < k && halves_[s] <= well_smaller * halves_[k]; ++s) {
      const Comparison lost = compare(c, order, k, s);
      if (lost.beyond_noise > by_chance * lost.deviation + coloured * lost.of_noise) found = std::max(found, lost.beyond_noise);
    }
    return found;
  }

 private:
  struct Comparison {
    double beyond_noise;  // mean |a_k − a_s|² − σ² ‖w_k − w_s‖²
    double of_noise;      // σ² ‖w_k − w_s‖²
    double deviation;     // of the former, from noise alone
  };
  /// At each place; of each freedom and order.
  using Derivatives = std::vector<std::vector<double>>;

  static std::size_t index(std::size_t c, int order) { return 2 * c + static_cast<std::size_t>(order - 1); }

  const Derivatives& with_window(std::size_t k) {
    Derivatives& made = made_[k];
    if (!made.empty()) return made;
    made.assign(2 * motion_.kinds, std::vector<double>(places_.size(), std::nan("")));
    const std::vector<std::size_t> fitting = middles(motion_, halves_[k]);
    std::vector<double> value(motion_.kinds), rate(motion_.kinds), second(motion_.kinds);
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (!std::binary_search(fitting.begin(), fitting.end(), places_[p])) continue;
      if (!is_within(motion_, places_[p], halves_[k])) continue;
      motion_.local_derivatives(places_[p], fits_[k], value.data(), rate.data(), second.data());
      for (std::size_t c = 0; c < motion_.kinds; ++c) made[index(c, 1)][p] = rate[c], made[index(c, 2)][p] = second[c];
    }
    return made;
  }

  /// A smaller window s beside a larger k. Squares of noise are alike over about 0.8 s samples.
  Comparison compare(std::size_t c, int order, std::size_t k, std::size_t s) {
    const auto o = static_cast<std::size_t>(order), shift = static_cast<std::size_t>(halves_[k] - halves_[s]);
    std::vector<double> difference = fits_[k].weight[o];
    for (std::size_t j = 0; j < fits_[s].weight[o].size(); ++j) difference[shift + j] -= fits_[s].weight[o][j];
    const double of_noise =
        noise_[c] * noise_[c] * std::inner_product(difference.begin(), difference.end(), difference.begin(), 0.0);
    const std::vector<double>&a = with_window(k)[index(c, order)], &b = with_window(s)[index(c, order)];
    double sum = 0, places = 0;
    for (std::size_t p = 0; p < a.size(); ++p)
      if (std::isfinite(a[p])) sum += (a[p] - b[p]) * (a[p] - b[p]), ++places;
    if (places == 0) return {0, of_noise, of_noise};
    const double free = std::max(1.0, places / std::max(1.0, 0.8 * halves_[s] / static_cast<double>(stride_))),
                 share = std::sqrt(2 / free + 6 / (places * static_cast<double>(stride_)));  // and of σ² itself
    return {sum / places - of_noise, of_noise, share * of_noise};
  }

  double scale(std::size_t k) const {
    const double moment = static_cast<double>(halves_[k]) * (halves_[k] + 1);
    return moment * moment;
  }

  const JointMotion& motion_;
  std::vector<int> halves_;
  std::vector<double> noise_;
  std::vector<FitWeights> fits_;
  std::vector<std::size_t> places_;
  std::size_t stride_ = 1;
  std::vector<Derivatives> made_;  // with each window, once it was asked for
};

/// With all smaller windows too, each freedom's bias is small beside its noise.
std::size_t largest_with_small_bias(Trials& trials, int order, std::size_t freedoms) {
  std::size_t chosen = 0;
  for (std::size_t k = 0; k + larger < trials.windows(); ++k) {
    for (std::size_t c = 0; c < freedoms; ++c)
      if (trials.squared_bias(c, order, k) > small_bias * trials.variance(c, order, k)) return chosen;
    chosen = k;
  }
  return chosen;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> stretches_of(const JointMotion& motion, std::size_t shortest) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= motion.samples; ++i) {
    if (i < motion.samples && !motion.is_gap(i)) continue;
    if (i - from >= shortest) found.push_back({from, i});
    from = i + 1;
  }
  return found;
}

std::vector<double> position_noise(const JointMotion& motion, int half) {
  LocalFit fit(half);
  const FitWeights& w = fit.inside();
  const double share = 1 - w.weight[0][static_cast<std::size_t>(half)];  // of a white residual's variance
  const std::vector<std::size_t> places = middles(motion, half);
  const std::size_t stride = 1 + places.size() / most_residuals;
  std::vector<double> sum(motion.kinds, 0.0), deviation(motion.kinds, 0.0), residual(motion.kinds), rate(motion.kinds),
      second(motion.kinds);
  double count = 0, axes = 0;  // axes: as count, in shares of an orientation's noise
  for (std::size_t p = 0; p < places.size(); p += stride) {
    if (!is_within(motion, places[p], half)) continue;
    motion.local_derivatives(places[p], w, residual.data(), rate.data(), second.data());
    for (std::size_t c = 0; c < motion.kinds; ++c) sum[c] += residual[c] * residual[c];
    ++count;
    const double with_spin = motion.gain_with_spin(places[p], w, 0);
    axes += with_spin > 0 ? with_spin * with_spin / share : 1;
  }
  for (std::size_t c = 0; c < motion.kinds && count > 0; ++c)
    deviation[c] = std::sqrt(sum[c] / ((motion.is_axis(c) ? axes : count) * share));
  return deviation;
}

WindowChoice choose_windows(const JointMotion& motion, int stated) {
  WindowChoice made;
  const std::vector<int> halves = candidates(motion);
  Trials trials(motion, halves);
  std::array<std::size_t, 2> chosen{largest_with_small_bias(trials, 1, motion.kinds), 0};
  made.noise = position_noise(motion, trials.half(chosen[0]));
  const auto keep = [&](Trials& with, int order) {
    const auto o = static_cast<std::size_t>(order - 1);
    made.half[o] = with.half(chosen[o]);
    for (std::size_t c = 0; c < motion.kinds; ++c) made.bias[o].push_back(std::sqrt(with.squared_bias(c, order, chosen[o])));
  };
  if (stated == 0) {
    chosen[1] = largest_with_small_bias(trials, 2, motion.kinds);
    for (const int order : {1, 2}) keep(trials, order);
    return made;
  }
  while (stated > LocalFit::smallest_half && turns_too_far(motion, stated)) stated = stated * 8 / 9, made.bounded = true;
  std::vector<int> beside;  // smaller ones, the stated one, and larger ones that have room
  std::copy_if(halves.begin(), halves.end(), std::back_inserter(beside), [stated](int half) { return half < stated; });
  chosen = {beside.size(), beside.size()};
  beside.push_back(stated);
  for (std::size_t k = 0; k < larger; ++k) {
    const int next = beside.back() * 9 / 8 + 1;
    if (2 * reach(motion, next).second >= reach(motion, stated).first && !turns_too_far(motion, next)) beside.push_back(next);
  }
  Trials around(motion, beside);
  for (const int order : {1, 2}) keep(around, order);
  return made;
}

}  // namespace sparsedyn
