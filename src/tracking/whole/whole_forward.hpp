// The filter whose process is the dynamics, sample by sample. An interval of dt with mean accelerations z moves the state
// (whole_step.hpp); beside that, of what the velocity does inside, q⁺ has a noise of 0.01 σ_ddq dt² on a fixed base, of
// 0.04 σ_ddq dt² on legs (of a ddq that walks 0.1 walk dt^2.5), and a base one of 3e-5 m, and of 0.06 of its angular
// acceleration times dt².
// The interval's readings are rows at its middle, q̄ = q ⊕ ½ dt v, v̄ = v + ½ dt z,
//   Y(q̄, v̄) x = y − b(q̄, v̄) − offset, x = x(z, q̄, v̄)                                  (interval_rows.hpp)
// and then the knot's own: encoders, and feet, Rᵀ (d − p) − r(q) = 0; last, that feet in the air push nothing. All rows move
// one Gaussian over state and interval together, so a reading counts once.
#pragma once

#include <array>

#include "constraints/loops/loop_errors.hpp"
#include "tracking/shared/dropped_reading.hpp"
#include "tracking/shared/prior_shares.hpp"
#include "tracking/shared/reading_doubt.hpp"
#include "tracking/shared/sample_interval.hpp"
#include "tracking/shared/thrown.hpp"
#include "tracking/shared/touch.hpp"
#include "tracking/visibility/loop_turns.hpp"
#include "tracking/whole/whole_feet.hpp"
#include "tracking/whole/whole_step.hpp"

namespace sparsedyn::tracking {

/// Where the estimate of a floating base starts.
struct WholeStart {
  bool given = false, moving = false;
  std::array<double, 7> base{{0, 0, 0, 0, 0, 0, 1}};  // of q
  std::array<double, 6> twist{{0, 0, 0, 0, 0, 0}};    // of v
};

/// What is kept of a sample for going back over it.
struct WholeSample {
  WholeSample(const WholeLayout& layout, int rows);
  WholeKnot x;  // about which `mean` is
  std::vector<double> mean, P;
  std::vector<double> y;             // of the system
  std::vector<double> stands;        // by contact
  std::vector<DenseRowRecord> rows;  // of the interval, then of the knot
  WholeJacobian F;
  int interval_rows = 0, taken = 0;
  double dt = 0;  // of the interval before; 0: it starts the estimate
  double nis = 0;
};

class WholeForward {
 public:
  /// Both must outlive it. Takes all memory. slip: a standing foot that misses its place is let go by as much.
  WholeForward(const WholeLayout& layout, IntervalRows& rows, bool slip = true);

  void start(const WholeStart& start = {}) noexcept;
  /// As Tracker::step. about: what to linearise about in place of the estimate, from the sample before on; null: the estimate.
  TrackerStep step(const double* y, double dt, const WholeKnot* about, WholeSample* record) noexcept;

  bool is_started() const noexcept { return started_; }
  /// The next row starts the estimate anew: a base where it was last sound, with wide deviations.
  void start_again() noexcept;

  /// Becomes what the other one is, of the same layout. No heap.
  void take_state(const WholeForward& other) noexcept;

  const WholeKnot& knot() const noexcept { return x_; }
  const Gaussian& gaussian() const noexcept { return e_; }
  const std::vector<double>& system_readings() const noexcept { return y_; }
  const std::vector<double>& stands() const noexcept { return stands_; }
  double dt() const noexcept { return dt_; }
  double nis() const noexcept { return nis_; }
  /// Whether it starts anew where readings have thrown it. Not where it is linearised about what all readings tell.
  void judge_throws(bool whether) noexcept { judges_throws_ = whether; }
  /// From now on surprise() counts.
  void judge() noexcept { surprise_ = 0; }
  /// −2 log of the likelihood of all rows since judge(), but for a constant.
  double surprise() const noexcept { return surprise_; }
  /// Offsets, wrenches, accelerations and forces of loops of which no sample since start() told anything: `bias.SENSOR.C`,
  /// `fx.LINK.C`, `model_wrench.C`, `ddq.JOINT`, `lambda.NAME.C`. Forces of feet in the air are no such: flags say that they
  /// are zero.
  std::vector<std::string> at_prior() const;
  /// Rows that a sample takes at most.
  int most_rows() const noexcept {
    const int turns = static_cast<int>(layout_.intervals.size()) - rows_.first_turn();
    return most_passed_over + 6 * turns +
           static_cast<int>(layout_.intervals.size() + layout_.knots.size() + static_cast<std::size_t>(loops_.rows()) +
                            6 * layout_.group_readings.size() + 3 * layout_.points.size() + 3 * layout_.contacts.size() +
                            6 * layout_.poses.size());
  }

