#include "sparsedyn/planning/optimise.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "ordering/algorithms/umfpack.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const StrategyResult& strategy(const OptimiseResult& result, const std::string& name) {
  for (const StrategyResult& s : result.strategies)
    if (s.strategy == name) return s;
  throw std::runtime_error("no strategy " + name);
}

/// [q 1; 1 1] x = b with q = 0.001 at most states and 0 or −0 at one: eliminating from the top left is cheap in no way and
/// poor at that state; from the bottom right it is fine.
OrderingProblem weak_pivot_problem(double weakest) {
  OrderingProblem problem;
  problem.pattern = {2, 2, {0, 2, 4}, {0, 1, 0, 1}};
  problem.known = {{"top-left", {{0, 1}, {0, 1}}}, {"bottom-right", {{1, 0}, {1, 0}}}};
  problem.samples.count = 10;
  problem.samples.random = 10;
  problem.samples.fill = [weakest](int s, double* values, double* right_side) {
    values[0] = s == 7 ? weakest : 1.0 / (s + 2);
    values[1] = values[2] = values[3] = 1;
    right_side[0] = 0.3, right_side[1] = 1;
  };
  problem.samples.state = [](int s) { return std::vector<double>{static_cast<double>(s)}; };
  return problem;
}

/// [a b; c d] x = r at 20 states: a and d are zero at three of them, b and c at one, all of a row at the last. Each order loses
/// a pivot somewhere.
OrderingProblem no_order_serves_all() {
  OrderingProblem problem;
  problem.pattern = {2, 2, {0, 2, 4}, {0, 1, 0, 1}};
  problem.known = {{"diagonal", {{0, 1}, {0, 1}}}, {"across", {{0, 1}, {1, 0}}}};
  problem.samples.count = problem.samples.random = 20;
  problem.samples.fill = [](int s, double* values, double* right_side) {
    const bool across = s == 4 || s == 9 || s == 11, straight = s == 15, singular = s == 19;
    values[0] = across || singular ? 0 : 1.5, values[1] = straight || singular ? 0 : 0.5 + s;
    values[2] = straight ? 0 : 0.75, values[3] = across ? 0 : 2;
    right_side[0] = 1, right_side[1] = 3;
  };
  problem.samples.state = [](int s) { return std::vector<double>{static_cast<double>(s)}; };
  return problem;
}

}  // namespace

TEST_CASE("states of two kinds of numbers are taken in turn, random ones first") {
  const auto named = [](int first, int random, int special) {
    Samples samples;
    samples.count = random + special, samples.random = random;
    samples.fill = [first](int s, double* values, double* right_side) { values[0] = first + s, right_side[0] = -values[0]; };
    samples.moved = [first](int s, double* values, double* right_side) { values[0] = first + s + 0.5, right_side[0] = 0; };
    samples.state = [first](int s) { return std::vector<double>{static_cast<double>(first + s)}; };
    return samples;
  };
  const Samples both = in_turn(named(0, 3, 2), named(100, 1, 4));
  std::vector<double> found, moved;
  for (int s = 0; s < both.count; ++s) {
    double value = 0, right_side = 0;
    both.fill(s, &value, &right_side), found.push_back(value);
    CHECK(right_side == -value);
    CHECK(both.state(s) == std::vector<double>{value});
    both.moved(s, &value, &right_side), moved.push_back(value);
    CHECK(moved.back() == found.back() + 0.5);
  }
  CHECK(both.random == 4);
  CHECK(found == std::vector<double>{0, 100, 1, 2, 3, 101, 4, 102, 103, 104});
}

