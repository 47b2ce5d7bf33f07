// Joints that follow others: every algorithm against the projection of what it gives for the tree, where each joint is free.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <complex>
#include <functional>

#include "sparsedyn/dynamics/coriolis.hpp"
#include "sparsedyn/dynamics/detail/articulated_solve.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using Vector = std::vector<double>;

void on_robots(const std::function<void(const CoupledRobot&, const State&)>& check) {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 8; ++seed) {
      INFO("floating " << floating << " seed " << seed);
      Model tree = random_tree(9, seed, {floating, true, 0.4, seed % 2 ? every_joint_kind() : TreeOptions().kinds});
      if (seed % 4 > 1) tree = with_joint_physics(tree, seed);
      const CoupledRobot robot = random_coupled_robot(tree, seed);
      std::mt19937 rng(seed);
      for (int k = 0; k < 2; ++k) check(robot, random_state(robot.model, rng));
    }
}

/// Row by row.
MatrixXd square(const Vector& x) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(x.size()))));
  return MatrixXd::Map(x.data(), n, n).transpose();
}
Vector listed(const MatrixXd& X) {
  const MatrixXd rows = X.transpose();
  return {rows.data(), rows.data() + rows.size()};
}

Vector torques(const Model& model, const State& s, const double* a, bool wrenches = true) {
  Workspace<double> ws(model);
  Vector tau(static_cast<std::size_t>(model.nv));
  rnea(model, ws, s.q.data(), s.v.data(), a, wrenches ? s.fx.data() : nullptr, tau.data());
  return tau;
}

Vector inertia(const Model& model, const State& s) {
  Workspace<double> ws(model);
  Vector M(static_cast<std::size_t>(model.nv * model.nv));
  crba(model, ws, s.q.data(), M.data());
  return M;
}

struct First {
  explicit First(int n) : x(static_cast<std::size_t>(n)), dq(x.size() * x.size()), dv(dq), dx(dq) {}
  Vector x, dq, dv, dx;
};

First inverse_derivatives(const Model& model, const State& s) {
  MomentWorkspace<double> ws(model);
  First d(model.nv);
  rnea_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(),
                           {d.x.data(), d.dq.data(), d.dv.data(), d.dx.data()});
  return d;
}

First forward_derivatives(const Model& model, const State& s) {
  AbaDerivativeWorkspace<double> ws(model);
  First d(model.nv);
  REQUIRE(aba_derivatives<double>(model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                                  {d.x.data(), d.dq.data(), d.dv.data(), d.dx.data()})
              .ok());
  return d;
}

struct Second {
  explicit Second(int n) : qq(static_cast<std::size_t>(n * n * n)), qv(qq), vv(qq), last(qq) {}
  Vector qq, qv, vv, last;  // last: ∂M/∂q, or ∂²q̈/∂q∂τ
};

Second inverse_second_derivatives(const Model& model, const State& s) {
  SecondWorkspace<double> ws(model);
  SecondDerivatives<double> x(model);
  Second d(model.nv);
  rnea_second_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x);
  x.dense({d.qq.data(), d.qv.data(), d.vv.data(), d.last.data()});
  return d;
}

/// Σ_a λ_a [a, b, c].
Vector contracted(const Vector& tensor, const Vector& lambda) {
  const std::size_t n = lambda.size();
  Vector x(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t bc = 0; bc < n * n; ++bc) x[bc] += lambda[a] * tensor[a * n * n + bc];
  return x;
}

/// How far rounding may be enlarged by M⁻¹.
double amplified(const Model& model, const State& s) {
  const MatrixXd M = square(inertia(model, s));
  return 1e-13 * std::max(1.0, M.cwiseAbs().maxCoeff() * M.inverse().cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("Coupled joints: torques, bias and gravity are gathered, with what rotors and friction take") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    CHECK(worst_error(torques(r.model, s, s.a.data()), r.gathered(torques(r.tree, t, t.a.data()))) < 1e-12);
    CHECK(worst_error(torques(r.model, s, nullptr), r.gathered(torques(r.tree, t, nullptr))) < 1e-12);
    Workspace<double> ws(r.model), tree(r.tree);
    Vector own(s.v.size()), all(t.v.size());
    gravity_torques(r.model, ws, s.q.data(), own.data());
    gravity_torques(r.tree, tree, t.q.data(), all.data());
    CHECK(worst_error(own, r.gathered(all)) < 1e-12);
  });
}

