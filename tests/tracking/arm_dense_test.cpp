// Rows of the whole body, forward and backward over the samples, beside one dense least-squares problem over all of them at the
// same linearisation; and the derivatives of the rows beside differences.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "dense_lines.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "tracking/whole/whole_backward.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Encoders with offsets, torque sensors with offsets that walk, an accelerometer on the tip, a wrench that walks.
std::shared_ptr<const System> richly_read(const Model& arm) {
  SensorSet set = arm_sensors(arm.links.back().name, {1e-3, 0.3, 3, 30});
  set.sensors[0].over_time.offset = {1e-2, 0, true};
  set.sensors[1].over_time.offset = {1, 0.5, true};
  Sensor push;
  push.name = "push", push.type = "accelerometer", push.sigma = {0.2}, push.targets = {{arm.links.back().name}};
  push.over_time.offset = {0.3, 0.05, true};
  Sensor turn;
  turn.name = "turn", turn.type = "gyroscope", turn.sigma = {0.01}, turn.targets = {{arm.links[3].name}};
  set.sensors.push_back(push), set.sensors.push_back(turn);
  return std::make_shared<const System>(arm, set);
}

/// The problem in unknowns u: the first knot's errors, then of each interval its own z or their walk, the offsets' walk, and
/// what the velocity does inside.
class DenseArm : public DenseLines {
 public:
  DenseArm(const WholeLayout& layout, IntervalRows& rows, const std::vector<WholeKnot>& about,
           const std::vector<std::vector<double>>& y, double dt)
      : layout_(layout), rows_(rows), about_(about), y_(y), dt_(dt), n_(layout.size) {
    const auto knots = static_cast<Eigen::Index>(about.size());
    each_ = static_cast<Eigen::Index>(layout.unknowns.size() + layout.offsets.size()) + layout.nv;
    size_ = n_ + (knots - 1) * each_;
    first_knot();
    for (std::size_t k = 1; k < about.size(); ++k) interval(k);
    solve();
  }

 private:
  AffineErrors zero(Eigen::Index rows) const { return {MatrixXd::Zero(rows, size_), VectorXd::Zero(rows)}; }

  void knot_readings(std::size_t k, const AffineErrors& e) {
    for (const KnotReading& reading : layout_.knots) {
      VectorXd h = VectorXd::Zero(n_);
      h[layout_.position_error(reading.v)] = 1;
      double z = y_[k][static_cast<std::size_t>(reading.input)] - about_[k].q[static_cast<std::size_t>(reading.v)];
      if (reading.offset >= 0)
        h[reading.offset] = 1, z -= about_[k].offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
      line(h, e, z, reading.sigma);
    }
  }

  void first_knot() {
    AffineErrors e = zero(n_);
    e.M.leftCols(n_).setIdentity();
    for (int i = 0; i < layout_.nv; ++i) {
      line_of(i,
              y_[0][static_cast<std::size_t>(layout_.knots[static_cast<std::size_t>(i)].input)] -
                  about_[0].q[static_cast<std::size_t>(i)],
              1);
      line_of(layout_.nv + i, -about_[0].dq[static_cast<std::size_t>(i)], 10);
    }
    for (std::size_t i = 0; i < layout_.offsets.size(); ++i)
      line_of(layout_.first_offset + static_cast<int>(i), -about_[0].offsets[i], layout_.offsets[i].sigma);
    for (std::size_t i = 0; i < layout_.unknowns.size(); ++i)
      line_of(layout_.first_unknown + static_cast<int>(i), -about_[0].z[i], layout_.unknowns[i].sigma);
    knot_readings(0, e);
    errors_.push_back(e);
  }

