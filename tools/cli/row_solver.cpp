#include "cli/row_solver.hpp"

#include <algorithm>
#include <optional>

#include "cli/estimated_rows.hpp"
#include "cli/output_names.hpp"
#include "cli/planning.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/solve/solver.hpp"

namespace sparsedyn::cli {
namespace {

/// Priors weigh against noisy rows; exact rows leave them nothing to say.
bool priors_matter(const System& system) { return !system.sensors().prior.empty() && has_noisy_rows(system); }

/// Rows answered by the planned system; without a plan (a body without inertia) every row fails.
class SolvedRows : public RowSolver {
 public:
  SolvedRows(std::shared_ptr<const System> system, const std::vector<std::string>& outputs, std::shared_ptr<const Plan> plan)
      : RowSolver(std::move(system)), plan_(std::move(plan)) {
    SolverOptions options;
    options.outputs = outputs;
    solver_ = std::make_unique<Solver>(system_, plan_, options);
    columns_ = solver_->output_columns();
  }
  SolvedRows(std::shared_ptr<const System> system, const std::vector<std::string>& outputs, std::string why_no_plan)
      : RowSolver(std::move(system)), why_no_plan_(std::move(why_no_plan)) {
    columns_ = Outputs(*system_, outputs).columns();
  }

  bool solve(const double* q, const double* v, const double* y, double* results) override {
    if (!solver_) return false;
    status_ = solver_->solve(q, v, y, results);
    return status_.ok();
  }
  std::string why() const override { return !solver_ ? why_no_plan_ : status_.ok() ? "" : solver_->describe(status_); }
  double backward_error() const override { return status_.backward_error; }
  double growth() const override { return status_.growth; }
  std::optional<Program> program(const ReadInputs& read, bool) const override {
    if (!plan_) return {};
    return is_plain_dynamics(*system_, columns_) ? plain_dynamics_program(*system_, columns_, read)
                                                 : sensor_program(*system_, *plan_, columns_, read);
  }
  std::string strategy() const override { return plan_ ? plan_->strategy : "none"; }
  void add_details(Json& summary) const override {
    const SolverCounts counts = solver_ ? solver_->counts() : SolverCounts{};
    summary["remedies"] = {{"refined", counts.refined}, {"second_order", counts.second_order}, {"dense", counts.dense}};
  }

 private:
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

std::unique_ptr<RowSolver> make_row_solver(std::shared_ptr<const System> system, const Wanted& wanted,
                                           const CommonOptions& common) {
  const std::vector<std::string> otherwise = default_outputs(*system);
  const std::vector<std::string>& outputs = wanted.outputs.empty() ? otherwise : wanted.outputs;
  Outputs(*system, outputs);  // an unknown name is said before any planning
  if (!wanted.estimated && !wanted.deviations && !wanted.innovations && !priors_matter(*system)) try {
      if (std::optional<Plan> plan = plan_for(*system, wanted.plan, common))
        return std::make_unique<SolvedRows>(system, outputs, std::make_shared<const Plan>(*std::move(plan)));
    } catch (const SingularSystem& singular) {
      return std::make_unique<SolvedRows>(system, outputs, std::string(singular.what()));
    }
  return make_estimated_rows(std::move(system), wanted, otherwise, common);
}

}  // namespace sparsedyn::cli