 private:
  TrackerStep begin(const double* y, const WholeKnot* about, WholeSample* record) noexcept;
  void begin_base(const double* y) noexcept;
  void open_base(const Vector3& turn, const Vector3& shift) noexcept;
  void add_square_of_row() noexcept;
  void read_system(const double* y) noexcept;
  void read_flags(const double* y, double dt) noexcept;
  void weigh_contacts(double dt) noexcept;
  double still_share(int contact) const noexcept;
  double acceleration_variance(int contact) const noexcept;
  double touched_on_link_of(std::size_t contact) const noexcept;
  void feel_link_of(std::size_t contact) noexcept;
  double unknown_sigma(const IntervalUnknown& u) const noexcept;
  void judge_priors() noexcept;
  void renew_interval(double dt, const WholeKnot* about) noexcept;
  double turned_in(const double* by_v, const double* z, double dt) const noexcept;
  void put_interval_row(int i, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  double interval_rest(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  double left_of(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  /// Deviations of a push on the base that no sensor of forces shows (N, N·m), of what accelerometers (m/s²) and gyroscopes
  /// (rad/s) may be off in its stead, and of the joints' accelerations beside their prior (rad/s²) where a kick moves them.
  struct Push {
    double force = 0, moment = 0, off = 0, turned = 0, joints = 0;
    double variance_beside(const IntervalReading& of) const noexcept {
      if (of.base >= 0) return of.base < 3 ? moment * moment : force * force;
      return of.inertial == Inertial::push ? off * off : of.inertial == Inertial::turn ? turned * turned : 0;
    }
    /// Of the acceleration of one that stands: a kick that moves joints may lift it, by a metre of leg as much as it turns
    /// them.
    double variance_of_feet() const noexcept { return joints * joints; }
  };
  double widest_turn(double dt) const noexcept;
  void pass_over_dropped(const double* y, double dt) noexcept;
  void judge_turns(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  double reading_variance(int i, const double* y, double dt) const noexcept;
  Gaussian::Found take_back(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                            WholeSample* record) noexcept;
  double pass_over(int i, const double* y, double dt, const Matrix3& R, const Matrix3& middle, WholeSample* record) noexcept;
  void weigh_turns_again(bool as_estimated, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                         WholeSample* record) noexcept;
  struct Contradicted {
    int reading = -1;   // row of the interval
    double square = 0;  // in deviations
  };
  bool passes_over_sensor(std::size_t sensor, double dt) noexcept;
  Contradicted most_contradicted(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  void pass_over_contradicted(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                              WholeSample* record) noexcept;
  void linearise_interval(double dt) noexcept;
  void take_interval_rows(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                          WholeSample* record) noexcept;
  Push left_of_push(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  void take_interval_again(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                           WholeSample* record) noexcept;
  bool is_explained_by(const Push& push, const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                       WholeSample* record) noexcept;
  bool is_explained_without_torque(const double* y, double dt, const Matrix3& R, const Matrix3& middle,
                                   WholeSample* record) noexcept;
  void take_with_push(const double* y, double dt, const Matrix3& R, const Matrix3& middle, WholeSample* record) noexcept;
  bool is_turn_strange(const double* y, double dt, const Matrix3& R, const Matrix3& middle) noexcept;
  bool pass_over_spikes(const double* y, double dt, const Matrix3& R, const Matrix3& middle, WholeSample* record) noexcept;
  void take_interval(const double* y, double dt, WholeSample* record) noexcept;
  void open_joint(int v, double inside) noexcept;
  void open_inside(double dt) noexcept;
  void let_footholds_move(double dt, bool gap) noexcept;
  void carry_on(double dt, bool gap, const WholeKnot* about, WholeSample* record) noexcept;
  void take_encoders(const double* y, WholeSample* record) noexcept;
  double loose_by(std::size_t k) noexcept;
  int let_slip(bool gap) noexcept;
  void take_feet(bool gap, WholeSample* record) noexcept;
  void take_air(WholeSample* record) noexcept;
  void put_pose_row(const Matrix3& R, const double* J, const Vector3* x, int k) noexcept;
  void take_poses(const double* y, WholeSample* record) noexcept;
  void take(double z, double variance, double known_within, WholeSample* record) noexcept;
  void take_loops(WholeSample* record) noexcept;
  void take_group(const GroupReading& reading, ReadingDoubt& doubt, const double* y, WholeSample* record) noexcept;
  bool is_far(int error, int offset, double sigma, double rest) const noexcept;
  bool passes_over(bool far, ReadingDoubt& x) noexcept;
  void settle() noexcept;
  bool sound() const noexcept;
  static bool too_fast(const Vector3& v) noexcept;
  bool has_an_offset_leapt() const noexcept;
  bool is_thrown() noexcept;
  void keep_as_fitted() noexcept;
  const char* broken(bool thrown) const noexcept;
  void keep(WholeSample* record) const noexcept;

  enum class Verdict : char { none, passed, believed };

  static constexpr double largest_place = 1e4;  // m, that a sensor reads
  static constexpr int most_passed_over = 6;    // readings of an interval

  const WholeLayout& layout_;
  IntervalRows& rows_;
  bool slip_;
  WholeKnot x_, next_;
  Gaussian e_, before_;  // before_: of a floating robot, before the interval's rows
  WholeJacobian F_;
  WholeFeet feet_;
  LoopErrors loops_;
  LoopTurns turns_;
  WholeStart start_;
  std::vector<double> y_;             // of the system: the last number of each reading
  std::vector<double> stands_;        // flags, by contact
  std::vector<Touch> touches_;        // by contact
  std::vector<char> force_on_;        // hysteresis, by contact
  std::vector<ReadingDoubt> doubts_;  // by layout_.knots, then by layout_.group_readings
  std::vector<GroupStep> to_middle_;  // of joints of several freedoms, from the interval's start to its middle
  std::vector<double> q_middle_, v_middle_, h_, step_, offset_, scratch_;
  std::vector<double> doubtful_;  // variances beside those of the interval's rows: of gyroscopes that leap, (rad/s)²
  std::vector<double> taken_;     // variances with which the interval's readings were taken; 0: not, or taken back
  std::vector<char> weighed_;     // readings that were taken back to be weighed again
  std::vector<char> passed_;      // readings that are passed over
  std::vector<ReadingDoubt> interval_doubts_, leap_doubts_;  // by measurement of the system; of gyroscopes' rows
  std::vector<DroppedReading> dropped_;                      // by measurement of the system
  std::vector<Verdict> judged_;                              // of the interval, by measurement of the system
  std::vector<double> loose_;                                // m by which each point misses its place beyond what is explained
  PriorShares shares_;                                       // of offsets, then of the interval's unknowns
  bool started_ = false, again_ = false;
  double strangest_ = 0, squares_ = 0;         // of an interval's innovations, squares in deviations: the largest, the sum
  double surprise_ = 0, surprise_before_ = 0;  // surprise_before_: before the interval's rows
  Push moved_by_;                              // what has pushed the base in this interval, or half of it
  double strange_for_ = 0, calm_for_ = 0;      // s for which intervals have been strange, on and off, and since the last
  double elapsed_ = 0;                         // s since the estimate began
  SampleInterval interval_;
  Thrown thrown_;
  bool judges_throws_ = true;
  std::array<double, 7> fitted_base_{{0, 0, 0, 0, 0, 0, 1}};  // of the last row that fitted, and its offsets
  std::vector<double> fitted_offsets_;
  double dt_ = 0, nis_ = 0, sum_ = 0, far_ = 0;
  int counted_ = 0;
};

}  // namespace sparsedyn::tracking