TEST_CASE("Coupled joints: M, its inverse, forward dynamics and articulated_solve") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    const Vector M = inertia(r.model, s), bias = torques(r.model, s, nullptr);
    CHECK(worst_error(M, r.gathered_matrix(inertia(r.tree, t))) < 1e-12);
    const double bound = amplified(r.model, s);
    const VectorXd rest = VectorXd::Map(s.tau.data(), r.model.nv) - VectorXd::Map(bias.data(), r.model.nv);
    Workspace<double> ws(r.model);
    Vector a(s.v.size()), X(M.size()), x = s.a;
    REQUIRE(aba(r.model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), a.data()).ok());
    CHECK(norm_error(a, listed(square(M).ldlt().solve(rest))) < bound);
    articulated_solve(r.model, ws, x.data());
    CHECK(norm_error(x, listed(square(M).ldlt().solve(VectorXd::Map(s.a.data(), r.model.nv)))) < bound);
    REQUIRE(minverse(r.model, ws, s.q.data(), X.data()).ok());
    CHECK(norm_error(X, listed(square(M).inverse())) < bound);
    DirectMinverseWorkspace<double> direct(r.model);
    REQUIRE(direct_minverse(r.model, direct, s.q.data(), X.data()).ok());
    CHECK(norm_error(X, listed(square(M).inverse())) < bound);
  });
}

TEST_CASE("Coupled joints: links move as those of the tree, Jacobians and their rates by columns") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    Workspace<double> ws(r.model), tree(r.tree);
    forward_kinematics(r.model, ws, s.q.data(), s.v.data(), s.a.data());
    forward_kinematics(r.tree, tree, t.q.data(), t.v.data(), t.a.data());
    const auto n = static_cast<std::size_t>(6 * r.model.nv), m = static_cast<std::size_t>(6 * r.tree.nv);
    const auto by_columns = [&](const Vector& J) {
      return listed(MatrixXd(MatrixXd::Map(J.data(), r.tree.nv, 6).transpose() * r.G));
    };
    for (int l = 0; l < static_cast<int>(r.model.links.size()); ++l) {
      const auto numbers = [l](const Model& model, const Workspace<double>& at) {
        const Pose<double> X = link_pose(model, at, l);
        const Motion<double> v = link_velocity(model, at, l), a = link_acceleration(model, at, l);
        Vector x;
        for (int k = 0; k < 9; ++k) x.push_back(X.R(k / 3, k % 3));
        for (const auto& e : {X.d, v.w, v.v, a.w, a.v}) x.insert(x.end(), {e[0], e[1], e[2]});
        return x;
      };
      CHECK(worst_error(numbers(r.model, ws), numbers(r.tree, tree)) < 1e-12);
      Vector J(n), Jt(m), own[4] = {J, J, J, J}, all[4] = {Jt, Jt, Jt, Jt};
      for (Axes axes : {Axes::link, Axes::world}) {
        link_jacobian(r.model, ws, l, axes, J.data());
        link_jacobian(r.tree, tree, l, axes, Jt.data());
        CHECK(worst_error(J, by_columns(Jt)) < 1e-12);
      }
      link_derivatives<double>(r.model, ws, l, {own[0].data(), own[1].data(), own[2].data(), own[3].data()});
      link_derivatives<double>(r.tree, tree, l, {all[0].data(), all[1].data(), all[2].data(), all[3].data()});
      for (int k = 0; k < 4; ++k) CHECK(worst_error(own[k], by_columns(all[k])) < 1e-12);
    }
    CHECK(kinetic_energy(r.model, ws, s.v.data()) == Approx(kinetic_energy(r.tree, tree, t.v.data())).epsilon(1e-12));
    CHECK(potential_energy(r.model, ws) == Approx(potential_energy(r.tree, tree)).epsilon(1e-12).margin(1e-12));
    CHECK(potential_energy(r.model, ws, s.q.data()) ==
          Approx(potential_energy(r.tree, tree, t.q.data())).epsilon(1e-12).margin(1e-12));
    const Force<double> h = momentum(r.model, ws), ht = momentum(r.tree, tree);
    for (int k = 0; k < 3; ++k) CHECK(h.n[k] == Approx(ht.n[k]).epsilon(1e-12).margin(1e-12));
  });
}

