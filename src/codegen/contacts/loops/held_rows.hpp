// Hard rows of generated code by an orthonormal basis of what they say, as HardRowFactor holds them: where a linkage is nearly
// flat, and where multipliers do not settle.
#pragma once

#include <string>
#include <vector>

#include "codegen/contacts/contact_layout.hpp"

namespace sparsedyn {

/// What the hard rows of a layout's loops, one after the other, are judged by: HardRowFactor's numbers of the same names.
struct HardRowMeasure {
  std::vector<double> sizes;
  int firm_rows = 0, rank = 0;
};

/// Lengths, and which rows are hard; of loops without any, what says so.
std::string held_rows_tables(const ContactLayout& layout, const HardRowMeasure& measure);

/// @_weak, @_take and @_hold, after the tables of the loops and the step.
std::string held_rows_text();

/// @_hold_all: the same of all columns of derivatives, after @_solve.
std::string held_columns_text(const ContactLayout& layout);

}  // namespace sparsedyn
