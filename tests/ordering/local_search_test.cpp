#include <algorithm>
#include <catch2/catch.hpp>

#include "ordering/order_cost.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

OptimiseResult searched(const System& system, unsigned seed, int* calls = nullptr) {
  OptimiseOptions options;
  options.budget = 60;  // the steps end it
  options.search_steps = 3000;
  options.seed = seed;
  if (calls)
    options.progress = [calls](const std::string& strategy, double done) {
      *calls += strategy == "local search" && done >= 0 && done <= 1;
    };
  return optimise(system, options);
}

}  // namespace

TEST_CASE("Local search finds a cheaper healthy order, the same for the same seed, and shows progress") {
  const System system(random_tree(3, 5), forward_dynamics_set());
  int calls = 0;
  const OptimiseResult without = optimise(system), first = searched(system, 1, &calls), again = searched(system, 1);
  CHECK(first.healthy());
  CHECK(first.plan.strategy == "local search");
  CHECK(first.plan.flops().total() < without.plan.flops().total());
  CHECK(first.plan.order.rows == again.plan.order.rows);
  CHECK(first.plan.order.columns == again.plan.order.columns);
  CHECK(calls > 10);
}

TEST_CASE("The budget ends the search") {
  const System system(random_tree(12, 5), forward_dynamics_set());
  OptimiseOptions options;
  options.budget = 0.5;  // many times 16 steps, on a loaded machine too
  options.search_steps = 1000000000;
  std::vector<double> spent;  // of the budget, told every 16 steps
  options.progress = [&](const std::string& strategy, double done) {
    if (strategy == "local search") spent.push_back(done);
  };
  CHECK(optimise(system, options).healthy());
  REQUIRE(spent.size() > 1);
  CHECK(std::is_sorted(spent.begin(), spent.end()));
  CHECK(spent.front() < spent.back());
  CHECK(spent.back() < 1.0);
  CHECK(16 * static_cast<long>(spent.size()) < options.search_steps / 1000);  // not the steps
}
