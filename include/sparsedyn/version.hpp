// The version, stated here alone: CMake reads it from this line.
#pragma once

namespace sparsedyn {

/// Major, minor, patch.
constexpr const char* version = "0.2.0";

}  // namespace sparsedyn
