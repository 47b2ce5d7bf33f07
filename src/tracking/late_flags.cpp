#include "tracking/late_flags.hpp"

namespace sparsedyn::tracking {

FlagDelays::FlagDelays(const std::vector<TrackedContact>& contacts, std::size_t inputs) : width(inputs) {
  for (const TrackedContact& contact : contacts)
    if (contact.delay > 0) flags.push_back({contact.flag, contact.delay});
}

std::size_t FlagDelays::rows() const {
  constexpr double rate = 2000;  // Hz
  constexpr std::size_t most = 1000;
  double longest = 0;
  for (const Flag& flag : flags) longest = std::max(longest, flag.delay);
  return std::min(most, static_cast<std::size_t>(std::ceil(longest * rate))) + 2;
}

/// A row's flags come from itself or a later one, which is not yet changed.
void settle_flags(const FlagDelays& delays, const std::vector<double>& dt, std::vector<double>& y) {
  std::vector<TimedRow> rows(dt.size(), TimedRow{0, 0, y.data()});
  for (std::size_t k = 1; k < dt.size(); ++k) {
    rows[k].dt = dt[k] > 0 ? dt[k] : 0.0, rows[k].time = rows[k - 1].time + rows[k].dt;
    rows[k].y = y.data() + k * delays.width;
  }
  const auto timed = [&](long k) { return rows[static_cast<std::size_t>(k)]; };
  const long end = static_cast<long>(rows.size());
  for (long k = 0; k < end; ++k) take_late_flags(delays, timed, k, end, y.data() + static_cast<std::size_t>(k) * delays.width);
}

}  // namespace sparsedyn::tracking
