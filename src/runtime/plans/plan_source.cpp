#include "sparsedyn/runtime/plan_source.hpp"

#include <utility>

#include "determinacy/needs_estimate.hpp"

namespace sparsedyn {
namespace {

/// A plan as a value.
class GivenPlan : public StoredPlan {
 public:
  explicit GivenPlan(Plan plan) : plan_(std::move(plan)) {}
  std::string name() const override { return "plan"; }
  Formulation formulation() const override {
    return plan_.formulation.empty() ? Formulation{} : formulation_named(plan_.formulation);
  }
  Plan of_solver(const System& system) const override {
    check(system.fingerprint());
    return plan_;
  }
  std::optional<Plan> of_estimator(const System& system) const override {
    if (!needs_estimate(system) && plan_.fingerprint == system.fingerprint()) return {};
    check(estimator_shape(system).fingerprint);
    return plan_;
  }

 private:
  void check(const std::string& fingerprint) const {
    if (plan_.fingerprint != fingerprint)
      throw PlanMismatch("plan: made for another structure of robot or sensor set (fingerprint " + plan_.fingerprint +
                         "; expected " + fingerprint + ")");
  }
  Plan plan_;
};

}  // namespace

PlanSource::PlanSource(Plan plan) : stored(std::make_shared<const GivenPlan>(std::move(plan))) {}

}  // namespace sparsedyn
