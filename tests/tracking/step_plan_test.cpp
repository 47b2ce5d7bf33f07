// The order in which a step takes its rows: estimates are the same, and it costs what is counted.
#include "sparsedyn/tracking/step_plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "support/heap.hpp"
#include "support/legged_robot.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "tracking/plan/step_count.hpp"
#include "tracking/whole/whole_forward.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const std::vector<std::string> planned_outputs{"q", "dq", "ddq", "fx.foot0", "model_wrench", "bias", "foot"};

/// Outputs and deviations after so many samples of a walk.
std::vector<double> walked(const std::shared_ptr<const System>& system, const std::shared_ptr<const StepPlan>& plan,
                           long* taken = nullptr) {
  TrackerOptions options;
  options.outputs = planned_outputs, options.deviations = true, options.plan = plan;
  Tracker tracker(system, options);
  const WalkLog log = walk(60, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(2);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    const std::vector<double> y = row_of(tracker, log, efforts, k, rng);
    bool ok = false;
    const long heap = allocations_of([&] { ok = tracker.step(y.data(), log.dt, out.data()).ok; });
    REQUIRE(ok);
    if (taken) *taken += heap;
  }
  return out;
}

}  // namespace

TEST_CASE("a step's rows in another order: the same estimates and deviations, no memory") {
  const auto system = std::make_shared<const System>(walking_quadruped(), legged_sensors());
  const StepSearch found = search_step_order(system);
  const std::vector<double> stated = walked(system, nullptr);
  for (const StepStrategy& s : found.strategies) {
    auto plan = std::make_shared<StepPlan>(found.plan);
    plan->order = s.order;
    long taken = 0;
    const std::vector<double> out = walked(system, plan, &taken);
    CHECK(taken == 0);
    const std::size_t columns = out.size();
    double worst = 0;
    for (std::size_t k = 0; k < columns; ++k)
      worst = std::max(worst, std::abs(out[k] - stated[k]) / std::max(1.0, std::abs(stated[k])));
    CAPTURE(s.name, worst);
    CHECK(worst < 1e-7);
  }
}

