// What a robot and its sensors make of a state over time whose process is the dynamics.
//
// Errors in order: of a floating base its turn θ, place δp, velocity δv and angular velocity δω; joints' δq and δdq; offsets of
// readings; footholds δd; then the interval's unknowns z: mean accelerations ddq, unknown external wrenches fx, forces of
// closed loops. Some of z walk from interval to interval; the others start each interval anew, of mean zero. θ, δp, δv, δd are
// common actions from the left as in layout.hpp, here of the root link's frame; δω is in its axes; all else is additive.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "tracking/rotation_vector.hpp"
#include "tracking/shared/contacts.hpp"
#include "tracking/shared/group_joint.hpp"
#include "tracking/shared/tracked_pose.hpp"
#include "tracking/whole/interval_rows.hpp"

namespace sparsedyn::tracking {

constexpr double least_reading_sigma = 1e-9;  // of a reading that is called exact, or nearly so: rows stay well scaled
constexpr double loop_force_sigma = 1e5;      // N, N·m, of a closed loop's force before any reading

/// Of a reading with noise.
inline double noise_variance(double sigma) noexcept {
  const double s = sigma > least_reading_sigma ? sigma : least_reading_sigma;
  return s * s;
}

/// A reading of a knot: a position of one freedom, or a velocity.
struct KnotReading {
  int input;        // of the row of readings
  int v;            // entry of v
  bool position;    // or velocity
  double sigma;     // > 0
  int offset = -1;  // error of its offset
};

/// A reading of a knot: all coordinates of a joint of several freedoms.
struct GroupReading {
  int group;                  // of WholeLayout::groups
  std::array<int, 7> inputs;  // of its coordinates
  // Of its rows: of shifts (m) along the parent's axes, as they are read, and of turns (rad) about the child's.
  std::array<double, 6> sigma;
};

/// What a reading of an interval tells of a floating base, which a push on it changes as a spike of the sensor would.
enum class Inertial : char { none, push, turn };

/// A row of an interval.
struct IntervalReading {
  int input;          // of the row of readings; -1: a constant
  double variance;    // 0: exact
  int contact = -1;   // it says that this contact's sensor does not accelerate
  double share = 0;   // of the reading, beside its deviation
  int offset = -1;    // error of its offset
  double most = 1e6;  // N, N·m, m/s², rad/s: a larger reading is a gap
  int sensor = -1;    // measurement of the system whose component it is
  Inertial inertial = Inertial::none;
  int base = -1;  // it says which component of the wrench on the base is zero
};

/// An offset of one reading.
struct ReadingOffset {
  std::string column;  // bias.SENSOR.C
  double sigma, walk;  // at the start, and per √s
};

/// Of the force on a contact's link what is unknown: errors side by side.
struct ContactForce {
  int first = -1, count = 0;  // 0 to 3
};

/// One of z.
struct IntervalUnknown {
  int unknown;  // of the system
  bool walks;
  double sigma, walk;      // of the start where it walks, of each interval where it does not
  int contact = -1;        // it is a component of the wrench on that contact,
  bool is_moment = false;  // a moment
};

/// Deviations of the wrench on a foot before any reading: what stands carries weight, 3000 N or 3.5 times the robot's; what is
/// in the air nothing but what its flag does not see, 2 N or 1 % of the weight. (2 N turn the shank of a robot of 2.5 kg by 640
/// rad/s²: torques would tell nothing of it. On its trot 0.23 % made the base's offsets overconfident, nees 2.2; 1 % has 0.7.)
struct FootPriors {
  explicit FootPriors(double weight);  // N
  double stance_force, air_force;      // N
  double sole_moment, air_moment;      // N·m, of a foot on several points
};

/// Fixed once built.
struct WholeLayout {
  /// Throws Untrackable.
  WholeLayout(std::shared_ptr<const System> system, const IntervalRows& rows);
  /// The link whose wrench the model gets wrong, for IntervalRows: the root of a floating base, else -1.
  static int freed_link(const System& system) { return system.model().floating() ? 0 : -1; }

  /// From now on joints' mean accelerations walk (rad/s²/√s) from interval to interval; 0: they start anew in each.
  void let_accelerations_walk(double walk);

  /// The entry of q that an entry of v moves, and no other does; -1: of a joint of several freedoms, or of the base.
  int coordinate(int v) const noexcept { return coordinates[static_cast<std::size_t>(v)]; }
  /// Errors of a joint, by its entry of v.
  int position_error(int v) const noexcept { return first_joint + v - base_freedoms; }
  int velocity_error(int v) const noexcept { return first_joint + joints + v - base_freedoms; }

  std::shared_ptr<const System> system;
  const Model& model;
  bool floating;
  std::vector<TrackerInput> inputs;  // of knots, gyroscopes and flags, then the system's own
  int first_system_input = 0;
  std::vector<std::string> notes;
  std::vector<KnotReading> knots;
  std::vector<GroupJoint> groups;
  std::vector<GroupReading> group_readings;
  std::vector<int> coordinates;            // see coordinate()
  std::vector<IntervalReading> intervals;  // beside the rows of IntervalRows
  std::vector<int> row_order;              // in which the interval's rows are taken
  std::vector<ReadingOffset> offsets;
  std::vector<TrackedContact> contacts;
  std::vector<ContactPoint> points;
  std::vector<TrackedPose> poses;            // of a floating robot
  std::vector<IntervalUnknown> unknowns;     // beside IntervalRows::free_unknowns
  std::vector<ContactForce> contact_forces;  // by contact; of several on a link the first has it
  FootPriors foot_priors;
  int model_wrench = -1;        // error of the first of six: what the model gets wrong
  double mass = 0, radius = 0;  // of a floating robot (kg), and of gyration (m), of its root's body or the whole
  Vector3 vertical{{0, 0, 1}};  // of a floating robot, in the world: against gravity; without gravity z
  double most_squares = 0;      // of an interval's innovations, in deviations, together: beyond that they are strange
  int accelerometer = -1;       // measurement that says where down is at the start
  int nv, base_freedoms, joints, first_joint, first_offset, first_unknown, size = 0;
  double theta;  // of ω̄ = ω + ϑ dt z and q⁺ = q + dt (dq + ϑ dt ddq): ½ is exact where accelerations are constant; 0.53 on a
                 // floating base, which damps velocities that alternate
  double acceleration_sigma;                                // prior of ddq, rad/s²
  double acceleration_walk;                                 // rad/s²/√s of ddq; 0: it starts anew in each interval
  std::vector<std::string> position_names, velocity_names;  // by entry of q and of v: q.JOINT, dq.JOINT

  static constexpr int turn = 0, place = 3, velocity = 6, rate = 9;
};

/// Whether a set holds readings that only the dynamics explain: torques and wrenches; on a fixed base accelerations too.
bool has_interval_readings(const System& system);

}  // namespace sparsedyn::tracking
