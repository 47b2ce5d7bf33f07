// In place of what needs the component codegen and second derivatives.
#include "cli/support/algorithm.hpp"

namespace sparsedyn::cli {
namespace {

constexpr const char* both = "-DSPARSEDYN_CODEGEN=ON -DSPARSEDYN_SECOND_DERIVATIVES=ON";

ComputedAlgorithm left_out_second() {
  ComputedAlgorithm left_out{"contact-second-derivatives",
                             "left out of this build (-DSPARSEDYN_CODEGEN=ON -DSPARSEDYN_SECOND_DERIVATIVES=ON)",
                             {},
                             nullptr,
                             nullptr};
  left_out.option = both;
  return left_out;
}

}  // namespace

const ComputedAlgorithm contact_second_derivatives_algorithm = left_out_second();

}  // namespace sparsedyn::cli