TEST_CASE("Coupled joints: the Coriolis matrix and the rate of momenta") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    CoriolisWorkspace<double> ws(r.model), tree(r.tree);
    const std::size_t n = s.v.size(), m = t.v.size();
    Vector C(n * n), M(C), Ct(m * m), Mt(Ct), p(n), rate(n), pt(m), rate_t(m);
    coriolis<double>(r.model, ws, s.q.data(), s.v.data(), {C.data(), M.data()});
    coriolis<double>(r.tree, tree, t.q.data(), t.v.data(), {Ct.data(), Mt.data()});
    CHECK(worst_error(C, r.gathered_matrix(Ct)) < 1e-12);
    CHECK(worst_error(M, r.gathered_matrix(Mt)) < 1e-12);
    hamilton(r.model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), p.data(), rate.data());
    hamilton(r.tree, tree, t.q.data(), t.v.data(), t.tau.data(), t.fx.data(), pt.data(), rate_t.data());
    Vector expected = r.gathered(rate_t);
    for (std::size_t k = 0; k < n; ++k) expected[k] += s.tau[k];
    CHECK(worst_error(p, r.gathered(pt)) < 1e-12);
    CHECK(worst_error(rate, expected) < 1e-12);
  });
}

TEST_CASE("Coupled joints: first derivatives") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const First own = inverse_derivatives(r.model, s), all = inverse_derivatives(r.tree, r.state(s));
    CHECK(worst_error(own.x, r.gathered(all.x)) < 1e-12);
    CHECK(norm_error(own.dq, r.gathered_matrix(all.dq)) < 1e-12);
    CHECK(norm_error(own.dv, r.gathered_matrix(all.dv)) < 1e-12);
    CHECK(norm_error(own.dx, r.gathered_matrix(all.dx)) < 1e-12);
    // of forward dynamics: −M⁻¹ times them at its acceleration
    const First forward = forward_derivatives(r.model, s);
    State at = s;
    at.a = forward.x;
    const First there = inverse_derivatives(r.model, at);
    const Eigen::LDLT<MatrixXd> M(square(there.dx));
    const double bound = 10 * amplified(r.model, s);
    CHECK(norm_error(there.x, s.tau) < bound);
    CHECK(norm_error(forward.dq, listed(-M.solve(square(there.dq)))) < bound);
    CHECK(norm_error(forward.dv, listed(-M.solve(square(there.dv)))) < bound);
    CHECK(norm_error(forward.dx, listed(square(there.dx).inverse())) < bound);
    AbaDerivativeWorkspace<double> ws(r.model);
    First again(r.model.nv);
    REQUIRE(aba_derivatives<double>(r.model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                                    {again.x.data(), again.dq.data(), again.dv.data(), again.dx.data()},
                                    AbaDerivativeMethod::articulated)
                .ok());
    CHECK(norm_error(again.dq, forward.dq) < bound);
  });
}

TEST_CASE("Coupled joints: second derivatives, as tensors and times multipliers") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    const Second own = inverse_second_derivatives(r.model, s), all = inverse_second_derivatives(r.tree, t);
    CHECK(norm_error(own.qq, r.gathered_tensor(all.qq)) < 1e-12);
    CHECK(norm_error(own.qv, r.gathered_tensor(all.qv)) < 1e-12);
    CHECK(norm_error(own.vv, r.gathered_tensor(all.vv)) < 1e-12);
    CHECK(norm_error(own.last, r.gathered_tensor(all.last)) < 1e-12);
    const std::size_t n = s.v.size();
    ContractionWorkspace<double> work(r.model);
    Vector x[4] = {Vector(n * n), Vector(n * n), Vector(n * n), Vector(n * n)};
    rnea_contraction<double>(r.model, work, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), s.tau.data(),
                             {x[0].data(), x[1].data(), x[2].data(), x[3].data()});
    CHECK(norm_error(x[0], contracted(own.qq, s.tau)) < 1e-12);
    CHECK(norm_error(x[1], contracted(own.qv, s.tau)) < 1e-12);
    CHECK(norm_error(x[2], contracted(own.vv, s.tau)) < 1e-12);
    CHECK(norm_error(x[3], contracted(own.last, s.tau)) < 1e-12);
  });
}

