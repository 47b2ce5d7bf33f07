// The Coriolis matrix against what defines it, and Hamilton's equations against Newton's.
#include "sparsedyn/dynamics/coriolis.hpp"

#include <catch2/catch.hpp>
#include <complex>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
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
using Complex = std::complex<double>;
constexpr double tiny = 1e-200;

/// q ⊕ i tiny v.
std::vector<Complex> moving(const Model& model, const State& s) {
  const std::vector<Complex> q(s.q.begin(), s.q.end());
  std::vector<Complex> delta, out(q.size());
  for (double v : s.v) delta.emplace_back(0.0, tiny * v);
  integrate(model, q.data(), delta.data(), out.data());
  return out;
}

Vector rates(const std::vector<Complex>& x) {
  Vector y;
  for (const Complex& e : x) y.push_back(e.imag() / tiny);
  return y;
}

Vector inertia_rate(const Model& model, const State& s) {
  Workspace<Complex> ws(model);
  std::vector<Complex> M(s.v.size() * s.v.size());
  crba(model, ws, moving(model, s).data(), M.data());
  return rates(M);
}

/// Σ m e_i · e_j' over the bodies: with the body's Jacobian (z, l) in its own axes, of which e' = (z', l') + ω × (z × ρ + l),
/// Jᵀ (I J' + K J), where K y is the wrench of the field ω × (y_w × ρ + y_v).
Vector coriolis_by_jacobians(const Model& model, const State& s) {
  const std::size_t n = s.v.size();
  Workspace<Complex> ws(model);
  const std::vector<Complex> v(s.v.begin(), s.v.end());
  forward_kinematics(model, ws, moving(model, s).data(), v.data(), static_cast<const Complex*>(nullptr));
  Vector C(n * n, 0.0);
  std::vector<Complex> J(6 * n);
  Model bare = model;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    bare.links.resize(1);
    bare.links[0].body = static_cast<int>(b), bare.links[0].pose = identity_pose<double>();
    link_jacobian(bare, ws, 0, Axes::link, J.data());
    const Inertia<double>& I = model.bodies[b].inertia;
    const Vec3<double> w{{ws.velocity[b].w[0].real(), ws.velocity[b].w[1].real(), ws.velocity[b].w[2].real()}};
    const auto column = [&](std::size_t j, auto part) {
      Motion<double> x;
      for (std::size_t r = 0; r < 3; ++r)
        x.w[static_cast<int>(r)] = part(J[r * n + j]), x.v[static_cast<int>(r)] = part(J[(3 + r) * n + j]);
      return x;
    };
    const auto value = [](const Complex& x) { return x.real(); };
    for (std::size_t j = 0; j < n; ++j) {
      const Motion<double> e = column(j, value), rate = column(j, [](const Complex&x) { return x.imag() / tiny; });
      // Σ m ρ × (ω × (z × ρ)): bilinear in ρ, so by the entries of Σ m ρρᵀ
      const Vec3<double> linear = cross(w, cross(e.w, I.h) + I.m * e.v);
      Vec3<double> moment = cross(I.h, cross(w, e.v));
      const Sym3<double>& m = I.moments;
      const double second[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) {
          Vec3<double> ea = zero3<double>(), ec = zero3<double>();
          ea[a] = 1, ec[c] = 1;
          moment = moment + second[a][c] * cross(ea, cross(w, cross(e.w, ec)));
        }
      const Force<double> x = I * rate + Force<double>{moment, linear};
      for (std::size_t i = 0; i < n; ++i) C[i * n + j] += dot(column(i, value), x);
    }
  }
  return C;
}

struct Matrices {
  Vector C, M;
};
Matrices matrices(const Model& model, const State& s) {
  CoriolisWorkspace<double> ws(model);
  Matrices x{Vector(s.v.size() * s.v.size(), 7.0), Vector(s.v.size() * s.v.size(), 7.0)};
  coriolis(model, ws, s.q.data(), s.v.data(), CoriolisMatrices<double>{x.C.data(), x.M.data()});
  return x;
}

