#include "sparsedyn/runtime/solver.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "model/samples.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Problem {
  std::shared_ptr<const System> system;
  std::shared_ptr<const Plan> plan;
  std::vector<double> q, v, y;
};

Problem problem(const Model& model, const SensorSet& set, unsigned seed = 1) {
  Problem p;
  p.system = std::make_shared<const System>(model, set);
  p.plan = std::make_shared<const Plan>(recursive_plan(*p.system).value());
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  p.q = normal_sample(model, rng);
  p.v.resize(model.nv), p.y.resize(p.system->inputs().size());
  for (double& x : p.v) x = normal(rng);
  for (double& x : p.y) x = normal(rng);
  return p;
}

const double gimbal_lock = std::acos(-1.0) / 2;

/// Yaw, pitch and roll through one point with a rigid body at the end, the first two links without mass: at a pitch of π/2 the
/// first and last axis coincide, and no inertia is left between them.
Model point_on_gimbal() {
  ModelBuilder builder("gimbal");
  std::mt19937 rng(1);
  const auto hinge = [](double x, double y, double z) {
    JointSpec spec;
    spec.kind = JointKind::revolute;
    spec.axis = {{x, y, z}};
    return spec;
  };
  builder.root("base_link", random_inertia(rng), false);
  builder.link("a", zero_inertia<double>(), "base_link", "yaw", hinge(0, 0, 1), identity_pose<double>());
  builder.link("b", zero_inertia<double>(), "a", "pitch", hinge(0, 1, 0), identity_pose<double>());
  builder.link("c", random_inertia(rng), "b", "roll", hinge(1, 0, 0), identity_pose<double>());
  return builder.build();
}

/// A pendulum whose link weighs nothing and has no inertia.
Model massless_leaf() {
  ModelBuilder builder("massless");
  std::mt19937 rng(1);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  builder.root("base_link", random_inertia(rng), false);
  builder.link("upper", random_inertia(rng), "base_link", "shoulder", hinge, identity_pose<double>());
  builder.link("lower", zero_inertia<double>(), "upper", "elbow", hinge, identity_pose<double>());
  return builder.build();
}

}  // namespace

TEST_CASE("Solver allocates nothing once built") {
  TreeOptions options;
  options.floating = true;
  const Model model = random_tree(6, 2, options);
  for (const SensorSet& set : {inverse_dynamics_set(), forward_dynamics_set()}) {
    const Problem p = problem(model, set);
    Solver solver(p.system, p.plan, {{"tau", "ddq", "f", "acc"}, 0.0});  // no backward error passes: every remedy runs
    std::vector<double> out(solver.output_columns().size());
    const long before = allocations();
    solver.solve(p.q.data(), p.v.data(), p.y.data(), out.data());
    CHECK(allocations() == before);
    CHECK(solver.counts().dense == 1);
    CHECK(solver.counts().refined > 0);
  }
  std::vector<double>* probe = new std::vector<double>(100);
  const long counted = allocations();
  delete probe;
  probe = new std::vector<double>(100);
  CHECK(allocations() > counted);
  delete probe;
}

TEST_CASE("Input that is not finite is reported by the equation it stands in, and nothing is written") {
  const Problem p = problem(random_tree(5, 4), inverse_dynamics_set());
  Solver solver(p.system, p.plan);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> out(solver.output_columns().size(), 42.0);
    std::vector<double> y = p.y, q = p.q;
    y[1] = bad;
    SolverStatus status = solver.solve(p.q.data(), p.v.data(), y.data(), out.data());
    CHECK(status.state == LUState::not_finite_input);
    CHECK(solver.describe(status).find(p.system->equation_names()[status.equation]) != std::string::npos);
    q[2] = bad;
    status = solver.solve(q.data(), p.v.data(), p.y.data(), out.data());
    CHECK(status.state == LUState::not_finite_input);
    CHECK(out == std::vector<double>(out.size(), 42.0));
  }
  CHECK(solver.counts().failed == 4);
}

TEST_CASE("A system that is singular at every state names the variable: the joint of a massless leaf") {
  const System system(massless_leaf(), forward_dynamics_set());
  for (const auto& attempt : {+[](const System& s) { recursive_plan(s); }, +[](const System& s) { optimise(s); }}) {
    try {
      attempt(system);
      FAIL("accepted");
    } catch (const SingularSystem& singular) {
      CHECK(system.unknown_names()[singular.column] == "ddq.elbow");
      CHECK(std::string(singular.what()).find("ddq.elbow") != std::string::npos);
    }
  }
}

