#include "plan_source.hpp"

#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/planning/search.hpp"

namespace sparsedyn {

PlanSource plans_for_the_user(std::shared_ptr<const StoredPlan> stored) {
  PlanSource source = searched_plans({}, plans_of_the_user());
  source.stored = std::move(stored);
  return source;
}

}  // namespace sparsedyn
