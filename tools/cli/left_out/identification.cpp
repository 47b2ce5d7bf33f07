// In place of what needs the component identification.
#include "cli/reports/base_parameters.hpp"
#include "cli/support/exit_code.hpp"

namespace sparsedyn::cli {

BaseParameterText base_parameter_text(const Model&) {
  throw UsageError(left_out("--base-parameters", "-DSPARSEDYN_IDENTIFICATION=ON"));
}

}  // namespace sparsedyn::cli
