#include "system/assemble.hpp"

namespace sparsedyn {

OperationCounts System::assembly_counts() const {
  const std::vector<CountingScalar> q(model().nq), v(model().nv), y(inputs().size());
  std::vector<CountingScalar> values(static_cast<std::size_t>(pattern().entries())), right_side(equations().size());
  SystemWorkspace<CountingScalar> work(*this);
  CountingScalar::counts() = {};
  assemble(q.data(), v.data(), y.data(), values.data(), right_side.data(), work);
  return CountingScalar::counts();
}

}  // namespace sparsedyn
