// Robots from URDF files.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// What is made of the file.
struct LoadOptions {
  bool floating = false;                             // the root link floats instead of being fixed to the world
  std::vector<std::pair<std::string, double>> lock;  // joints that become fixed, each at its value (rad or m)
  std::vector<std::string> cut;                      // links that are left out with all below them
  Vec3<double> gravity{{0, 0, -9.81}};               // in the world's frame, m/s²
  double snap = 1e-9;                                // rotation entries this near to 0 become exact (see snap.hpp); 0: none
};

/// What was noticed on the way to a valid model.
struct LoadReport {
  std::vector<std::string> warnings;  // `FILE:LINE: ELEMENT: …`
  std::vector<std::string> ignored;   // kinds of elements that do not enter the dynamics (`limit`, …), once each, sorted
  int snapped = 0;                    // rotation entries made exact
};

/// An option names a joint or link that the robot lacks (the message lists near names) or that cannot be locked or cut.
struct UnknownName : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a robot; `path` may be `-` for the standard input. Joints are numbered depth first, siblings in file order. Throws
/// InputError for a file that cannot be read or accepted and UnknownName for an option that does not fit the robot.
Model load_urdf(const std::string& path, const LoadOptions& options = {}, LoadReport* report = nullptr);

/// The same from a text; messages call it `name`.
Model parse_urdf(const std::string& text, const std::string& name, const LoadOptions& options = {},
                 LoadReport* report = nullptr);

}  // namespace sparsedyn
