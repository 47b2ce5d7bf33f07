// In place of what needs the component codegen.
#include "cli/programs/compiled_rows.hpp"
#include "cli/support/components.hpp"
#include "cli/support/exit_code.hpp"

namespace sparsedyn::cli {

void require_codegen(const std::string& what) { throw UsageError(left_out(what, "-DSPARSEDYN_CODEGEN=ON")); }

std::unique_ptr<LogAnswers> compiled_rows(SensorSolver, const std::vector<bool>&, const CommonOptions&) {
  throw UsageError(left_out("--compiled", "-DSPARSEDYN_CODEGEN=ON"));
}

}  // namespace sparsedyn::cli