TEST_CASE("the order that is kept costs least, gyroscopes are last, kinematic rows have none") {
  const auto system = std::make_shared<const System>(walking_quadruped(), legged_sensors());
  const StepSearch found = search_step_order(system);
  REQUIRE(found.strategies.size() == 4);
  std::vector<long> costs;
  for (const StepStrategy& s : found.strategies) costs.push_back(s.interval.total());
  CHECK(std::is_sorted(costs.begin(), costs.end()));
  CHECK(costs.front() < costs.back());
  CHECK(found.plan.order == found.strategies.front().order);
  CHECK(found.flops.interval == found.strategies.front().interval);
  const int rows = static_cast<int>(found.plan.order.size());
  for (int k = rows - 3; k < rows; ++k) CHECK(found.plan.order[static_cast<std::size_t>(k)] == k);
  std::vector<int> sorted = found.plan.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> all(sorted.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(sorted == all);
  const StepSearch kinematic = search_step_order(system, TrackRows::kinematic);
  CHECK(kinematic.plan.order.empty());
  CHECK(kinematic.flops.total().total() > 0);
  CHECK(kinematic.flops.total().total() < found.flops.total().total());
}

TEST_CASE("rows cost by what has been read so far") {
  using namespace sparsedyn::tracking;
  // three errors depend on each other, three are alone: one row reads 0 and 3, one 1 and 4
  const Supports supports{{0, 3}, {1, 4}};
  const Flops count = rows_count(supports, {0, 1}, {0, 0, 0, 1, 1, 1});
  const auto pairs = [](long n) { return Flops{n, n, 0}; };
  // first row: four (padded) of P's rows over 4 errors, twice 2 entries, the mean of 6
  Flops expected = pairs(4 * 4) + pairs(2 * 2) + Flops{2 * 6, 6 + 1, 1};
  // second: one column waits (2 entries, its scale; four padded), over 5 errors
  expected = expected + pairs(2) + Flops{1, 0, 0} + pairs((4 + 4) * 5) + pairs(2 * 2) + Flops{2 * 6, 6 + 1, 1};
  // both columns (four padded) off the lower half of 5 × 5
  expected = expected + pairs(4 * 15) + Flops{4 * 5, 0, 0};
  CHECK(count == expected);
}

TEST_CASE("a foot that rolls costs as many products as its numbers that are not zero") {
  using namespace sparsedyn::tracking;
  const WalkLog log = walk(20, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  Flops carried[2];
  long products = 0;
  for (const bool rolls : {false, true}) {
    SensorSet set = legged_sensors();
    for (Sensor& s : set.sensors)
      if (s.type == "contact" && s.name != "foot3" && rolls) s.over_time.contact.radius = 0.02;
    const auto system = std::make_shared<const System>(walking_quadruped(), set);
    IntervalRows interval(*system, WholeLayout::freed_link(*system));
    const WholeLayout layout(system, interval);
    carried[rolls] = carry_count(layout);
    if (!rolls) continue;
    const Tracker tracker(system, {});
    WholeForward filter(layout, interval);
    WholeSample sample(layout, filter.most_rows());
    std::mt19937 rng(2);
    for (std::size_t k = 0; k < log.q.size(); ++k)
      REQUIRE(filter.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, nullptr, &sample).ok);
    for (const RollJacobian& J : sample.F.rolls) {
      products += J.there ? 9 : 0;
      for (const std::vector<double>* turns : {&J.before, &J.after})
        products += std::count_if(turns->begin(), turns->end(), [](double x) { return x != 0; });
    }
    products *= 2 * layout.size;  // F from both sides
  }
  CHECK(products > 0);
  CHECK(carried[1] == carried[0] + Flops{products, products, 0});
}

TEST_CASE("a plan for another step is refused") {
  const auto system = std::make_shared<const System>(walking_quadruped(), legged_sensors());
  const auto other = std::make_shared<const System>(walking_quadruped(), with_camera(legged_sensors(), "trunk"));
  const StepSearch found = search_step_order(system);
  const auto refused = [&](const std::shared_ptr<const System>& of, StepPlan plan, TrackRows rows = TrackRows::automatic) {
    TrackerOptions options;
    options.plan = std::make_shared<StepPlan>(std::move(plan)), options.rows = rows;
    CHECK_THROWS_AS(Tracker(of, options), PlanMismatch);
  };
  refused(other, found.plan);
  refused(system, found.plan, TrackRows::kinematic);
  StepPlan twice = found.plan;
  twice.order[0] = twice.order[1];
  refused(system, twice);
  StepPlan early = found.plan;
  std::swap(early.order.front(), early.order.back());  // a gyroscope first
  refused(system, early);
  StepPlan shorter = found.plan;
  shorter.order.pop_back();
  refused(system, shorter);
}

TEST_CASE("an arm's step has an order, too") {
  const Model arm = arm_like_ur5();
  const auto system = std::make_shared<const System>(arm, arm_sensors(arm.links.back().name));
  TrackerOptions options;
  options.plan = std::make_shared<const StepPlan>(search_step_order(system).plan);
  Tracker planned(system, options), stated(system);
  const ArmLog log = push_arm(arm, arm.links.back().name, 50, 1000, 1);
  std::vector<double> a(planned.columns().size()), b(a);
  for (const std::vector<double>& y : log.readings) {
    REQUIRE(planned.step(y.data(), 1e-3, a.data()).ok);
    REQUIRE(stated.step(y.data(), 1e-3, b.data()).ok);
    for (std::size_t k = 0; k < a.size(); ++k) REQUIRE(std::abs(a[k] - b[k]) < 1e-8 * std::max(1.0, std::abs(b[k])));
  }
}
