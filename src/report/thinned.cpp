#include "report/thinned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn::report {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// fmin and fmax take the number where the other is NaN.
void join(Thinned::Extremes& into, const Thinned::Extremes& more) {
  into.low = std::fmin(into.low, more.low), into.high = std::fmax(into.high, more.high);
  into.gap = into.gap || more.gap;
}

}  // namespace

Thinned::Thinned(std::size_t channels, std::size_t most)
    : channels_(channels), most_(most < 2 ? 2 : most), there_(channels, 0), above_(channels, 0) {}

void Thinned::add(double time, const double* values) {
  if (rows_ % stride_ == 0) {
    if (time_.size() == most_) halve();
    if (rows_ % stride_ == 0) {
      time_.push_back(time);
      extremes_.resize(extremes_.size() + channels_, {nothing, nothing, false});
    }
  }
  ++rows_;
  Extremes* last = extremes_.data() + (time_.size() - 1) * channels_;
  for (std::size_t c = 0; c < channels_; ++c) {
    const bool there = std::isfinite(values[c]);
    const double x = there ? values[c] : nothing;
    join(last[c], {x, x, !there});
    there_[c] += there, above_[c] += x > 0.5;
  }
}

void Thinned::halve() {
  const std::size_t half = (time_.size() + 1) / 2;
  for (std::size_t k = 0; k < half; ++k) {
    time_[k] = time_[2 * k];
    for (std::size_t c = 0; c < channels_; ++c) {
      Extremes& kept = extremes_[k * channels_ + c];
      kept = at(2 * k, c);
      if (2 * k + 1 < time_.size()) join(kept, at(2 * k + 1, c));
    }
  }
  time_.resize(half), extremes_.resize(half * channels_, {nothing, nothing, false});
  stride_ *= 2;
}

Thinned::Extremes Thinned::range(std::size_t channel) const {
  Extremes all{nothing, nothing, false};
  for (std::size_t k = 0; k < stretches(); ++k) join(all, at(k, channel));
  return all;
}

double Thinned::share_above_half(std::size_t channel) const {
  return there_[channel] > 0 ? static_cast<double>(above_[channel]) / static_cast<double>(there_[channel]) : 0;
}

std::size_t stretches_of_page(std::size_t channels) {
  return std::clamp<std::size_t>(80000 / std::max<std::size_t>(1, channels), 320, 4000);
}

}  // namespace sparsedyn::report
