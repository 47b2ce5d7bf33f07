#include "tracking/late_flags.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::tracking {
namespace {

double longest_delay(const Layout& layout) {
  double most = 0;
  for (const TrackedContact& contact : layout.contacts) most = std::max(most, contact.delay);
  return most;
}

std::size_t rows_over_the_delay(const Layout& layout) {
  constexpr double rate = 2000;  // Hz
  constexpr std::size_t most = 1000;
  return std::min(most, static_cast<std::size_t>(std::ceil(longest_delay(layout) * rate))) + 2;
}

}  // namespace

bool LateFlags::needed(const Layout& layout) { return longest_delay(layout) > 0; }

LateFlags::LateFlags(const Layout& layout, bool slip)
    : layout_(layout),
      settled_(layout, slip),
      rows_(needed(layout) ? rows_over_the_delay(layout) : 0, Row{std::vector<double>(layout.inputs.size()), 0, 0}),
      y_(layout.inputs.size()) {}

void LateFlags::start(const StartState& state) noexcept {
  settled_.start(state);
  first_ = next_ = 0;
}

/// y becomes the row with the flags that were taken at its time: of a contact with delay D those of the first row at t + D or
/// later, to half an interval; a foot whose flag is not in is let go. Whether all are in.
bool LateFlags::flags_of(long index, double* y) noexcept {
  const Row& own = row(index);
  std::copy(own.y.begin(), own.y.end(), y);
  bool all = true;
  for (const TrackedContact& contact : layout_.contacts) {
    if (!(contact.delay > 0)) continue;
    const double due = own.time + contact.delay - 0.5 * own.dt;
    long from = index;
    while (from < next_ && row(from).time < due) ++from;
    y[contact.flag] = from < next_ ? row(from).y[static_cast<std::size_t>(contact.flag)] : 0.0;
    all = all && from < next_;
  }
  return all;
}

TrackerStep LateFlags::go_through(long index, const double* y, Forward& forward, std::vector<Sample>* records) noexcept {
  Sample* record = records ? &(*records)[static_cast<std::size_t>(index) % records->size()] : nullptr;
  return forward.step(y, row(index).dt, nullptr, record);
}

TrackerStep LateFlags::step(const double* y, double dt, Forward& newest, std::vector<Sample>* records) noexcept {
  TrackerStep result;
  if (next_ > 0 && (!(dt > 0) || !std::isfinite(dt))) {
    result.why = "time does not go on";
    return result;
  }
  if (next_ - first_ == static_cast<long>(rows_.size())) {  // full: the oldest goes on with what is in
    flags_of(first_, y_.data());
    go_through(first_++, y_.data(), settled_, records);
  }
  Row& latest = row(next_);
  std::copy(y, y + latest.y.size(), latest.y.begin());
  latest.dt = next_ > 0 ? dt : 0, latest.time = next_ > 0 ? row(next_ - 1).time + dt : 0;
  ++next_;
  while (first_ < next_ && flags_of(first_, y_.data())) result = go_through(first_++, y_.data(), settled_, records);
  newest.take_state(settled_);
  for (long index = first_; index < next_; ++index) {
    flags_of(index, y_.data());
    result = go_through(index, y_.data(), newest, records);
  }
  if (next_ == 1 && !result.ok) first_ = next_ = 0;  // nothing to start from
  return result;
}

void settle_flags(const Layout& layout, const std::vector<double>& dt, std::vector<double>& y) {
  const std::size_t width = layout.inputs.size();
  std::vector<double> time(dt.size(), 0.0);
  for (std::size_t k = 1; k < dt.size(); ++k) time[k] = time[k - 1] + (dt[k] > 0 ? dt[k] : 0.0);
  for (const TrackedContact& contact : layout.contacts) {
    if (!(contact.delay > 0)) continue;
    std::size_t from = 0;
    for (std::size_t k = 0; k < dt.size(); ++k) {
      const double due = time[k] + contact.delay - 0.5 * (dt[k] > 0 ? dt[k] : 0.0);
      while (from < dt.size() && time[from] < due) ++from;
      const std::size_t at = static_cast<std::size_t>(contact.flag);
      y[k * width + at] = from < dt.size() ? y[from * width + at] : 0.0;  // from ≥ k: what is read there is not yet changed
    }
  }
}

}  // namespace sparsedyn::tracking
