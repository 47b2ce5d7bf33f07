// The Eigen overloads give what the pointers give, without a copy on the heap, and notice wrong sizes.
#undef NDEBUG
#include "sparsedyn/dynamics/eigen.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#ifndef _WIN32  // what asserts say is heard in a process that is forked
#include "support/last_words.hpp"
#endif

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// A tree with every kind of joint, at a state.
struct Example {
  Model model = random_tree(8, 2, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng{2};
  State s = test::random_state(model, rng);
  Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), model.nq);
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(s.v.data(), model.nv);
  Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(s.a.data(), model.nv);
  Eigen::Matrix<double, 6, Eigen::Dynamic> fx =
      Eigen::Matrix<double, 6, Eigen::Dynamic>::Random(6, static_cast<Eigen::Index>(model.links.size()));
  Eigen::VectorXd direction = Eigen::VectorXd::Random(model.nv);
  Workspace<double> ws{model};

  Eigen::VectorXd moved(double h) const {
    Eigen::VectorXd to(model.nq);
    const Eigen::VectorXd step = h * direction;
    integrate(model, q.data(), step.data(), to.data());
    return to;
  }
  int last_link() const { return static_cast<int>(model.links.size()) - 1; }
};

}  // namespace

TEST_CASE("algorithms on Eigen vectors undo each other without the heap") {
  Example e;
  const int nv = e.model.nv;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(nv);
  Eigen::VectorXd tau(nv), bias(nv), gravity(nv), held(nv), again(nv), pushed(nv), pushed_again(nv), pushed_bias(nv);
  Eigen::MatrixXd M(nv, nv), inverse(nv, nv);
  ExternalWrenches fx(e.model);
  bool solved = false;
  CHECK(allocations_of([&] {
          rnea(e.model, e.ws, e.q, e.v, e.a, tau);
          solved = aba(e.model, e.ws, e.q, e.v, tau, again).ok();
          bias_forces(e.model, e.ws, e.q, e.v, bias);
          bias_forces(e.model, e.ws, e.q, still, held);
          gravity_torques(e.model, e.ws, e.q, gravity);
          crba(e.model, e.ws, e.q, M);
          solved = minverse(e.model, e.ws, e.q, inverse).ok() && solved;
          fx.set(e.model, e.fx);
          rnea(e.model, e.ws, e.q, e.v, e.a, fx, pushed);
          bias_forces(e.model, e.ws, e.q, e.v, fx, pushed_bias);
          solved = aba(e.model, e.ws, e.q, e.v, pushed, fx, pushed_again).ok() && solved;
        }) == 0);
  REQUIRE(solved);
  const double size = 1 + tau.norm() + pushed.norm();
  CHECK((M * e.a + bias - tau).norm() < 1e-12 * size);
  CHECK((gravity - held).norm() < 1e-12 * size);
  CHECK((again - e.a).norm() < 1e-13 * size * inverse.norm());
  CHECK((inverse * (tau - bias) - e.a).norm() < 1e-13 * size * inverse.norm());
  CHECK((pushed_again - e.a).norm() < 1e-13 * size * inverse.norm());
  CHECK((pushed_bias - bias - (pushed - tau)).norm() < 1e-12 * size);
  CHECK((pushed - tau).norm() > 1e-3);
}

TEST_CASE("wrenches on links reach the joints by the links' Jacobians") {
  Example e;
  const int nv = e.model.nv;
  ExternalWrenches fx(e.model);
  fx.set(e.model, e.fx);
  Eigen::VectorXd tau(nv), pushed(nv);
  rnea(e.model, e.ws, e.q, e.v, e.a, tau);
  rnea(e.model, e.ws, e.q, e.v, e.a, fx, pushed);
  forward_kinematics(e.model, e.ws, e.q);
  RowMajorMatrix J(6, nv);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(nv);
  for (int link = 0; link <= e.last_link(); ++link) {
    link_jacobian(e.model, e.ws, link, Axes::link, J);
    sum += J.transpose() * e.fx.col(link);
  }
  CHECK((tau - pushed - sum).norm() < 1e-12 * (1 + tau.norm()));
}

