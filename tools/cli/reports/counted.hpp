// "1 row", "12 345 rows".
#pragma once

#include <string>

#include "report/figure.hpp"

namespace sparsedyn::cli {

inline std::string counted(long n, const std::string& one, const std::string& many) {
  return report::grouped(n) + " " + (n == 1 ? one : many);
}

}  // namespace sparsedyn::cli
