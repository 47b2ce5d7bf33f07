// Contact flags that come late ("delay"): a row's flags were taken some time before the rest of it. The estimate is kept as it
// was at the last row whose flags are all in; from there the rows since are gone through again at each new one, with the flags
// that are in by then. Until a flag is in, the foot counts as let go: one that lifts and is believed to stand drags the base
// along.
#pragma once

#include <vector>

#include "tracking/forward.hpp"

namespace sparsedyn::tracking {

class LateFlags {
 public:
  /// Memory for rows of 2 kHz over the longest delay; at higher rates the oldest flags are given up.
  LateFlags(const Layout& layout, bool slip);

  /// Whether a contact has a delay; without one nothing of this is needed.
  static bool needed(const Layout& layout);
  /// How many rows are gone through again at most.
  int most_rows() const { return static_cast<int>(rows_.size()); }

  void start(const StartState& state) noexcept;
  /// The next row; `newest` becomes the estimate after it. records: null, or the ring into which the rows that are gone through
  /// are written, that of row n at n modulo its size. No heap.
  TrackerStep step(const double* y, double dt, Forward& newest, std::vector<Sample>* records) noexcept;
  /// Rows so far that could be used.
  long count() const { return next_; }

 private:
  struct Row {
    std::vector<double> y;
    double dt, time;
  };
  Row& row(long index) noexcept { return rows_[static_cast<std::size_t>(index) % rows_.size()]; }
  bool flags_of(long index, double* y) noexcept;
  TrackerStep go_through(long index, const double* y, Forward& forward, std::vector<Sample>* records) noexcept;

  const Layout& layout_;
  Forward settled_;        // after row first_ − 1, all of whose flags were in
  std::vector<Row> rows_;  // first_ … next_ − 1
  std::vector<double> y_;  // a row with the flags that are its own
  long first_ = 0, next_ = 0;
};

/// The same rows with the flags that were taken at their time: for whole logs, where all are in. y: a row a sample, changed.
void settle_flags(const Layout& layout, const std::vector<double>& dt, std::vector<double>& y);

}  // namespace sparsedyn::tracking
