// Robots from URDF files, and the sensors that a URDF describes: in top-level <sensor> elements and in Gazebo's
// <gazebo reference="…"><sensor>.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// How the file is read.
struct LoadOptions {
  bool floating = false;                             // the root link floats instead of being fixed to the world
  std::vector<std::pair<std::string, double>> lock;  // joints that become fixed, each at its value (rad or m)
  std::vector<std::string> cut;                      // links that are left out, with everything behind them
  Vec3<double> gravity{{0, 0, -9.81}};               // in the world's frame, m/s²
  double snap = 0;                                   // rotation entries this near to 0 become exact, see below
  bool lenient = false;        // a moving body with a negative principal moment is a warning, not an error
  bool dynamics = false;       // use damping and friction of <dynamics>, and Gazebo's springs
  bool transmissions = false;  // use motorInertia of <transmission>, times mechanicalReduction²
  bool lock_massless = false;  // fix joints that move neither mass nor inertia at 0
  bool mimic = false;          // <mimic> joints follow their leaders (`coupled`)
};

/// LoadOptions::snap for generated programs, comparisons of formulations and operation counts: a quarter turn that the file
/// rounds to 10 digits costs nothing. It rotates bodies by up to 1e-9 rad, and so changes the results of dynamics by as much as
/// 1e-7.
inline constexpr double snap_of_code = 1e-9;

/// Warnings and notes of a valid model.
struct LoadReport {
  std::vector<std::string> warnings;  // `FILE:LINE: ELEMENT: …`
  std::vector<std::string> ignored;   // kinds of elements that do not affect the dynamics (`limit`, …), once each, sorted
  int snapped = 0;                    // rotation entries made exact by LoadOptions::snap
  std::vector<std::string> locked;    // joints that lock_massless fixed, in file order; each has a warning too
  std::vector<std::string> absent;    // moving joints that are locked or cut off, in file order
  std::vector<std::pair<std::string, double>> held;  // joints that are locked, each with its value (rad or m), depth first
};

/// An option names a joint or link that the robot lacks (the message lists near names) or that cannot be locked or cut.
struct UnknownName : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a robot; `path` may be `-` for the standard input. Joints are numbered depth first, siblings in file order. Cost:
/// proportional to the file. Entries of rotations and axes within 1e-14 of 0 become exact for any LoadOptions::snap: they are
/// rounding of a quarter turn by files of 14 digits and by the conversion from angles to a matrix. Throws InputError for a file
/// that cannot be read or accepted, and UnknownName for an option that does not fit the robot.
///
/// Physical consistency is checked for moving bodies, after links on fixed joints are lumped into them. If the smallest
/// principal moment about the centre of mass is below −1e-8 (largest principal moment + mass · extent²), the file is refused
/// (`lenient`: a warning). The extent is the largest distance from the centre of mass to anything that the file places on the
/// body (frames, centres of mass, joints), and at least the radius of an osmium ball (22 590 kg/m³) of the body's mass, because
/// no body is smaller. Everything else (unphysical parts of a physical body, links that do not move, inertia without mass, the
/// triangle inequality) is a warning, and the numbers are used unchanged.
Model load_urdf(const std::string& path, const LoadOptions& options = {}, LoadReport* report = nullptr);

/// The same from a text; messages call it `name`.
Model parse_urdf(const std::string& text, const std::string& name, const LoadOptions& options = {},
                 LoadReport* report = nullptr);

/// One sensor of a sensor set.
struct UrdfSensor {
  std::string name;           // unique in the set
  std::string type;           // accelerometer, gyroscope, angular_accelerometer or force_torque
  std::string at;             // a link; of a force_torque sensor a joint
  Vec3<double> xyz{}, rpy{};  // the sensor's frame in that link, of a force_torque sensor in the joint's child link
  std::string direction;      // force_torque: parent_to_child or child_to_parent
  std::vector<double> sigma;  // standard deviations, one a component of the type; empty where the file has none
};

/// What the file describes.
struct UrdfSensorSet {
  std::string name;                 // of the robot
  std::vector<UrdfSensor> sensors;  // in file order, the top-level ones first
};

/// The sensors of a robot, except those on links and joints that `options` cuts off. A top-level sensor takes precedence over a
/// Gazebo sensor of the same name. An imu becomes NAME_acc and NAME_gyro. A force_torque sensor is used in the frame it reports
/// in; if that is the parent's frame across a moving joint, it is left out with a warning. Other sensors (cameras, rays,
/// bumpers) are ignored with one warning. Throws InputError and UnknownName as load_urdf does.
UrdfSensorSet load_urdf_sensors(const std::string& path, const LoadOptions& options = {}, LoadReport* report = nullptr);
/// The same from a text; messages call it `name`.
UrdfSensorSet parse_urdf_sensors(const std::string& text, const std::string& name, const LoadOptions& options = {},
                                 LoadReport* report = nullptr);

/// The sensor set as JSON, one sensor a line.
std::string json_text(const UrdfSensorSet& set);

}  // namespace sparsedyn
