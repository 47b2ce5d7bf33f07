// Parts that generated contact dynamics, their inverse and steps of time share.
#pragma once

#include <string>
#include <vector>

#include "contact_layout.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn {

/// `#define @_NAME VALUE`.
/// @{
std::string macro(const std::string& name, const std::string& value);
std::string macro(const std::string& name, std::size_t value);
/// @}

/// Elements of the vector of that name; 0 where there is none.
std::size_t elements_of(const std::vector<Port>& all, const std::string& name);
/// `KIND.i.k` of a lower triangle, row by row.
std::vector<std::string> triangle_names(const std::string& kind, std::size_t size);
/// Elements of the longest input, at least one.
std::size_t longest_input(const Program& program);

/// The tables @_CONTACT_NAMES and @_JOINT_NAMES: the place of each contact and of each row of a joint among the constraints'
/// names.
std::string name_tables(const ContactLayout& layout, const ConstrainedDynamics& reference);
/// The same of connect, weld and joint constraints, as numbers.
std::vector<int> loop_names(const ContactLayout& layout, const ConstrainedDynamics& reference);

/// NAME_batch and NAME_batch_status around NAME, whose ports are `whole`: samples in lanes by @_lanes, or, without `lanes` and
/// where the compiler has no vectors, each by itself. Results of samples with a code are NaN, except `solver`.
std::string batch_text(const Program& whole, bool lanes);

/// Throws std::invalid_argument unless `name` is an identifier in C.
void check_function_name(const std::string& name);

}  // namespace sparsedyn
