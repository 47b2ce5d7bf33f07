#include <utility>

#include "determinacy/needs_estimate.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

/// A plan file.
class FiledPlan : public StoredPlan {
 public:
  explicit FiledPlan(std::shared_ptr<const json::Document> document) : document_(std::move(document)) {}
  std::string name() const override { return document_->file(); }
  Formulation formulation() const override { return formulation_of_plan(*document_); }
  Plan of_solver(const System& system) const override {
    return plan_from_json(*document_, system.fingerprint(), system.pattern(), unit_entries(system));
  }
  std::optional<Plan> of_estimator(const System& system) const override {
    try {
      return estimator_plan_from_json(*document_, system);
    } catch (const PlanMismatch&) {
      if (needs_estimate(system) || !solves(system)) throw;
    }
    return {};
  }

 private:
  /// Whether it is one for this robot and set, in whatever formulation, that solves and does not estimate.
  bool solves(const System& system) const try {
    of_solver(System(system.model(), system.sensors(), formulation()));
    return true;
  } catch (const PlanMismatch&) {
    return false;
  } catch (const FormulationMisfit&) {
    return false;
  }

  std::shared_ptr<const json::Document> document_;
};

}  // namespace

std::shared_ptr<const StoredPlan> plan_in_document(std::shared_ptr<const json::Document> document) {
  return std::make_shared<const FiledPlan>(std::move(document));
}

std::shared_ptr<const StoredPlan> plan_in_file(const std::string& path) {
  return plan_in_document(std::make_shared<const json::Document>(json::Document::load(path)));
}

std::shared_ptr<const StoredPlan> plan_in_text(const std::string& text, const std::string& name) {
  return plan_in_document(std::make_shared<const json::Document>(json::Document::parse(text, name)));
}

}  // namespace sparsedyn
