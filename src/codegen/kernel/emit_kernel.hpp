// Text of NAME.h: declarations, and the kernel that takes all sines and cosines of a program at once.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// `text` with every `@` replaced by `name`.
std::string named(std::string text, const std::string& name);

/// `text` on one line of a comment: without what ends or continues it, or stands for the name.
std::string comment(std::string text);

/// The steps of @_step, an operation each on processors with vectors of eight, and those that each needs.
const std::vector<std::vector<int>>& turn_steps();
constexpr int kSineStep = 20, kCosineStep = 21;  // the steps that give the results

/// What functions of NAME.c stand on, `@` for NAME: @_APART and @_SETTLED, which speak to the compiler, and
/// @_not_finite(x, n), whether one of n numbers is not finite.
extern const char* const compiler_macros;
extern const char* const finiteness_check;

/// `usage`: comments below the first line.
std::string emit_header(const std::string& name, const std::string& usage, const EmitOptions& options);

}  // namespace sparsedyn
