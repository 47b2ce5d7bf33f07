// Jacobians at points and their rates, of the centre of mass and of the momentum, beside complex steps and the recursions.
#include "sparsedyn/dynamics/jacobians.hpp"

#include <catch2/catch.hpp>
#include <complex>
#include <functional>

#include "sparsedyn/dynamics/relative_motion.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;
using Complex = std::complex<double>;

/// Trees of every kind of joint, fixed and floating, and robots with joints that follow others.
void on_models(const std::function<void(const Model&, const State&)>& check) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    const Model tree = random_tree(8, seed, {seed % 2 == 1, true, 0.4, every_joint_kind()});
    std::mt19937 rng(seed);
    check(tree, random_state(tree, rng));
    const CoupledRobot coupled = random_coupled_robot(tree, seed);
    check(coupled.model, random_state(coupled.model, rng));
  }
}

/// Row by row, of `rows` rows, times v.
Vector times(const Vector& J, const Vector& v) {
  Vector product(J.size() / v.size(), 0.0);
  for (std::size_t r = 0; r < product.size(); ++r)
    for (std::size_t c = 0; c < v.size(); ++c) product[r] += J[r * v.size() + c] * v[c];
  return product;
}

/// The rate along v of what `evaluate` writes (`size` numbers) from a workspace at q, by a complex step of q ⊕ i h v.
Vector rate_of(const Model& model, const State& s, std::size_t size,
               const std::function<void(Workspace<Complex>&, Complex*)>& evaluate) {
  constexpr double h = 1e-30;
  Workspace<Complex> ws(model);
  std::vector<Complex> q(s.q.begin(), s.q.end()), step(s.v.size()), moved(s.q.size()), out(size);
  for (std::size_t k = 0; k < step.size(); ++k) step[k] = Complex(0, h * s.v[k]);
  integrate<Complex>(model, q.data(), step.data(), moved.data());
  forward_kinematics<Complex>(model, ws, moved.data(), nullptr, nullptr);
  evaluate(ws, out.data());
  Vector rate(size);
  for (std::size_t k = 0; k < size; ++k) rate[k] = out[k].imag() / h;
  return rate;
}

const Vec3<double> point{{0.3, -0.2, 0.5}};

}  // namespace

TEST_CASE("a point's Jacobian at the origin is the link's, and elsewhere gives the point's velocity") {
  on_models([](const Model& model, const State& s) {
    Workspace<double> ws(model);
    forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
    Vector J(6 * s.v.size()), at_origin(J.size());
    for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
      for (const Axes axes : {Axes::link, Axes::world}) {
        point_jacobian(model, ws, link, axes, zero3<double>(), J.data());
        link_jacobian(model, ws, link, axes, at_origin.data());
        CHECK(norm_error(J, at_origin) < 1e-14);
        point_jacobian(model, ws, link, axes, point, J.data());
        const Motion<double> m = link_velocity(model, ws, link, axes);
        const Vec3<double> arm = axes == Axes::link ? point : link_pose(model, ws, link).R * point;
        const Vec3<double> u = m.v + cross(m.w, arm);
        CHECK(norm_error(times(J, s.v), {m.w[0], m.w[1], m.w[2], u[0], u[1], u[2]}) < 1e-13);
      }
  });
}

TEST_CASE("a Jacobian's rate is its derivative along the motion") {
  on_models([](const Model& model, const State& s) {
    Workspace<double> ws(model);
    forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
    Vector dJ(6 * s.v.size());
    for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
      for (const Axes axes : {Axes::link, Axes::world}) {
        point_jacobian_rate(model, ws, link, axes, point, dJ.data());
        const Vector expected = rate_of(model, s, dJ.size(), [&](Workspace<Complex>& at, Complex* out) {
          point_jacobian<Complex>(model, at, link, axes, point, out);
        });
        CHECK(norm_error(dJ, expected) < 1e-13);
      }
  });
}

