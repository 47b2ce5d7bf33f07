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

/// When a row was read (s), how long after the one before it, and its readings.
struct TimedRow {
  double time, dt;
  const double* y;
};

/// y becomes row `index` with the flags that were taken at its time: of a contact with delay D those of the first row at t + D
/// or later, to half an interval; a foot whose flag is in no row before `end` is let go. Whether all are in. y may be the row.
template <class Rows>
bool take_late_flags(const Layout& layout, const Rows& row, long index, long end, double* y) noexcept {
  const TimedRow own = row(index);
  if (y != own.y) std::copy_n(own.y, layout.inputs.size(), y);
  bool all = true;
  for (const TrackedContact& contact : layout.contacts) {
    if (!(contact.delay > 0)) continue;
    const double due = own.time + contact.delay - 0.5 * own.dt;
    long from = index;
    while (from < end && row(from).time < due) ++from;
    y[contact.flag] = from < end ? row(from).y[contact.flag] : 0.0;
    all = all && from < end;
  }
  return all;
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

bool LateFlags::flags_of(long index, double* y) noexcept {
  const auto timed = [this](long k) -> TimedRow { return {row(k).time, row(k).dt, row(k).y.data()}; };
  return take_late_flags(layout_, timed, index, next_, y);
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

/// A row's flags come from itself or a later one, which is not yet changed.
void settle_flags(const Layout& layout, const std::vector<double>& dt, std::vector<double>& y) {
  std::vector<TimedRow> rows(dt.size(), TimedRow{0, 0, y.data()});
  for (std::size_t k = 1; k < dt.size(); ++k) {
    rows[k].dt = dt[k] > 0 ? dt[k] : 0.0, rows[k].time = rows[k - 1].time + rows[k].dt;
    rows[k].y = y.data() + k * layout.inputs.size();
  }
  const auto timed = [&](long k) { return rows[static_cast<std::size_t>(k)]; };
  const long end = static_cast<long>(rows.size());
  for (long k = 0; k < end; ++k)
    take_late_flags(layout, timed, k, end, y.data() + static_cast<std::size_t>(k) * layout.inputs.size());
}

}  // namespace sparsedyn::tracking
