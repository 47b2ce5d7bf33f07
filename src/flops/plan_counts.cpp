#include "sparsedyn/flops/counts.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

OperationCounts to_counts(const Flops& flops) { return {flops.mul, flops.add, flops.div, 0, 0}; }

/// What `work` executes.
template <class Work>
OperationCounts executed(Work&& work) {
  CountingScalar::counts() = {};
  work();
  return CountingScalar::counts();
}

void assemble_into(const System& system, int right_side, CountingScalar* cells) {
  const std::vector<CountingScalar> q(system.model().nq), v(system.model().nv), y(system.inputs().size());
  SystemWorkspace<CountingScalar> work(system);
  system.assemble(q.data(), v.data(), y.data(), cells, cells + right_side, work);
}

}  // namespace

PhaseCounts static_counts(const System& system, const Plan& plan) {
  const long bodies = static_cast<long>(system.terms().size());
  const OperationCounts unshift{0, system.formulation().shifted ? 6 * bodies : 0, 0, 0, 0};
  return {system.assembly_counts(), to_counts(plan.factor_flops()), to_counts(plan.solve_flops()) + unshift};
}

PhaseCounts executed_counts(const System& system, const Plan& plan) {
  std::vector<CountingScalar> cells(static_cast<std::size_t>(plan.program.cells));
  PhaseCounts counts;
  counts.assembly = executed([&] { assemble_into(system, plan.program.right_side, cells.data()); });
  counts.factorisation = executed([&] { run(plan.program.factor, cells.data()); });
  std::vector<CountingScalar> x(system.unknowns().size());
  const SystemWorkspace<CountingScalar> work(system);
  counts.solve = executed([&] {
    run(plan.program.solve, cells.data());
    system.unshift(x.data(), work);
  });
  return counts;
}

}  // namespace sparsedyn
