// Rotors, damping, friction and offsets: every algorithm against the law added by hand to what it gives without them.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <complex>
#include <functional>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/articulated_solve.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "support/joint_law.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::vector<double> listed(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }
std::vector<double> listed(const MatrixXd& rows) {
  std::vector<double> x;
  for (int i = 0; i < rows.rows(); ++i)
    for (int k = 0; k < rows.cols(); ++k) x.push_back(rows(i, k));
  return x;
}
MatrixXd square(const std::vector<double>& rows) {
  const auto n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(rows.size()))));
  MatrixXd m(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) m(i, k) = rows[static_cast<std::size_t>(i * n + k)];
  return m;
}

struct LawCase {
  Model rigid, model;
  State s;
};

/// Balls, planar joints and floating ones too: each body of several freedoms has one armature, and the rest for each of them.
Model with_several(Model model, std::mt19937& rng) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const Body& body : model.bodies) {
    const int count = freedoms(body.joint);
    if (count < 2) continue;
    const double armature = rng() % 2 ? unit(rng) : 0;
    for (int k = 0; k < count; ++k) {
      JointPhysics& p = model.physics[static_cast<std::size_t>(body.v + k)];
      p.armature = armature, p.damping = unit(rng), p.friction = unit(rng), p.offset = unit(rng) - 0.5, p.smoothing = 0.3;
    }
  }
  return model;
}

void on_cases(const std::function<void(const LawCase&)>& check) {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 6; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      const Model rigid = random_tree(7, seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      for (int k = 0; k < 3; ++k) check({rigid, with_joint_physics(rigid, seed + 1), random_state(rigid, rng)});
      for (int k = 0; k < 3; ++k)
        check({rigid, with_several(with_joint_physics(rigid, seed + 1), rng), random_state(rigid, rng)});
    }
}

std::vector<double> torques(const Model& model, const State& s, const double* a) {
  Workspace<double> ws(model);
  std::vector<double> tau(s.v.size());
  rnea(model, ws, s.q.data(), s.v.data(), a, s.fx.data(), tau.data());
  return tau;
}

MatrixXd inertia(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::vector<double> M(s.v.size() * s.v.size());
  crba(model, ws, s.q.data(), M.data());
  return square(M);
}

}  // namespace

TEST_CASE("rnea, crba and energy: what the rigid bodies need, and the law") {
  on_cases([](const LawCase& c) {
    const std::size_t n = c.s.v.size();
    std::vector<double> tau = torques(c.rigid, c.s, c.s.a.data()), bias = torques(c.rigid, c.s, nullptr);
    MatrixXd M = inertia(c.rigid, c.s);
    for (std::size_t k = 0; k < n; ++k) {
      const JointPhysics& p = c.model.physics[k];
      const double taken = torque_at_rest(c.model, c.s, k) + torque_of_speed(c.model, c.s, k);
      tau[k] += p.armature * c.s.a[k] + taken, bias[k] += taken;
      M(static_cast<int>(k), static_cast<int>(k)) += p.armature;
    }
    CHECK(worst_error(torques(c.model, c.s, c.s.a.data()), tau) < 1e-14);
    CHECK(worst_error(torques(c.model, c.s, nullptr), bias) < 1e-14);
    CHECK(worst_error(listed(inertia(c.model, c.s)), listed(M)) < 1e-14);

    Workspace<double> ws(c.model);
    forward_kinematics<double>(c.model, ws, c.s.q.data(), c.s.v.data(), nullptr);
    const VectorXd v = VectorXd::Map(c.s.v.data(), static_cast<int>(n));
    CHECK(kinetic_energy(c.model, ws, c.s.v.data()) == Approx(0.5 * v.dot(M * v)).epsilon(1e-12));
    double springs = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double q = position_of(c.model, c.s, k);
      springs += 0.5 * c.model.physics[k].stiffness.value_or(0) * q * q;
    }
    CHECK(potential_energy(c.model, ws, c.s.q.data()) - potential_energy(c.model, ws) ==
          Approx(springs).epsilon(1e-12).margin(1e-12));
  });
}

