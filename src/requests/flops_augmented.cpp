#include "flops_augmented.hpp"

#include "runtime/spread/spread_plan.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/planning/optimise.hpp"

namespace sparsedyn {
namespace {

constexpr long longest_program = 300'000;  // operations replayed, beyond which recording takes minutes

const char* const augmented_includes =
    "assembly of all rows with transforms and velocities, their weights, factorisation of the augmented system "
    "(every unknown and every row's scaled residual), both triangular solves; no standard deviations";

OperationCounts to_counts(const Flops& flops) { return {flops.mul, flops.add, flops.div, 0, 0}; }

/// Of the rows, and one product with its row's weight for each entry and each reading.
OperationCounts weighted_assembly(const System& system, const Plan& plan) {
  OperationCounts counts = static_counts(system, plan).assembly;
  counts.mul += system.pattern().entries() + system.pattern().rows;
  return counts;
}

FlopsEntry order_entry(const EstimatorPlan& plan, const StrategyResult& strategy, const OperationCounts& assembly) {
  Pattern pattern = plan.augmented.pattern();
  pattern.partner.clear();  // raw counts make no use of symmetry
  const Plan plain = make_plan(pattern, strategy.order);
  FlopsEntry entry;
  entry.algorithm = "zero_fill_lu", entry.formulation = "augmented", entry.order = strategy.strategy;
  entry.unknowns = plan.augmented.pattern().columns;
  entry.fill = plain.elimination.fill;
  entry.chosen = strategy.strategy == plan.plan.strategy;
  entry.raw_phases = PhaseCounts{assembly, to_counts(plain.factor_flops()), to_counts(plain.solve_flops())};
  entry.raw = entry.raw_phases->total();
  entry.runtime_phases = PhaseCounts{assembly, to_counts(strategy.factor), to_counts(strategy.solve)};
  entry.includes = augmented_includes;
  entry.not_folded = "the generated program is what folding makes of the chosen order";
  return entry;
}

void add_program(const System& system, const EstimatorPlan& plan, std::vector<FlopsEntry>& entries) {
  const std::vector<std::string> outputs = default_outputs(system);
  if (outputs.empty() || plan.plan.flops().total() > longest_program) return;
  FlopsEntry entry;
  entry.algorithm = "program";
  entry.raw = estimator_program(system, plan, outputs, required_inputs(system)).counts();
  entry.folded = entry.raw;
  entry.includes =
      "assembly, weights, the chosen order's factorisation and solve, for the joint torques and accelerations that "
      "are not given; no standard deviations";
  entries.push_back(entry);
}

/// What deviations take beside an estimate, by the order that was chosen.
void add_deviations(const System& system, const EstimatorPlan& plan, std::vector<FlopsEntry>& entries) {
  FlopsEntry entry;
  entry.algorithm = "deviations", entry.formulation = "augmented", entry.order = plan.plan.strategy;
  entry.unknowns = plan.augmented.pattern().columns;
  entry.raw = to_counts(flops_of_deviations(system, plan));
  entry.includes =
      "after the factorisation: deviations of the joint torques and accelerations that are not given, and innovations of all "
      "noisy readings, by a sweep for entries of the inverse, and a solve each where that takes less";
  entry.not_folded = "the generated program is what folding makes of it";
  entries.push_back(entry);
}

void add_matrices(const System& system, const EstimatorPlan& plan, const std::string& subject, FlopsReport& report) {
  std::vector<std::string> rows = system.equation_names(), columns = system.unknown_names();
  for (const std::string& unknown : system.unknown_names()) rows.push_back("stationary in " + unknown);
  for (const std::string& equation : system.equation_names()) columns.push_back("residual of " + equation);
  const Pattern& pattern = plan.augmented.pattern();
  const Elimination& lu = plan.plan.elimination;
  report::Spy before = report::spy_of(pattern, rows, columns),
              after = report::spy_of(pattern, plan.plan.order, lu, rows, columns);
  before.title = subject + ", augmented, as written down:";
  before.caption = std::to_string(pattern.columns) + " unknowns, " + std::to_string(pattern.entries()) + " entries";
  after.title = "in the order of elimination";
  after.caption = "(" + plan.plan.strategy + "): " + std::to_string(lu.fill) + " entries of fill-in";
  report.matrices.push_back(std::move(before));
  report.matrices.push_back(std::move(after));
}

}  // namespace

void add_augmented(const System& system, const std::string& of, FlopsReport& report) {
  const SearchedEstimator found = search_estimator_plan(system);
  const OperationCounts assembly = weighted_assembly(system, found.plan->plan);
  const std::size_t first = report.entries.size();
  for (const StrategyResult& strategy : found.strategies)
    report.entries.push_back(order_entry(*found.plan, strategy, assembly));
  add_deviations(system, *found.plan, report.entries);
  add_program(system, *found.plan, report.entries);
  for (std::size_t k = first; k < report.entries.size(); ++k) report.entries[k].of = of;
  add_matrices(system, *found.plan, report.subject, report);
}

}  // namespace sparsedyn
