// What is closed again stays closed, by the least motion in the metric of M: beside the loops' geometry along a motion, and
// beside motions that the loops allow, which the change must be orthogonal to.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/four_bar.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

double worst_gap(LoopProjection& loops, const std::vector<double>& q) {
  std::vector<double> gaps(loops.names().size());
  loops.gaps(q.data(), gaps.data());
  return gaps.empty() ? 0 : *std::max_element(gaps.begin(), gaps.end());
}

/// At q, which closes them: two links in a weld or a connect, and a coupling.
ConstraintSet closed_at(const Model& model, const std::vector<double>& q, ConstraintType type) {
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
  ConstraintSet set;
  Constraint loop, gear, soft;
  const int last = static_cast<int>(model.links.size()) - 1, other = last / 2;
  loop.name = "loop", loop.type = type, loop.hard = true;
  loop.links = {model.links[static_cast<std::size_t>(last)].name, model.links[static_cast<std::size_t>(other)].name};
  loop.frames[0].d = {{0.1, -0.2, 0.05}};
  const Pose<double> a = link_pose(model, ws, last), b = link_pose(model, ws, other);
  loop.frames[1].R = transpose(b.R) * a.R * loop.frames[0].R;
  loop.frames[1].d = transposed_times(b.R, a.R * loop.frames[0].d + a.d - b.d);
  set.constraints.push_back(loop);
  soft = loop, soft.name = "soft", soft.hard = false, soft.frames[1].d = {{9, 9, 9}};
  set.constraints.push_back(soft);
  const Joint *first = nullptr, *second = nullptr;
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    if (first && !second) second = &joint;
    if (!first) first = &joint;
  }
  if (!second) return set;
  gear.name = "gear", gear.type = ConstraintType::joint, gear.hard = true;
  gear.joints = {first->name}, gear.of = second->name;
  const double x = q[static_cast<std::size_t>(second->q)];
  gear.polynomial = {q[static_cast<std::size_t>(first->q)] - 0.3 * x - 0.1 * x * x, 0.3, 0.1};
  set.constraints.push_back(gear);
  return set;
}

std::vector<double> random_velocity(const Model& model, std::mt19937& rng, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> v(static_cast<std::size_t>(model.nv));
  for (double& x : v) x = uniform(rng);
  return v;
}

/// aᵀ M(q) b.
double in_the_metric(const Model& model, const std::vector<double>& q, const std::vector<double>& a,
                     const std::vector<double>& b) {
  Workspace<double> ws(model);
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> M(n * n);
  crba(model, ws, q.data(), M.data());
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) sum += a[i] * M[i * n + j] * b[j];
  return sum;
}

}  // namespace

