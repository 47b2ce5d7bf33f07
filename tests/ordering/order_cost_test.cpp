#include "ordering/order_cost.hpp"

#include <catch2/catch.hpp>

#include "ordering/algorithms/umfpack.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("The cost of an order is that of its plan, to the last operation") {
  for (unsigned seed = 1; seed <= 5; ++seed)
    for (const SensorSet& set : {inverse_dynamics_set(), forward_dynamics_set()}) {
      const System system(random_tree(6, seed), set);
      std::vector<Order> orders{recursive_order(system).value(), substituted_order(system).value()};
      for (const StrategyResult& s : optimise(system).strategies) orders.push_back(s.order);
      for (const Order& order : orders)
        for (const UnitEntries& unit : {unit_entries(system), UnitEntries{}})
          for (const std::vector<int>& outputs :
               {std::vector<int>{}, std::vector<int>{system.tau_column(2), system.f_column(1)}})
            CHECK(order_cost(system.pattern(), order, unit, outputs) ==
                  make_plan(system.pattern(), order, unit, outputs).flops());
    }
}
