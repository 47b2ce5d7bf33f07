#include "folded_counts.hpp"

#ifdef SPARSEDYN_CODEGEN
#include "sparsedyn/codegen/programs.hpp"
#else
#include <stdexcept>
#endif

namespace sparsedyn {

#ifdef SPARSEDYN_CODEGEN
OperationCounts generated_counts(const System& system, const Plan& plan, const std::vector<std::string>& outputs) {
  return sensor_program(system, plan, outputs, required_inputs(system)).counts();
}
#else
OperationCounts generated_counts(const System&, const Plan&, const std::vector<std::string>&) {
  throw std::invalid_argument("folded costs: the library was built without them; expected -DSPARSEDYN_CODEGEN=ON");
}
#endif

}  // namespace sparsedyn
