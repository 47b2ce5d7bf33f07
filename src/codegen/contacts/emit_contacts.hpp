// Generated contact dynamics as text, to stand alone or inside a larger function.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// The text of NAME.c from its first line to the end of the function; `@` stands for NAME.
struct ContactDynamicsText {
  std::string text;
  Program ports;                              // the vectors of the function, without operations
  OperationCounts once, step, derivatives;    // as ContactCode has them
  std::vector<std::string> constraint_names;  // as ConstrainedDynamics has them
  bool loops = false;                         // whether there are connect, weld and joint constraints
};

/// `function`: what stands in front of the function's parameters, `int @` or `static int @_dynamics`. `lanes`: with @_lanes,
/// several samples at once. Throws as contact_dynamics_code.
ContactDynamicsText contact_dynamics_text(const Model& model, const ConstraintSet& set, const std::string& function,
                                          const ContactCodeOptions& options, bool lanes);

/// The header's comment on codes, `solver` and definitions, with lines on how to call in between.
std::string contact_usage(const std::string& how);

/// What stands above all of this: a comment, the header, what the compiler is told.
std::string contact_text_begins(const std::string& description);

}  // namespace sparsedyn