TEST_CASE("aba, M⁻¹ in both ways and articulated_solve against dense solves") {
  on_cases([](const LawCase& c) {
    const int n = c.model.nv;
    const MatrixXd M = inertia(c.model, c.s), inverse = M.inverse();
    const std::vector<double> bias = torques(c.model, c.s, nullptr);
    const double amplified = 1e-13 * std::max(1.0, M.cwiseAbs().maxCoeff() * inverse.cwiseAbs().maxCoeff());
    const VectorXd rest = VectorXd::Map(c.s.tau.data(), n) - VectorXd::Map(bias.data(), n);
    Workspace<double> ws(c.model);
    std::vector<double> a(c.s.v.size()), X(a.size() * a.size());
    REQUIRE(aba(c.model, ws, c.s.q.data(), c.s.v.data(), c.s.tau.data(), c.s.fx.data(), a.data()).ok());
    CHECK(norm_error(a, listed(VectorXd(M.ldlt().solve(rest)))) < amplified);
    std::vector<double> x = c.s.a;
    articulated_solve(c.model, ws, x.data());
    CHECK(norm_error(x, listed(VectorXd(M.ldlt().solve(VectorXd::Map(c.s.a.data(), n))))) < amplified);
    REQUIRE(minverse(c.model, ws, c.s.q.data(), X.data()).ok());
    CHECK(norm_error(X, listed(inverse)) < amplified);
    DirectMinverseWorkspace<double> direct(c.model);
    REQUIRE(direct_minverse(c.model, direct, c.s.q.data(), X.data()).ok());
    CHECK(norm_error(X, listed(inverse)) < amplified);
  });
}

TEST_CASE("first derivatives add the smooth law's own, forward dynamics' against complex steps") {
  using Complex = std::complex<double>;
  on_cases([](const LawCase& c) {
    const std::size_t n = c.s.v.size();
    const auto derivatives = [&](const Model& model) {
      MomentWorkspace<double> ws(model);
      std::vector<double> tau(n), dq(n * n), dv(n * n), M(n * n);
      rnea_derivatives(model, ws, c.s.q.data(), c.s.v.data(), c.s.a.data(), c.s.fx.data(),
                       {tau.data(), dq.data(), dv.data(), M.data()});
      return std::vector<std::vector<double>>{dq, dv};
    };
    const auto x = derivatives(c.model);
    auto r = derivatives(c.rigid);
    for (std::size_t k = 0; k < n; ++k) {
      const JointPhysics& p = c.model.physics[k];
      r[0][k * n + k] += p.stiffness.value_or(0);
      r[1][k * n + k] += p.damping + p.friction * friction_share(p, Complex(c.s.v[k], 1e-30)).imag() / 1e-30;
    }
    CHECK(worst_error(x[0], r[0]) < 1e-15);
    CHECK(worst_error(x[1], r[1]) < 1e-13);

    for (auto method : {AbaDerivativeMethod::inertia, AbaDerivativeMethod::articulated}) {
      AbaDerivativeWorkspace<double> ws(c.model);
      std::vector<double> a(n), dq(n * n), dv(n * n), dtau(n * n), by_v(n * n);
      REQUIRE(aba_derivatives(c.model, ws, c.s.q.data(), c.s.v.data(), c.s.tau.data(), c.s.fx.data(),
                              {a.data(), dq.data(), dv.data(), dtau.data()}, method)
                  .ok());
      Workspace<Complex> complex(c.model);
      std::vector<Complex> q(c.s.q.begin(), c.s.q.end()), tau(c.s.tau.begin(), c.s.tau.end()), out(n);
      std::vector<Force<Complex>> fx;
      for (const auto& f : c.s.fx) fx.push_back(cast<Complex>(f));
      for (std::size_t k = 0; k < n; ++k) {
        std::vector<Complex> v(c.s.v.begin(), c.s.v.end());
        v[k] += Complex(0, 1e-30);
        REQUIRE(aba(c.model, complex, q.data(), v.data(), tau.data(), fx.data(), out.data()).ok());
        for (std::size_t i = 0; i < n; ++i) by_v[i * n + k] = out[i].imag() / 1e-30;
      }
      CHECK(norm_error(dv, by_v) < 1e-11);
      for (const Body& body : c.model.bodies) {
        if (freedoms(body.joint) != 1) continue;
        std::vector<Complex> at = q, v(c.s.v.begin(), c.s.v.end());
        at[static_cast<std::size_t>(body.q)] += Complex(0, 1e-30);
        REQUIRE(aba(c.model, complex, at.data(), v.data(), tau.data(), fx.data(), out.data()).ok());
        std::vector<double> own(n), by_q(n);
        for (std::size_t i = 0; i < n; ++i)
          by_q[i] = out[i].imag() / 1e-30, own[i] = dq[i * n + static_cast<std::size_t>(body.v)];
        CHECK(norm_error(own, by_q) < 1e-11);
      }
    }
  });
}

