#include "plan_source.hpp"

#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/planning/search.hpp"

namespace sparsedyn {

PlanSource plans_for_the_user(std::shared_ptr<const StoredPlan> stored) {
  OptimiseOptions search;
  search.memory = orders_of_the_user();
  PlanSource source = searched_plans(search, plans_of_the_user());
  source.stored = std::move(stored);
  return source;
}

}  // namespace sparsedyn
