// Checks of a log before it is used: whether its columns are what their names say.
//
// Each test compares a column with another way to get the same number: times with their steps, velocities with the rate of the
// positions, torques with the robot's inverse dynamics, readings of sensors with the motion. A fault is found where two things
// hold. The column contradicts the other way by more than chance allows: a test of the whole log has a rate of false alarms of
// 1e-3 or less, shared out over its columns. And another reading of the column (in degrees, with another sign, in the column of
// another joint …) agrees, so that the size of the fault is beyond what a model's errors, friction or noise make. What one
// test finds is corrected before the next test runs, so that faults do not hide each other. What a log cannot show (a joint at
// rest, a torque under unmeasured contacts) is listed separately.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A recording: columns named as in logs, of each a number a row (NaN: a gap), in the units of docs/conventions.md.
struct RecordedLog {
  std::string name;                         // in messages
  std::vector<std::string> columns;         // `time`, `q.J`, …; others are passed over
  std::vector<std::vector<double>> values;  // of each column, all of one length
  std::vector<long> lines;                  // of each row in its file; empty: counted from 1
  std::vector<std::string> others = {};     // columns that are passed over, for messages
};

/// What can be wrong. In the order of harm: what comes first spoils what comes after.
enum class FindingKind {
  other_robot,
  unknown_name,
  time_unit,
  time_back,
  time_uneven,
  angle_unit,
  quaternion_order,
  quaternion_conjugate,
  quaternion_norm,
  base_velocity_order,
  base_velocity_frame,
  velocity_of_other_joint,
  velocity_sign,
  velocity_scale,
  torque_of_other_joint,
  torque_sign,
  torque_scale,
  gravity_sign,
  gravity_unit,
  gravity_missing,
  accelerometer_frame,
  gyroscope_unit,
  gyroscope_frame,
  force_unit,
  force_sign,
  force_frame,
  stuck,
  saturated,
  velocity_lag,
  tool_weight,
  drift,
  spikes,
  noise_level,
  quantised,
  beyond_limit,
  gap
};
/// `other_robot`, …
const char* finding_name(FindingKind kind) noexcept;

/// harm: numbers made from the log are wrong; doubt: they may be; note: worth knowing.
enum class Severity { harm, doubt, note };
/// `harm`, `doubt`, `note`.
const char* severity_name(Severity severity) noexcept;

/// One fault, of one column or of several that share it.
struct Finding {
  FindingKind kind = FindingKind::gap;   // what is wrong
  std::vector<std::string> columns;      // in which columns
  Severity severity = Severity::doubt;   // how bad
  std::string evidence, likely, remedy;  // what the numbers are; what they most likely mean; what mends it
  long from_line = 0, to_line = 0;       // of the log, where the fault shows; both included
};

/// Columns of the log that could not be judged, none where a reason is the whole log's, and why.
struct Unjudged {
  std::vector<std::string> columns;
  std::string why;
};

/// A torque beside the robot's inverse dynamics along the motion as the tests corrected it.
struct ComparedTorque {
  std::string column;                         // of the log
  std::vector<double> time, measured, model;  // of at most 5000 samples, evenly spread; s, N m or N
};

/// What was found.
struct Inspection {
  long rows = 0;                   // of the log
  double rate = 0, duration = 0;   // Hz, s, in seconds as the tests take them; 0 without times
  std::vector<double> times;       // of each row, s since the first, never falling; empty without times, or where they go back
  std::vector<Finding> findings;   // worst first
  std::vector<Unjudged> unjudged;  // what the log does not tell
  std::vector<std::string> lacking;  // columns q., dq. and tau. of joints that the log lacks, while it has others of their kind
  std::vector<ComparedTorque> torques;  // where the motion is known

  /// Whether a finding is harm.
  bool harm() const;
};

/// Inspects the log. `system`: the robot with its sensors, whose readings are compared with the motion and their noise with the
/// stated deviations; nullptr: q, dq and tau alone. Columns of the robot that the log lacks are left untested. Throws
/// std::invalid_argument where columns and values do not fit each other. Cost: about 20 passes over the log and three of
/// inverse dynamics; memory: three times the log.
Inspection inspect(const Model& model, const RecordedLog& log, const System* system = nullptr);

/// The cheap part, without the tests of single columns and of sensors: units of time and angles, scale and sign of torques,
/// order of the base's quaternion; only what is harm.
std::vector<Finding> quick_inspection(const Model& model, const RecordedLog& log);
/// The same of what the log says without a robot: units of time and angles, order of the quaternion.
std::vector<Finding> quick_inspection(const RecordedLog& log);

}  // namespace sparsedyn
