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

/// Samples of 24 bits, values and then right-hand side of each as one list.
class RoundedSamples {
 public:
  RoundedSamples(Samples samples, int entries, int rows)
      : samples_(std::move(samples)),
        entries_(static_cast<std::size_t>(entries)),
        numbers_(entries_ + static_cast<std::size_t>(rows)),
        keeps_(numbers_ * static_cast<std::size_t>(samples_.count) <= most_kept) {}

  void fill(int s, double* values, double* right_side) {
    if (largest_.empty()) survey();
    if (kept_.size() <= static_cast<std::size_t>(s)) {
      fresh_ = exact(s);
      round(fresh_);
    }
    const std::vector<double>& own = static_cast<std::size_t>(s) < kept_.size() ? kept_[static_cast<std::size_t>(s)] : fresh_;
    std::copy_n(own.begin(), entries_, values);
    std::copy(own.begin() + static_cast<std::ptrdiff_t>(entries_), own.end(), right_side);
  }

 private:
  std::vector<double> exact(int s) const {
    std::vector<double> all(numbers_);
    samples_.fill(s, all.data(), all.data() + entries_);
    return all;
  }

  /// The largest that each number gets, and the samples themselves.
  void survey() {
    largest_.assign(numbers_, 0.0);
    for (int s = 0; s < samples_.count; ++s) {
      std::vector<double> all = exact(s);
      for (std::size_t i = 0; i < numbers_; ++i) largest_[i] = std::max(largest_[i], std::abs(all[i]));
      if (keeps_) kept_.push_back(std::move(all));
    }
    for (std::vector<double>& all : kept_) round(all);
  }

  void round(std::vector<double>& all) const {
    constexpr double nothing = 0x1p-42;         // a thousand roundings: of a number that is as large elsewhere
    constexpr double nothing_beside = 0x1p-46;  // of a sum whose terms may be as large as the largest right-hand side
    double size = 0;
    for (std::size_t i = entries_; i < numbers_; ++i) size = std::max(size, std::abs(all[i]));
    for (std::size_t i = 0; i < numbers_; ++i) {
      const double least = std::max(nothing * largest_[i], i < entries_ ? 0.0 : nothing_beside * size);
      all[i] = std::abs(all[i]) < least ? 0.0 : in_single_precision(all[i]);
    }
  }

  Samples samples_;
  std::size_t entries_, numbers_;
  bool keeps_;
  std::vector<double> largest_, fresh_;
  std::vector<std::vector<double>> kept_;
};

}  // namespace

double in_single_precision(double x) {
  constexpr int dropped = 53 - 24;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits += std::uint64_t{1} << (dropped - 1);  // a carry into the exponent is the next power of two
  bits &= ~((std::uint64_t{1} << dropped) - 1);
  double rounded = 0;
  std::memcpy(&rounded, &bits, sizeof bits);
  return std::isfinite(rounded) ? rounded : x;
}

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
  samples = cleared(std::move(samples), entries, rows);
  const auto rounded = std::make_shared<RoundedSamples>(samples, entries, rows);
  samples.fill = [rounded](int s, double* values, double* right_side) { rounded->fill(s, values, right_side); };
  return samples;
}

}  // namespace sparsedyn