  void interval(std::size_t k) {
    const WholeKnot &x = about_[k - 1], &next = about_[k];
    const int nv = layout_.nv, zs = static_cast<int>(layout_.unknowns.size()), bs = static_cast<int>(layout_.offsets.size());
    const Eigen::Index own = n_ + static_cast<Eigen::Index>(k - 1) * each_;
    AffineErrors e = errors_.back();
    for (int i = 0; i < zs; ++i) {
      const IntervalUnknown& unknown = layout_.unknowns[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(i);
      const int error = layout_.first_unknown + i;
      if (unknown.walks) {
        e.c[error] += x.z[at] - next.z[at];
        e.M(error, own + i) += 1;
        line_of(own + i, 0, unknown.walk * std::sqrt(dt_));
      } else {
        e.M.row(error).setZero(), e.c[error] = 0;
        e.M(error, own + i) = 1;
        line_of(own + i, -next.z[at], unknown.sigma);
      }
    }
    for (int i = 0; i < bs; ++i) {
      const double walk = layout_.offsets[static_cast<std::size_t>(i)].walk;
      line_of(own + zs + i, 0, walk > 0 ? walk * std::sqrt(dt_) : 1);
      if (walk > 0) e.M(layout_.first_offset + i, own + zs + i) += 1;
    }
    interval_readings(k, e);
    const double inside = 0.01 * layout_.acceleration_sigma * dt_ * dt_;
    const AffineErrors before = e;
    for (int i = 0; i < nv; ++i) {
      const int z = layout_.first_unknown + i;
      const auto at = static_cast<std::size_t>(i);
      e.M.row(i) += dt_ * before.M.row(nv + i) + 0.5 * dt_ * dt_ * before.M.row(z);
      e.c[i] += dt_ * before.c[nv + i] + 0.5 * dt_ * dt_ * before.c[z] + x.q[at] + dt_ * x.dq[at] +
                0.5 * dt_ * dt_ * next.z[at] - next.q[at];
      e.M.row(nv + i) += dt_ * before.M.row(z);
      e.c[nv + i] += dt_ * before.c[z] + x.dq[at] + dt_ * next.z[at] - next.dq[at];
      e.M(i, own + zs + bs + i) += 1;
      line_of(own + zs + bs + i, 0, inside);
    }
    for (int i = 0; i < bs; ++i)
      e.c[layout_.first_offset + i] += x.offsets[static_cast<std::size_t>(i)] - next.offsets[static_cast<std::size_t>(i)];
    knot_readings(k, e);
    errors_.push_back(e);
  }

  void interval_readings(std::size_t k, const AffineErrors& e) {
    const WholeKnot &x = about_[k - 1], &next = about_[k];
    const int nv = layout_.nv;
    std::vector<double> q(x.q), v(x.dq), none(layout_.system->inputs().size(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) q[i] += 0.5 * dt_ * x.dq[i], v[i] += 0.5 * dt_ * next.z[i];
    rows_.find_derivatives(q.data(), v.data(), none.data(), next.z.data());
    for (int i = 0; i < rows_.rows(); ++i) {
      const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
      const double* const d = rows_.derivative(i);
      VectorXd h = VectorXd::Zero(n_);
      for (int c = 0; c < nv; ++c) {
        h[c] = d[rows_.of_q() + c];
        h[nv + c] = d[rows_.of_v() + c] + 0.5 * dt_ * d[rows_.of_q() + c];
      }
      for (int c = 0; c < rows_.of_q(); ++c) h[layout_.first_unknown + c] = d[c];
      for (int c = 0; c < nv; ++c) h[layout_.first_unknown + c] += 0.5 * dt_ * d[rows_.of_v() + c];
      const bool turns = i >= static_cast<int>(rows_.equations().size());
      double z = y_[k][static_cast<std::size_t>(reading.input)] + (turns ? -rows_.residual(i) : rows_.residual(i));
      if (reading.offset >= 0)
        h[reading.offset] = 1, z -= x.offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
      line(h, e, z, std::sqrt(reading.variance));
    }
  }

  const WholeLayout& layout_;
  IntervalRows& rows_;
  const std::vector<WholeKnot>& about_;
  const std::vector<std::vector<double>>& y_;
  double dt_;
  Eigen::Index n_, each_ = 0;
};

}  // namespace

TEST_CASE("rows of an interval and their derivatives by accelerations, wrenches and the state, beside differences") {
  const Model arm = arm_like_ur5();
  const auto system = richly_read(arm);
  IntervalRows rows(*system);
  const Outputs outputs(*system, {"tau", "acc", "f", "fx"});
  rows.watch(outputs);
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  const auto draw = [&](std::size_t n) {
    std::vector<double> x(n);
    for (double& each : x) each = normal(rng);
    return x;
  };
  const auto n = static_cast<std::size_t>(arm.nv);
  std::vector<double> q = draw(n), v = draw(n), y = draw(system->inputs().size()), z = draw(rows.free_unknowns().size());
  REQUIRE(rows.rows() == 6 + 3 + 3);
  rows.find_derivatives(q.data(), v.data(), y.data(), z.data());
  std::vector<std::vector<double>> D, T;
  for (int i = 0; i < rows.rows(); ++i) D.emplace_back(rows.derivative(i), rows.derivative(i) + rows.width());
  for (int u = 0; u < static_cast<int>(system->unknowns().size()); ++u)
    T.emplace_back(rows.unknown_derivative(u), rows.unknown_derivative(u) + rows.width());
  // Y x = y − b holds with x of the equations of motion: residuals of the laws of motion are zero, of readings y − prediction
  for (int c = 0; c < rows.width(); ++c) {
    double& moved = c < rows.of_q()   ? z[static_cast<std::size_t>(c)]
                    : c < rows.of_v() ? q[static_cast<std::size_t>(c - rows.of_q())]
                                      : v[static_cast<std::size_t>(c - rows.of_v())];
    const double h = 1e-4, at = moved;
    std::vector<double> residual[2], x[2];
    for (int side = 0; side < 2; ++side) {
      moved = at + (side ? h : -h);
      rows.find(q.data(), v.data(), y.data(), z.data());
      for (int i = 0; i < rows.rows(); ++i) residual[side].push_back(rows.residual(i));
      x[side].assign(rows.unknowns(), rows.unknowns() + system->unknowns().size());
    }
    moved = at;
    for (std::size_t i = 0; i < D.size(); ++i) {
      const double sign = i < rows.equations().size() ? -1 : 1;
      const double slope = sign * (residual[1][i] - residual[0][i]) / (2 * h);
      CHECK(std::abs(D[i][static_cast<std::size_t>(c)] - slope) < 1e-6 * (1 + std::abs(slope)));
    }
    double worst = 0;
    for (std::size_t u = 0; u < T.size(); ++u) {
      const double slope = (x[1][u] - x[0][u]) / (2 * h);
      worst = std::max(worst, std::abs(T[u][static_cast<std::size_t>(c)] - slope) / (1 + std::abs(slope)));
    }
    CHECK(worst < 1e-5);
  }
}

TEST_CASE("an arm's filter, and the way back over its samples, beside a dense solution of fourteen knots") {
  const Model arm = arm_like_ur5();
  const auto system = richly_read(arm);
  IntervalRows rows(*system);
  const WholeLayout layout(system, rows);
  std::mt19937 rng(11);
  std::normal_distribution<double> normal;
  const ArmLog log = push_arm(arm, arm.links.back().name, 14, 250, 3, {1e-3, 0.3, 3, 30});
  std::vector<std::vector<double>> y;
  std::vector<WholeKnot> about;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    std::vector<double> row = log.readings[k];
    row.resize(layout.inputs.size());
    // encoders, gyroscope, then torques and accelerometer of the system
    std::copy_n(log.readings[k].begin() + 6, 6, row.begin() + layout.first_system_input);
    const std::vector<double> none(system->inputs().size(), 0.0);
    std::vector<double> pushed = log.ddq[k];
    pushed.insert(pushed.end(), log.fx[k].begin(), log.fx[k].end());
    rows.find(log.q[k].data(), log.v[k].data(), none.data(), pushed.data());
    for (int i = 0; i < 3; ++i) {
      row[static_cast<std::size_t>(15 + i)] = -rows.residual(6 + i) + 0.2 * normal(rng);  // accelerometer
      row[static_cast<std::size_t>(6 + i)] = rows.residual(9 + i) + 0.01 * normal(rng);   // gyroscope
    }
    y.push_back(row);
    WholeKnot x(layout);
    for (std::size_t j = 0; j < 6; ++j) x.q[j] = log.q[k][j] + 1e-3 * normal(rng), x.dq[j] = log.v[k][j] + 0.02 * normal(rng);
    for (double& b : x.offsets) b = 0.01 * normal(rng);
    for (double& z : x.z) z = normal(rng);
    about.push_back(x);
  }
  const DenseArm dense(layout, rows, about, y, log.dt);

