// The hand-written part of generated contact dynamics: tables of the constraints, and the iteration around the stages.
#pragma once

#include <string>

#include "contact_stages.hpp"

namespace sparsedyn {

/// Lengths, and one entry a contact, a row of a joint, a body. `@` stands for the name.
std::string contact_tables(const Model& model, const ContactLayout& layout);

/// Everything else in front of the function: cones, rows, line search.
std::string contact_helpers();

/// The function itself. `wrenches`: with the input fx.
std::string contact_function(bool wrenches);

/// The same iteration on @_LANES samples at once, under masks: the helpers, and @_lanes(arg, res, n, s, status), samples s and
/// on of n, which returns how many of them have no results. After the stages in lanes.
std::string contact_lanes(bool wrenches);

}  // namespace sparsedyn
