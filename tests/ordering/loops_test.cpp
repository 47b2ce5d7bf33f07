// Orders of systems with closed loops: what the recursions make of them, and the states by which they are judged.
#include <catch2/catch.hpp>

#include "runtime/system_samples.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/detail/health.hpp"
#include "support/four_bar.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"
#include "system/dense.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// A trunk of three bodies on a free base, two arms of six, their last bodies welded.
Model two_arms() {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> number(-1, 1);
  ModelBuilder builder("two arms");
  const auto body = [&] {
    return inertia_about_com(1 + 0.5 * number(rng), {{0.1 * number(rng), 0.1, 0.1 * number(rng)}},
                             {0.02, 0, 0, 0.03, 0, 0.025});
  };
  builder.root("base", body(), true);
  const auto chain = [&](const std::string& name, std::string parent, int length) {
    for (int k = 0; k < length; ++k) {
      JointSpec hinge;
      hinge.kind = JointKind::revolute, hinge.axis = {{number(rng), number(rng), number(rng)}};
      const std::string link = name + std::to_string(k);
      builder.link(link, body(), parent, link + "_joint", hinge,
                   {rotation_from_rpy({{number(rng), number(rng), number(rng)}}), {{0.2, 0.1 * number(rng), 0.1}}});
      parent = link;
    }
  };
  chain("trunk", "base", 3);
  chain("left", "trunk2", 6);
  chain("right", "trunk2", 6);
  return builder.build();
}

SensorSet welded(const std::string& first, const std::string& second) {
  Constraint weld;
  weld.name = "grip", weld.type = ConstraintType::weld, weld.hard = true, weld.links = {first, second};
  weld.frames[1] = {rotation_from_rpy({{0.4, -0.7, 2.2}}), {{0.1, 0.2, -0.1}}};
  SensorSet set = forward_dynamics_set();
  set.constraints.constraints = {weld};
  return set;
}

double worst_difference(const System& system, const Order& order) {
  const Plan plan = make_plan(system.pattern(), order, unit_entries(system));
  CHECK(measure_health(plan, samples_of(system)).healthy());
  Solver solver(std::make_shared<const System>(system), std::make_shared<const Plan>(plan), {{"ddq", "lambda"}});
  std::mt19937 rng(2);
  double worst = 0;
  std::vector<double> x(solver.output_columns().size());
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(system.model(), rng);
    const Eigen::VectorXd exact = solved_for(system, s, s.tau);
    REQUIRE(solver.solve(s.q.data(), s.v.data(), inputs_of(system, s.tau).data(), x.data()).ok());
    double size = 1;
    for (int i = 0; i < system.model().nv; ++i) size = std::max(size, std::abs(exact[system.ddq_column(i)]));
    for (int i = 0; i < system.model().nv; ++i)
      worst = std::max(worst, std::abs(x[static_cast<std::size_t>(i)] - exact[system.ddq_column(i)]) / size);
  }
  return worst;
}

}  // namespace

TEST_CASE("loops: the recursions eliminate the forces of loops last, or where they close, that is less work") {
  const Model model = two_arms();
  const System system(model, welded("left5", "right5"));
  long flops[2] = {0, 0};
  for (const bool substituted : {false, true}) {
    const std::optional<Order> last = substituted ? substituted_order(system) : recursive_order(system);
    const std::optional<Order> rooted = rooted_order(system, substituted);
    REQUIRE(last);
    REQUIRE(rooted);
    CHECK(worst_difference(system, *last) < 1e-10);
    CHECK(worst_difference(system, *rooted) < 1e-10);
    const auto cost = [&](const Order& order) {
      return make_plan(system.pattern(), order, unit_entries(system)).factor_flops().total();
    };
    CHECK(cost(*rooted) < cost(*last));
    flops[substituted] = cost(*rooted);
  }
  CHECK(optimise(system).plan.factor_flops().total() <= std::min(flops[0], flops[1]));
  // a held foot closes its loop in the world, after all bodies
  const System held(model, welded("left5", "world"));
  CHECK(rooted_order(held, false)->rows == recursive_order(held)->rows);
  CHECK(worst_difference(held, *recursive_order(held)) < 1e-10);
  CHECK_FALSE(rooted_order(System(model, forward_dynamics_set()), false));
}

TEST_CASE("loops: states at which the loops themselves are singular judge no order") {
  // a planar arm of two hinges, its end pinned: at rest it is stretched, and nothing tells what pulls along it
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  const Model model = ModelBuilder("arm")
                          .root("ground", zero_inertia<double>(), false)
                          .link("upper", rod, "ground", "a", hinge, at(0))
                          .link("lower", rod, "upper", "b", hinge, at(0.4))
                          .build();
  Constraint pin;
  pin.name = "pin", pin.type = ConstraintType::connect, pin.hard = true, pin.links = {"lower", "world"};
  pin.frames[0].d = {{0.4, 0, 0}}, pin.frames[1].d = {{0.8, 0, 0}};
  SensorSet set = forward_dynamics_set();
  set.constraints.constraints = {pin};
  const System system(model, set);
  const Samples samples = samples_of(system), free = samples_of(System(model, forward_dynamics_set()));
  CHECK(samples.random == free.random);
  CHECK(samples.count < free.count);
  for (int k = 0; k < samples.count; ++k) {
    CAPTURE(k, samples.random, samples.state(k)[0], samples.state(k)[1]);
    CHECK(std::abs(std::sin(samples.state(k)[1])) > 1e-12);
  }
  CHECK(optimise(system).plan.health.healthy());
}

TEST_CASE("loops: orders are judged at states that close the loops, and how many cannot be is said") {
  const Model model = four_bar();
  SensorSet set = forward_dynamics_set();
  set.constraints.constraints = {four_bar_loop()};
  const System system(model, set);
  const Samples samples = samples_of(system);
  CHECK((samples.random > 100 && samples.count > samples.random));
  LoopProjection loops(model, set.constraints);
  double gap = 0;
  for (int k = 0; k < samples.count; ++k) {
    loops.gaps(samples.state(k).data(), &gap);
    CHECK(gap < 1e-11);
  }
  // each state is closed, left out as singular, or counted
  const bool all_closed = samples.left_out.empty();
  CHECK((all_closed || samples.left_out.find("\"rod\" stays open by ") != std::string::npos));
  CHECK(states_left_out(system) == samples.left_out);
  CHECK(optimise(system).plan.health.healthy());
  CHECK(optimise(model, set.constraints).plan.health.healthy());

  set.constraints.constraints[0].frames[0].d = {{9, 0, 0}};  // out of reach
  const System torn(model, set);
  CHECK(states_left_out(torn).find("no regular posture was found that closes the loops") == 0);
  CHECK(states_left_out(model, set.constraints).find("\"rod\" stays open by ") != std::string::npos);
  CHECK(samples_of(torn).count > 100);
}
