#include "refined_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/ir/health_states.hpp"
#include "codegen/programs/refinement_steps.hpp"

namespace sparsedyn {
namespace {

constexpr int most_steps = 3;
/// Of what a column may be off. Where one is off by more than it may be, all beyond this share are refined: they may be off by
/// more at other postures.
constexpr double nearly_off = 0.1;

/// About how many operations refinement adds. Deviations and the variances of innovations have solves of their own, which the
/// sweep had for nothing, for a right-hand side of one number: half of these operations are on zeros. All else is made of one
/// solve for the unknowns, which is there anyway.
double added_operations(const AnswerPlan& from, const RefinementSteps& refined) {
  const Plan& plan = from.estimator_plan ? from.estimator_plan->plan : *from.plan;
  const double solve = static_cast<double>(plan.solve_flops().total()), step = solve + 2.0 * plan.pattern.entries();
  double sum = steps_of_unknowns(refined) * step;
  for (const auto& [column, steps] : refined)
    if (has_own_solve(column)) sum += 0.5 * (solve + steps * step);
  return sum;
}

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
      : solver_(solver), read_(read), record_(record), how_(how), found_(tried({})), plain_(operations_of(found_)) {}

  RefinedProgram found() {
    const auto is_off = [](const InexactColumn& each) { return each.share > 1; };
    const bool loses = std::any_of(found_.lost.begin(), found_.lost.end(), is_off);
    for (int step = 1; loses && step <= most_steps && !found_.lost.empty(); ++step) {
      const RefinementSteps more = with_a_step_more();
      if (more == found_.refined) break;
      RefinedProgram next = tried(more);
      give_up_what_gained_nothing(next);
      found_ = std::move(next);
    }
    found_.lost.erase(std::stable_partition(found_.lost.begin(), found_.lost.end(), is_off), found_.lost.end());
    return std::move(found_);
  }

 private:
  static double operations_of(const RefinedProgram& tried) { return static_cast<double>(tried.program.counts().flops()); }

  RefinedProgram tried(const RefinementSteps& steps) const {
    Program program = record_(steps);
    std::vector<std::pair<std::string, std::vector<double>>> nominal;
    if (!how_.pi.empty()) nominal = {{"pi", how_.pi}};
    const Program with = with_health(program, health_states(solver_.system().model(), program, nominal));
    ColumnComparison how = how_;
    how.share = nearly_off;
    std::vector<InexactColumn> lost = inexact_columns(solver_, with, read_, how);
    return {std::move(program), steps, std::move(lost)};
  }

  /// Of the columns that lose digits, the worst first, as far as they are not too many.
  RefinementSteps with_a_step_more() const {
    RefinementSteps steps = found_.refined;
    for (const InexactColumn& each : found_.lost) {
      if (hopeless_.count(each.column) != 0) continue;
      ++steps[each.column];
      if (plain_ + added_operations(solver_.plan().value(), steps) <= how_.most_operations) continue;
      if (--steps[each.column] == 0) steps.erase(each.column);
    }
    return steps;
  }

  /// Once a step has left a column as it was, its solve is not repeated: the factors are too far off for it to converge.
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
  std::set<std::string> hopeless_;
  RefinedProgram found_;
  const double plain_;  // operations of the program that refines nothing
};

}  // namespace

RefinedProgram refined_program(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record,
                               const ColumnComparison& how) {
  return Refinement(solver, read, record, how).found();
}

}  // namespace sparsedyn