TEST_CASE("Coupled joints: second derivatives of forward dynamics are complex steps of the first") {
  using Complex = std::complex<double>;
  constexpr double h = 1e-30;
  for (unsigned seed = 0; seed < 6; ++seed) {
    INFO("seed " << seed);
    Model tree = random_tree(7, seed);
    if (seed % 2) tree = with_joint_physics(tree, seed);
    const CoupledRobot r = random_coupled_robot(tree, seed);
    std::mt19937 rng(seed);
    const State s = random_state(r.model, rng);
    const std::size_t n = s.v.size();
    AbaSecondWorkspace<double> work(r.model);
    First first(r.model.nv);
    Second reference(r.model.nv), found(r.model.nv);
    AbaDerivativeWorkspace<Complex> ws(r.model);
    std::vector<Force<Complex>> fx;
    for (const Force<double>& f : s.fx) fx.push_back(cast<Complex>(f));
    for (std::size_t c = 0; c < n; ++c)
      for (bool by_v : {false, true}) {
        std::vector<Complex> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), tau(s.tau.begin(), s.tau.end()), a(n),
            dq(n * n), dv(dq), dtau(dq);
        (by_v ? v : q)[c] += Complex(0, h);
        REQUIRE(aba_derivatives<Complex>(r.model, ws, q.data(), v.data(), tau.data(), fx.data(),
                                         {a.data(), dq.data(), dv.data(), dtau.data()})
                    .ok());
        for (std::size_t ab = 0; ab < n * n; ++ab) {
          if (by_v) {
            reference.qv[ab * n + c] = dq[ab].imag() / h, reference.vv[ab * n + c] = dv[ab].imag() / h;
          } else {
            reference.qq[ab * n + c] = dq[ab].imag() / h;
            reference.last[(ab / n * n + c) * n + ab % n] = dtau[ab].imag() / h;  // [a, b, c]: by q_b of M⁻¹_ac
          }
        }
      }
    const double bound = 1e3 * amplified(r.model, s);
    for (InnerTerm inner : {InnerTerm::tensor_product, InnerTerm::inverse_dynamics})
      for (OuterTerm outer : {OuterTerm::matrix_product, OuterTerm::articulated}) {
        REQUIRE(aba_second_derivatives<double>(r.model, work, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                                               {first.x.data(), first.dq.data(), first.dv.data(), first.dx.data()},
                                               {found.qq.data(), found.qv.data(), found.vv.data(), found.last.data()},
                                               {inner, outer})
                    .ok());
        CHECK(norm_error(found.qq, reference.qq) < bound);
        CHECK(norm_error(found.qv, reference.qv) < bound);
        CHECK(norm_error(found.vv, reference.vv) < bound);
        CHECK(norm_error(found.last, reference.last) < bound);
      }
    AbaContractionWorkspace<double> contraction(r.model);
    Vector x[4] = {Vector(n * n), Vector(n * n), Vector(n * n), Vector(n * n)};
    REQUIRE(aba_contraction<double>(r.model, contraction, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), s.a.data(),
                                    {first.x.data(), first.dq.data(), first.dv.data(), first.dx.data()},
                                    {x[0].data(), x[1].data(), x[2].data(), x[3].data()})
                .ok());
    CHECK(norm_error(x[0], contracted(reference.qq, s.a)) < bound);
    CHECK(norm_error(x[3], contracted(reference.last, s.a)) < bound);
  }
}

