#include "row_solver.hpp"

#include <algorithm>
#include <optional>

#include "cli/support/exit_code.hpp"
#include "cli/support/massless.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "estimated_rows.hpp"
#include "sparsedyn/ordering/detail/optimise_order.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn::cli {
namespace {

/// Rows answered by the planned system; without a plan (a body without inertia) every row fails.
class SolvedRows : public RowSolver {
 public:
  /// `planned` may be another formulation of the same robot and set: its inputs are the same. `chosen`: by the user.
  SolvedRows(std::shared_ptr<const System> system, PlannedSystem planned, bool chosen, const std::vector<std::string>& outputs)
      : SolvedRows(std::move(system), std::move(planned.system), std::make_shared<const Plan>(std::move(planned.plan)), chosen,
                   outputs) {}
  SolvedRows(std::shared_ptr<const System> system, std::shared_ptr<const System> planned, std::shared_ptr<const Plan> plan,
             bool chosen, const std::vector<std::string>& outputs)
      : RowSolver(std::move(system)), chosen_(chosen), planned_(std::move(planned)), plan_(std::move(plan)) {
    SolverOptions options;
    options.outputs = outputs;
    solver_ = std::make_unique<Solver>(planned_, plan_, options);
    columns_ = solver_->output_columns();
  }
  SolvedRows(std::shared_ptr<const System> system, const std::vector<std::string>& outputs, std::string why_no_plan)
      : RowSolver(std::move(system)), why_no_plan_(std::move(why_no_plan)) {
    columns_ = Outputs(*system_, outputs).columns();
  }

  std::unique_ptr<RowSolver> another() const override {
    if (!solver_) return std::make_unique<SolvedRows>(system_, columns_, why_no_plan_);
    return std::make_unique<SolvedRows>(system_, planned_, plan_, chosen_, columns_);
  }
  bool solve(const double* q, const double* v, const double* y, double* results) override {
    if (!solver_) return false;
    status_ = solver_->solve(q, v, y, results);
    return status_.ok();
  }
  std::string why() const override {
    return !solver_ ? why_no_plan_ : status_.ok() ? "" : with_massless_advice(solver_->describe(status_), system_->model());
  }
  double backward_error() const override { return status_.backward_error; }
  double componentwise_error() const override { return status_.componentwise_error; }
  double growth() const override { return status_.growth; }
  std::optional<Program> program(const ReadInputs& read, bool, const DerivativesBy& by) const override {
    if (!plan_) return {};
    if (!chosen_ && !by.any() && is_plain_dynamics(*system_, columns_)) return plain_dynamics_program(*system_, columns_, read);
    return sensor_program(*planned_, *plan_, columns_, read, by);
  }
  std::string strategy() const override {
    return !plan_ ? "none" : plan_->formulation.empty() ? plan_->strategy : plan_->formulation + ", " + plan_->strategy;
  }
  void add_details(Json& summary) const override {
    const SolverCounts counts = solver_ ? solver_->counts() : SolverCounts{};
    summary["remedies"] = {{"refined", counts.refined}, {"second_order", counts.fallback_order}, {"dense", counts.dense}};
  }

 private:
  bool chosen_ = false;
  std::shared_ptr<const System> planned_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Solver> solver_;
  SolverStatus status_;
  std::string why_no_plan_;
};

}  // namespace

bool has_noisy_rows(const System& system) {
  const auto noisy = [](const Measurement& m) {
    return std::any_of(m.sigma.begin(), m.sigma.end(), [](double sigma) { return sigma > 0; });
  };
  return std::any_of(system.measurements().begin(), system.measurements().end(), noisy);
}

namespace {

/// An offset is weighed against the sensor's noise.
void warn_of_exact_offsets(const System& system, const CommonOptions& common) {
  for (const Sensor& s : system.sensors().sensors)
    if (s.bias && std::none_of(s.sigma.begin(), s.sigma.end(), [](double sigma) { return sigma > 0; }))
      warn(common, "sensor " + s.name + ": \"bias\" passed over: an offset is estimated where the sensor has a sigma");
}

}  // namespace

std::unique_ptr<RowSolver> make_row_solver(std::shared_ptr<const System> system, const Wanted& wanted,
                                           const CommonOptions& common) {
  warn_of_exact_offsets(*system, common);
  const std::vector<std::string> outputs = wanted.outputs.empty() ? default_outputs(*system) : wanted.outputs;
  const std::vector<std::string> columns = Outputs(*system, outputs).columns();  // unknown names are said before any planning
  if (!wanted.estimated && !wanted.deviations && !wanted.innovations && !is_estimated(*system)) try {
      if (std::optional<PlannedSystem> planned = plan_for(system, wanted.plan, common))
        return std::make_unique<SolvedRows>(system, *std::move(planned), !wanted.plan.empty(),
                                            planned->plan.formulation.empty() ? outputs : columns);
    } catch (const UnknownOutput& output) {  // all names are outputs of the robot, but not in every formulation
      throw AnswerIsNo(wanted.plan + ": " + output.what(), json_text({{"reason", output.what()}}));
    } catch (const SingularSystem& singular) {
      return std::make_unique<SolvedRows>(system, outputs, with_massless_advice(singular.what(), system->model()));
    }
  return make_estimated_rows(std::move(system), wanted, common);
}

}  // namespace sparsedyn::cli
