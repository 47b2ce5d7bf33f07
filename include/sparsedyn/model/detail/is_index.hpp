// For assert, whose own message names no number.
#pragma once

#include <cstddef>
#include <cstdio>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn::detail {
inline namespace SPARSEDYN_CODE {

/// Whether 0 <= index < size; if not, it is said.
inline bool is_index(const char* what, int index, std::size_t size) noexcept {
  const bool right = index >= 0 && static_cast<std::size_t>(index) < size;
  if (!right)
    std::fprintf(stderr, "%s %d; expected 0 to %ld%s\n", what, index, static_cast<long>(size) - 1,
                 index == -1 ? " (-1 is what find_link and find_joint give for names that the robot lacks)" : "");
  return right;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn::detail