void check(const Model& model, const State& s) {
  const std::size_t n = s.v.size();
  const auto [C, M] = matrices(model, s);
  Workspace<double> ws(model);
  Vector expected_M(n * n), Cv(n, 0.0), bias(n), weight(n), sum(n * n);
  crba(model, ws, s.q.data(), expected_M.data());
  CHECK(norm_error(M, expected_M) < 1e-14);

  CHECK(norm_error(C, coriolis_by_jacobians(model, s)) < 1e-13);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) Cv[i] += C[i * n + j] * s.v[j], sum[i * n + j] = C[i * n + j] + C[j * n + i];
  CHECK(norm_error(sum, inertia_rate(model, s)) < 1e-13);
  bias_forces<double>(model, ws, s.q.data(), s.v.data(), nullptr, bias.data());
  bias_forces<double>(model, ws, s.q.data(), Vector(n, 0.0).data(), nullptr, weight.data());
  for (std::size_t i = 0; i < n; ++i) Cv[i] += weight[i];
  for (std::size_t k = 0; k < model.physics.size(); ++k)  // what the joints take is no matter of C
    Cv[k] += torque_of_speed(model, s, k);
  CHECK(norm_error(Cv, bias) < 1e-13);
}

/// d/dt (M v) along the motion that the torques give.
void check_hamilton(const Model& model, const State& s) {
  const std::size_t n = s.v.size();
  CoriolisWorkspace<double> ws(model);
  Vector p(n, 7.0), rate(n, 7.0), Mv(n, 0.0), expected(n, 0.0);
  hamilton(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), p.data(), rate.data());
  Workspace<double> work(model);
  Vector M(n * n), a(n);
  crba(model, work, s.q.data(), M.data());
  if (!aba(model, work, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok()) return;
  const Vector M_rate = inertia_rate(model, s);
  double size = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Mv[i] += M[i * n + j] * s.v[j];
      expected[i] += M_rate[i * n + j] * s.v[j] + M[i * n + j] * a[j];
      size = std::max(size, std::fabs(M[i * n + j] * a[j]));
    }
  CHECK(norm_error(p, Mv) < 1e-13);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::fabs(rate[i] - expected[i]) < 1e-12 * size);
}

}  // namespace

TEST_CASE("The Coriolis matrix is the sum over mass points, gives the bias and, with its transpose, the rate of M") {
  on_each_kind({1, 4, 12}, 300, {3, 2}, check);
  on_mixed_trees(6, 14, 310, {3, 2}, check);
}

TEST_CASE("The Coriolis matrix of whole robots gives the bias and the rate of M") {
  std::mt19937 rng(17);
  for (const std::string& path : all_robots())
    for (const bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      INFO(path << (floating ? " floating" : ""));
      check(model, random_state(model, rng));
    }
}

TEST_CASE("With hinges and slides on a fixed base the Coriolis matrix is half the change of inverse dynamics with velocity") {
  const Model model = random_tree(9, 7);
  std::mt19937 rng(3);
  const State s = random_state(model, rng);
  const std::size_t n = s.v.size();
  MomentWorkspace<double> ws(model);
  Vector tau(n), dq(n * n), dv(n * n), M(n * n);
  rnea_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), nullptr,
                           {tau.data(), dq.data(), dv.data(), M.data()});
  for (double& x : dv) x *= 0.5;
  CHECK(norm_error(matrices(model, s).C, dv) < 1e-14);
}

TEST_CASE("The rate of the momenta is what torques, weight and wrenches make of them") {
  on_each_kind({1, 5}, 320, {3, 1}, check_hamilton);
  on_mixed_trees(4, 10, 330, {3, 1}, check_hamilton);
}

TEST_CASE("The Coriolis matrix and Hamilton's equations take no memory") {
  const Model model = random_tree(8, 3, {true});
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  CoriolisWorkspace<double> ws(model);
  Vector p(s.v.size()), rate(s.v.size());
  CHECK(allocations_of(
            [&] { hamilton(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), p.data(), rate.data()); }) == 0);
}