TEST_CASE("a link's motion in the world's axes is what its Jacobian there gives, and how its place changes") {
  Example e;
  const double h = 1e-6;
  const int link = e.last_link(), nv = e.model.nv;
  RowMajorMatrix J(6, nv);
  forward_kinematics(e.model, e.ws, e.q, e.v, e.a);
  link_jacobian(e.model, e.ws, link, Axes::world, J);
  const Vector6 velocity = to_eigen(link_velocity(e.model, e.ws, link, Axes::world)),
                own = to_eigen(link_velocity(e.model, e.ws, link, Axes::link)),
                acceleration = to_eigen(link_acceleration(e.model, e.ws, link, Axes::world)),
                own_acceleration = to_eigen(link_acceleration(e.model, e.ws, link));
  CHECK((J * e.v - velocity).norm() < 1e-12 * (1 + velocity.norm()));
  const Eigen::Isometry3d here = to_eigen(link_pose(e.model, e.ws, link));
  for (int half : {0, 3}) {
    CHECK((velocity.segment<3>(half) - here.linear() * own.segment<3>(half)).norm() < 1e-13 * (1 + own.norm()));
    CHECK((acceleration.segment<3>(half) - here.linear() * own_acceleration.segment<3>(half)).norm() <
          1e-13 * (1 + own_acceleration.norm()));
  }
  const auto at = [&](double t) {
    Eigen::VectorXd q(e.model.nq);
    integrate(e.model, e.q, t * e.v, q);
    forward_kinematics(e.model, e.ws, q);
    return to_eigen(link_pose(e.model, e.ws, link));
  };
  const Eigen::Isometry3d before = at(-h), after = at(h);
  CHECK(((after.translation() - before.translation()) / (2 * h) - velocity.tail<3>()).norm() < 1e-6 * (1 + velocity.norm()));
  const Eigen::Matrix3d turn = (after.linear() - before.linear()) / (2 * h) * here.linear().transpose();
  CHECK((Eigen::Vector3d(turn(2, 1), turn(0, 2), turn(1, 0)) - velocity.head<3>()).norm() < 1e-6 * (1 + velocity.norm()));
}

TEST_CASE("a link that is fixed to the world has no velocity and a proper acceleration of 9.81 m/s² upwards") {
  const Model model = ModelBuilder("post")
                          .root("ground", zero_inertia<double>(), false)
                          .link("post", zero_inertia<double>(), "ground", "bolt", JointSpec(),
                                {rotation_from_rpy({{0.3, -0.5, 1.1}}), {{1, 2, 3}}})
                          .build();
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, nullptr, nullptr, nullptr);
  const int post = model.link("post");
  CHECK(to_eigen(link_velocity(model, ws, post, Axes::world)).norm() == 0);
  const Vector6 expected_acceleration = to_eigen(link_acceleration(model, ws, post, Axes::world));
  CHECK((expected_acceleration - (Vector6() << 0, 0, 0, 0, 0, 9.81).finished()).norm() < 1e-14);
}

