// C on vectors of @_LANES samples, @_real of NAME.h: what texts for batches share.
#pragma once

#include "emit_statements.hpp"

namespace sparsedyn {

/// Loads and stores as of arrays of vectors.
inline Dialect lane_dialect() {
  Dialect d;
  d.definition = "const @_real $N = $X";
  d.constant = "((@_real){0} + $C)";
  d.sqrt = "@_lanes_sqrt($A)", d.sin = "@_lanes_sin($A)", d.cos = "@_lanes_cos($A)";
  d.tanh = "@_lanes_tanh($A)";
  d.abs = "@_lanes_fabs($A)", d.min = "@_lanes_smaller($A, $B)";
  return d;
}

/// Due in texts that use tanh.
constexpr const char* tanh_in_lanes =
    "static inline @_real @_lanes_tanh(@_real x) {\n  for (int j = 0; j < @_LANES; ++j) x[j] = tanh(x[j]);\n  return "
    "x;\n}\n\n";

}  // namespace sparsedyn
