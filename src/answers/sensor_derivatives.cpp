#include "sparsedyn/answers/sensor_derivatives.hpp"

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/loads.hpp"
#include "planned.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn {

class SensorDerivatives::Rows {
 public:
  virtual ~Rows() = default;
  virtual bool at(const double* q, const double* v, const double* y, const DerivativeArrays& into) noexcept = 0;
  virtual bool gradient(const double* q, const double* v, const double* y, const double* weight,
                        const DerivativeArrays& into) noexcept = 0;
  virtual bool set_sigma(int row, double sigma) noexcept = 0;
  virtual std::string describe() const = 0;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual std::unique_ptr<Rows> another() const = 0;

  std::string strategy;
  bool takes_gaps = false;
  SolverMaking making;
};

/// `Runtime`: Solver or Estimator, `Status` what it says of a sample.
template <class Runtime, class Status>
class SensorDerivatives::RowsOf : public Rows {
 public:
  using Make = std::function<Runtime()>;
  explicit RowsOf(Make make) : make_(std::move(make)), runtime_(make_()), results_(runtime_.output_columns().size()) {}
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
  std::string describe() const override {
    return status_.ok() ? "the derivatives are inaccurate at this state" : runtime_.describe(status_);
  }
  const std::vector<std::string>& columns() const override { return runtime_.output_columns(); }
  std::unique_ptr<Rows> another() const override {
    auto made = std::make_unique<RowsOf>(make_);
    made->strategy = strategy, made->takes_gaps = takes_gaps, made->making = making;
    return made;
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
  Status status_;
  std::vector<double> results_;
};

namespace {

EstimatorOptions estimator_options(const std::shared_ptr<const System>& system, const std::vector<std::string>& outputs,
                                   const PlanSource& plans) {
  EstimatorOptions options;
  options.outputs = outputs;
  options.derivatives = true;
  options.close_gaps = [closer = std::make_shared<const GapCloser>(system)](const std::vector<char>& missing) {
    return closer->close(missing);
  };
  if (plans.search)
    options.replan = [system, search = plans.search](const std::vector<char>& missing) {
      return search->of_estimator(*system, missing);
    };
  return options;
}

}  // namespace

SensorDerivatives::SensorDerivatives(std::shared_ptr<const System> system, const std::vector<std::string>& outputs,
                                     const PlanSource& plans) {
  SolverOptions options;
  options.outputs = outputs.empty() ? default_outputs(*system) : outputs;
  options.derivatives = true;
  const Outputs known(*system, options.outputs);  // unknown names are said before any planning
  if (!needs_estimate(*system)) try {
      if (std::optional<PlannedSystem> planned = planned_solver(system, plans)) {
        const auto make = [options, own = planned->system, plan = planned->plan] { return Solver(own, plan, options); };
        rows_ = std::make_unique<RowsOf<Solver, SolverStatus>>(make);
        rows_->strategy = planned->plan->strategy, rows_->making = planned->making;
        return;
      }
    } catch (const UnknownOutput& output) {  // all names are outputs of the robot, but not in every formulation
      throw OutputNotInPlan((plans.stored ? plans.stored->name() : std::string()) + ": " + output.what());
    } catch (const SingularSystem& singular) {
      throw SingularSystem(with_massless_advice(singular.what(), system->model()), singular.column);
    }
  const PlannedEstimate found = planned_estimate(*system, plans, outputs);
  const auto make = [system, plan = found.plan, names = found.outputs, plans] {
    return Estimator(system, plan, estimator_options(system, names, plans));
  };
  rows_ = std::make_unique<RowsOf<Estimator, EstimateStatus>>(make);
  rows_->strategy = found.plan->plan.strategy, rows_->takes_gaps = true, rows_->making = found.making;
}

SensorDerivatives::SensorDerivatives(std::unique_ptr<Rows> rows) : rows_(std::move(rows)) {}
SensorDerivatives::~SensorDerivatives() = default;
SensorDerivatives::SensorDerivatives(SensorDerivatives&&) noexcept = default;
SensorDerivatives& SensorDerivatives::operator=(SensorDerivatives&&) noexcept = default;

SensorDerivatives SensorDerivatives::for_another_thread() const { return SensorDerivatives(rows_->another()); }
bool SensorDerivatives::at(const double* q, const double* v, const double* y, const DerivativeArrays& into) noexcept {
  return rows_->at(q, v, y, into);
}
bool SensorDerivatives::gradient(const double* q, const double* v, const double* y, const double* weight,
                                 const DerivativeArrays& into) noexcept {
  return rows_->gradient(q, v, y, weight, into);
}
bool SensorDerivatives::set_sigma(int row, double sigma) noexcept { return rows_->set_sigma(row, sigma); }
std::string SensorDerivatives::describe() const { return rows_->describe(); }
const std::vector<std::string>& SensorDerivatives::columns() const { return rows_->columns(); }
bool SensorDerivatives::takes_gaps() const { return rows_->takes_gaps; }
const std::string& SensorDerivatives::strategy() const { return rows_->strategy; }
const SolverMaking& SensorDerivatives::making() const { return rows_->making; }

}  // namespace sparsedyn
