// C in single precision: the emitter's text with float in place of double.
#pragma once

#include <cstddef>
#include <string>

namespace sparsedyn {

/// The shortest decimal that reads back as the float nearest to x, with a point or an exponent and the suffix f. Throws
/// std::invalid_argument where that float is not finite, or has lost digits next to zero.
std::string shortest_float(double x);

/// Text as emit_c writes it, word by word: float for double, sinf for sin and so on, and the bits of a float. `text` must name
/// nothing of its own so.
std::string in_single_precision(const std::string& text);

/// In place of emit_kernel's: vectors of 16, 8 or 4 floats, and their sines and cosines.
extern const char* const single_vectors;

/// NAME_work for CasADi, which hands doubles: it refuses.
extern const char* const single_casadi_refusal;

}  // namespace sparsedyn
