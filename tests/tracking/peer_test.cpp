// The kinematic filter beside an invariant extended Kalman filter that was written independently, on the same readings.
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/eigen.hpp"
#include "support/walking_robot.hpp"
#include "tracking/forward.hpp"
#include "tracking/invariant_filter.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Eigen::Vector3d eigen(const Vector3& x) { return to_eigen(x); }
Eigen::Matrix3d eigen(const Matrix3& R) { return to_eigen(Pose<double>{R, {{0, 0, 0}}}).linear(); }

/// The peer's errors in the order of ours: (θ, v, p, d …, b) for (θ, p, v, b, d …).
std::vector<int> order_of(int size, int points) {
  std::vector<int> order{0, 1, 2, 6, 7, 8, 3, 4, 5};
  for (int k = 0; k < 3 * points; ++k) order.push_back(15 + k);
  for (int k = 9; k < 15; ++k) order.push_back(k);
  REQUIRE(static_cast<int>(order.size()) == size);
  return order;
}

struct Squares {
  double speed = 0, tilt = 0, bias = 0;
};

}  // namespace

TEST_CASE("the kinematic filter errs as an invariant filter does, within 2 %") {
  const WalkNoise noise;
  SensorSet set = walking_sensors(noise);
  const double walk_g = set.sensors[1].over_time.offset.walk = 1e-4, walk_a = set.sensors[2].over_time.offset.walk = 1e-3;
  set.start["q.base"] = {0.01, 0.01, 0.01, 0.02, 0.02, 0.02};
  const Layout layout(std::make_shared<const System>(walking_quadruped(), set));
  Squares ours, theirs, between;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WalkLog log = walk(1000, 250, seed, noise);
    Forward forward(layout, false);
    StartState start;
    start.given = start.moving = true;
    start.base = {rotation_from_quaternion(log.q[0].data() + 3), {{log.q[0][0], log.q[0][1], log.q[0][2]}}};
    start.velocity = {{{log.v[0][0], log.v[0][1], log.v[0][2]}}, {{log.v[0][3], log.v[0][4], log.v[0][5]}}};
    forward.start(start);
    REQUIRE(forward.step(log.readings[0].data(), 0, nullptr, nullptr).ok);
    const int points = static_cast<int>(layout.points.size());
    const std::vector<int> order = order_of(layout.size, points);
    MatrixXd X = MatrixXd::Identity(5 + points, 5 + points), P(layout.size, layout.size);
    const Knot& x0 = forward.base().knot();
    X.topLeftCorner<3, 3>() = eigen(x0.R), X.block<3, 1>(0, 3) = eigen(x0.v), X.block<3, 1>(0, 4) = eigen(x0.p);
    for (int f = 0; f < points; ++f) X.block<3, 1>(0, 5 + f) = eigen(x0.footholds[static_cast<std::size_t>(f)]);
    for (int i = 0; i < layout.size; ++i)
      for (int k = 0; k < layout.size; ++k)
        P(i, k) = forward.base().covariance().at(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(k)]);
    InvariantFilter peer(X, P, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    PointKinematics kinematics(layout);
    for (std::size_t k = 1; k < log.q.size(); ++k) {
      const std::vector<double>&y = log.readings[k], &before = log.readings[k - 1];
      REQUIRE(forward.step(y.data(), log.dt, nullptr, nullptr).ok);
      std::vector<double> foothold, q(static_cast<std::size_t>(layout.model.nq), 0.0);
      for (std::size_t f = 0; f < 4; ++f) {
        const double stands = y[18 + f] * before[18 + f], walk = stands * noise.foothold + (1 - stands) * 30;
        foothold.push_back(walk * walk * log.dt);
      }
      const Vector3 turn = layout.gyroscope.R * Vector3{{y[12], y[13], y[14]}},
                    push = layout.accelerometer.R * Vector3{{y[15], y[16], y[17]}};
      peer.propagate(eigen(turn), eigen(push), log.dt, noise.gyroscope, noise.accelerometer, 3e-5, walk_g, walk_a, foothold);
      for (std::size_t j = 0; j < 12; ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = y[j];
      kinematics.at(q.data());
      kinematics.find_deviations(layout.vertical);
      VectorXd r(3 * points);
      MatrixXd covariance = MatrixXd::Zero(3 * points, 3 * points);
      for (int f = 0; f < points; ++f) r.segment<3>(3 * f) = eigen(kinematics.point(f));
      for (std::size_t g = 0; g < layout.groups.size(); ++g) {  // a leg each
        REQUIRE(layout.groups[g].points.size() == 1);
        Eigen::Matrix3d L = Eigen::Matrix3d::Zero();
        for (int i = 0; i < 3; ++i)
          for (int c = 0; c <= i; ++c) L(i, c) = kinematics.factor(g)[3 * i + c];
        covariance.block<3, 3>(3 * layout.groups[g].points[0], 3 * layout.groups[g].points[0]) = L * L.transpose();
      }
      peer.correct(r, covariance);
      if (k < 250) continue;
      // the truth of the tracked frame, in its own axes
      const std::vector<double>&truth = log.q[k], &v = log.v[k];
      const Matrix3 base = rotation_from_quaternion(truth.data() + 3);
      kinematics.at(truth.data());
      const Pose<double> tracked = inverse(kinematics.base_in_tracked());
      const Matrix3 R = base * tracked.R;
      const Vector3 speed =
          transposed_times(tracked.R, Vector3{{v[3], v[4], v[5]}} + cross(Vector3{{v[0], v[1], v[2]}}, tracked.d));
      const auto add = [&](const Eigen::Matrix3d& turned, const Eigen::Vector3d& moving, const Eigen::Vector3d& offset,
                           Squares& to) {
        to.speed += (turned.transpose() * moving - eigen(speed)).squaredNorm();
        to.tilt += (turned.row(2) - eigen(R).row(2)).squaredNorm();
        to.bias += (offset - Eigen::Vector3d(log.gyroscope_offset.data())).squaredNorm();
      };
      const Knot& x = forward.base().knot();
      add(eigen(x.R), eigen(x.v), eigen(x.gyroscope_bias), ours);
      add(peer.X.topLeftCorner<3, 3>(), peer.X.block<3, 1>(0, 3), peer.gyroscope_offset, theirs);
      between.speed +=
          (peer.X.topLeftCorner<3, 3>().transpose() * peer.X.block<3, 1>(0, 3) - eigen(x.R).transpose() * eigen(x.v))
              .squaredNorm();
      between.tilt += (peer.X.block<1, 3>(2, 0) - eigen(x.R).row(2)).squaredNorm();
    }
  }
  CHECK(std::sqrt(ours.speed / theirs.speed) == Approx(1).margin(0.02));
  CHECK(std::sqrt(ours.tilt / theirs.tilt) == Approx(1).margin(0.02));
  CHECK(std::sqrt(ours.bias / theirs.bias) == Approx(1).margin(0.02));
  CHECK(between.speed < 0.01 * theirs.speed);
  CHECK(between.tilt < 0.01 * theirs.tilt);
}