TEST_CASE("tanh of dual and bicomplex numbers: values and derivatives") {
  for (double x : {0.0, 1e-9, 0.3, -1.2, 4.0, -30.0, 355.5, -356.0, 800.0, 1e300}) {
    const double t = std::tanh(x), slope = 1 - t * t, bend = -2 * t * slope;
    const Dual<> d = tanh(dual_variable<double>(x));
    CHECK(d.x == t);
    CHECK(d.d[0] == Approx(slope).margin(1e-16));
    const Bicomplex b = tanh(Bicomplex({x, 1e-20}, {1e-20, 0}));
    CHECK(b.real() == Approx(t).margin(1e-16));
    CHECK(b.i() * 1e20 == Approx(slope).margin(1e-15));
    CHECK(b.j() * 1e20 == Approx(slope).margin(1e-15));
    CHECK(b.ij() * 1e40 == Approx(bend).margin(1e-15));
  }
}

TEST_CASE("quotients of bicomplex numbers, large and small ones too") {
  for (double y : {1.0, -0.3, 1e-200, 1e160, -1e250}) {
    const Bicomplex q = 2.0 / Bicomplex({y, 1e-20 * y}, {1e-20 * y, 0});  // 2 / (y (1 + s)), s the step
    CHECK(q.real() == Approx(2 / y).epsilon(1e-15).margin(0));
    CHECK(q.i() * 1e20 == Approx(-2 / y).epsilon(1e-15).margin(0));
    CHECK(q.j() * 1e20 == Approx(-2 / y).epsilon(1e-15).margin(0));
    CHECK(q.ij() * 1e40 == Approx(4 / y).epsilon(1e-15).margin(0));
  }
}

// The C library's own is NaN beyond 355 under MinGW, and its tangent is the processor's, which has few digits near its poles.
TEST_CASE("tanh of complex numbers is the C library's where that has one, and its slope does not cancel") {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 3000; ++k) {
    const double x = unit(rng) * std::pow(10.0, 2.5 * unit(rng));
    const std::complex<double> z(x, unit(rng)), found = complex_tanh(z), expected = std::tanh(z), cosh = std::cosh(z);
    CAPTURE(z);
    CHECK(std::abs(found - expected) <= 1e-15 * std::abs(expected));
    CHECK(found.imag() == Approx(expected.imag()).epsilon(2e-15).margin(0));
    CHECK(std::abs(complex_sech_squared(z) * cosh * cosh - 1.0) < 1e-13);
  }
  for (double x : {18.0, 30.0, 300.0}) {  // where 1 − tanh² is all rounding
    const double slope = 4 * std::exp(-2 * x);
    CHECK(complex_tanh({x, 1e-20}).imag() == Approx(1e-20 * slope).epsilon(1e-14).margin(0));
    CHECK(tanh(Bicomplex({x, 0}, {1e-20, 0})).j() == Approx(1e-20 * slope).epsilon(1e-14).margin(0));
  }
  for (double x : {355.5, -800.0, 1e300}) {
    const Dual<std::complex<double>> d = tanh(dual_variable<std::complex<double>>({x, 1e-20}));
    CHECK(d.x == std::complex<double>(x > 0 ? 1 : -1, 0));
    CHECK(d.d[0] == std::complex<double>(0, 0));
  }
}

