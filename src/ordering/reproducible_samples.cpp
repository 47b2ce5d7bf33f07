#include "reproducible_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace sparsedyn {
namespace {

constexpr std::size_t most_kept = std::size_t{1} << 23;  // numbers: 64 MB

void clear(std::vector<double>& moved, double* x) {
  constexpr double tenth = 0.1;
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (!(std::abs(moved[i] - x[i]) < tenth * std::abs(x[i]))) x[i] = 0;
}

/// x rounded to 24 bits, halves away from zero; x where that is not finite. In operations that loops do on several numbers at
/// once.
inline double rounded_to_single(double x) {
  constexpr int dropped = 53 - 24;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits += std::uint64_t{1} << (dropped - 1);  // a carry into the exponent is the next power of two
  bits &= ~((std::uint64_t{1} << dropped) - 1);
  double rounded = 0;
  std::memcpy(&rounded, &bits, sizeof bits);
  return rounded - rounded == 0 ? rounded : x;
}

/// Numbers of 24 bits that floats hold to the last bit: no exponent beyond theirs.
bool fit_floats(const std::vector<double>& numbers) {
  constexpr double least = 0x1p-126, most = 0x1p127;
  bool fit = true;
  for (double x : numbers) fit = fit && (x == 0 || (std::abs(x) >= least && std::abs(x) <= most));
  return fit;
}

/// Samples of 24 bits, values and then right-hand side of each as one list.
class RoundedSamples {
 public:
  RoundedSamples(Samples samples, int entries, int rows)
      : samples_(std::move(samples)),
        entries_(static_cast<std::size_t>(entries)),
        numbers_(entries_ + static_cast<std::size_t>(rows)),
        keeps_(numbers_ * static_cast<std::size_t>(samples_.count) <= 2 * most_kept),
        fresh_(numbers_) {}

  void fill(int s, double* values, double* right_side) {
    if (largest_.empty()) survey();
    State beyond;  // strategies may look at special states beyond those that health is sampled at
    const auto k = static_cast<std::size_t>(s);
    State& state = k < states_.size() ? states_[k] : beyond;
    if (!state.numbers.empty()) std::copy(state.numbers.begin(), state.numbers.end(), fresh_.begin());
    if (state.numbers.empty()) {
      compute(s);
      round();
      if (keeps_ && ++state.asked > kept_from && fit_floats(fresh_)) state.numbers.assign(fresh_.begin(), fresh_.end());
    }
    std::copy_n(fresh_.begin(), entries_, values);
    std::copy(fresh_.begin() + static_cast<std::ptrdiff_t>(entries_), fresh_.end(), right_side);
  }

 private:
  static constexpr int kept_from = 2;  // what is asked for once or twice takes less time to compute again than memory to keep

  struct State {
    int asked = 0;
    std::vector<float> numbers;  // empty: not kept
  };

  void compute(int s) { samples_.fill(s, fresh_.data(), fresh_.data() + entries_); }

  /// The largest that each number gets.
  void survey() {
    states_.resize(static_cast<std::size_t>(samples_.count));
    largest_.assign(numbers_, 0.0);
    for (int s = 0; s < samples_.count; ++s) {
      compute(s);
      for (std::size_t i = 0; i < numbers_; ++i) largest_[i] = std::max(largest_[i], std::abs(fresh_[i]));
    }
    constexpr double nothing = 0x1p-42;  // a thousand roundings: of a number that is as large elsewhere
    for (double& largest : largest_) largest *= nothing;
  }

  void round() {
    constexpr double nothing_beside = 0x1p-46;  // of a sum whose terms may be as large as the largest right-hand side
    double size = 0;
    for (std::size_t i = entries_; i < numbers_; ++i) size = std::max(size, std::abs(fresh_[i]));
    round(0, entries_, 0);
    round(entries_, numbers_, nothing_beside * size);
  }

  void round(std::size_t begin, std::size_t end, double least) {
    double* const x = fresh_.data();
    const double* const nothing = largest_.data();
    for (std::size_t i = begin; i < end; ++i) {
      const double rounded = rounded_to_single(x[i]), size = std::abs(x[i]);
      x[i] = size < nothing[i] || size < least ? 0.0 : rounded;
    }
  }

  Samples samples_;
  std::size_t entries_, numbers_;
  bool keeps_;
  std::vector<double> largest_, fresh_;  // what is nothing of each number; the numbers of one state
  std::vector<State> states_;
};

}  // namespace

Samples kept(Samples samples, int entries, int rows) {
  const std::size_t each = static_cast<std::size_t>(entries) + static_cast<std::size_t>(rows),
                    count = static_cast<std::size_t>(samples.count);
  if (each * count > most_kept) return samples;
  const auto computed = std::make_shared<std::vector<std::unique_ptr<double[]>>>(count);  // values, then right-hand side
  samples.fill = [fill = samples.fill, computed, each, entries, rows](int s, double* values, double* right_side) {
    const auto k = static_cast<std::size_t>(s);
    if (k >= computed->size()) return fill(s, values, right_side);  // strategies may look beyond
    std::unique_ptr<double[]>& own = (*computed)[k];
    if (!own) {
      std::unique_ptr<double[]> fresh(new double[each]);
      fill(s, fresh.get(), fresh.get() + entries);
      own = std::move(fresh);
    }
    std::copy_n(own.get(), entries, values);
    std::copy_n(own.get() + entries, rows, right_side);
  };
  return samples;
}

double in_single_precision(double x) { return rounded_to_single(x); }

Samples cleared(Samples samples, int entries, int rows) {
  if (!samples.moved) return samples;
  const auto values = std::make_shared<std::vector<double>>(entries), right_side = std::make_shared<std::vector<double>>(rows);
  samples.fill = [fill = samples.fill, moved = samples.moved, values, right_side](int s, double* a, double* b) {
    fill(s, a, b);
    moved(s, values->data(), right_side->data());
    clear(*values, a), clear(*right_side, b);
  };
  samples.moved = nullptr;
  return samples;
}

Samples reproducible(Samples samples, int entries, int rows) {
  if (samples.moved) samples = kept(cleared(std::move(samples), entries, rows), entries, rows);
  const auto rounded = std::make_shared<RoundedSamples>(samples, entries, rows);
  samples.fill = [rounded](int s, double* values, double* right_side) { rounded->fill(s, values, right_side); };
  return samples;
}

}  // namespace sparsedyn
