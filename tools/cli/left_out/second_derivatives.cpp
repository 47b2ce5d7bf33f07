// In place of the algorithms that take second derivatives.
#include "cli/algorithms/algorithm.hpp"

namespace sparsedyn::cli {
namespace {

Algorithm left_out_algorithm(const char* name) {
  Algorithm left_out{name, "left out of this build (-DSPARSEDYN_SECOND_DERIVATIVES=ON)", {}, nullptr, nullptr};
  left_out.option = "-DSPARSEDYN_SECOND_DERIVATIVES=ON";
  return left_out;
}

}  // namespace

const Algorithm rnea_second_derivatives_algorithm = left_out_algorithm("rnea-second-derivatives");
const Algorithm aba_second_derivatives_algorithm = left_out_algorithm("aba-second-derivatives");
const Algorithm christoffel_algorithm = left_out_algorithm("christoffel");

}  // namespace sparsedyn::cli
