#include <algorithm>
#include <cmath>

#include "sparsedyn/live/live_loop.hpp"

namespace sparsedyn {

void LiveDelays::add(std::int64_t delay) noexcept {
  const std::int64_t at_least_one = std::max<std::int64_t>(delay, 1);
  const int bin = static_cast<int>(a_octave * std::log2(static_cast<double>(at_least_one)));
  ++bins_[static_cast<std::size_t>(std::min<int>(bin, static_cast<int>(bins_.size()) - 1))];
  ++count_;
  worst_ = std::max(worst_, delay);
}

double LiveDelays::quantile(double share) const noexcept {
  double left = share * static_cast<double>(count_);
  for (std::size_t k = 0; k < bins_.size() && count_ > 0; ++k) {
    left -= static_cast<double>(bins_[k]);
    if (left <= 0 && bins_[k] > 0) return std::min(worst(), 1e-9 * std::exp2((static_cast<double>(k) + 1) / a_octave));
  }
  return count_ > 0 ? worst() : 0;
}

}  // namespace sparsedyn
