// Forward over the samples: what a row of readings does to base, joints and feet.
#pragma once

#include <vector>

#include "sparsedyn/tracking/tracker.hpp"
#include "tracking/base_filter.hpp"
#include "tracking/joint_filter.hpp"
#include "tracking/shared/dropped_reading.hpp"
#include "tracking/shared/prior_shares.hpp"
#include "tracking/shared/push_leap.hpp"
#include "tracking/shared/reading_doubt.hpp"
#include "tracking/shared/sample_interval.hpp"
#include "tracking/shared/slip_times.hpp"

namespace sparsedyn::tracking {

/// The angular velocity at a knot from means over intervals (axis by axis, tracked frame; offsets taken off).
struct RateFilter {
  Vector3 rate{{0, 0, 0}};
  double variance = 1;  // of each axis, (rad/s)²
  /// A mean of variance r over the interval of dt that ends here: (1 − ϑ) ω + ϑ ω⁺, where ω⁺ − ω ~ N(0, (100 rad/s² dt)²).
  void take(const Vector3& mean, double r, double dt) noexcept;
  void pass(double dt) noexcept;
  /// How such a mean leaps from the rate, beyond ten deviations of how it may change.
  struct Leap {
    double by;      // rad/s; 0: it does not
    double square;  // |change|² beside the variance of an axis
  };
  Leap leap(const Vector3& mean, double r, double dt) const noexcept;
};

/// All that is known after a sample; what is kept for going back.
struct Sample {
  explicit Sample(const Layout& layout);
  BaseRecord base;
  std::vector<JointState> joints;
  std::vector<double> stands;  // by contact, 0 to 1
  RateFilter rate;
  Vector3 reading{{0, 0, 0}};  // of the gyroscope, in its axes
  bool read = false;           // there is one
  double dt = 0, nis = 0;      // nis: mean over the rows that count; NaN without one
};

/// Where an estimate starts.
struct StartState {
  bool given = false, moving = false;  // the base's pose is known; its velocity is
  Pose<double> base = identity_pose<double>();
  Motion<double> velocity{zero3<double>(), zero3<double>()};
};

class Forward {
 public:
  Forward(const Layout& layout, bool slip);

  void start(const StartState& state) noexcept;
  /// The next row. about: null, or the knot about which errors are from now on, and the knot is then not moved by them. record:
  /// null, or filled.
  TrackerStep step(const double* y, double dt, const Knot* about, Sample* record) noexcept;

  bool is_started() const noexcept { return started_; }
  /// The next row starts the estimate anew where it was last sound, with wide deviations.
  void start_again() noexcept;

  /// Becomes what the other one is, of the same layout. No heap.
  void take_state(const Forward& other) noexcept;

  const BaseFilter& base() const noexcept { return base_; }
  const std::vector<JointState>& joints() const noexcept { return joints_; }
  const std::vector<double>& stands() const noexcept { return stands_; }
  const RateFilter& rate() const noexcept { return rate_; }
  double nis() const noexcept { return nis_; }
  double acceleration_sigma() const noexcept { return acceleration_sigma_; }
  /// Offsets `bias.SENSOR.C` of which no sample since start() told anything.
  std::vector<std::string> at_prior() const;

 private:
  TrackerStep begin(const double* y, const Knot* about, Sample* record) noexcept;
  void begin_base(const StartState& from, const StartDeviations& sd) noexcept;
  StartState start_state(const double* y) const noexcept;
  StartDeviations start_deviations(bool given) const noexcept;
  bool read_triad(const Triad& triad, const double* y, double most, Vector3& reading) const noexcept;
  void read_encoders(const double* y) noexcept;
  void read_flags(const double* y) noexcept;
  void move_joints(const double* y, double dt, Innovations& sum) noexcept;
  bool is_dropped(const Triad& triad, DroppedReading& judge, const double* y, double dt, Innovations& sum) noexcept;
  InertialReading inertial(const double* y, double dt, bool gap, Innovations& sum) noexcept;
  double loose_by(const Knot& predicted, double may, int point) const noexcept;
  void judge_slips(const Knot& predicted, double dt) noexcept;
  int judge_feet(const Knot& predicted, double dt, bool gap) noexcept;
  void take_poses(const double* y, Innovations& sum, BaseRecord* record) noexcept;
  void take_rows(const double* y, Innovations& sum, BaseRecord* record) noexcept;
  void move_rate(const InertialReading& reading) noexcept;
  void keep(const InertialReading& reading, Sample* record) const noexcept;
  void judge_offsets(double dt) noexcept;
  void place_points(const Matrix3& R) noexcept;

  const Layout& layout_;
  bool slip_;
  double acceleration_sigma_;
  BaseFilter base_;
  PointKinematics points_;
  Knot start_knot_;
  std::vector<JointState> joints_;
  std::vector<ReadingDoubt> doubts_;  // by joint: its encoders, then its sensors of velocity
  std::vector<char> passed_over_;     // by joint: this row's reading of its first encoder
  SlipTimes slip_times_;
  DroppedReading turn_dropped_, push_dropped_;
  PushLeap push_leap_;
  RateFilter rate_;
  StartState start_;
  Pose<double> last_base_ = identity_pose<double>();  // where it was last sound
  bool started_ = false, again_ = false;
  SampleInterval interval_;
  double nis_ = 0, elapsed_ = 0;         // elapsed_: s since the estimate began
  PriorShares shares_{6};                // of the offsets, of the gyroscope and of the accelerometer
  std::vector<double> q_;                // as the encoders read, model.nq; gaps: as predicted
  std::vector<char> encoder_read_;       // by entry of v
  std::vector<double> stands_, before_;  // by contact, now and at the sample before
  std::vector<char> force_on_;           // hysteresis, by contact
  std::vector<char> counts_;             // by point
  std::vector<double> loose_;            // m, by point: by how much it misses
  std::vector<Matrix3> links_, turned_;  // by point that rolls: orientation of its link in the tracked frame; F⁺ Fᵀ of that
  StepNoise noise_;
};

}  // namespace sparsedyn::tracking
