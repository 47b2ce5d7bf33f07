// The regressor against inverse dynamics of robots whose parameters are changed one by one.
#include "sparsedyn/dynamics/regressor.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/joint_law.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/sweep.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// The robot with `change` of the ten numbers added to body `b`, in the frame of its link.
Model changed(const Model& model, std::size_t joint, int parameter, double change) {
  Model other = model;
  const Joint& j = model.joints[joint];
  Sym3<double> I{0, 0, 0, 0, 0, 0};
  double* const entries[] = {&I.xx, &I.xy, &I.yy, &I.xz, &I.yz, &I.zz};
  Inertia<double> extra{0, zero3<double>(), {0, 0, 0, 0, 0, 0}};
  if (parameter == 0) extra.m = change;
  if (parameter >= 1 && parameter < 4) extra.h[parameter - 1] = change;
  if (parameter >= 4) {
    *entries[parameter - 4] = change;
    const double half = 0.5 * (I.xx + I.yy + I.zz);
    extra.moments = {half - I.xx, -I.xy, -I.xz, half - I.yy, -I.yz, half - I.zz};
  }
  Inertia<double>& body = other.bodies[static_cast<std::size_t>(j.first_body + j.bodies - 1)].inertia;
  body = body + to_parent(model.links[static_cast<std::size_t>(j.child_link)].pose, extra);
  return other;
}

Vector inverse_dynamics(const Model& model, const State& s) {
  Workspace<double> ws(model);
  Vector tau(s.v.size());
  rnea<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
  return tau;
}

/// Y by columns: tau is linear in each of the ten numbers, so a step of 1 is exact.
Vector by_changes(const Model& model, const State& s) {
  const ParameterIndex index(model);
  const std::size_t n = s.v.size(), count = static_cast<std::size_t>(index.count);
  Vector Y(n * count, 0.0);
  const Vector before = inverse_dynamics(model, s);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    for (int p = 0; p < 10; ++p) {
      const Vector after = inverse_dynamics(changed(model, j, p, 1.0), s);
      for (std::size_t i = 0; i < n; ++i) Y[i * count + 10 * j + static_cast<std::size_t>(p)] = after[i] - before[i];
    }
    const int own = index.of_joints[j], at = model.joints[j].v;
    if (own < 0) continue;
    const double v = s.v[static_cast<std::size_t>(at)], a = s.a[static_cast<std::size_t>(at)];
    const JointPhysics p = model.physics.empty() ? JointPhysics() : model.physics[static_cast<std::size_t>(at)];
    const double q = s.q[static_cast<std::size_t>(model.joints[j].q)];
    const double entries[5] = {a, v, friction_by_hand(p, v), 1, q};
    for (std::size_t k = 0; k < (p.stiffness ? 5 : 4); ++k)
      Y[static_cast<std::size_t>(at) * count + static_cast<std::size_t>(own) + k] = entries[k];
  }
  return Y;
}

void check_regressor(const Model& model, const State& s) {
  RegressorWorkspace<double> ws(model);
  const std::size_t n = s.v.size(), count = static_cast<std::size_t>(ws.index.count);
  REQUIRE(parameter_names(model).size() == count);
  Vector Y(n * count, 7.0);
  regressor(model, ws, s.q.data(), s.v.data(), s.a.data(), Y.data());
  CHECK(norm_error(Y, by_changes(model, s)) < 1e-12);

  const Vector pi = parameters(model);
  Vector tau(n, 0.0), times(n, 7.0), contracted(count, 7.0), expected(count, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < count; ++k) tau[i] += Y[i * count + k] * pi[k], expected[k] += Y[i * count + k] * s.tau[i];
  // universal and composite joints have several freedoms and no parameters of their own, though with_joint_physics gives them
  // some
  bool all_have_parameters = true;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = model.joints[j].v; k < model.joints[j].v + model.joints[j].nv && !model.physics.empty(); ++k)
      all_have_parameters =
          all_have_parameters && (ws.index.of_joints[j] >= 0 || model.physics[static_cast<std::size_t>(k)].none());
  if (all_have_parameters) CHECK(norm_error(tau, inverse_dynamics(model, s)) < 1e-12);
  regressor_transposed_times(model, ws, s.q.data(), s.v.data(), s.a.data(), s.tau.data(), contracted.data());
  CHECK(norm_error(contracted, expected) < 1e-12);

  Vector other = pi;
  for (std::size_t k = 0; k < count; ++k) other[k] += 0.1 * std::sin(static_cast<double>(k));
  std::fill(tau.begin(), tau.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < count; ++k) tau[i] += Y[i * count + k] * other[k];
  regressor_times(model, ws, s.q.data(), s.v.data(), s.a.data(), other.data(), times.data());
  CHECK(norm_error(times, tau) < 1e-12);
}

}  // namespace

TEST_CASE("The regressor's columns are the changes of torque with each parameter, of any joint, fixed and floating") {
  on_each_kind({1, 6}, 400, {2, 1}, check_regressor);
  on_mixed_trees(4, 9, 410, {2, 1}, check_regressor);
}

TEST_CASE("The regressor's columns are the changes of torque of whole robots, with links on fixed joints") {
  std::mt19937 rng(19);
  for (const std::string& path : all_robots()) {
    const Model model = load_urdf(path);
    INFO(path);
    check_regressor(model, random_state(model, rng));
  }
}

TEST_CASE("The regressor at rest asks for no accelerations") {
  const Model model = random_tree(5, 2, {true});
  std::mt19937 rng(2);
  State s = random_state(model, rng);
  RegressorWorkspace<double> ws(model);
  Vector with(s.v.size() * static_cast<std::size_t>(ws.index.count)), without(with);
  std::fill(s.a.begin(), s.a.end(), 0.0);
  regressor(model, ws, s.q.data(), s.v.data(), s.a.data(), with.data());
  regressor<double>(model, ws, s.q.data(), s.v.data(), nullptr, without.data());
  CHECK(with == without);
}

TEST_CASE("The regressor and its products take no memory") {
  const Model model = random_tree(8, 3, {true});
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  RegressorWorkspace<double> ws(model);
  Vector Y(s.v.size() * static_cast<std::size_t>(ws.index.count)), pi = parameters(model), tau(s.v.size());
  CHECK(allocations_of([&] {
          regressor(model, ws, s.q.data(), s.v.data(), s.a.data(), Y.data());
          regressor_times(model, ws, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
          regressor_transposed_times(model, ws, s.q.data(), s.v.data(), s.a.data(), s.tau.data(), pi.data());
        }) == 0);
}
