// From what a user asks for by name to code through contacts and loops.
#pragma once

#include <string>
#include <vector>

#include "requested_program.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

/// Algorithms that read constraints: contact-dynamics, contact-inverse-dynamics, contact-derivatives,
/// contact-second-derivatives.
const std::vector<std::string>& contact_algorithms();
bool reads_constraints(const std::string& algorithm);

/// Throws UsageError unless the request is one of these algorithms, or a step of time by semi-implicit with outputs that it
/// has.
void check_contact_request(const ProgramRequest& request);

/// The code. `request`: algorithm, or stage and outputs, all_inputs, and parameters of contact-dynamics; `options`: the rest.
/// Throws UsageError, InputError with the line of a constraint that generated code does not know, AnswerIsNo where a joint
/// moves no mass at any state.
ContactCode requested_contacts(const Model& model, const ConstraintSet& set, const ProgramRequest& request,
                               const std::string& name, ContactCodeOptions options);

}  // namespace sparsedyn
