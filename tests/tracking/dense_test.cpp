// Forward and backward over the samples, beside one dense least-squares problem over all of them at the same linearisation.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "dense_lines.hpp"
#include "support/walking_robot.hpp"
#include "tracking/backward.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double inside = 3e-5;  // m, as forward.cpp has it

/// log(R₂ R₁ᵀ) of the links that roll, in the world, of encoders y and z at both knots, times r, × the vertical.
Vector3 rolled(const Layout& layout, std::size_t point, const Matrix3& first, const Matrix3& second,
               const std::vector<double>& y, const std::vector<double>& z) {
  PointKinematics points(layout);
  Matrix3 links[2];
  for (int end = 0; end < 2; ++end) {
    std::vector<double> q(static_cast<std::size_t>(layout.model.nq), 0.0);
    for (std::size_t j = 0; j < 12; ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = (end == 0 ? y : z)[j];
    points.at(q.data());
    const tracking::ContactPoint& at = layout.points[point];
    links[end] = (end == 0 ? first : second) * points.in_tracked(at.link, identity_pose<double>()).R;
  }
  return layout.points[point].radius * cross(logarithm(links[1] * transpose(links[0])), Vector3{{0, 0, 1}});
}

/// What a knot becomes under readings with noise n: gyroscope, accelerometer, place, walks of the offsets, footholds.
Knot next_of(const Layout& layout, const Knot& x, const std::vector<double>& before, const std::vector<double>& y, double dt,
             const double* n) {
  const Vector3 turn{{y[12], y[13], y[14]}}, push{{y[15], y[16], y[17]}};
  const Vector3 w = layout.gyroscope.R * (turn - x.gyroscope_bias - part(n, 0));
  const Vector3 a = layout.accelerometer.R * (push - x.accelerometer_bias - part(n, 3));
  Knot z = x;
  z.R = x.R * exponential(dt * w);
  z.v = x.v + dt * (layout.model.gravity + x.R * (exponential((dt / 2) * w) * a));
  z.p = x.p + (dt / 2) * x.v + (dt / 2) * z.v + part(n, 6);
  z.gyroscope_bias += part(n, 9);
  z.accelerometer_bias += part(n, 12);
  for (std::size_t k = 0; k < z.footholds.size(); ++k) {
    z.footholds[k] += part(n, 15 + 3 * static_cast<int>(k));
    if (layout.points[k].rolls()) z.footholds[k] += rolled(layout, k, x.R, z.R, before, y);
  }
  return z;
}

VectorXd errors(const Layout& layout, const Knot& x, const Knot& from) {
  VectorXd e(layout.size);
  local(layout, x, from, e.data());
  return e;
}

Knot moved(const Layout& layout, const Knot& x, const double* e) {
  Knot z = x;
  retract(layout, e, z);
  return z;
}

/// The encoders' deviation of all feet, by differences; of feet that roll that of the points of their links that are lowest
/// now.
MatrixXd feet_covariance(const Layout& layout, PointKinematics& points, const std::vector<double>& y, const Vector3& up,
                         double sigma, double own) {
  const int rows = 3 * static_cast<int>(layout.points.size());
  std::vector<double> q(static_cast<std::size_t>(layout.model.nq), 0.0);
  std::vector<Vector3> lowest;
  for (std::size_t j = 0; j < 12; ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = y[j];
  points.at(q.data());
  for (const tracking::ContactPoint& at : layout.points)
    lowest.push_back(at.in_link - at.radius * transposed_times(points.in_tracked(at.link, identity_pose<double>()).R, up));
  const MatrixXd J = derivative_by_six(12, rows, [&](const double* off) {
    for (std::size_t j = 0; j < 12; ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = y[j] + off[j];
    points.at(q.data());
    VectorXd r(rows);
    for (int k = 0; k < rows / 3; ++k)
      for (int c = 0; c < 3; ++c) {
        const Pose<double> link = points.in_tracked(layout.points[static_cast<std::size_t>(k)].link, identity_pose<double>());
        r[3 * k + c] = (link.R * lowest[static_cast<std::size_t>(k)] + link.d)[c];
      }
    return r;
  });
  for (std::size_t j = 0; j < 12; ++j) q[static_cast<std::size_t>(layout.joints[j].q)] = y[j];
  points.at(q.data());
  return sigma * sigma * J * J.transpose() + own * own * MatrixXd::Identity(rows, rows);
}

struct Dense {
  std::vector<VectorXd> mean;
  std::vector<MatrixXd> covariance;
};

/// Minimum over the errors of all knots of whitened rows: the prior, each interval, each knot's feet.
Dense dense_solution(const Layout& layout, const WalkLog& log, const WalkNoise& noise, double walk_g, double walk_a,
                     const std::vector<Knot>& about, const VectorXd& mean0, const MatrixXd& P0) {
  const int n = layout.size, knots = static_cast<int>(about.size()), feet = 3 * static_cast<int>(layout.points.size());
  MatrixXd A = MatrixXd::Zero(n + (knots - 1) * (n + feet), knots * n);
  VectorXd b = VectorXd::Zero(A.rows());
  const MatrixXd L0 = P0.llt().matrixL();
  A.topLeftCorner(n, n) = L0.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(n, n));
  b.head(n) = L0.triangularView<Eigen::Lower>().solve(mean0);
  PointKinematics points(layout);
  int row = n;
  for (int k = 0; k + 1 < knots; ++k) {
    const Knot &x = about[static_cast<std::size_t>(k)], &z = about[static_cast<std::size_t>(k + 1)];
    const std::vector<double>&before = log.readings[static_cast<std::size_t>(k)],
          &y = log.readings[static_cast<std::size_t>(k + 1)];
    const double dt = log.dt;
    const std::vector<double> none(static_cast<std::size_t>(n), 0.0);
    const Knot there = next_of(layout, x, before, y, dt, none.data());
    // e⁺ = F e + G n + c, with the derivatives taken at the predicted knot
    const MatrixXd F = derivative_by_six(n, n, [&](const double* e) {
      return errors(layout, next_of(layout, moved(layout, x, e), before, y, dt, none.data()), there);
    });
    MatrixXd G =
        derivative_by_six(n, n, [&](const double* e) { return errors(layout, next_of(layout, x, before, y, dt, e), there); });
    VectorXd sigma(n);
    sigma.segment(0, 3).setConstant(noise.gyroscope), sigma.segment(3, 3).setConstant(noise.accelerometer);
    sigma.segment(6, 3).setConstant(inside);
    sigma.segment(9, 3).setConstant(walk_g * std::sqrt(dt)), sigma.segment(12, 3).setConstant(walk_a * std::sqrt(dt));
    for (int f = 0; f < feet / 3; ++f) {
      const double stands =
          log.readings[static_cast<std::size_t>(k)][static_cast<std::size_t>(18 + f)] * y[static_cast<std::size_t>(18 + f)];
      sigma.segment(15 + 3 * f, 3).setConstant((stands * noise.foothold + (1 - stands) * 30) * std::sqrt(dt));
    }
    G = G * sigma.asDiagonal();
    const auto lu = G.fullPivLu();
    A.block(row, k * n, n, n) = -lu.solve(F);
    A.block(row, (k + 1) * n, n, n) = lu.inverse();
    b.segment(row, n) = lu.solve(errors(layout, there, z));
    row += n;
    const MatrixXd C = feet_covariance(layout, points, y, transposed_times(x.R, Vector3{{0, 0, 1}}), noise.encoder, 1e-4);
    const MatrixXd L = C.llt().matrixL();
    const auto seen = [&](const Knot& at) {
      VectorXd r(feet);
      for (int f = 0; f < feet / 3; ++f) {
        const Vector3 one = transposed_times(at.R, at.footholds[static_cast<std::size_t>(f)] - at.p);
        for (int c = 0; c < 3; ++c) r[3 * f + c] = one[c];
      }
      return r;
    };
    const MatrixXd H = derivative_by_six(n, feet, [&](const double* e) { return seen(moved(layout, z, e)); });
    VectorXd read(feet);
    for (int f = 0; f < feet / 3; ++f)
      for (int c = 0; c < 3; ++c) read[3 * f + c] = points.point(f)[c];
    A.block(row, (k + 1) * n, feet, n) = L.triangularView<Eigen::Lower>().solve(H);
    b.segment(row, feet) = L.triangularView<Eigen::Lower>().solve(read - seen(z));
    row += feet;
  }
  const VectorXd scale = A.colwise().norm().cwiseInverse();
  const Eigen::HouseholderQR<MatrixXd> qr(A * scale.asDiagonal());
  const MatrixXd R = qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
  const VectorXd e = scale.asDiagonal() * qr.solve(b);
  const MatrixXd inverse = scale.asDiagonal() * R.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(A.cols(), A.cols()));
  Dense found;
  for (int k = 0; k < knots; ++k) {
    found.mean.push_back(e.segment(k * n, n));
    const MatrixXd rows = inverse.middleRows(k * n, n);
    found.covariance.push_back(rows * rows.transpose());
  }
  return found;
}

}  // namespace

