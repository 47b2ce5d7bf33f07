// Runs the built program as a user does.
#pragma once

#include <string>

#include "support/temporary_folder.hpp"

namespace sparsedyn::test {

struct Run {
  int code;
  std::string out, err;
};

/// `sparsedyn ARGUMENTS` through the shell, so that the arguments may redirect.
Run run_program(const std::string& arguments, const std::string& before = "");

/// A robot that ships: robots/NAME.urdf.
std::string robot(const std::string& name);
/// The log that ships beside it.
std::string robot_log(const std::string& name);
/// A file of examples/.
std::string example(const std::string& path);

/// Robots and logs beside the checkout (may be missing).
std::string shared(const std::string& path);
bool shared_is_missing();

/// Largest |a − b| / max(1, |b|) over the columns that two logs, of more than ten rows, share. Cells empty in one must be so in
/// both.
double worst_difference(const std::string& a_path, const std::string& b_path);

}  // namespace sparsedyn::test
