// The state of a robot over time, from readings alone: where its base is and how it moves, its joints' velocities, the offsets
// of its IMU, and where its feet stand. No reading says where a base is; gyroscope and accelerometer carry it from sample to
// sample, and feet that stand hold it.
//
//   Tracker tracker(std::make_shared<const System>(robot, sensors));
//   std::vector<double> out(tracker.columns().size());
//   for each sample: tracker.step(y, dt, out.data());       y: tracker.inputs(), NaN where there is no reading
//
// Kinematic rows take readings of motion alone: no torque and no inertia enter. Rows of the whole body take the dynamics for
// the process: torques, wrenches and accelerations are readings of the interval before their sample, and all quantities that
// Outputs knows are estimated as means over it. Readings of gyroscopes and accelerometers are means
// over the interval that ends at their sample in both.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

namespace tracking {
class Engine;
}
struct StepPlan;  // step_plan.hpp

/// The sensors leave open what is tracked; what() names it.
struct Untrackable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An output that a Tracker does not have.
struct UnknownTrackOutput : std::runtime_error {
  UnknownTrackOutput(const std::string& name, std::vector<std::string> columns);
  UnknownTrackOutput(const std::string& name, std::vector<std::string> columns, const std::string& what);
  std::string name;                  // as asked for
  std::vector<std::string> columns;  // all that there are
};

/// Which rows are taken. automatic: of the whole body where the set reads torques, on a fixed base also where it reads wrenches
/// or accelerations; else kinematic ones.
enum class TrackRows { automatic, kinematic, whole_body };

/// What is wanted of a Tracker.
struct TrackerOptions {
  /// Kinds (`q`), kinds and names (`q.base`, `foot.left`) or columns; empty: q and dq. With rows of the whole body also what
  /// Outputs takes: `ddq`, `tau`, `fx.hand`, …
  std::vector<std::string> outputs;
  bool deviations = false;  // add sd.COLUMN for each; of an orientation sd.q.base.rx, .ry, .rz about the world's axes (rad)
  bool slip = true;         // a standing foot whose place is off by more than its "slip" is released by that much
  int lag = 0;              // samples that delayed() can look back
  TrackRows rows = TrackRows::automatic;
  std::shared_ptr<const StepPlan> plan = nullptr;  // null: an interval's rows are taken as the set states its sensors
  /// With deviations and of a floating base also cov.A|B: of each two of q.base.x … .z and .rx … .rz, and of each two
  /// components of dq.base, as far as they are outputs. In the axes of sd.*: the world's of the pose, the root link's of the
  /// velocities.
  bool base_covariances = false;
};

/// One number of a row of readings: the columns of a log that hold it, best first.
struct TrackerInput {
  std::vector<std::string> columns;
  bool required;        // false: a contact's flag; NaN there: it stands
  double fallback = 0;  // not required, and no flag: the reading where no column holds it
  bool is_flag = false;
};

/// The result of one sample.
struct TrackerStep {
  bool ok = false;        // results were written
  const char* why = "";   // not ok: what is wrong with the sample (a literal)
  double innovation = 0;  // Σ of squares of the innovations of feet that stand and of poses, beside their variance; of the
                          // whole body: of encoders, and of readings that others predict as well as they read
  int rows = 0;           // how many they are
  int slips = 0;          // points that were released
  double surprise = 0;  // of the whole body: −2 log of the likelihood of its readings after those before, but for a constant
};

