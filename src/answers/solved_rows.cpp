#include <optional>
#include <utility>

#include "estimated_rows.hpp"
#include "model/loads.hpp"
#include "planned.hpp"
#include "row_answers.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn {
namespace {

/// Samples answered by the planned system; without a plan (a body without inertia) every sample fails.
class SolvedRows : public RowAnswers {
 public:
  /// `planned` may be another formulation of the same robot and set: its inputs are the same. `chosen`: by the user.
  SolvedRows(std::shared_ptr<const System> system, std::shared_ptr<const System> planned, std::shared_ptr<const Plan> plan,
             bool chosen, const std::vector<std::string>& outputs)
      : RowAnswers(std::move(system)), chosen_(chosen), planned_(std::move(planned)), plan_(std::move(plan)) {
    SolverOptions options;
    options.outputs = outputs;
    solver_ = std::make_unique<Solver>(planned_, plan_, options);
    columns_ = solver_->output_columns();
  }
  SolvedRows(std::shared_ptr<const System> system, const std::vector<std::string>& outputs, std::string why_no_plan)
      : RowAnswers(std::move(system)), why_no_plan_(std::move(why_no_plan)) {
    columns_ = Outputs(*system_, outputs).columns();
  }

  std::unique_ptr<RowAnswers> another() const override {
    std::unique_ptr<RowAnswers> made;
    if (solver_)
      made = std::make_unique<SolvedRows>(system_, planned_, plan_, chosen_, columns_);
    else
      made = std::make_unique<SolvedRows>(system_, columns_, why_no_plan_);
    made->making = making;
    return made;
  }
  Answer solve(const double* q, const double* v, const double* y, double* results) override {
    Answer answer;
    if (!solver_) return answer;
    status_ = solver_->solve(q, v, y, results);
    answer.ok = status_.ok(), answer.failed = !answer.ok;
    answer.backward_error = status_.backward_error, answer.componentwise_error = status_.componentwise_error;
    answer.growth = status_.growth;
    return answer;
  }
  std::string why() const override {
    return !solver_ ? why_no_plan_ : status_.ok() ? "" : with_massless_advice(solver_->describe(status_), system_->model());
  }
  std::optional<AnswerPlan> plan() const override {
    if (!plan_) return {};
    AnswerPlan found{*planned_, columns_};
    found.plan = plan_.get(), found.plan_is_chosen = chosen_;
    return found;
  }
  void report(SolveReport& into) const override {
    if (!solver_) return;
    into.strategy = plan_->strategy, into.formulation = plan_->formulation;
    into.remedies = solver_->counts();
  }

 private:
  bool chosen_ = false;
  std::shared_ptr<const System> planned_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Solver> solver_;
  SolverStatus status_;
  std::string why_no_plan_;
};

/// None where the set determines less or more than all.
std::unique_ptr<RowAnswers> solved_rows(const std::shared_ptr<const System>& system, const SensorSolverOptions& options,
                                        const std::vector<std::string>& outputs) {
  const std::vector<std::string> columns = Outputs(*system, outputs).columns();
  try {
    std::optional<PlannedSystem> planned = planned_solver(system, options.plans);
    if (!planned) return nullptr;
    const bool formulated = !planned->plan->formulation.empty();
    auto rows = std::make_unique<SolvedRows>(system, std::move(planned->system), std::move(planned->plan),
                                             options.plans.stored != nullptr, formulated ? columns : outputs);
    rows->making = planned->making;
    return rows;
  } catch (const UnknownOutput& output) {  // all names are outputs of the robot, but not in every formulation
    throw OutputNotInPlan((options.plans.stored ? options.plans.stored->name() : std::string()) + ": " + output.what());
  } catch (const SingularSystem& singular) {
    return std::make_unique<SolvedRows>(system, outputs, with_massless_advice(singular.what(), system->model()));
  }
}

/// Throws InputError where a pair of the set does not name two outputs.
void check_covariances(const System& system) {
  for (const OutputPair& pair : system.sensors().covariances)
    for (const NameAt* name : {&pair.first, &pair.second}) {
      try {
        check_output_pairs(system, {{name->name, name->name}});
      } catch (const UnknownOutput& unknown) {
        throw InputError(system.sensors().file_of(*name), name->line, "cov", unknown.what(), "two outputs of the robot");
      }
    }
}

}  // namespace

std::unique_ptr<RowAnswers> make_row_answers(const std::shared_ptr<const System>& system, const SensorSolverOptions& options) {
  const std::vector<std::string> outputs = options.outputs.empty() ? default_outputs(*system) : options.outputs;
  const Outputs known(*system, outputs);  // unknown names are said before any planning
  check_covariances(*system);
  const bool estimate = options.estimate || options.deviations || options.innovations;
  if (!estimate && !needs_estimate(*system))
    if (std::unique_ptr<RowAnswers> rows = solved_rows(system, options, outputs)) return rows;
  return make_estimated_rows(system, options);
}

}  // namespace sparsedyn
