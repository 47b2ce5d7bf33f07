// The hand-written part of generated contact dynamics: tables of the constraints, and the iteration around the stages.
#pragma once

#include <string>

#include "contact_stages.hpp"

namespace sparsedyn {

/// Lengths, and one entry a contact, a row of a joint, a body. `@` stands for the name.
std::string contact_tables(const Model& model, const ContactLayout& layout);

/// Everything else in front of the function: cones, rows, line search.
std::string contact_helpers();

/// @_derive, which computes all derivatives at an answer, after the stages and the helpers.
std::string contact_slopes_text(const Model& model, const ContactLayout& layout, bool wrenches);

/// The function itself. `wrenches`: with the input fx; `slopes`: with derivatives as outputs.
std::string contact_function(bool wrenches, bool slopes);

/// The same iteration on @_LANES samples at once, under masks: the helpers, and @_lanes(arg, res, n, s, status), samples s and
/// on of n, which returns how many of them have no results. After the stages in lanes.
std::string contact_lanes(bool wrenches);

}  // namespace sparsedyn
