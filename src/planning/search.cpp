#include "sparsedyn/planning/search.hpp"

#include <utility>

namespace sparsedyn {
namespace {

class OrderSearch : public PlanSearch {
 public:
  explicit OrderSearch(OptimiseOptions options) : options_(std::move(options)) {}
  Plan of_solver(const System& system) const override { return optimise(system, options_).plan; }
  std::shared_ptr<const EstimatorPlan> of_estimator(const System& system, const std::vector<char>& missing) const override {
    return plan_estimator(system, missing, options_);
  }

 private:
  OptimiseOptions options_;
};

}  // namespace

PlanSource searched_plans(const OptimiseOptions& options, std::shared_ptr<const PlanMemory> memory) {
  PlanSource source;
  source.search = std::make_shared<const OrderSearch>(options);
  source.memory = std::move(memory);
  return source;
}

}  // namespace sparsedyn