TEST_CASE("an order that is searched at states of other numbers, too, is healthy at both") {
  OrderingProblem own = weak_pivot_problem(0.5);
  own.known.push_back({"across", {{0, 1}, {1, 0}}});
  OrderingProblem both = own;
  Samples others = own.samples;  // of which the first entry is zero at every state
  others.fill = [fill = own.samples.fill](int s, double* values, double* right_side) {
    fill(s, values, right_side);
    values[0] = 0;
  };
  OptimiseOptions options;
  options.also = std::make_shared<const Samples>(others);
  both.samples = sampled(own.samples, options);
  CHECK(both.samples.count == 20);
  const Plan alone = make_plan(own.pattern, {{0, 1}, {0, 1}});
  CHECK(measure_health(alone, own.samples).healthy());
  CHECK_FALSE(measure_health(alone, both.samples).healthy());
  const OptimiseResult result = optimise_order(both);
  CHECK(result.healthy());
  CHECK(measure_health(result.plan, both.samples).healthy());
}

TEST_CASE(
    "Where no order serves every state the one of least expected cost is kept, with the fallback that serves the others") {
  const OrderingProblem problem = no_order_serves_all();
  const OptimiseResult result = optimise_order(problem);
  CHECK_FALSE(result.strategies.empty());
  for (const StrategyResult& order : result.strategies) {
    INFO(order.strategy);
    REQUIRE(order.help);
    if (has_umfpack()) CHECK(order.help->singular == 1);
    REQUIRE(order.help->need.size() == 20 - static_cast<std::size_t>(order.help->singular));
    CHECK(order.help->states == std::count(order.help->need.begin(), order.help->need.end(), char(1)));
    CHECK(order.help->example.empty() == (order.help->states == 0));
  }
  if (!has_umfpack()) return;
  const auto chosen = std::find_if(result.strategies.begin(), result.strategies.end(),
                                   [&](const StrategyResult& s) { return s.strategy == result.plan.strategy; });
  REQUIRE(chosen != result.strategies.end());
  for (const StrategyResult& order : result.strategies) CHECK(chosen->help->expected_cost <= order.help->expected_cost);
  REQUIRE(chosen->help->states > 0);
  REQUIRE(result.plan.fallback);
  const Plan second = make_plan(problem.pattern, *result.plan.fallback, problem.unit);
  ZeroFillLU<double> lu(second);
  for (int s = 0; s < 19; ++s) {
    if (!chosen->help->need[static_cast<std::size_t>(s)]) continue;
    double x[2];
    problem.samples.fill(s, lu.values(), lu.right_side());
    REQUIRE((lu.factor().ok() && lu.solve(x).ok()));
    CHECK(lu.backward_error(x) < 1e-15);
  }
}

TEST_CASE("An order that fails at one state is rejected, and that state is kept") {
  for (double weakest : {0.0, 1e-9}) {
    const OptimiseResult result = optimise_order(weak_pivot_problem(weakest));
    const StrategyResult& weak = strategy(result, "top-left");
    CHECK_FALSE(weak.health.healthy());
    CHECK(weak.health.worst_state == std::vector<double>{7});
    CHECK(result.healthy());
    CHECK(result.plan.strategy != "top-left");
  }
}

TEST_CASE("A healthy order that is weak at a state takes along one that is accurate there") {
  OrderingProblem problem = weak_pivot_problem(1e-4);
  problem.known.pop_back();
  const OptimiseResult result = optimise_order(problem);
  CHECK(result.plan.strategy == "top-left");
  CHECK(result.healthy());
  CHECK(result.plan.health.worst_state == std::vector<double>{7});
  REQUIRE(result.plan.fallback);
  Samples there = problem.samples;
  there.count = 1;
  there.fill = [&](int, double* values, double* right_side) { problem.samples.fill(7, values, right_side); };
  const Health second = measure_health(make_plan(problem.pattern, *result.plan.fallback), there);
  CHECK(second.worst_backward_error < 0.1 * result.plan.health.worst_backward_error);
  CHECK_FALSE(optimise_order(weak_pivot_problem(0.2)).plan.fallback);
}

