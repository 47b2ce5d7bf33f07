// Energy and momentum balance, link Jacobians and link kinematics.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

std::vector<Model> trees() {
  std::vector<Model> models;
  for (unsigned seed = 0; seed < 6; ++seed)
    for (bool floating : {false, true}) models.push_back(random_tree(6, seed, {floating, true, 0.4, every_joint_kind()}));
  return models;
}

/// The state a time t later along q ⊕ (v t + a t²/2), v + a t.
State later(const Model& model, const State& s, double t) {
  State next = s;
  Vector delta(s.v.size());
  for (std::size_t i = 0; i < s.v.size(); ++i) delta[i] = t * s.v[i] + t * t / 2 * s.a[i], next.v[i] = s.v[i] + t * s.a[i];
  integrate(model, s.q.data(), delta.data(), next.q.data());
  return next;
}

Workspace<double> kinematics(const Model& model, const State& s) {
  Workspace<double> ws(model);
  forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
  return ws;
}

/// By central difference, over a shorter time where accelerations are large: for light tips they are.
template <class Quantity>
auto rate(const Model& model, const State& s, Quantity quantity) {
  double fastest = 1;
  for (double a : s.a) fastest = std::max(fastest, std::fabs(a));
  const double h = 1e-5 / std::sqrt(fastest);
  const auto next = quantity(kinematics(model, later(model, s, h))), last = quantity(kinematics(model, later(model, s, -h)));
  return (1 / (2 * h)) * (next - last);
}

Vector entries(const Vec3<double>& a) { return {a[0], a[1], a[2]}; }

}  // namespace

TEST_CASE("the rate of the energy is the power of torques and outer wrenches") {
  for (const Model& model : trees()) {
    std::mt19937 rng(1);
    const State s = random_state(model, rng);
    Workspace<double> ws = kinematics(model, s);
    Vector tau(s.v.size());
    rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
    double power = 0;
    for (std::size_t i = 0; i < tau.size(); ++i) power += tau[i] * s.v[i];
    for (std::size_t b = 0; b < s.fx.size(); ++b) power += dot(ws.velocity[b], s.fx[b]);
    const double by_difference =
        rate(model, s, [&](const Workspace<double>& w) { return kinetic_energy(model, w) + potential_energy(model, w); });
    const double scale = 1 + kinetic_energy(model, ws) + std::fabs(power);
    CHECK(std::fabs(by_difference - power) < 1e-6 * scale);
  }
}

TEST_CASE("the rate of the momentum, by difference and by the outer wrenches on a free robot") {
  for (const Model& model : trees()) {
    std::mt19937 rng(2);
    State s = random_state(model, rng);
    if (model.floating()) {
      for (int k = 0; k < 6; ++k) s.tau[k] = 0;
      Workspace<double> ws(model);
      REQUIRE(aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), s.a.data()).ok());
    }
    const Workspace<double> ws = kinematics(model, s);
    const Force<double> h_rate = momentum_rate(model, ws);
    const Vec3<double> n = rate(model, s, [&](const Workspace<double>& w) { return momentum(model, w).n; });
    const Vec3<double> f = rate(model, s, [&](const Workspace<double>& w) { return momentum(model, w).f; });
    CHECK(norm_error(entries(n), entries(h_rate.n)) < 1e-6);
    CHECK(norm_error(entries(f), entries(h_rate.f)) < 1e-6);
    const Vec3<double> v = rate(model, s, [&](const Workspace<double>& w) { return centre_of_mass(model, w); });
    CHECK(norm_error(entries(v), entries(centre_of_mass_velocity(model, ws))) < 1e-6);
    const Vec3<double> a = rate(model, s, [&](const Workspace<double>& w) { return centre_of_mass_velocity(model, w); });
    CHECK(norm_error(entries(a), entries(centre_of_mass_acceleration(model, ws))) < 1e-6);
    if (!model.floating()) continue;
    // a free robot's momentum changes by its weight and the outer wrenches alone
    Force<double> outer{zero3<double>(), moving_mass(model) * model.gravity};
    for (std::size_t b = 0; b < s.fx.size(); ++b)
      outer = outer + about(centre_of_mass(model, ws), to_parent(ws.world_pose[b], s.fx[b]));
    double size = 1;
    for (double e : s.a) size = std::max(size, std::fabs(e));
    CHECK(worst_error(entries(h_rate.n), entries(outer.n)) < 1e-11 * size);
    CHECK(worst_error(entries(h_rate.f), entries(outer.f)) < 1e-11 * size);
  }
}

TEST_CASE("fixed links count in the whole robot's mass only") {
  int with_fixed_mass = 0;
  for (const Model& model : trees()) {
    std::mt19937 rng(4);
    const State s = random_state(model, rng);
    const Workspace<double> ws = kinematics(model, s);
    double mass[2] = {0, 0};  // of the links that move, of all links
    Vec3<double> h[2] = {zero3<double>(), zero3<double>()};
    for (int k = 0; k < static_cast<int>(model.links.size()); ++k) {
      const Inertia<double> I = to_parent(link_pose(model, ws, k), model.links[k].inertia);
      for (int all = model.links[k].body < 0 ? 1 : 0; all < 2; ++all) mass[all] += I.m, h[all] += I.h;
    }
    CHECK(worst_error({moving_mass(model), total_mass(model)}, {mass[0], mass[1]}) < 1e-14);
    CHECK(norm_error(entries(centre_of_mass(model, ws)), entries((1 / mass[0]) * h[0])) < 1e-13);
    CHECK(norm_error(entries(whole_centre_of_mass(model, ws)), entries((1 / mass[1]) * h[1])) < 1e-13);
    CHECK(std::fabs(potential_energy(model, ws) - 9.81 * h[0][2]) < 1e-12 * (1 + std::fabs(9.81 * h[0][2])));
    CHECK((total_mass(model) > moving_mass(model)) == !model.floating());
    with_fixed_mass += total_mass(model) > moving_mass(model) ? 1 : 0;
  }
  CHECK(with_fixed_mass > 0);
}

TEST_CASE("link Jacobians give the links' velocities, in both axes") {
  for (const Model& model : trees()) {
    std::mt19937 rng(3);
    const State s = random_state(model, rng);
    const Workspace<double> ws = kinematics(model, s);
    const int nv = model.nv;
    Vector J(6 * s.v.size());
    for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
      for (Axes axes : {Axes::link, Axes::world}) {
        link_jacobian(model, ws, link, axes, J.data());
        Motion<double> m = link_velocity(model, ws, link);
        if (axes == Axes::world) m = {link_pose(model, ws, link).R * m.w, link_pose(model, ws, link).R * m.v};
        Vector Jv(6, 0.0);
        for (int r = 0; r < 6; ++r)
          for (int c = 0; c < nv; ++c) Jv[r] += J[r * nv + c] * s.v[c];
        CHECK(norm_error(Jv, {m.w[0], m.w[1], m.w[2], m.v[0], m.v[1], m.v[2]}) < 1e-13);
      }
  }
}

TEST_CASE("a link at rest has a proper acceleration of 9.81 m/s² upwards") {
  const Model model = random_tree(5, 9);
  std::mt19937 rng(4);
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
    const Vec3<double> a = link_pose(model, ws, link).R * link_acceleration(model, ws, link).v;
    CHECK(worst_error(entries(a), {0, 0, 9.81}) < 1e-13);
  }
}
