// Covariances of a floating base's pose and velocity, as columns cov.A|B.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "support/heap.hpp"
#include "support/legged_robot.hpp"
#include "tracking/rotation_vector.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using sparsedyn::tracking::Vector3;

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr const char* pose_errors[] = {"q.base.x", "q.base.y", "q.base.z", "q.base.rx", "q.base.ry", "q.base.rz"};
constexpr const char* velocity_errors[] = {"dq.base.vx", "dq.base.vy", "dq.base.vz", "dq.base.wx", "dq.base.wy", "dq.base.wz"};

double number_of(const Tracker& tracker, const std::vector<double>& out, const std::string& column) {
  const auto found = std::find(tracker.columns().begin(), tracker.columns().end(), column);
  return found == tracker.columns().end() ? std::nan("") : out[static_cast<std::size_t>(found - tracker.columns().begin())];
}

/// By the columns: variances from sd.*, each covariance from whichever order its column has.
Matrix6 matrix_of(const Tracker& tracker, const std::vector<double>& out, const char* const (&errors)[6]) {
  Matrix6 C;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) {
      const std::string a = errors[i], b = errors[k];
      const double sd = number_of(tracker, out, "sd." + a), pair = number_of(tracker, out, "cov." + a + "|" + b);
      C(i, k) = i == k ? sd * sd : std::isnan(pair) ? number_of(tracker, out, "cov." + b + "|" + a) : pair;
    }
  return C;
}

struct Found {
  Matrix6 pose, velocity;
  std::vector<double> out;
  double nees = 0;
};

/// After a walk from a start that is turned by `yaw` about the world's z, as the truth is.
Found walked(TrackRows rows, const SensorSet& set, double yaw, const WalkLog& log, const Efforts& efforts) {
  TrackerOptions options;
  options.rows = rows, options.outputs = {"q.base", "dq.base"}, options.deviations = options.base_covariances = true;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  REQUIRE(tracker.columns().size() == 13 + 12 + 30);
  const double c = std::cos(yaw), s = std::sin(yaw);
  const auto turned = [&](std::vector<double> q) {
    const double half[2] = {std::cos(yaw / 2), std::sin(yaw / 2)}, x = q[3], y = q[4], z = q[5], w = q[6];
    const double place[2] = {c * q[0] - s * q[1], s * q[0] + c * q[1]};
    q[0] = place[0], q[1] = place[1];
    q[3] = half[0] * x - half[1] * y, q[4] = half[0] * y + half[1] * x, q[5] = half[0] * z + half[1] * w;
    q[6] = half[0] * w - half[1] * z;
    return q;
  };
  std::mt19937 rng(2);
  Found found;
  found.out.resize(tracker.columns().size());
  tracker.start(turned(log.q[0]).data(), log.v[0].data());
  long taken = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    const std::vector<double> row = row_of(tracker, log, efforts, k, rng);
    bool ok = false;
    taken += allocations_of([&] { ok = tracker.step(row.data(), log.dt, found.out.data()).ok; });
    REQUIRE(ok);
  }
  CHECK(taken == 0);
  found.pose = matrix_of(tracker, found.out, pose_errors), found.velocity = matrix_of(tracker, found.out, velocity_errors);
  found.nees = tracker.nees(turned(log.q.back()).data(), nullptr);
  return found;
}

/// C with its blocks turned by yaw.
Matrix6 turned_by(double yaw, const Matrix6& C) {
  const Eigen::Matrix3d R = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  Matrix6 T = Matrix6::Zero();
  T.topLeftCorner<3, 3>() = R, T.bottomRightCorner<3, 3>() = R;
  return T * C * T.transpose();
}

}  // namespace

TEST_CASE("a base's covariances turn with the axes of its pose, and not with those of its velocity") {
  const WalkLog log = walk(200, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    INFO((rows == TrackRows::kinematic));
    const double yaw = 1.1;
    const Found plain = walked(rows, legged_sensors(), 0, log, efforts),
                turned = walked(rows, legged_sensors(), yaw, log, efforts);
    const Matrix6 expected = turned_by(yaw, plain.pose);
    CHECK((turned.pose - expected).norm() < 1e-9 * expected.norm());
    CHECK((turned.velocity - plain.velocity).norm() < 1e-9 * plain.velocity.norm());
    for (const Matrix6& C : {plain.pose, plain.velocity}) {
      CHECK(Eigen::SelfAdjointEigenSolver<Matrix6>(C).eigenvalues().minCoeff() > 0);
      const Eigen::VectorXd sd = C.diagonal().cwiseSqrt();
      CHECK((C.cwiseQuotient(sd * sd.transpose()) - Matrix6::Identity()).cwiseAbs().maxCoeff() > 0.1);
    }
  }
}

