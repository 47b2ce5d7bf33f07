#include "refined_program.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "codegen/ir/health_states.hpp"

namespace sparsedyn {
namespace {

constexpr int most_steps = 3;
constexpr double gains = 0.1;               // a step that leaves more of an error than this is of no use
constexpr double most_operations = 400000;  // that refinement adds to a program: beyond, compilers take minutes

/// Operations of a solve of the plan, and of a product with its matrix.
struct StepCost {
  explicit StepCost(const AnswerPlan& from) {
    const Plan& plan = from.estimator_plan ? from.estimator_plan->plan : *from.plan;
    solve = static_cast<double>(plan.solve_flops().total());
    product = 2.0 * plan.pattern.entries();
  }
  double of(int steps) const { return (1 + steps) * solve + steps * product; }
  double solve = 0, product = 0;
};

std::map<std::string, double> by_column(const std::vector<InexactColumn>& lost) {
  std::map<std::string, double> off;
  for (const InexactColumn& each : lost) off[each.column] = each.off;
  return off;
}

class Refinement {
 public:
  Refinement(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record, const ColumnComparison& how)
      : solver_(solver), read_(read), record_(record), how_(how), cost_(solver.plan().value()), found_(tried({})) {}

  RefinedProgram found() {
    for (int step = 1; step <= most_steps && !found_.lost.empty(); ++step) {
      const RefinementSteps more = with_a_step_more();
      if (more == found_.refined) break;
      RefinedProgram next = tried(more);
      give_up_what_gained_nothing(next);
      found_ = std::move(next);
    }
    return std::move(found_);
  }

 private:
  RefinedProgram tried(const RefinementSteps& steps) const {
    Program program = record_(steps);
    std::vector<std::pair<std::string, std::vector<double>>> nominal;
    if (!how_.pi.empty()) nominal = {{"pi", how_.pi}};
    const Program with = with_health(program, health_states(solver_.system().model(), program, nominal));
    std::vector<InexactColumn> lost = inexact_columns(solver_, with, read_, how_);
    return {std::move(program), steps, std::move(lost)};
  }

  /// Of the columns that lose digits, the worst first, as far as they are not too many.
  RefinementSteps with_a_step_more() const {
    RefinementSteps steps = found_.refined;
    for (const InexactColumn& each : found_.lost) {
      if (hopeless_.count(each.column) != 0) continue;
      ++steps[each.column];
      if (operations(steps) <= most_operations) continue;
      if (--steps[each.column] == 0) steps.erase(each.column);
    }
    return steps;
  }

  double operations(const RefinementSteps& steps) const {
    double sum = 0;
    for (const auto& [column, count] : steps) sum += cost_.of(count);
    return sum;
  }

  /// Once a step has left a column as it was, its solve is not repeated: digits that the factors do not have come from nowhere.
  void give_up_what_gained_nothing(RefinedProgram& next) {
    const std::map<std::string, double> before = by_column(found_.lost), now = by_column(next.lost);
    RefinementSteps kept = next.refined;
    for (const auto& [column, off] : now) {
      const auto was = before.find(column);
      if (was == before.end() || off <= gains * was->second || kept.count(column) == 0) continue;
      hopeless_.insert({column, off});
      if (--kept[column] == 0) kept.erase(column);
    }
    if (kept != next.refined) next = tried(kept);
  }

  const SensorSolver& solver_;
  const ReadInputs& read_;
  const RecordedWith& record_;
  const ColumnComparison& how_;
  const StepCost cost_;
  std::map<std::string, double> hopeless_;
  RefinedProgram found_;
};

}  // namespace

RefinedProgram refined_program(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record,
                               const ColumnComparison& how) {
  return Refinement(solver, read, record, how).found();
}

}  // namespace sparsedyn