TEST_CASE("a link seen from another moves by the relative Jacobian") {
  on_models([](const Model& model, const State& s) {
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
    Vector J(6 * s.v.size()), work(J.size());
    const int links = static_cast<int>(model.links.size());
    for (int link = 0; link < links; ++link) {
      const int reference = (3 * link + 1) % links;
      const Pose<double> X = relative_pose(model, ws, reference, link);
      const Vector rate = rate_of(model, s, 12, [&](Workspace<Complex>& at, Complex* out) {
        const Pose<Complex> moved = relative_pose(model, at, reference, link);
        for (int k = 0; k < 9; ++k) out[k] = moved.R(k / 3, k % 3);
        for (int k = 0; k < 3; ++k) out[9 + k] = moved.d[k];
      });
      Mat3<double> turning;
      for (int k = 0; k < 9; ++k) turning(k / 3, k % 3) = rate[static_cast<std::size_t>(k)];
      for (const Axes axes : {Axes::link, Axes::world}) {
        const Mat3<double> spin = axes == Axes::link ? transpose(X.R) * turning : turning * transpose(X.R);
        Vec3<double> u{{rate[9], rate[10], rate[11]}};
        if (axes == Axes::link) u = transpose(X.R) * u;
        relative_jacobian(model, ws, reference, link, axes, J.data(), work.data());
        CHECK(norm_error(times(J, s.v), {spin(2, 1), spin(0, 2), spin(1, 0), u[0], u[1], u[2]}) < 1e-12);
      }
    }
  });
}

TEST_CASE("the derivatives of a Jacobian along a motion are its rate") {
  on_models([](const Model& model, const State& s) {
    Workspace<double> ws(model), other(model);
    forward_kinematics<double>(model, ws, s.q.data(), s.v.data(), nullptr);
    const std::size_t n = s.v.size();
    Vector H(6 * n * n), work(7 * n), dJ(6 * n);
    const int link = static_cast<int>(model.links.size()) - 1;
    for (const Axes axes : {Axes::link, Axes::world}) {
      jacobian_derivative(model, other, s.q.data(), link, axes, point, H.data(), work.data());
      point_jacobian_rate(model, ws, link, axes, point, dJ.data());
      CHECK(norm_error(times(H, s.v), dJ) < 1e-12);
    }
  });
}

TEST_CASE("momentum is the centroidal matrix times v, and its rate at constant v follows from the matrix's") {
  on_models([](const Model& model, const State& s) {
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, s.q.data(), s.v.data(), nullptr);
    Vector A(6 * s.v.size()), J(3 * s.v.size());
    centroidal_momentum_matrix(model, ws, A.data());
    const Force<double> h = momentum(model, ws), rate = momentum_rate(model, ws);
    CHECK(norm_error(times(A, s.v), {h.n[0], h.n[1], h.n[2], h.f[0], h.f[1], h.f[2]}) < 1e-13);
    const Vector dA = rate_of(
        model, s, A.size(), [&](Workspace<Complex>& at, Complex* out) { centroidal_momentum_matrix<Complex>(model, at, out); });
    CHECK(norm_error(times(dA, s.v), {rate.n[0], rate.n[1], rate.n[2], rate.f[0], rate.f[1], rate.f[2]}) < 1e-12);
    centre_of_mass_jacobian(model, ws, J.data());
    const Vec3<double> u = centre_of_mass_velocity(model, ws);
    CHECK(norm_error(times(J, s.v), {u[0], u[1], u[2]}) < 1e-13);
    for (std::size_t k = 0; k < J.size(); ++k) J[k] *= moving_mass(model);
    CHECK(norm_error(J, Vector(A.begin() + static_cast<long>(J.size()), A.end())) < 1e-13);
  });
}

TEST_CASE("Jacobians take no heap") {
  const Model model = random_tree(8, 3, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(1);
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  Vector J(6 * s.v.size());
  CHECK(allocations_of([&] {
          forward_kinematics(model, ws, s.q.data(), s.v.data(), s.a.data());
          point_jacobian(model, ws, 3, Axes::world, point, J.data());
          point_jacobian_rate(model, ws, 3, Axes::link, point, J.data());
          centroidal_momentum_matrix(model, ws, J.data());
          centre_of_mass_jacobian(model, ws, J.data());
        }) == 0);
}
