// The hand-written part of generated contact dynamics: tables of the constraints, and the iteration around the stages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/contacts/loops/held_rows.hpp"
#include "contact_stages.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// Lengths, and one entry a contact, a row of a joint, a body. `@` stands for the name.
std::string contact_tables(const Model& model, const ContactLayout& layout);

/// Which freedoms constraints move, from the tips on; and which not, likewise.
/// @{
std::string freedom_table(const ContactLayout& layout);
std::string freedom_tables(const ContactLayout& layout);
/// @}

/// How firmly a constraint holds, an entry of type @_firmness. Throws std::invalid_argument, naming it, for powers that are not
/// whole.
std::string firmness_text(const RowBlock& block);

/// Everything else in front of the function: cones, rows, line search, and forces as they are written.
std::string contact_helpers();
/// The same without what a Newton step gathers.
std::string contact_law_helpers();

/// The text of constraints/contact_law.h, line_search.h, derivatives/contact_bend.h and derivatives/loop_bend.h.
/// @{
const char* contact_law_text();
const char* line_search_text();
const char* contact_bend_text();
const char* loop_bend_text();
/// @}
/// The same law, rows and line search for one state, or for a state in each lane.
std::string contact_rows(bool lanes);
/// A text in the words of contact_law.h as C, behind what it needs: law_NAME becomes @_NAME, in lanes @_lanes_NAME.
/// @{
std::string one_state(const std::string& text);
std::string state_in_each_lane(const std::string& text);
/// @}
/// A further such text, without what it needs: that stands above.
/// @{
std::string one_state_again(const std::string& text);
std::string state_in_each_lane_again(const std::string& text);
/// @}
/// With `by` for each `mark`.
std::string substituted(std::string text, const std::string& mark, const std::string& by);

/// Tables and rows of connect, weld and joint constraints, after the helpers; names: the place of each among the constraints'.
/// Their forces by accelerations that are known, for soft ones alone:
std::string soft_loops_text(const ContactLayout& layout, const std::vector<int>& names);
/// All that the iteration takes:
std::string contact_loops_text(const ContactLayout& layout, const std::vector<int>& names, const HardRowMeasure& measure);
/// What they put into the helpers and the function: marks, and what stands there.
const std::vector<std::pair<std::string, std::string>>& loop_lines();

/// @_derive, which computes all derivatives at an answer, after the stages and the helpers. second: with those times
/// multipliers, and of the forces times others.
std::string contact_slopes_text(const Model& model, const ContactLayout& layout, const ContactCodeOptions& options);

/// What loops bring to it: functions in front of it, the solution for all columns, and the derivatives of their forces.
std::string loop_slopes_text(const ContactLayout& layout);
std::string loop_slopes_solution();
std::string loop_slopes_forces();

/// The function itself, whose parameters `function` stands in front of, with the inputs and outputs of the options.
std::string contact_function(const std::string& function, const ContactCodeOptions& options, bool loops);

/// The same iteration on @_LANES samples at once, under masks: the helpers, and @_lanes(arg, res, n, s, status), samples s and
/// on of n, which returns how many of them have no results. After the stages in lanes.
std::string contact_lanes(bool wrenches, bool parameters = false);
/// Its helpers alone: rows and law, and how lanes read, fail and write.
std::string contact_lanes_helpers();

}  // namespace sparsedyn