TEST_CASE("Coupled joints: the regressor of all bodies and joints, gathered, and its products") {
  on_robots([](const CoupledRobot& r, const State& s) {
    const State t = r.state(s);
    RegressorWorkspace<double> ws(r.model), tree(r.tree);
    CHECK(parameter_names(r.model) == parameter_names(r.tree));
    const Vector pi = parameters(r.model);
    CHECK(pi == parameters(r.tree));
    const std::size_t count = pi.size(), n = s.v.size();
    Vector Y(n * count), tau(n), transposed(count);
    regressor(r.model, ws, s.q.data(), s.v.data(), s.a.data(), Y.data());
    const MatrixXd rows = MatrixXd::Map(Y.data(), static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(n)).transpose();
    Vector all(t.v.size() * count);
    regressor(r.tree, tree, t.q.data(), t.v.data(), t.a.data(), all.data());
    const MatrixXd tree_rows = MatrixXd::Map(all.data(), rows.cols(), r.tree.nv).transpose();
    CHECK(norm_error(listed(rows), listed(MatrixXd(r.G.transpose() * tree_rows))) < 1e-12);
    const Vector truth = listed(rows * VectorXd::Map(pi.data(), rows.cols()));
    bool complete = true;  // parts of composite joints rub, too, but have no parameters
    for (const Joint& joint : r.tree.joints) complete = complete && (joint.nv == 1 || joint.name == "base");
    if (complete) CHECK(norm_error(truth, torques(r.model, s, s.a.data(), false)) < 1e-12);
    regressor_times(r.model, ws, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
    CHECK(norm_error(tau, truth) < 1e-12);
    regressor_transposed_times(r.model, ws, s.q.data(), s.v.data(), s.a.data(), s.tau.data(), transposed.data());
    CHECK(norm_error(transposed, listed(rows.transpose() * VectorXd::Map(s.tau.data(), rows.rows()))) < 1e-12);
  });
}

TEST_CASE("Coupled joints: the algorithms take no memory") {
  const CoupledRobot r = random_coupled_robot(with_joint_physics(random_tree(9, 3, {true}), 2), 3);
  std::mt19937 rng(1);
  const State s = random_state(r.model, rng);
  Workspace<double> ws(r.model);
  AbaDerivativeWorkspace<double> derivatives(r.model);
  First first(r.model.nv);
  Vector M(first.dq.size());
  CHECK(allocations_of([&] {
          rnea(r.model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), first.x.data());
          aba(r.model, ws, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), first.x.data());
          minverse(r.model, ws, s.q.data(), M.data());
          aba_derivatives<double>(r.model, derivatives, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(),
                                  {first.x.data(), first.dq.data(), first.dv.data(), first.dx.data()});
        }) == 0);
}

TEST_CASE("Coupled joints: what moves nothing is named, what a follower moves is enough") {
  const Model tip = massless_tip();  // root – arm – tip: the last hinge moves no mass
  const std::string arm = tip.joints[0].name, last = tip.joints[1].name;
  const double q[2] = {0.3, -0.2}, v[2] = {0.1, 0.2}, tau[2] = {1, 2};
  double a[2];
  for (const auto& [joint, leader] : {std::pair{arm, last}, {last, arm}}) {
    const Model model = coupled(tip, {{joint, leader, -0.5, 0.1}});
    REQUIRE(model.nv == 1);
    Workspace<double> ws(model);
    CHECK(aba<double>(model, ws, q, v, tau, nullptr, a).ok());
  }
  Workspace<double> ws(tip);
  CHECK(aba<double>(tip, ws, q, v, tau, nullptr, a).singular == 1);
}

TEST_CASE("Coupled joints: what cannot be coupled is refused by name") {
  const Model tree = random_tree(4, 1);
  const auto name = [&](std::size_t j) { return tree.joints[j].name; };
  const auto refused = [&](const std::vector<JointCoupling>& couplings, const std::string& why) {
    try {
      coupled(tree, couplings);
      FAIL("coupled, but expected: " << why);
    } catch (const std::invalid_argument& error) {
      CHECK_THAT(error.what(), Catch::Contains(why));
    }
  };
  refused({{name(0), "nobody"}}, "nobody");
  refused({{name(0), name(0)}}, "circle");
  refused({{name(0), name(1)}, {name(1), name(2)}, {name(2), name(0)}}, "circle");
  refused({{name(0), name(1)}, {name(0), name(2)}}, "already");
  refused({{name(0), name(1), 0.0}}, "not 0");
  refused({{name(0), name(1), std::nan("")}}, "finite");
  const Model base = random_tree(3, 1, {true});
  CHECK_THROWS_AS(coupled(base, {{base.joints[1].name, "base"}}), std::invalid_argument);
}

TEST_CASE("Coupled joints: physics and limits are set by the joints' own names, couplings add up") {
  Model tree = random_tree(5, 2);
  const std::string leader = tree.joints[1].name, follower = tree.joints[3].name;
  const JointPhysics physics{{0.5}, 0.3, 0.2, 0.1, -0.4};
  Model late = coupled(tree, {{follower, leader, 2, 0}});
  const Model before = late;
  set_joint_physics(late, follower, physics);
  set_joint_physics(tree, follower, physics);
  const Model early = coupled(coupled(tree, {{follower, leader, 2, 0}}), {{leader, tree.joints[0].name, -1, 0.2}});
  CHECK(early.nv == 3);
  late = coupled(late, {{leader, tree.joints[0].name, -1, 0.2}});
  std::mt19937 rng(4);
  const State s = random_state(late, rng);
  CHECK(torques(late, s, s.a.data()) == torques(early, s, s.a.data()));
  CHECK(before.tree().physics.empty());
}