TEST_CASE("twenty knots forward and backward equal the dense solution at the same linearisation") {
  constexpr double walk_g = 1e-3, walk_a = 1e-2;
  const WalkNoise noise;
  SensorSet set = walking_sensors(noise);
  set.sensors[1].over_time.offset.walk = walk_g, set.sensors[2].over_time.offset.walk = walk_a;
  set.start["q.base"] = {0.1, 0.1, 0.1, 0.05, 0.05, 0.1};
  for (Sensor& s : set.sensors)  // one foot stands as a point
    if (s.type == "contact" && s.name != "foot3") s.over_time.contact.radius = s.name == "foot0" ? 0.2 : 0.02;
  const Layout layout(std::make_shared<const System>(walking_quadruped(), set));
  const WalkLog log = walk(120, 250, 11, noise);  // from the 60th sample on, two feet land and two lift off
  const std::size_t first = 50, knots = 21;
  WalkLog short_log = log;
  short_log.readings.assign(log.readings.begin() + first, log.readings.begin() + first + knots);

  // Knots to linearise about: the truth, roughly.
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  std::vector<Knot> about;
  PointKinematics points(layout);
  for (std::size_t k = 0; k < knots; ++k) {
    const std::vector<double>&q = log.q[first + k], &v = log.v[first + k];
    points.at(q.data());
    const Pose<double> base{rotation_from_quaternion(q.data() + 3), {{q[0], q[1], q[2]}}},
        tracked = base * inverse(points.base_in_tracked());
    Knot x(layout);
    x.R = tracked.R, x.p = tracked.d;
    x.v = base.R *
          (Vector3{{v[3], v[4], v[5]}} + cross(Vector3{{v[0], v[1], v[2]}}, transposed_times(base.R, tracked.d - base.d)));
    for (int f = 0; f < 4; ++f) x.footholds[static_cast<std::size_t>(f)] = x.p + x.R * points.point(f);
    std::vector<double> e(static_cast<std::size_t>(layout.size));
    for (double& each : e) each = 1e-3 * normal(rng);
    retract(layout, e.data(), x);
    about.push_back(x);
  }

  Forward forward(layout, false);
  StartState start;
  start.given = start.moving = true;
  const std::vector<double>&q0 = log.q[first], &v0 = log.v[first];
  start.base = {rotation_from_quaternion(q0.data() + 3), {{q0[0], q0[1], q0[2]}}};
  start.velocity = {{{v0[0], v0[1], v0[2]}}, {{v0[3], v0[4], v0[5]}}};
  std::vector<Sample> records(knots, Sample(layout));
  forward.start(start);
  for (std::size_t k = 0; k < knots; ++k)
    REQUIRE(forward.step(short_log.readings[k].data(), log.dt, &about[k], &records[k]).ok);

  const int n = layout.size;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  MatrixXd P0 = Eigen::Map<const Rows>(records[0].base.P.values.data(), n, n);
  const VectorXd mean0 = Eigen::Map<const VectorXd>(records[0].base.mean.data(), n);
  REQUIRE(P0.llt().info() == Eigen::Success);
  const Dense dense = dense_solution(layout, short_log, noise, walk_g, walk_a, about, mean0, P0);

  // The newest knot by the filter alone, and all knots by going back.
  const auto beside = [&](const VectorXd& mean, const MatrixXd& P, std::size_t k) {
    const VectorXd sd = dense.covariance[k].diagonal().cwiseSqrt();
    CHECK((mean - dense.mean[k]).cwiseQuotient(sd).cwiseAbs().maxCoeff() < 1e-9);  // in deviations
    const MatrixXd scaled = sd.cwiseInverse().asDiagonal() * (P - dense.covariance[k]) * sd.cwiseInverse().asDiagonal();
    CHECK(scaled.cwiseAbs().maxCoeff() < 2e-9);
  };
  beside(Eigen::Map<const VectorXd>(records.back().base.mean.data(), n),
         Eigen::Map<const Rows>(records.back().base.P.values.data(), n, n), knots - 1);
  Backward backward(layout, true);
  backward.begin(records.back());
  for (std::size_t k = knots; k-- > 0;) {
    if (k + 1 < knots) backward.step(records[k + 1], records[k], 300);
    const Snapshot found = backward.snapshot(records[k], nullptr);
    beside(errors(layout, found.x, about[k]), Eigen::Map<const Rows>(found.P.values.data(), n, n), k);
  }
}

