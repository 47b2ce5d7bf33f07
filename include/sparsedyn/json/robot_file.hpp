// A robot as a file of the project's own (robots/robot.schema.json): everything that a Model is, with numbers that read back
// as the same bits. Links come parents first, each with the joint on which it hangs; a joint's bodies stand with the frames
// that the algorithms use, z along the axis.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// What a robot file holds.
struct RobotFile {
  Model model;
  std::vector<std::pair<std::string, double>> held;  // fixed joints that would move, each with the value (rad, m) it is held at
};

/// The text of a robot file (version 1). `held`: see RobotFile. Throws std::invalid_argument for a model that no file can hold:
/// whose bodies are not what its links make them (a formulation's), or whose names are no UTF-8. Cost: proportional to the
/// robot.
std::string robot_text(const Model& model, const std::vector<std::pair<std::string, double>>& held = {});
/// Writes it to `path`. Throws what robot_text throws, and InputError where the file cannot be written.
void save_robot(const Model& model, const std::string& path, const std::vector<std::pair<std::string, double>>& held = {});

/// The robot in the file at `path` (`-`: the standard input). Throws InputError, with the file's line and the nearest names,
/// for what is no robot file: unknown keys, names that are not unique, rotations that do not turn (1e-6), parts that do not
/// fit.
Model load_robot(const std::string& path);
/// The same from a text, with the joints that are held; messages call it `file`.
RobotFile parse_robot(const std::string& text, const std::string& file);
/// Whether a text is a robot file rather than a URDF: it begins with a brace.
bool is_robot_text(const std::string& text);

/// What is made of a robot file's robot.
struct RobotChanges {
  bool floating = false;                             // a root that is fixed floats; one that floats already stays so
  std::vector<std::pair<std::string, double>> lock;  // joints that become fixed, each at its value (rad or m)
  bool lock_massless = false;                        // and those that move neither mass nor inertia, at 0
  std::vector<std::string> cut;                      // links that are left out with all below them
  std::optional<Vec3<double>> gravity;               // in the world's frame, m/s², in place of the file's
  double snap = 0;                                   // rotation entries this near to 0 and ±1 become exact
};
/// What was noticed on the way.
struct RobotChangeNotes {
  int snapped = 0;                    // rotation entries made exact
  std::vector<std::string> massless;  // joints that lock_massless made fixed
  std::vector<std::string> absent;    // joints that would move but are held or cut off
  std::vector<std::string> warnings;  // joints that are held beyond their limits
};
/// The robot with these changes. Locking a joint that the file holds at the same value changes nothing. Followers of a joint
/// that is locked are held with it. Throws std::invalid_argument for names that the robot lacks, with near ones, for joints of
/// several freedoms, followers, and joints that are held at another value.
RobotFile changed(RobotFile robot, const RobotChanges& changes, RobotChangeNotes* notes = nullptr);

/// The robot file's text with other inertias of the named links, in their frames (nothing: none), other numbers of those
/// named joints of one freedom that add something in the file, and all else as it was. Throws InputError for what is no robot
/// file, std::invalid_argument for joints that it lacks.
std::string rewrite_robot_inertias(const std::string& text, const std::string& file,
                                   const std::map<std::string, std::optional<Inertia<double>>>& links,
                                   const std::map<std::string, JointPhysics>& joints = {});

}  // namespace sparsedyn