TEST_CASE("postures on Eigen vectors are those of the pointers") {
  Example e;
  Eigen::VectorXd q(e.model.nq), r(e.model.nq), delta(e.model.nv);
  std::vector<double> expected(static_cast<std::size_t>(e.model.nq)), step(static_cast<std::size_t>(e.model.nv));
  const auto same = [&](const Eigen::VectorXd& x) {
    return x == Eigen::Map<const Eigen::VectorXd>(expected.data(), e.model.nq);
  };
  std::mt19937 one(5), other(5);
  random_configuration(e.model, one, r);
  random_configuration(e.model, other, expected.data());
  CHECK(same(r));
  neutral(e.model, expected.data());
  CHECK(allocations_of([&] { neutral(e.model, q); }) == 0);
  CHECK(same(q));
  bool unit = false;
  CHECK(allocations_of([&] {
          difference(e.model, e.q, r, delta);
          integrate(e.model, e.q, delta, q);
          unit = normalise(e.model, q);
        }) == 0);
  CHECK(unit);
  difference(e.model, e.q.data(), r.data(), step.data());
  CHECK(delta == Eigen::Map<const Eigen::VectorXd>(step.data(), e.model.nv));
  integrate(e.model, e.q.data(), step.data(), expected.data());
  normalise(e.model, expected.data());
  CHECK(same(q));
  difference(e.model, q, r, delta);  // q = e.q ⊕ (r ⊖ e.q) is r
  CHECK(delta.norm() < 1e-12);
  integrate(e.model, q, delta, q);  // in place
#ifndef _WIN32
  CHECK_THAT(last_words([&] { neutral(e.model, delta); }), Catch::StartsWith("q is "));
  CHECK_THAT(last_words([&] { integrate(e.model, e.q, e.q, q); }), Catch::StartsWith("delta is "));
  CHECK_THAT(last_words([&] { difference(e.model, e.q, r, q); }), Catch::StartsWith("delta is "));
#endif
}

TEST_CASE("kinematics on Eigen vectors, beside finite differences") {
  Example e;
  const double h = 1e-6;
  RowMajorMatrix J(6, e.model.nv);
  LinkDerivativeMatrices by(e.model);
  CHECK(allocations_of([&] {
          forward_kinematics(e.model, e.ws, e.q, e.v, e.a);
          link_jacobian(e.model, e.ws, e.last_link(), Axes::link, J);
          link_derivatives(e.model, e.ws, e.last_link(), by);
        }) == 0);
  const Vector6 velocity = to_eigen(link_velocity(e.model, e.ws, e.last_link()));
  CHECK((J * e.v - velocity).norm() < 1e-12 * (1 + velocity.norm()));
  CHECK((by.dv_dv - J).norm() < 1e-13 * (1 + J.norm()));
  const auto at = [&](double t) {
    forward_kinematics(e.model, e.ws, e.moved(t), e.v, e.a);
    Eigen::Matrix<double, 12, 1> motion;
    motion << to_eigen(link_velocity(e.model, e.ws, e.last_link())), to_eigen(link_acceleration(e.model, e.ws, e.last_link()));
    return motion;
  };
  const Eigen::Matrix<double, 12, 1> slope = (at(h) - at(-h)) / (2 * h);
  Eigen::Matrix<double, 12, 1> expected;
  expected << by.dv_dq * e.direction, by.da_dq * e.direction;
  CHECK((slope - expected).norm() < 1e-6 * (1 + expected.norm()));

  const auto origin = [&](double t) {
    forward_kinematics(e.model, e.ws, e.moved(t));
    return to_eigen(link_pose(e.model, e.ws, e.last_link()));
  };
  const Eigen::Isometry3d here = origin(0);
  CHECK((here.linear().transpose() * here.linear() - Eigen::Matrix3d::Identity()).norm() < 1e-14);
  const Eigen::Vector3d shift = here.linear().transpose() * (origin(h).translation() - origin(-h).translation()) / (2 * h);
  CHECK((shift - (J * e.direction).tail<3>()).norm() < 1e-6 * (1 + shift.norm()));
}

