// A number before its noun: "1 sample lies", "3 samples lie".
#pragma once

#include <string>

namespace sparsedyn {

/// The number and a space, then `one` where the number is 1, else `more`.
inline std::string how_many(long n, const std::string& one, const std::string& more) {
  return std::to_string(n) + " " + (n == 1 ? one : more);
}

}  // namespace sparsedyn