/// One a thread.
class Tracker {
 public:
  /// Shares the system. Takes all memory. Throws Untrackable, UnknownTrackOutput; PlanMismatch (sparse/plan.hpp) where the
  /// plan is for another step; std::invalid_argument where the system is null or one of system_with_inputs
  /// (codegen/programs.hpp).
  explicit Tracker(std::shared_ptr<const System> system, TrackerOptions options = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The system and the options of the constructor.
  /// @{
  const std::shared_ptr<const System>& shared_system() const { return system_; }
  const TrackerOptions& options() const { return options_; }
  /// @}
  /// What step() reads.
  const std::vector<TrackerInput>& inputs() const;
  /// What step() writes: outputs, then sd.* where they are asked for.
  const std::vector<std::string>& columns() const;
  /// Outputs of the state that there are, chosen or not: q.*, dq.*, bias.*, foot.*, contact.*, model_wrench.*, nis.
  std::vector<std::string> state_columns() const;
  /// Sensors that are not used, with the reason.
  const std::vector<std::string>& notes() const;
  /// Which rows are taken: kinematic or whole_body.
  TrackRows rows() const;
  /// Errors of the state: 9 of the base, 3 an offset, 3 a foothold, 2 a joint. Of the whole body: 12 of the base, 2 a joint, 1
  /// an offset, 3 a foothold, and those of the interval: 1 an acceleration, 1 a component of a wrench that is unknown.
  int states() const;
  /// What no row sees, whatever the motion: base.x, base.y, base.z, base.yaw, as far as no sensor, of the whole body also no
  /// loop with the world (a weld, two pins), tells them. Of the whole body offsets `bias.SENSOR.C` and components `fx.LINK.C`
  /// of wrenches, these on a fixed base; forces `lambda.NAME.C` of closed loops with a part in a direction that no reading
  /// depends on: along it λ keeps its prior, a deviation of 1e5, and its value means nothing.
  const std::vector<std::string>& unobservable() const;

  /// The next sample starts the estimate anew: at q (model.nq) moving by v (model.nv), of which only the base is taken; null:
  /// at the world's origin with tilt from the accelerometer, at rest. No heap.
  void start(const double* q = nullptr, const double* v = nullptr) noexcept;
  /// A sample dt seconds (> 0; the first's is passed over) after the one before. No heap, bounded time; never a NaN: one that
  /// cannot be used changes nothing; one that breaks the estimate, or whose flags break it at an earlier one, starts it anew.
  TrackerStep step(const double* y, double dt, double* out) noexcept;
  /// From the next sample on the noise of a reading, by its place among inputs(), has this deviation (> 0). Of a quaternion
  /// those of its x, y, z are turns about these axes (rad): of the child for a joint, of the world for a link_pose. False, and
  /// nothing is changed, where the reading has no noise of its own: a contact's flag, what the set calls exact, a quaternion's
  /// w. What plans and programs were made for stays. Rows that are gone through again for a late flag count with the newest
  /// noise. No heap.
  bool set_sigma(std::size_t input, double sigma) noexcept;
  /// Goes on from where another one of the same sensors and options is, whose robot weighs otherwise: with that estimate, its
  /// deviations, flags and doubts. False, and nothing is changed, where the states are not the same ones, or one of the two
  /// looks back (lag). No heap.
  bool go_on_from(const Tracker& other) noexcept;
  /// The estimate `back` samples ago (0 to the lag) given all readings so far, by substitution backwards; samples that failed
  /// do not count. False where there is none, as where late flags broke it. No heap.
  bool delayed(int back, double* out) const noexcept;

  /// After step(), of the newest base: errors e with R = exp(e_R) R̂, p = p̂ + e_p, v = v̂ + e_v (world axes, tangent order R, p,
  /// v) of a truth q, v, and the covariance's inverse between them, beside 9: about 1 where deviations are honest. NaN where
  /// the covariance is singular, or of kinematic rows without a floating base. v: null, of R and p alone, beside 6. Of the
  /// whole body: errors q − q̂ and v − v̂ of all joints, beside 2 nv.
  double nees(const double* q, const double* v) const noexcept;
  /// Offsets, as columns bias.*, with values.
  std::vector<std::pair<std::string, double>> biases() const;
  /// Of what no sample since start() told anything, so that value and deviation are still the prior's (to 0.99 of the
  /// deviation; a closed loop's force to a tenth of it, as its prior stands for no knowledge): offsets bias.SENSOR.C; of the
  /// whole body fx.LINK.C, model_wrench.C, ddq.JOINT, lambda.NAME.C. Samples in gaps do not count, nor do forces of feet in the
  /// air, of which flags say that they are zero.
  std::vector<std::string> at_prior() const;

 private:
  friend std::vector<TrackerStep> smooth(const Tracker&, const std::vector<double>&, const std::vector<double>&, int, double*,
                                         std::vector<std::string>*);
  std::shared_ptr<const System> system_;
  TrackerOptions options_;
  std::unique_ptr<tracking::Engine> engine_;
};

/// The whole log at once: each sample given all readings, of its part where the estimate started anew in between. y: a row a
/// sample; dt: of each; out: columns() a sample, NaN where it failed. iterations: forward, backward, linearised anew about the
/// result. Cost: linear in the samples, memory too. The tracker's start, options and noises (set_sigma, for all samples) hold;
/// it is not changed. at_prior: null, or becomes what Tracker::at_prior says after the last sample. On a fixed base, rows of
/// the whole body whose set says nothing of ddq (no prior, no walk) take from the log how smooth the motion is: up to nine
/// passes over at most 5000 samples. The filter takes 300 rad/s².
std::vector<TrackerStep> smooth(const Tracker& tracker, const std::vector<double>& y, const std::vector<double>& dt,
                                int iterations, double* out, std::vector<std::string>* at_prior = nullptr);

}  // namespace sparsedyn