TEST_CASE("A singular state names the variable") {
  // a point mass on the axis of its hinge's second joint: two parallel axes through one point at q = 0 move nothing apart
  const Problem p = problem(point_on_gimbal(), forward_dynamics_set());
  Solver solver(p.system, p.plan, {{"ddq"}});
  std::vector<double> out(3), q(3, 0.0);
  REQUIRE(solver.solve(p.q.data(), p.v.data(), p.y.data(), out.data()).ok());
  // after many turns the cosine of the double next to such an angle is 1e-13 and more
  const std::vector<int> quarter_turns{1, -1, 3, 1001, -4003, 100001};
  for (int turns : quarter_turns) {
    q[1] = turns * gimbal_lock;
    const SolverStatus status = solver.solve(q.data(), p.v.data(), p.y.data(), out.data());
    INFO(turns << " quarter turns, cosine " << std::cos(q[1]));
    REQUIRE(status.state == LUState::zero_pivot);
    CHECK(p.system->unknown_names()[status.unknown].rfind("ddq.", 0) == 0);
    CHECK(solver.describe(status).find("ddq.") != std::string::npos);
  }
  CHECK(solver.counts().failed == static_cast<long>(quarter_turns.size()));
  q[1] = gimbal_lock + 1e-5;
  CHECK(solver.solve(q.data(), p.v.data(), p.y.data(), out.data()).ok());
}

TEST_CASE("Where a pivot of the order vanishes, the fallback order takes over, then the dense LU, and each is counted") {
  // on a robot with parallel and orthogonal axes UMFPACK's order at one state has pivots that vanish at others
  if (!has_umfpack()) {
    WARN("skipped: built without SuiteSparse");
    return;
  }
  LoadOptions load;
  load.floating = true;
  Problem p = problem(load_urdf(test::source_folder() + "/robots/humanoid.urdf", load), forward_dynamics_set());
  const Pattern& pattern = p.system->pattern();
  const Samples samples = samples_of(*p.system);
  std::vector<double> values(pattern.entries()), right_side(pattern.rows);
  samples.fill(0, values.data(), right_side.data());
  const std::optional<Order> order = umfpack_order(pattern, values.data());
  REQUIRE(order);
  Plan weak = make_plan(pattern, *order, p.plan->unit);
  weak.health = measure_health(weak, samples);
  REQUIRE_FALSE(weak.health.healthy());
  p.q = weak.health.worst_state;

  SolverOptions options;
  options.derivatives = true;
  Solver good(p.system, p.plan, options);
  std::vector<double> expected(pattern.columns), out(pattern.columns);
  REQUIRE(good.solve(p.q.data(), p.v.data(), p.y.data(), expected.data()).ok());
  CHECK(good.counts().fallback_order + good.counts().dense == 0);

  const bool with_second = GENERATE(true, false);
  if (with_second) weak.fallback = p.plan->order;
  Solver solver(p.system, std::make_shared<const Plan>(weak), options);
  REQUIRE(solver.solve(p.q.data(), p.v.data(), p.y.data(), out.data()).ok());
  CHECK(solver.counts().fallback_order == (with_second ? 1 : 0));
  CHECK(solver.counts().dense == (with_second ? 0 : 1));
  double size = 1;
  for (double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < out.size(); ++k) CHECK(std::abs(out[k] - expected[k]) <= 1e-10 * size);

  const std::size_t columns = static_cast<std::size_t>(p.system->model().nv);
  std::vector<double> dq(out.size() * columns), weight(out.size(), 0.0), gradient(columns);
  std::vector<double> expected_dq = dq;
  REQUIRE(good.derivatives({expected_dq.data()}, DerivativeMode::forward).ok());
  REQUIRE(solver.derivatives({dq.data()}, DerivativeMode::forward).ok());
  for (double x : expected_dq) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < dq.size(); ++k) REQUIRE(std::abs(dq[k] - expected_dq[k]) <= 1e-10 * size);
  weight[7] = 1;
  REQUIRE(solver.gradient(weight.data(), {gradient.data()}).ok());
  for (std::size_t k = 0; k < columns; ++k) CHECK(std::abs(gradient[k] - expected_dq[7 * columns + k]) <= 1e-10 * size);

  // and the optimiser does not choose such an order
  const OptimiseResult result = optimise(*p.system);
  CHECK(result.healthy());
}

TEST_CASE("A plan for another system is refused") {
  const Problem a = problem(random_tree(3, 1), inverse_dynamics_set()), b = problem(random_tree(4, 1), inverse_dynamics_set());
  CHECK_THROWS_AS(Solver(a.system, b.plan), std::invalid_argument);
}

TEST_CASE("Outputs that do not exist are refused with near names") {
  const Problem p = problem(random_tree(3, 1), inverse_dynamics_set());
  CHECK_THROWS_AS(Solver(p.system, p.plan, {{"tau.joint9"}}), UnknownOutput);
  CHECK_THROWS_WITH(Solver(p.system, p.plan, {{"ddq.jont1"}}), Catch::Contains("ddq.joint1"));
}