TEST_CASE("a base's covariance judges an error as the tracker's own nees does, which takes it from other errors") {
  const WalkLog log = walk(200, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  const Found found = walked(TrackRows::kinematic, legged_sensors(), 0, log, efforts);
  const double *q = log.q.back().data(), *at = found.out.data();
  const auto R = tracking::Matrix3(rotation_from_quaternion(q + 3)),
             estimated = tracking::Matrix3(rotation_from_quaternion(at + 3));
  const Vector3 turn = tracking::logarithm(R * transpose(estimated));
  Eigen::Matrix<double, 6, 1> e;
  for (int k = 0; k < 3; ++k) e[k] = q[k] - at[k], e[3 + k] = turn[k];
  const double nees = e.dot(found.pose.ldlt().solve(e)) / 6;
  REQUIRE(found.nees > 0);
  CHECK(nees == Approx(found.nees).epsilon(0.02));
}

TEST_CASE("encoders between a base and its IMU open the base's covariances as its axes turn") {
  SensorSet set = walking_sensors();
  Vector3 upwards{};
  for (Sensor& sensor : set.sensors) {
    if (sensor.type == "accelerometer") upwards = transposed_times(sensor.frame.R, Vector3{{0, 0, 9.81}});
    if (sensor.type == "gyroscope" || sensor.type == "accelerometer") sensor.targets = {{"shank0"}};
    if (sensor.type == "joint_position") sensor.sigma = {0.05};
  }
  const double yaw = 0.7;
  Matrix6 found[2];
  for (const bool turned : {false, true}) {
    TrackerOptions options;
    options.rows = TrackRows::kinematic, options.outputs = {"q.base", "dq.base"};
    options.deviations = options.base_covariances = true;
    Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
    const double half = turned ? yaw / 2 : 0;
    std::vector<double> q(static_cast<std::size_t>(walking_quadruped().nq), 0.0), row, out(tracker.columns().size());
    q[2] = 0.5, q[5] = std::sin(half), q[6] = std::cos(half);
    for (const TrackerInput& input : tracker.inputs()) {
      const std::string& name = input.columns.front();
      const bool pushed = name.find("accelerometer.a") != std::string::npos;
      row.push_back(input.is_flag ? 1 : pushed ? upwards[name.back() - 'x'] : 0);
    }
    tracker.start(q.data(), std::vector<double>(18, 0.0).data());
    for (int k = 0; k < 25; ++k) REQUIRE(tracker.step(row.data(), 0.004, out.data()).ok);
    found[turned] = matrix_of(tracker, out, pose_errors);
  }
  CHECK((found[1] - turned_by(yaw, found[0])).norm() < 1e-9 * found[0].norm());
  CHECK(Eigen::SelfAdjointEigenSolver<Matrix6>(found[0]).eigenvalues().minCoeff() > 0);
}

// In free flight nothing tells of the gyroscope's offset b. The IMU's velocity v in the world is known, the axes in which the
// base reads it are not: they turn by −t b after t, and ω by −b. So, d from the IMU to the base, all in the base's axes,
//   δv = t b × v − b × d,   δω = −b,   cov(δv, δω) = σ² (t v× − d×),   cov(δv, δv) = σ² (t v× − d×) (t v× − d×)ᵀ
TEST_CASE("what a gyroscope's offset does to a base's velocity is correlated with what it does to its angular velocity") {
  const double offset = 1e-3, dt = 0.004;
  SensorSet set = walking_sensors();
  Vector3 imu{};
  for (Sensor& sensor : set.sensors) {
    if (sensor.type != "gyroscope" && sensor.type != "accelerometer") continue;
    sensor.sigma = {1e-9};
    sensor.over_time.offset = {offset, 0, sensor.type == "gyroscope"};
    imu = sensor.frame.d;
  }
  set.start["q.base"] = {1e-9}, set.start["dq"] = {1e-9};
  TrackerOptions options;
  options.rows = TrackRows::kinematic, options.outputs = {"q.base", "dq.base"};
  options.deviations = options.base_covariances = true;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  std::vector<double> q(static_cast<std::size_t>(walking_quadruped().nq), 0.0), v(18, 0.0), row, out(tracker.columns().size());
  q[2] = 0.5, q[3] = 0.3, q[4] = -0.2, q[5] = 0.5, q[6] = std::sqrt(1 - 0.3 * 0.3 - 0.2 * 0.2 - 0.5 * 0.5);
  v[3] = 3, v[4] = -1, v[5] = 2;
  row.assign(tracker.inputs().size(), 0.0);
  tracker.start(q.data(), v.data());
  REQUIRE(tracker.step(row.data(), dt, out.data()).ok);
  constexpr int steps = 50;
  for (int k = 0; k < steps; ++k) REQUIRE(tracker.step(row.data(), dt, out.data()).ok);
  const double t = steps * dt;
  const Vector3 moving = Vector3{{3, -1, 2}} + t * transposed_times(tracking::Matrix3(rotation_from_quaternion(q.data() + 3)),
                                                                    walking_quadruped().gravity),
                d = -1.0 * imu;
  const tracking::Matrix3 by_offset = hat(t * moving - d);
  Eigen::Matrix3d H;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) H(i, k) = offset * by_offset(i, k);
  const Matrix6 C = matrix_of(tracker, out, velocity_errors);
  CHECK((C.topRightCorner<3, 3>() - offset * H).norm() < 1e-3 * offset * H.norm());
  CHECK((C.topLeftCorner<3, 3>() - H * H.transpose()).norm() < 1e-3 * H.squaredNorm());
}
