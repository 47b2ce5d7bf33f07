#include "sensitivity_rows.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "cli/support/exit_code.hpp"
#include "cli/support/massless.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "estimated_rows.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn::cli {
namespace {

/// `Runtime`: Solver or Estimator, `Status` what it says of a row.
template <class Runtime, class Status>
class DerivativeRows : public SensitivityRows {
 public:
  using Make = std::function<Runtime()>;
  DerivativeRows(Make make, std::string strategy, bool gaps)
      : make_(std::move(make)),
        runtime_(make_()),
        strategy_(std::move(strategy)),
        gaps_(gaps),
        results_(runtime_.output_columns().size()) {}
  bool at(const double* q, const double* v, const double* y, const DerivativeArrays& into) noexcept override {
    return solved(q, v, y) && runtime_.derivatives(into).ok();
  }
  bool gradient(const double* q, const double* v, const double* y, const double* weight,
                const DerivativeArrays& into) noexcept override {
    return solved(q, v, y) && runtime_.gradient(weight, into).ok();
  }
  bool set_sigma(int row, double sigma) noexcept override {
    if constexpr (std::is_same_v<Runtime, Solver>)
      return (void)row, (void)sigma, false;
    else
      return runtime_.set_sigma(row, sigma);
  }
  std::string why() const override {
    return status_.ok() ? "the derivatives are inaccurate at this state" : runtime_.describe(status_);
  }
  const std::vector<std::string>& columns() const override { return runtime_.output_columns(); }
  std::string strategy() const override { return strategy_; }
  bool takes_gaps() const override { return gaps_; }
  std::unique_ptr<SensitivityRows> another() const override {
    return std::make_unique<DerivativeRows>(make_, strategy_, gaps_);
  }

 private:
  bool solved(const double* q, const double* v, const double* y) noexcept {
    if constexpr (std::is_same_v<Runtime, Solver>)
      status_ = runtime_.solve(q, v, y, results_.data());
    else
      status_ = runtime_.estimate(q, v, y, results_.data());
    return status_.ok();
  }

  Make make_;
  Runtime runtime_;
  std::string strategy_;
  bool gaps_;
  Status status_;
  std::vector<double> results_;
};

std::unique_ptr<SensitivityRows> estimated_sensitivities(const std::shared_ptr<const System>& system, const Wanted& wanted,
                                                         const CommonOptions& common) {
  const EstimatedOutputs found = estimated_outputs(system, wanted, common);
  const auto make = [system, found] {
    EstimatorOptions options;
    options.outputs = found.outputs;
    options.derivatives = true;
    options.close_gaps = [closer = std::make_shared<const GapCloser>(system)](const std::vector<char>& missing) {
      return closer->close(missing);
    };
    options.replan = [system](const std::vector<char>& missing) -> std::shared_ptr<const EstimatorPlan> {
      return plan_estimator(*system, missing);
    };
    return Estimator(system, found.plan, options);
  };
  return std::make_unique<DerivativeRows<Estimator, EstimateStatus>>(make, "estimator, " + found.plan->plan.strategy, true);
}

}  // namespace

std::unique_ptr<SensitivityRows> make_sensitivity_rows(const std::shared_ptr<const System>& system, const Wanted& wanted,
                                                       const CommonOptions& common) {
  SolverOptions options;
  options.outputs = wanted.outputs.empty() ? default_outputs(*system) : wanted.outputs;
  options.derivatives = true;
  Outputs(*system, options.outputs);  // unknown names are said before any planning
  if (is_estimated(*system)) return estimated_sensitivities(system, wanted, common);
  try {
    std::optional<PlannedSystem> planned = plan_for(system, wanted.plan, common);
    if (!planned) return estimated_sensitivities(system, wanted, common);
    const std::string strategy = planned->plan.strategy;
    const auto make = [options, own = planned->system, plan = std::make_shared<const Plan>(std::move(planned->plan))] {
      return Solver(own, plan, options);
    };
    return std::make_unique<DerivativeRows<Solver, SolverStatus>>(make, strategy, false);
  } catch (const UnknownOutput& output) {  // all names are outputs of the robot, but not in every formulation
    throw AnswerIsNo(wanted.plan + ": " + output.what(), json_text({{"reason", output.what()}}));
  } catch (const SingularSystem& singular) {
    const std::string why = with_massless_advice(singular.what(), system->model());
    throw AnswerIsNo(why, json_text({{"reason", why}}));
  }
}

}  // namespace sparsedyn::cli
