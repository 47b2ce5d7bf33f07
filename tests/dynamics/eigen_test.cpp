// The Eigen overloads give what the pointers give, without a copy on the heap.
#include "sparsedyn/dynamics/eigen.hpp"

#include <catch2/catch.hpp>

#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("algorithms on Eigen vectors undo each other without the heap") {
  const Model model = random_tree(8, 2, {true, true, 0.4, every_joint_kind()});
  std::mt19937 rng(2);
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), model.nq);
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(s.v.data(), model.nv);
  const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(s.a.data(), model.nv);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(model.nv);
  Eigen::VectorXd tau(model.nv), bias(model.nv), gravity(model.nv), held(model.nv), again(model.nv);
  Eigen::MatrixXd M(model.nv, model.nv), inverse(model.nv, model.nv);
  bool solved = false;
  CHECK(allocations_of([&] {
          rnea(model, ws, q, v, a, tau);
          solved = aba(model, ws, q, v, tau, again).ok();
          bias_forces(model, ws, q, v, bias);
          bias_forces(model, ws, q, still, held);
          gravity_torques(model, ws, q, gravity);
          crba(model, ws, q, M);
          solved = minverse(model, ws, q, inverse).ok() && solved;
        }) == 0);
  REQUIRE(solved);
  const double size = 1 + tau.norm();
  CHECK((M * a + bias - tau).norm() < 1e-12 * size);
  CHECK((gravity - held).norm() < 1e-12 * size);
  CHECK((again - a).norm() < 1e-13 * size * inverse.norm());
  CHECK((inverse * (tau - bias) - a).norm() < 1e-13 * size * inverse.norm());
}
