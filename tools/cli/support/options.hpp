// Options that many commands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::cli {

class Command;

struct CommonOptions {
  bool json = false;           // one JSON object on stdout
  bool quiet = false;          // no warnings, no progress
  std::string separator;       // of the columns of logs; empty: a comma
  bool decimal_comma = false;  // in the numbers of logs
  bool strict = false;         // warnings about the robot, the sensor set and the constraints are errors
  bool no_stand_in = false;    // no column of a log (tau.J) is taken for a reading that it lacks (y.SENSOR.J)
};
void add_options(Command command, CommonOptions& options);

/// --separator, --decimal-comma: of commands that read logs.
void add_log_options(Command command, CommonOptions& options);
/// Logs that are opened from now on are read so. Throws UsageError.
void set_log_dialect(const CommonOptions& options);

struct RobotOptions {
  std::string urdf;  // or a robot file
  bool floating = false;
  std::vector<std::string> lock;  // JOINT[=VALUE], or massless
  std::vector<std::string> cut;
  std::vector<double> gravity;  // none: the file's, or 0 0 -9.81
  std::optional<double> snap;
  bool lenient = false;
  std::string joints;  // a file of joint physics
  bool urdf_dynamics = false, urdf_transmissions = false;
  bool mimic = false;
};
void add_options(Command command, RobotOptions& options);

/// The options in the loader's form. Throws UsageError.
LoadOptions load_options(const RobotOptions& options);

/// --sensors S, required.
void add_sensors_option(Command command, std::string& sensors);
/// `--constraints`, whose hard rows join a sensor set.
void add_joining_constraints(Command command, std::string& constraints);

/// What is odd about a robot, a set or constraints: to stderr, unless --quiet. With --strict throws OddInput, which holds all.
void report_oddities(const std::vector<std::string>& warnings, const CommonOptions& common);

/// Loads the robot from a URDF or a robot file; its warnings go to stderr unless `quiet`, and are errors where `strict`. Throws
/// UsageError, UnknownName, InputError, OddInput.
Model load_robot(const RobotOptions& options, const CommonOptions& common, LoadReport* report = nullptr);

/// Warns of links that the set excepts from what it knows, and whose wrench is zero all the same.
void warn_of_unloaded_links(const Model& model, const SensorSet& set, const CommonOptions& common);

/// The sensor set of that name, and the hard constraints of that file where one is given. Warns as above.
SensorSet constrained_set(const std::string& sensors, const std::string& constraints, const Model& model,
                          const CommonOptions& common);

/// Adds the hard constraints of that file, where one is given, to the set. Warns of soft ones.
void join_constraints(SensorSet& set, const std::string& constraints, const Model& model, const CommonOptions& common);

/// For --effort-limits: those of the URDF; where there are none, a warning.
std::vector<double> known_effort_limits(const Model& model, const CommonOptions& common);

}  // namespace sparsedyn::cli
