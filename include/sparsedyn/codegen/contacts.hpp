// Generated contact dynamics: forward dynamics under contacts, stops and dry friction as one C function.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/emit.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// How it is written out.
struct ContactCodeOptions {
  std::string description;  // one line at the top of the files
  bool wrenches = false;    // an input fx more: external wrenches on all links that move
  bool batch = true;        // with NAME_batch and NAME_batch_status, one sample after the other
  int largest_part = 7500;  // as EmitOptions
  std::vector<std::pair<std::string, std::vector<std::string>>> manifest_lists;  // likewise
};

/// The files, and what they cost.
struct ContactCode {
  CProgram files;              // texts of NAME.c, NAME.h and NAME.json
  OperationCounts once, step;  // of the straight lines: once a call, and each Newton step
};

/// NAME(arg, res, iw, w, mem): q, dq, tau (fx), start → ddq, lambda, gap, next, solver: what ConstrainedDynamics::forward
/// gives, to its tolerance, by the same iteration. No heap; between calls nothing is kept but what the caller hands on, `next`
/// as `start`. 0; 1 where an input is not finite, 2 where a joint moves no mass, 3 where forces do not settle: then `solver`
/// alone is written. Contacts of all cones and frictions, limit and dry_friction. Throws std::invalid_argument, naming the
/// constraint, for connect, weld and joint, for powers in solimp that are not whole or above 20, and as ConstrainedDynamics
/// does; std::domain_error where some joint moves no mass at any state.
ContactCode contact_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                  const ContactCodeOptions& options = {});

}  // namespace sparsedyn
