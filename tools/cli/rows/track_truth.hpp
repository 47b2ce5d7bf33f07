// A tracked base beside where the log says that it was.
#pragma once

#include <deque>
#include <vector>

#include "cli/rows/comparison.hpp"
#include "cli/support/json_text.hpp"
#include "io/csv_reader.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::cli {

/// The base in a row of the log: truth where all columns are there.
struct BaseTruth {
  bool placed = false, moving = false;
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0, 0, 0, 0, 0, 0};
};

class TrackTruth {
 public:
  /// columns: what the tracker writes. Asks the log for q.base.* and dq.base.*, if it has all of them.
  TrackTruth(CsvReader& log, const std::vector<std::string>& columns);

  /// Of the log's current row.
  BaseTruth read() const;
  /// Turns the orientation's sign in `results` to the truth's: a quaternion and its negative are one orientation.
  void align(double* results, const BaseTruth& truth) const;
  /// Adds a row: where the tracker was, beside the truth. nees: NaN where it is not known.
  void add(double time, const double* results, const BaseTruth& truth, double nees);

  /// `errors` {position, tilt, yaw, yaw_end} (m, rad), `drift` {over_1s, end, per_metre}, into `json`; nothing without truth.
  void describe(Json& json) const;
  /// Mean of nees; null where there was none.
  Json nees() const;
  std::string text() const;

 private:
  struct Place {
    double time;
    Pose<double> truth, estimate;
  };
  CsvReader& log_;
  std::vector<int> pose_slots_, rate_slots_;  // in the log; empty: it lacks some
  std::vector<int> outputs_;                  // of q.base.* among the results; empty: they are not written
  std::deque<Place> last_second_;
  Squares position_, tilt_, yaw_, over_1s_;
  long rows_ = 0, over_rows_ = 0, nees_rows_ = 0;
  double nees_sum_ = 0, path_ = 0, end_ = 0, yaw_end_ = 0;
};

}  // namespace sparsedyn::cli