  WholeForward forward(layout, rows);
  forward.start();
  std::vector<WholeSample> records(y.size(), WholeSample(layout, forward.most_rows()));
  for (std::size_t k = 0; k < y.size(); ++k) REQUIRE(forward.step(y[k].data(), log.dt, &about[k], &records[k]).ok);
  WholeBackward backward(layout, true);
  backward.begin();
  // At the first knot the velocities' variance falls from 100 to 3e-5, as a difference.
  struct Worst {
    double mean = 0, covariance = 0;
  } later, first;
  for (std::size_t k = y.size(); k-- > 0;) {
    if (k + 1 < y.size()) backward.step(records[k + 1]);
    const WholeSnapshot sample = backward.snapshot(records[k]);
    Worst& worst = k == 0 ? first : later;
    VectorXd e(layout.size);
    local(layout, sample.x, about[k], e.data());
    for (int i = 0; i < layout.size; ++i) {
      const double sd = std::sqrt(dense.covariance[k](i, i));
      worst.mean = std::max(worst.mean, std::abs(e[i] - dense.mean[k][i]) / sd);
      for (int j = 0; j < layout.size; ++j) {
        const double scale = sd * std::sqrt(dense.covariance[k](j, j));
        worst.covariance =
            std::max(worst.covariance, std::abs(sample.P[i * layout.size + j] - dense.covariance[k](i, j)) / scale);
      }
    }
  }
  CAPTURE(later.mean, later.covariance, first.mean, first.covariance);
  CHECK(later.mean < 1e-8);
  CHECK(later.covariance < 1e-8);
  CHECK(first.mean < 1e-6);
  CHECK(first.covariance < 1e-3);
}