TEST_CASE("Orders that are fine at the state they come from and poor at another are found and rejected") {
  const System system(load_urdf(source_folder() + "/robots/arm.urdf"), forward_dynamics_set());
  const OptimiseResult result = optimise(system);
  CHECK(result.healthy());
  const Samples samples = samples_of(system);
  int rejected = 0;
  for (const StrategyResult& s : result.strategies) {
    if (s.health.healthy() || s.strategy.rfind("btf", 0) != 0) continue;
    INFO(s.strategy);
    CHECK(s.strategy != result.plan.strategy);
    Samples one = samples;  // the first random state, one of those at which KLU was asked
    one.count = 1;
    CHECK(measure_health(make_plan(system.pattern(), s.order), one).worst_backward_error < 1e-13);
    CHECK(s.health.worst_backward_error > 1e-6);
    CHECK_FALSE(s.health.worst_state.empty());
    ++rejected;
  }
  CHECK(rejected == (has_umfpack() ? 2 : 0));
}

TEST_CASE("Cost counts what the outputs need") {
  const System system(random_tree(6, 3), forward_dynamics_set());
  OptimiseOptions options;
  options.outputs = {"ddq"};
  const OptimiseResult all = optimise(system), some = optimise(system, options);
  CHECK(some.plan.flops().total() < all.plan.flops().total());
  CHECK(some.plan.flops().total() <=
        make_plan(system.pattern(), all.plan.order, all.plan.unit, Outputs(system, {"ddq"}).unknowns()).flops().total());
}

TEST_CASE("If no order is healthy the one with the least backward error is kept and says so") {
  OrderingProblem problem = weak_pivot_problem(0);
  problem.pattern = {1, 1, {0, 1}, {0}};
  problem.known = {{"only", {{0}, {0}}}};
  problem.samples.fill = [](int s, double* values, double* right_side) {
    values[0] = s == 3 ? 0 : 1;
    right_side[0] = 1;
  };
  const OptimiseResult result = optimise_order(problem);
  CHECK_FALSE(result.healthy());
  CHECK(result.plan.health.states == 10);
}

TEST_CASE("A system without any pivots is singular") {
  OrderingProblem problem = weak_pivot_problem(0);
  problem.pattern = {2, 2, {0, 1, 2}, {0, 0}};
  problem.known.clear();
  problem.samples.fill = [](int, double* values, double* right_side) {
    values[0] = values[1] = right_side[0] = right_side[1] = 1;
  };
  CHECK_THROWS_AS(optimise_order(problem), SingularSystem);
}

TEST_CASE("optimise compares strategies, counts exactly what it chose, and is repeatable") {
  for (bool inverse : {true, false}) {
    TreeOptions tree;
    tree.floating = true;
    const System system(random_tree(9, 3, tree), inverse ? inverse_dynamics_set() : forward_dynamics_set());
    const OptimiseResult result = optimise(system), again = optimise(system);
    CHECK(result.healthy());
    CHECK(result.plan.fingerprint == system.fingerprint());
    CHECK(result.plan.order.rows == again.plan.order.rows);
    CHECK(result.plan.order.columns == again.plan.order.columns);
    CHECK(result.strategies.size() >= (has_umfpack() ? 3u : 2u));
    const StrategyResult& chosen = strategy(result, result.plan.strategy);
    CHECK(chosen.flops() == result.plan.flops());
    CHECK(chosen.flops().total() <= strategy(result, "recursive").flops().total());
    if (inverse) CHECK(result.plan.flops() == strategy(result, "recursive").flops());
    for (std::size_t k = 1; k < result.strategies.size(); ++k)
      CHECK(result.strategies[k - 1].flops().total() <= result.strategies[k].flops().total());
  }
}

TEST_CASE("A system that is not square has no plan") {
  SensorSet set = inverse_dynamics_set();
  set.sensors.pop_back();
  const System system(random_tree(3, 1), set);
  CHECK_THROWS_AS(optimise(system), std::invalid_argument);
}