TEST_CASE("a projection closes loops by the motion that is least in the metric of the inertia matrix") {
  std::mt19937 rng(3);
  TreeOptions options;
  options.kinds = every_joint_kind(), options.lumped = false;
  for (unsigned seed = 0; seed < 30; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(8, seed, options);
    std::vector<double> q0(static_cast<std::size_t>(model.nq)), q(q0), moved(q0);
    uniform_sample(model, rng, q0.data());
    const ConstraintSet set = closed_at(model, q0, seed % 3 ? ConstraintType::connect : ConstraintType::weld);
    LoopProjection loops(model, set);
    CAPTURE(seed, model.nv, loops.names().size());
    CHECK(worst_gap(loops, q0) < 1e-13);

    // a little open: closed again, orthogonally to what the loops allow (to first order)
    const double small = 1e-6;
    const std::vector<double> off = random_velocity(model, rng, small);
    integrate(model, q0.data(), off.data(), q.data());
    moved = q;
    std::vector<double> v = random_velocity(model, rng, 1), allowed = random_velocity(model, rng, 1);
    const std::vector<double> v0 = v;
    const double open = worst_gap(loops, q);
    const ProjectionStatus status = loops.project(moved.data(), v.data());
    INFO(loops.describe(status));
    REQUIRE(status.ok());
    CHECK(worst_gap(loops, moved) < 1e-13);
    CHECK((open > 1e-3 * small && status.iterations <= 4));

    // velocities: the loops stay closed to second order along them, and the change is orthogonal to all that may be
    const double time = 1e-5;
    std::vector<double> step(v), ahead(q);
    for (double& x : step) x *= time;
    integrate(model, moved.data(), step.data(), ahead.data());
    CHECK(worst_gap(loops, ahead) < 300 * time * time);
    std::vector<double> same = moved;
    REQUIRE(loops.project(same.data(), allowed.data()).ok());
    std::vector<double> change(v), shift(v);
    for (std::size_t i = 0; i < v.size(); ++i) change[i] = v[i] - v0[i];
    const double size = std::sqrt(in_the_metric(model, moved, allowed, allowed));
    CHECK(std::abs(in_the_metric(model, moved, allowed, change)) <=
          1e-9 * size * std::sqrt(in_the_metric(model, moved, v0, v0)));
    CHECK(in_the_metric(model, moved, v, v) <= in_the_metric(model, moved, v0, v0) * (1 + 1e-12));
    difference(model, q.data(), moved.data(), shift.data());
    CHECK(std::abs(in_the_metric(model, moved, allowed, shift)) <= 1e-3 * small * size * std::sqrt(model.nv));

    // what is closed stays as it is
    std::vector<double> once = moved, w = v;
    REQUIRE(loops.project(once.data(), w.data()).ok());
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(std::abs(w[i] - v[i]) < 1e-9);
  }
}

TEST_CASE("a loop with redundant rows, stated twice, is closed from afar and without heap") {
  const Model model = four_bar();
  const Constraint loop = four_bar_loop();
  ConstraintSet set;
  set.constraints = {loop, loop};
  set.constraints[1].name = "again";
  LoopProjection loops(model, set);
  std::vector<double> q{0.3, -0.4, -2.0}, v{1, 2, 3};
  CHECK(worst_gap(loops, q) > 0.1);
  ProjectionStatus status;
  CHECK(allocations_of([&] { status = loops.project(q.data(), v.data()); }) == 0);
  INFO(loops.describe(status));
  REQUIRE(status.ok());
  // by hand: the ends of coupler and rocker, and their velocities
  const double c = q[0] + q[1], w = v[0] + v[1];
  const double x = 0.3 * std::cos(q[0]) + 0.6 * std::cos(c) - 0.5 - 0.4 * std::cos(q[2]);
  const double z = 0.3 * std::sin(q[0]) + 0.6 * std::sin(c) - 0.4 * std::sin(q[2]);
  const double dx = 0.3 * v[0] * std::sin(q[0]) + 0.6 * w * std::sin(c) - 0.4 * v[2] * std::sin(q[2]);
  const double dz = 0.3 * v[0] * std::cos(q[0]) + 0.6 * w * std::cos(c) - 0.4 * v[2] * std::cos(q[2]);
  CHECK(std::max({std::abs(x), std::abs(z), std::abs(dx), std::abs(dz)}) < 1e-13);
  CHECK(std::abs(v[0]) > 1e-3);
}

TEST_CASE("loops that no posture closes are named, and the state stays as it was") {
  const Model model = random_tree(3, 4);
  std::vector<double> q(static_cast<std::size_t>(model.nq), 0.1), v(static_cast<std::size_t>(model.nv), 0.5);
  ConstraintSet set;
  Constraint loop;
  loop.name = "rope", loop.type = ConstraintType::connect, loop.links = {model.links.back().name, "world"}, loop.hard = true;
  loop.frames[1].d = {{100, 0, 0}};
  set.constraints = {loop};
  LoopProjection loops(model, set);
  const std::vector<double> q0 = q, v0 = v;
  ProjectionStatus status = loops.project(q.data(), v.data());
  CHECK(status.state == ProjectionState::not_closed);
  CHECK((q == q0 && v == v0 && status.gap > 50));
  CHECK(loops.describe(status).find("\"rope\" stays open by ") != std::string::npos);
  q[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(loops.project(q.data(), v.data()).state == ProjectionState::not_finite_input);
}