TEST_CASE("derivatives on Eigen matrices, beside finite differences") {
  Example e;
  const int nv = e.model.nv;
  const double h = 1e-6;
  ExternalWrenches fx(e.model);
  fx.set(e.model, e.fx);
  MomentWorkspace<double> moments(e.model);
  AbaDerivativeWorkspace<double> forward(e.model);
  RneaDerivativeMatrices inverse_by(e.model), free_by(e.model);
  AbaDerivativeMatrices forward_by(e.model), free_forward_by(e.model);
  Eigen::VectorXd free_tau(nv);
  bool solved = false;
  CHECK(allocations_of([&] {
          rnea_derivatives(e.model, moments, e.q, e.v, e.a, fx, inverse_by);
          solved = aba_derivatives(e.model, forward, e.q, e.v, inverse_by.tau, fx, forward_by).ok();
          rnea_derivatives(e.model, moments, e.q, e.v, e.a, free_by);
          solved = aba_derivatives(e.model, forward, e.q, e.v, free_by.tau, free_forward_by).ok() && solved;
        }) == 0);
  REQUIRE(solved);
  const double size = 1 + forward_by.da_dtau.norm() * inverse_by.dtau_dq.norm();
  const auto tau_at = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Eigen::VectorXd tau(nv);
    rnea(e.model, e.ws, q, v, e.a, fx, tau);
    return tau;
  };
  CHECK((tau_at(e.q, e.v) - inverse_by.tau).norm() < 1e-11 * (1 + inverse_by.tau.norm()));
  const Eigen::VectorXd by_q = (tau_at(e.moved(h), e.v) - tau_at(e.moved(-h), e.v)) / (2 * h);
  const Eigen::VectorXd by_v = (tau_at(e.q, e.v + h * e.direction) - tau_at(e.q, e.v - h * e.direction)) / (2 * h);
  CHECK((by_q - inverse_by.dtau_dq * e.direction).norm() < 1e-6 * (1 + inverse_by.dtau_dq.norm()));
  CHECK((by_v - inverse_by.dtau_dv * e.direction).norm() < 1e-6 * (1 + inverse_by.dtau_dv.norm()));
  CHECK((forward_by.a - e.a).norm() < 1e-12 * size);
  CHECK((forward_by.da_dtau * inverse_by.M - Eigen::MatrixXd::Identity(nv, nv)).norm() < 1e-12 * size);
  CHECK((forward_by.da_dq + forward_by.da_dtau * inverse_by.dtau_dq).norm() < 1e-11 * size);
  CHECK((forward_by.da_dv + forward_by.da_dtau * inverse_by.dtau_dv).norm() < 1e-11 * size);
  CHECK((free_forward_by.a - e.a).norm() < 1e-12 * size);
  CHECK((free_by.M - inverse_by.M).norm() < 1e-13 * inverse_by.M.norm());
}

#ifndef _WIN32
TEST_CASE("a vector or matrix of the wrong size is named, with both sizes") {
  Example e;
  const int nv = e.model.nv;
  Eigen::VectorXd tau(nv), longer(nv + 1), q = e.q;
  const std::string want = std::to_string(nv) + " x 1";
  CHECK(last_words([&] { rnea(e.model, e.ws, q, e.v, longer, tau); }) ==
        "a is " + std::to_string(nv + 1) + " x 1; expected " + want);
  CHECK(last_words([&] { rnea(e.model, e.ws, e.v.head(2), e.v, e.a, tau); }) ==
        "q is 2 x 1; expected " + std::to_string(e.model.nq) + " x 1");
  CHECK(last_words([&] { aba(e.model, e.ws, q, e.v, e.a, longer.head(1)); }) == "a is 1 x 1; expected " + want);
  Eigen::MatrixXd M(nv, nv + 1);
  CHECK(last_words([&] { crba(e.model, e.ws, q, M); }) == "M is " + std::to_string(nv) + " x " + std::to_string(nv + 1) +
                                                              "; expected " + std::to_string(nv) + " x " + std::to_string(nv));
  RowMajorMatrix J(3, nv);
  CHECK(last_words([&] { link_jacobian(e.model, e.ws, 0, Axes::link, J); }) ==
        "J is 3 x " + std::to_string(nv) + "; expected 6 x " + std::to_string(nv));
  ExternalWrenches fx(e.model);
  CHECK(last_words([&] { fx.set(e.model, e.fx.leftCols(1)); }) ==
        "fx is 6 x 1; expected 6 x " + std::to_string(e.model.links.size()));
}
#endif
