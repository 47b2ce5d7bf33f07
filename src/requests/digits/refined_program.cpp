#include "refined_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/ir/health_states.hpp"

namespace sparsedyn {
namespace {

constexpr int most_steps = 3;
/// Of what a column may be off. Where one is off by more than it may be, all beyond the margin are refined: they may be off by
/// more at other postures.
constexpr double margin = 0.1;
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

std::map<std::string, InexactColumn> by_column(const std::vector<InexactColumn>& lost) {
  std::map<std::string, InexactColumn> found;
  for (const InexactColumn& each : lost) found[each.column] = each;
  return found;
}

/// Whether a step was worth its solve: the column is off by far less, or at far fewer postures.
bool gained(const InexactColumn& was, const InexactColumn& is) {
  return is.off <= 0.1 * was.off || (is.off <= 2 * was.off && 2 * is.postures <= was.postures);
}

class Refinement {
 public:
  Refinement(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record, const ColumnComparison& how)
      : solver_(solver), read_(read), record_(record), how_(how), cost_(solver.plan().value()), found_(tried({})) {}

  RefinedProgram found() {
    const bool loses = std::any_of(found_.lost.begin(), found_.lost.end(), [](const InexactColumn& c) { return c.share > 1; });
    for (int step = 1; loses && step <= most_steps && !found_.lost.empty(); ++step) {
      const RefinementSteps more = with_a_step_more();
      if (more == found_.refined) break;
      RefinedProgram next = tried(more);
      give_up_what_gained_nothing(next);
      found_ = std::move(next);
    }
    const auto is_right = [&](const InexactColumn& each) { return each.share <= 1 && found_.refined.count(each.column) == 0; };
    found_.lost.erase(std::remove_if(found_.lost.begin(), found_.lost.end(), is_right), found_.lost.end());
    return std::move(found_);
  }

 private:
  RefinedProgram tried(const RefinementSteps& steps) const {
    Program program = record_(steps);
    std::vector<std::pair<std::string, std::vector<double>>> nominal;
    if (!how_.pi.empty()) nominal = {{"pi", how_.pi}};
    const Program with = with_health(program, health_states(solver_.system().model(), program, nominal));
    ColumnComparison how = how_;
    how.share = margin;
    std::vector<InexactColumn> lost = inexact_columns(solver_, with, read_, how);
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
    const std::map<std::string, InexactColumn> before = by_column(found_.lost), now = by_column(next.lost);
    RefinementSteps kept = next.refined;
    for (const auto& [column, is] : now) {
      const auto was = before.find(column);
      if (was == before.end() || kept.count(column) == 0 || gained(was->second, is)) continue;
      hopeless_.insert(column);
      if (--kept[column] == 0) kept.erase(column);
    }
    if (kept != next.refined) next = tried(kept);
  }

  const SensorSolver& solver_;
  const ReadInputs& read_;
  const RecordedWith& record_;
  const ColumnComparison& how_;
  const StepCost cost_;
  std::set<std::string> hopeless_;
  RefinedProgram found_;
};

}  // namespace

RefinedProgram refined_program(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record,
                               const ColumnComparison& how) {
  return Refinement(solver, read, record, how).found();
}

}  // namespace sparsedyn
