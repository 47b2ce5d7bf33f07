// A plan's work recorded and folded, counted phase by phase.
#include <random>

#include "codegen/ir/evaluation_order.hpp"
#include "codegen/programs/sensor_ports.hpp"
#include "model/samples.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

constexpr long most_operations = 1'000'000;

/// Whether the order serves at a state with nothing special about it; where a pivot is zero at every state, recording would
/// divide by zero.
bool has_pivots(const System& system, const Plan& plan) {
  std::mt19937 rng(1);
  std::vector<double> q(system.model().nq), v(system.model().nv, 0.0), y(system.inputs().size(), 1.0);
  uniform_sample(system.model(), rng, q.data());
  ZeroFillLU<double> lu(plan);
  SystemWorkspace<double> work(system);
  system.assemble(q.data(), v.data(), y.data(), lu.values(), lu.right_side(), work);
  return lu.factor().ok();
}

OperationCounts count_needed(const std::vector<Node>& nodes, const std::vector<bool>& needed, std::size_t from,
                             std::size_t to) {
  OperationCounts counts;
  for (std::size_t i = from; i < to; ++i)
    if (needed[i]) count(nodes[i].op, counts);
  return counts;
}

}  // namespace

std::optional<PhaseCounts> folded_counts(const System& system, const Plan& plan, const std::vector<std::string>& outputs) {
  if (static_counts(system, plan).total().flops() > most_operations || !has_pivots(system, plan)) return {};
  Recorder recorder;
  const std::vector<Node>& nodes = Recording::graph().nodes();
  const SensorInputs in = sensor_inputs(recorder, system, required_inputs(system));
  std::vector<Expr> cells(static_cast<std::size_t>(plan.program.cells));
  SystemWorkspace<Expr> work(system);
  system.assemble(in.q.data(), in.v.data(), in.y.data(), cells.data(), cells.data() + plan.program.right_side, work);
  const std::size_t assembled = nodes.size();
  run(plan.program.factor, cells.data());
  const std::size_t factored = nodes.size();
  for (const Schedule* part : {&plan.program.solve, &plan.program.complete}) run(*part, cells.data());
  std::vector<Expr> x;
  for (int cell : plan.program.solution) x.push_back(cells[cell]);
  system.unshift(x.data(), work);
  const Outputs wanted(system, outputs);
  std::vector<Expr> results(wanted.columns().size());
  wanted.write(x.data(), in.y.data(), work, results.data());

  std::vector<Ref> refs;
  for (const Expr& result : results) refs.push_back(result.ref());
  const std::vector<bool> needed = needed_nodes(nodes, {refs});
  return PhaseCounts{count_needed(nodes, needed, 0, assembled), count_needed(nodes, needed, assembled, factored),
                     count_needed(nodes, needed, factored, nodes.size())};
}

}  // namespace sparsedyn
