// A tracked base beside where a log says that it was.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "scalar/differences.hpp"
#include "sparsedyn/spatial/spatial.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::tracking {

class BaseErrors {
 public:
  /// columns: of the results, of which q.base.* are read, if all are there.
  explicit BaseErrors(const std::vector<std::string>& columns);

  /// Compares a row. nees: NaN where it is not known.
  void add(double time, const double* results, const BaseTruth& truth, double nees);
  void tell(TrackFigures& figures) const;

 private:
  struct Place {
    double time;
    Pose<double> truth, estimate;
  };
  std::vector<std::size_t> base_;  // of q.base.* among the results; empty: they are not written
  std::deque<Place> last_second_;
  Differences position_, tilt_, yaw_, over_1s_;
  long nees_rows_ = 0;
  double nees_sum_ = 0, path_ = 0, end_ = 0, yaw_end_ = 0;
};

}  // namespace sparsedyn::tracking
