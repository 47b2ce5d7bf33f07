// The rows of a log through a Tracker: as they come, some rows later, or all at once; and what they say of the estimate.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn {

/// The base as a row of a log has it, beside which the estimate is judged.
struct BaseTruth {
  bool placed = false, moving = false;  // q is known; v is
  double q[7] = {0, 0, 0, 0, 0, 0, 1};  // x, y, z (m), unit quaternion (qx, qy, qz, qw)
  double v[6] = {0, 0, 0, 0, 0, 0};     // wx, wy, wz (rad/s), vx, vy, vz (m/s), in the base's axes
};

/// q (7, a quaternion of any length but zero) and v (6) as above, or null; numbers that are not finite count as unknown.
BaseTruth base_truth(const double* q, const double* v) noexcept;

/// An even clock in place of times that jitter: the mean interval of a log, over intervals that are no gaps.
class EvenClock {
 public:
  /// times: of a log's rows (s); NaN where a row has none. An interval of five typical ones (the median) or more is a gap.
  explicit EvenClock(const std::vector<double>& times);
  /// The interval that takes the place of `stamped` (s): the mean, or the interval itself if it is a gap or not positive.
  double interval(double stamped) const noexcept { return stamped > 0 && stamped < longest_ ? mean_ : stamped; }

 private:
  double mean_ = 0, longest_ = 0;
};

/// How a log is gone through.
struct TrackedLogOptions {
  int lag = 0;         // rows: each is estimated from the readings up to so many rows later; at most the tracker's
  bool batch = false;  // each is estimated from all readings; memory grows with the log
  int iterations = 3;  // of a batch, 1 or more
  const EvenClock* clock = nullptr;  // outlives the TrackedLog
};

/// What the rows of a log say of the estimate. Numbers that nothing was known for are NaN.
struct TrackFigures {
  long slips = 0;
  double innovation_mean = 0;                    // of squares beside their variance: 1 where deviations are honest
  double innovations_inside = 0;                 // share of samples within the middle 95 % of chi-square
  double surprise = 0;                           // TrackerStep::surprise, mean of rows; kinematic rows have none
  double mean_interval = 0, jitter = 0;          // s: of the stamps, and their standard deviation
  double median_step_us = 0, worst_step_us = 0;  // a step's time; of a batch, the mean
  long compared = 0;                             // rows beside a true base: the numbers below are of these
  double position = 0, tilt = 0, yaw = 0;        // root mean squares (m, rad)
  double end = 0, yaw_end = 0, path = 0;         // position and yaw at the last such row, length of the true path
  double over_1s = 0;                            // root mean square of the error of the motion within one second (m)
  double nees = 0;                               // mean of Tracker::nees
  /// After finish(), as Tracker::at_prior(). Not with later rows (lag, batch): ddq.JOINT, of which these may tell something.
  std::vector<std::string> at_prior;
};

/// Use: add() each row, then finish().
class TrackedLog {
 public:
  /// What became of a row, in the order of the rows: its results (Tracker::columns()), or null with what is wrong with the row.
  using Use = std::function<void(const double* results, const char* why)>;
  /// The tracker outlives this, and no one else uses it meanwhile.
  TrackedLog(Tracker& tracker, const TrackedLogOptions& options, Use use);
  ~TrackedLog();
  TrackedLog(const TrackedLog&) = delete;
  TrackedLog& operator=(const TrackedLog&) = delete;

  /// A row: Tracker::inputs(), NaN where there is no reading; its time (s), NaN where it has none; the true base, with which
  /// the estimate starts.
  void add(const double* y, double time, const BaseTruth& truth = {});
  /// After the last row: those that waited for later ones.
  void finish();
  /// Of the rows so far.
  TrackFigures figures() const;
  /// Points of feet that the row released whose results Use is told of now.
  int slips() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sparsedyn