TEST_CASE("a joint's positions forward and backward equal their dense solution") {
  std::mt19937 rng(2);
  std::normal_distribution<double> normal;
  constexpr int knots = 12;
  constexpr double sigma = 1e-3, acceleration = 200;
  std::vector<double> dt{0}, y{normal(rng)};
  for (int k = 1; k < knots; ++k) dt.push_back(0.002 + 0.004 * (k % 3)), y.push_back(0.1 * normal(rng));
  std::vector<JointState> states{{0.2, -0.5, 0.09, 0.01, 4}};
  take_position(states[0], y[0], sigma);
  for (int k = 1; k < knots; ++k) {
    states.push_back(predicted(states.back(), dt[static_cast<std::size_t>(k)], acceleration));
    take_position(states.back(), y[static_cast<std::size_t>(k)], sigma);
  }
  std::vector<JointState> late = states;
  for (std::size_t k = knots - 1; k-- > 0;) late[k] = smoothed(states[k], late[k + 1], dt[k + 1], acceleration);

  MatrixXd A = MatrixXd::Zero(2 + knots + 2 * (knots - 1), 2 * knots);
  VectorXd b = VectorXd::Zero(A.rows());
  MatrixXd P0(2, 2);
  P0 << 0.09, 0.01, 0.01, 4;
  const MatrixXd W0 = MatrixXd(P0.llt().matrixL()).inverse();
  A.topLeftCorner(2, 2) = W0, b.head(2) = W0 * Eigen::Vector2d(0.2, -0.5);
  int row = 2;
  for (int k = 0; k < knots; ++k, ++row) A(row, 2 * k) = 1 / sigma, b[row] = y[static_cast<std::size_t>(k)] / sigma;
  for (int k = 1; k < knots; ++k) {
    const double h = dt[static_cast<std::size_t>(k)], w = 1 / (0.04 * acceleration * h * h), u = 1 / (acceleration * h);
    A(row, 2 * k) = w, A(row, 2 * k - 2) = -w, A(row, 2 * k - 1) = -0.4 * h * w, A(row++, 2 * k + 1) = -0.6 * h * w;
    A(row, 2 * k + 1) = u, A(row++, 2 * k - 1) = -u;
  }
  const VectorXd x = A.householderQr().solve(b);
  const MatrixXd P = (A.transpose() * A).inverse();
  for (int k = 0; k < knots; ++k) {
    const JointState& s = late[static_cast<std::size_t>(k)];
    CHECK(s.q == Approx(x[2 * k]).epsilon(1e-8));
    CHECK(s.dq == Approx(x[2 * k + 1]).epsilon(1e-8));
    CHECK(s.qq == Approx(P(2 * k, 2 * k)).epsilon(1e-7));
    CHECK(s.qv == Approx(P(2 * k, 2 * k + 1)).epsilon(1e-7));
    CHECK(s.vv == Approx(P(2 * k + 1, 2 * k + 1)).epsilon(1e-7));
  }
}
