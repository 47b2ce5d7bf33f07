// Text of NAME.h: declarations, and the kernel that takes all sines and cosines of a program at once.
#pragma once

#include <string>

namespace sparsedyn {

/// `text` with every `@` replaced by `name`.
std::string named(std::string text, const std::string& name);

std::string emit_header(const std::string& name, const std::string& description);

}  // namespace sparsedyn