TEST_CASE("Friction's share, slope and curvature: by hand, by complex and bicomplex steps, from rest to fast") {
  for (double stribeck : {0.0, 0.4, 1.0})
    for (double u : {1e-3, 0.1, 30.0}) {
      JointPhysics p;
      p.friction = 1.5, p.damping = 0.2, p.offset = 0.1, p.stribeck = stribeck, p.stribeck_velocity = u;
      for (double v : {0.0, 1e-9, 0.003, -0.01, 0.1, -1.0, 3.56, 7.0, 10.0, 1e3, 1e300}) {
        if (stribeck > 0 && v > 1e150) continue;  // its square is no number
        INFO("stribeck " << stribeck << " from " << u << " at " << v);
        CHECK(joint_load(p, v) == Approx(0.2 * v + 1.5 * friction_by_hand(p, v) + 0.1).epsilon(1e-14).margin(1e-15));
        const double slope = joint_load(p, std::complex<double>(v, 1e-30)).imag() / 1e-30;
        CHECK(joint_load_slope(p, v) == Approx(slope).epsilon(1e-12).margin(1e-12));
        const double curvature = joint_load(p, Bicomplex({v, 1e-20}, {1e-20, 0})).ij() * 1e40;
        CHECK(joint_load_curvature(p, v) == Approx(curvature).epsilon(1e-10).margin(1e-9));
      }
    }
}

TEST_CASE("joint physics and limits that no joint has are refused") {
  Model model = random_tree(3, 1, {true, false, 0.0, {JointKind::revolute}});
  JointPhysics p;
  CHECK_THROWS_WITH(set_joint_physics(model, "joint9", p), Catch::Contains("no moving joint"));
  CHECK_THROWS_WITH(set_joint_physics(model, "base", p), Catch::Contains("6 freedoms"));
  CHECK(model.physics.empty());
  set_joint_physics(model, "joint1", p);
  CHECK(model.physics.empty());  // nothing is added
  const auto with = [](double JointPhysics::*number, double value) {
    JointPhysics wrong;
    wrong.*number = value;
    return wrong;
  };
  double JointPhysics::*const numbers[] = {&JointPhysics::armature,  &JointPhysics::damping,  &JointPhysics::friction,
                                           &JointPhysics::smoothing, &JointPhysics::stribeck, &JointPhysics::stribeck_velocity};
  for (auto number : numbers)
    for (double value : {-1.0, HUGE_VAL, std::nan("")})
      CHECK_THROWS_AS(set_joint_physics(model, "joint1", with(number, value)), std::invalid_argument);
  CHECK_THROWS_AS(set_joint_physics(model, "joint1", with(&JointPhysics::offset, HUGE_VAL)), std::invalid_argument);
  CHECK_THROWS_AS(set_joint_physics(model, "joint1", with(&JointPhysics::smoothing, 0)), std::invalid_argument);
  CHECK_THROWS_AS(set_joint_physics(model, "joint1", with(&JointPhysics::stribeck, 1.1)), std::invalid_argument);
  for (double value : {-1.0, HUGE_VAL, std::nan("")}) {
    JointPhysics wrong;
    wrong.stiffness = value;
    CHECK_THROWS_AS(set_joint_physics(model, "joint1", wrong), std::invalid_argument);
  }
  set_joint_physics(model, "joint1", with(&JointPhysics::offset, -2));
  REQUIRE(model.physics.size() == 9);
  CHECK(model.physics[6].offset == -2);
  CHECK_THROWS_AS(set_joint_limits(model, "joint1", {1, 0, 1, 1}), std::invalid_argument);
  set_joint_limits(model, "joint2", {-1, 2, 3, 4});
  CHECK(model.limits[7].upper == 2);
  CHECK(std::isinf(model.limits[6].effort));
}

TEST_CASE("second derivatives hold the curvature of friction, at every call anew") {
  const Model rigid = random_tree(6, 2), model = with_joint_physics(rigid, 3);
  std::mt19937 rng(4);
  SecondWorkspace<double> ws(model), rigid_ws(rigid);
  SecondDerivatives<double> x(model), reference(rigid);
  for (int call = 0; call < 3; ++call) {
    const State s = random_state(model, rng);
    const double *q = s.q.data(), *v = s.v.data(), *a = s.a.data();
    rnea_second_derivatives<double>(model, ws, q, v, a, nullptr, x);
    rnea_second_derivatives<double>(rigid, rigid_ws, q, v, a, nullptr, reference);
    for (int k = 0; k < model.nv; ++k) {
      const JointPhysics& p = model.physics[static_cast<std::size_t>(k)];
      const Bicomplex moved({v[k], 1e-20}, {1e-20, 0});
      CHECK(std::abs(reference.vv(k, k, k)) < 1e-12);
      CHECK(x.vv(k, k, k) == Approx(p.friction * friction_share(p, moved).ij() * 1e40).margin(1e-12));
    }
  }
}
