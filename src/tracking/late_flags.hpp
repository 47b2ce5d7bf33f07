// Contact flags that come late ("delay"): a row's flags were taken some time before the rest of it. The estimate is kept as it
// was at the last row whose flags are all in; from there the rows since are gone through again at each new one, with the flags
// that are in by then. Until a flag is in, the foot counts as let go: one that lifts and is believed to stand drags the base
// along.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sparsedyn/tracking/tracker.hpp"
#include "tracking/shared/contacts.hpp"
#include "tracking/shared/sample_ring.hpp"

namespace sparsedyn::tracking {

/// Which flags of a row are late, and by how much.
struct FlagDelays {
  struct Flag {
    int input;     // of the row of readings
    double delay;  // s, > 0
  };
  std::vector<Flag> flags;
  std::size_t width;  // of a row of readings

  FlagDelays(const std::vector<TrackedContact>& contacts, std::size_t inputs);
  /// Whether a contact has a delay; without one nothing of this is needed.
  bool any() const noexcept { return !flags.empty(); }
  /// Rows that the longest delay covers, at 2 kHz; at most 1000.
  std::size_t rows() const;
};

/// When a row was read (s), how long after the one before it, and its readings.
struct TimedRow {
  double time, dt;
  const double* y;
};

/// y becomes row `index` with the flags that were taken at its time: of a contact with delay D those of the first row at t + D
/// or later, to half an interval; a foot whose flag is in no row before `end` is let go. Whether all are in. y may be the row.
template <class Rows>
bool take_late_flags(const FlagDelays& delays, const Rows& row, long index, long end, double* y) noexcept {
  const TimedRow own = row(index);
  if (y != own.y) std::copy_n(own.y, delays.width, y);
  bool all = true;
  for (const FlagDelays::Flag& flag : delays.flags) {
    const double due = own.time + flag.delay - 0.5 * own.dt;
    long from = index;
    while (from < end && row(from).time < due) ++from;
    y[flag.input] = from < end ? row(from).y[flag.input] : flag_to_come;
    all = all && from < end;
  }
  return all;
}

/// The same rows with the flags that were taken at their time: for whole logs, where all are in. y: a row a sample, changed.
void settle_flags(const FlagDelays& delays, const std::vector<double>& dt, std::vector<double>& y);

/// Filter: a copy of the one that is followed, with start(Start), is_started(), step(y, dt, about, Sample*) and
/// take_state(Filter).
template <class Filter, class Start, class Sample>
class LateFlags {
 public:
  /// Memory for rows of 2 kHz over the longest delay; at higher rates the oldest flags are given up.
  LateFlags(FlagDelays delays, Filter settled)
      : delays_(std::move(delays)),
        settled_(std::move(settled)),
        rows_(delays_.any() ? delays_.rows() : 0, Row{std::vector<double>(delays_.width), 0, 0, false}),
        y_(delays_.width) {}

  const FlagDelays& delays() const noexcept { return delays_; }
  /// How many rows are gone through again at most.
  int most_rows() const { return static_cast<int>(rows_.size()); }

  void start(const Start& state) noexcept {
    settled_.start(state);
    first_ = next_ = 0, skipped_ = 0;
  }

  /// The rows whose flags are to come, and the estimate before them, of the same delays. No heap.
  void go_on_from(const LateFlags& other) noexcept {
    settled_.take_state(other.settled_);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      std::copy(other.rows_[k].y.begin(), other.rows_[k].y.end(), rows_[k].y.begin());
      rows_[k].dt = other.rows_[k].dt, rows_[k].time = other.rows_[k].time, rows_[k].broke = other.rows_[k].broke;
    }
    first_ = other.first_, next_ = other.next_, skipped_ = other.skipped_;
  }

  /// The next row; `newest` becomes the estimate after it. records: null, or where the rows that are gone through are written.
  /// Fails, too, where the flags that are in by now break the estimate at an earlier row, as the newest is then one that began
  /// after that row: once for each such row. No heap.
  TrackerStep step(const double* y, double dt, Filter& newest, SampleRing<Sample>* records) noexcept {
    TrackerStep result;
    if (next_ > 0 && (!(dt > 0) || !std::isfinite(dt))) {
      result.why = "time does not go on";
      return result;
    }
    broke_earlier_ = false;
    if (next_ - first_ == static_cast<long>(rows_.size())) {  // full: the oldest goes on with what is in
      flags_of(first_, y_.data());
      go_through(first_++, y_.data(), settled_, records);
    }
    keep(y, dt);
    while (first_ < next_ && flags_of(first_, y_.data())) result = go_through(first_++, y_.data(), settled_, records);
    newest.take_state(settled_);
    for (long index = first_; index < next_; ++index) {
      flags_of(index, y_.data());
      result = go_through(index, y_.data(), newest, records);
    }
    if (!result.ok && begins_) {
      drop_newest();
    } else if (result.ok && broke_earlier_) {
      result = TrackerStep{};
      result.why = "flags that came late broke the estimate at an earlier row; it started anew after that one";
    }
    return result;
  }

  /// Rows so far that could be used.
  long count() const { return next_; }

 private:
  struct Row {
    std::vector<double> y;
    double dt, time;
    bool broke;  // the estimate, when it was last gone through
  };
  Row& row(long index) noexcept { return rows_[static_cast<std::size_t>(index) % rows_.size()]; }

  bool flags_of(long index, double* y) noexcept {
    const auto timed = [this](long k) -> TimedRow { return {row(k).time, row(k).dt, row(k).y.data()}; };
    return take_late_flags(delays_, timed, index, next_, y);
  }

  void keep(const double* y, double dt) noexcept {
    Row& latest = row(next_);
    std::copy(y, y + latest.y.size(), latest.y.begin());
    latest.dt = next_ > 0 ? skipped_ + dt : 0, latest.time = next_ > 0 ? row(next_ - 1).time + latest.dt : 0;
    latest.broke = false, skipped_ = 0;
    ++next_;
  }

  /// There was no estimate to go on from, and none begins with that row.
  void drop_newest() noexcept {
    --next_, skipped_ = row(next_).dt;
    first_ = std::min(first_, next_);
  }

  TrackerStep go_through(long index, const double* y, Filter& filter, SampleRing<Sample>* records) noexcept {
    Row& now = row(index);
    begins_ = !filter.is_started();
    const TrackerStep step = filter.step(y, now.dt, nullptr, records ? &records->at(index) : nullptr);
    if (records) records->set_found(index, step.ok);
    broke_earlier_ = broke_earlier_ || (!step.ok && !now.broke && index + 1 < next_);
    now.broke = !step.ok;
    return step;
  }

  FlagDelays delays_;
  Filter settled_;         // after row first_ − 1, all of whose flags were in
  std::vector<Row> rows_;  // first_ … next_ − 1
  std::vector<double> y_;  // a row with the flags that are its own
  long first_ = 0, next_ = 0;
  double skipped_ = 0;          // s: of rows before row next_ that were dropped
  bool begins_ = false;         // the row that was gone through last found no estimate to go on from
  bool broke_earlier_ = false;  // in this step a row before its own broke the estimate that had not before
};

}  // namespace sparsedyn::tracking
