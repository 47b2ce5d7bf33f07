// Joints of several freedoms in rows of the whole body: a step's derivative beside differences, the filter and the way back
// beside one dense problem whose derivatives are all differences, and deviations beside a simulated truth.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "dense_lines.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "tracking/shared/group_joint.hpp"
#include "tracking/whole/whole_backward.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A chain of a hinge, a ball, a plane, a free body, a slider, and three parts in a row.
Model chain_of_groups() {
  std::mt19937 rng(17);
  ModelBuilder builder("groups");
  builder.root("root", random_inertia(rng), false);
  std::string parent = "root";
  int n = 0;
  for (JointKind kind : {JointKind::revolute, JointKind::spherical, JointKind::planar, JointKind::prismatic,
                         JointKind::composite, JointKind::floating}) {
    const std::string name = "link" + std::to_string(++n);
    const Inertia<double> inertia = random_inertia(rng);
    const Pose<double> placement = random_pose(rng);
    builder.link(name, inertia, parent, "joint" + std::to_string(n), random_joint(rng, kind), placement);
    parent = name;
  }
  return builder.build();
}

/// Encoders, torque sensors with offsets, an accelerometer and a gyroscope at the end.
std::shared_ptr<const System> read_system(const Model& robot) {
  SensorSet set;
  const auto add = [&](const char* name, const char* type, double sigma, bool everywhere) {
    Sensor s;
    s.name = name, s.type = type, s.sigma = {sigma}, s.all = everywhere;
    if (!everywhere) s.targets = {{robot.links.back().name}};
    set.sensors.push_back(s);
  };
  add("encoders", "joint_position", 1e-3, true), add("torques", "joint_torque", 0.3, true);
  set.sensors.back().over_time.offset = {1, 0.5, true};
  add("push", "accelerometer", 0.2, false), add("turn", "gyroscope", 0.01, false);
  add("nothing", "external_wrench", 0, true);
  set.sensors.back().value = {0.0};
  return std::make_shared<const System>(robot, set);
}

/// Errors of q (from the right), of dq and of z.
std::vector<double> part(const double* x, int first, int count) { return {x + first, x + first + count}; }

/// The problem of a chain, in the first knot's errors and each interval's z, walks of offsets and noise of q.
class DenseGroups : public DenseLines {
 public:
  DenseGroups(const WholeLayout& layout, IntervalRows& rows, const std::vector<WholeKnot>& about,
              const std::vector<std::vector<double>>& y, double dt)
      : layout_(layout), rows_(rows), about_(about), y_(y), dt_(dt), nv_(layout.nv), n_(layout.size) {
    zs_ = static_cast<int>(layout.unknowns.size()), bs_ = static_cast<int>(layout.offsets.size());
    each_ = zs_ + bs_ + nv_;
    size_ = n_ + (static_cast<Eigen::Index>(about.size()) - 1) * each_;
    first_knot();
    for (std::size_t k = 1; k < about.size(); ++k) interval(k);
    solve();
  }

 private:
  /// q ⊕ δ of the whole robot.
  std::vector<double> moved(const std::vector<double>& q, const std::vector<double>& delta) const {
    std::vector<double> out(q.size());
    integrate(layout_.model, q.data(), delta.data(), out.data());
    return out;
  }
  std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to) const {
    std::vector<double> delta(static_cast<std::size_t>(nv_));
    difference(layout_.model, from.data(), to.data(), delta.data());
    return delta;
  }

  /// Each freedom's own deviation is the encoders': their readings are q itself.
  void knot_readings(std::size_t k, const AffineErrors& e) {
    std::vector<double> read(static_cast<std::size_t>(layout_.model.nq));
    for (const KnotReading& reading : layout_.knots)
      read[static_cast<std::size_t>(layout_.coordinate(reading.v))] = y_[k][static_cast<std::size_t>(reading.input)];
    for (const GroupReading& reading : layout_.group_readings) {
      const GroupJoint& group = layout_.groups[static_cast<std::size_t>(reading.group)];
      for (int c = 0; c < group.coordinates; ++c)
        read[static_cast<std::size_t>(group.q + c)] =
            y_[k][static_cast<std::size_t>(reading.inputs[static_cast<std::size_t>(c)])];
    }
    REQUIRE(normalise(layout_.model, read.data()));
    const std::vector<double> delta = between(about_[k].q, read);
    for (int v = 0; v < nv_; ++v) {
      VectorXd h = VectorXd::Zero(n_);
      h[v] = 1;
      line(h, e, delta[static_cast<std::size_t>(v)], 1e-3);
    }
    if (k > 0) return;
    for (int v = 0; v < nv_; ++v)
      line_of(v, delta[static_cast<std::size_t>(v)], 1), line_of(nv_ + v, -about_[0].dq[static_cast<std::size_t>(v)], 10);
  }

  void first_knot() {
    AffineErrors e{MatrixXd::Zero(n_, size_), VectorXd::Zero(n_)};
    e.M.leftCols(n_).setIdentity();
    for (int i = 0; i < bs_; ++i)
      line_of(layout_.first_offset + i, -about_[0].offsets[static_cast<std::size_t>(i)],
              layout_.offsets[static_cast<std::size_t>(i)].sigma);
    for (int i = 0; i < zs_; ++i)
      line_of(layout_.first_unknown + i, -about_[0].z[static_cast<std::size_t>(i)],
              layout_.unknowns[static_cast<std::size_t>(i)].sigma);
    knot_readings(0, e);
    errors_.push_back(e);
  }

  void interval(std::size_t k) {
    const WholeKnot &x = about_[k - 1], &next = about_[k];
    const Eigen::Index own = n_ + static_cast<Eigen::Index>(k - 1) * each_;
    AffineErrors e = errors_.back();
    for (int i = 0; i < zs_; ++i) {
      REQUIRE_FALSE(layout_.unknowns[static_cast<std::size_t>(i)].walks);
      const int error = layout_.first_unknown + i;
      e.M.row(error).setZero(), e.c[error] = 0;
      e.M(error, own + i) = 1;
      line_of(own + i, -next.z[static_cast<std::size_t>(i)], layout_.unknowns[static_cast<std::size_t>(i)].sigma);
    }
    for (int i = 0; i < bs_; ++i) {
      line_of(own + zs_ + i, 0, layout_.offsets[static_cast<std::size_t>(i)].walk * std::sqrt(dt_));
      e.M(layout_.first_offset + i, own + zs_ + i) += 1;
    }
    interval_readings(k, e);
    // q⁺ of errors (δq, δdq, δz), seen from where a step without errors ends, as the filter has it; then that end from `next`
    const auto reached = [&](const double* d) {
      std::vector<double> step(static_cast<std::size_t>(nv_));
      for (int v = 0; v < nv_; ++v) {
        const auto at = static_cast<std::size_t>(v);
        step[at] = dt_ * (x.dq[at] + d[nv_ + v] + 0.5 * dt_ * (next.z[at] + d[2 * nv_ + v]));
      }
      return moved(moved(x.q, part(d, 0, nv_)), step);
    };
    const std::vector<double> none(static_cast<std::size_t>(3 * nv_), 0.0), end = reached(none.data()),
                                                                            shift = between(next.q, end);
    const MatrixXd F = derivative_by_six(3 * nv_, nv_, [&](const double* d) -> VectorXd {
      const std::vector<double> error = between(end, reached(d));
      return Eigen::Map<const VectorXd>(error.data(), nv_);
    });
    AffineErrors inner{MatrixXd(3 * nv_, size_), VectorXd(3 * nv_)};
    inner.M << e.M.topRows(2 * nv_), e.M.middleRows(layout_.first_unknown, nv_);
    inner.c << e.c.head(2 * nv_), e.c.segment(layout_.first_unknown, nv_);
    e.M.topRows(nv_) = F * inner.M;
    e.c.head(nv_) = F * inner.c + Eigen::Map<const VectorXd>(shift.data(), nv_);
    for (int v = 0; v < nv_; ++v) {
      const auto at = static_cast<std::size_t>(v);
      e.M.row(nv_ + v) += dt_ * inner.M.row(2 * nv_ + v);
      e.c[nv_ + v] += dt_ * inner.c[2 * nv_ + v] + x.dq[at] + dt_ * next.z[at] - next.dq[at];
      e.M(v, own + zs_ + bs_ + v) += 1;
      line_of(own + zs_ + bs_ + v, 0, 0.01 * layout_.acceleration_sigma * dt_ * dt_);
    }
    for (int i = 0; i < bs_; ++i)
      e.c[layout_.first_offset + i] += x.offsets[static_cast<std::size_t>(i)] - next.offsets[static_cast<std::size_t>(i)];
    knot_readings(k, e);
    errors_.push_back(e);
  }

  void interval_readings(std::size_t k, const AffineErrors& e) {
    const WholeKnot &x = about_[k - 1], &next = about_[k];
    const std::vector<double> none(layout_.system->inputs().size(), 0.0);
    const int count = rows_.rows();
    const auto predicted = [&](const double* d) -> VectorXd {
      std::vector<double> q = moved(x.q, part(d, 0, nv_)), step(static_cast<std::size_t>(nv_)), v(step), z(next.z);
      for (std::size_t i = 0; i < v.size(); ++i) {
        const double dq = x.dq[i] + d[nv_ + static_cast<int>(i)];
        z[i] += d[2 * nv_ + static_cast<int>(i)];
        step[i] = 0.5 * dt_ * dq, v[i] = dq + 0.5 * dt_ * z[i];
      }
      q = moved(q, step);
      rows_.find(q.data(), v.data(), none.data(), z.data());
      VectorXd found(count);
      for (int i = 0; i < count; ++i)
        found[i] = i < static_cast<int>(rows_.equations().size()) ? -rows_.residual(i) : rows_.residual(i);
      return found;
    };
    const std::vector<double> zero(static_cast<std::size_t>(3 * nv_), 0.0);
    const VectorXd now = predicted(zero.data());
    const MatrixXd D = derivative_by_six(3 * nv_, count, predicted);
    for (int i = 0; i < count; ++i) {
      const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
      VectorXd h = VectorXd::Zero(n_);
      h.head(2 * nv_) = D.row(i).head(2 * nv_).transpose();
      h.segment(layout_.first_unknown, nv_) = D.row(i).tail(nv_).transpose();
      double z = y_[k][static_cast<std::size_t>(reading.input)] - now[i];
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
  int nv_, zs_ = 0, bs_ = 0;
  Eigen::Index n_, each_ = 0;
};

}  // namespace

TEST_CASE("a step of each joint of several freedoms, beside differences") {
  const Model robot = chain_of_groups();
  const std::vector<GroupJoint> groups = group_joints(robot);
  REQUIRE(groups.size() == 4);  // ball, plane, the ball of the composite joint, the free body
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (const GroupJoint& group : groups) {
    std::vector<double> q = random_configuration(robot, rng), reached(q), moved(q);
    for (double t : {0.01, 0.8, 12.0}) {  // the last one turns several times about
      const double within = t < 1 ? 1e-9 : 1e-5;
      double u[6], step[6];
      for (int k = 0; k < 6; ++k) u[k] = normal(rng), step[k] = t * u[k];
      group.integrate(q.data(), step, reached.data());
      const MatrixXd D = derivative_by_six(2 * group.freedoms, group.freedoms, [&](const double* d) -> VectorXd {
        for (int k = 0; k < group.freedoms; ++k) step[k] = t * (u[k] + d[group.freedoms + k]);
        std::vector<double> from(q);
        group.integrate(q.data(), d, from.data());
        group.integrate(from.data(), step, moved.data());
        double error[6];
        group.difference(reached.data(), moved.data(), error);
        return Eigen::Map<const VectorXd>(error, group.freedoms);
      });
      GroupStep exact;
      exact.at(group, u, t);
      for (int i = 0; i < group.freedoms; ++i)
        for (int k = 0; k < group.freedoms; ++k) {
          CHECK(std::abs(exact.E[i][k] - D(i, k)) < within);
          CHECK(std::abs(t * exact.J[i][k] - D(i, group.freedoms + k)) < within);
        }
    }
  }
}

TEST_CASE("joints of several freedoms: the filter, and the way back, beside a dense solution by differences") {
  const Model robot = chain_of_groups();
  const auto system = read_system(robot);
  IntervalRows rows(*system);
  const WholeLayout layout(system, rows);
  const int nv = layout.nv;
  REQUIRE(layout.size == 2 * nv + nv + nv);  // q and dq, offsets of torques, ddq
  constexpr double dt = 0.01;
  constexpr int knots = 6;
  std::mt19937 rng(11);
  std::normal_distribution<double> normal;
  std::vector<double> amplitude(static_cast<std::size_t>(nv)), still(static_cast<std::size_t>(robot.nq));
  for (double& a : amplitude) a = 0.3 * normal(rng);
  neutral(robot, still.data());
  std::vector<std::vector<double>> y;
  std::vector<WholeKnot> about;
  for (int k = 0; k < knots; ++k) {
    WholeKnot x(layout);
    std::vector<double> step(amplitude);
    for (std::size_t v = 0; v < step.size(); ++v) {
      step[v] = amplitude[v] * std::sin(1 + 3 * k * dt + static_cast<double>(v)) + 1e-3 * normal(rng);
      x.dq[v] = 3 * amplitude[v] * std::cos(1 + 3 * k * dt + static_cast<double>(v));
      x.z[v] = normal(rng);
    }
    integrate(robot, still.data(), step.data(), x.q.data());
    for (double& b : x.offsets) b = 0.1 * normal(rng);
    std::vector<double> row(layout.inputs.size());
    const std::vector<double> none(system->inputs().size(), 0.0);
    rows.find(x.q.data(), x.dq.data(), none.data(), x.z.data());
    for (int i = 0; i < rows.rows(); ++i)
      if (const int input = layout.intervals[static_cast<std::size_t>(i)].input; input >= 0)
        row[static_cast<std::size_t>(input)] =
            (i < static_cast<int>(rows.equations().size()) ? -rows.residual(i) : rows.residual(i)) + 0.1 * normal(rng);
    for (const KnotReading& reading : layout.knots)
      row[static_cast<std::size_t>(reading.input)] =
          x.q[static_cast<std::size_t>(layout.coordinate(reading.v))] + 1e-3 * normal(rng);
    for (const GroupReading& reading : layout.group_readings) {
      const GroupJoint& group = layout.groups[static_cast<std::size_t>(reading.group)];
      for (int c = 0; c < group.coordinates; ++c)  // of no unit length, and of either sign
        row[static_cast<std::size_t>(reading.inputs[static_cast<std::size_t>(c)])] =
            (group.quaternion == 0 && k % 2 ? -1.0 : 1.0) * (x.q[static_cast<std::size_t>(group.q + c)] + 1e-3 * normal(rng));
    }
    y.push_back(row), about.push_back(x);
  }
  const DenseGroups dense(layout, rows, about, y, dt);

  WholeForward forward(layout, rows);
  forward.start();
  std::vector<WholeSample> records(y.size(), WholeSample(layout, forward.most_rows()));
  for (std::size_t k = 0; k < y.size(); ++k) REQUIRE(forward.step(y[k].data(), dt, &about[k], &records[k]).ok);
  WholeBackward backward(layout, true);
  backward.begin();
  double mean = 0, covariance = 0;
  for (std::size_t k = y.size(); k-- > 0;) {
    if (k + 1 < y.size()) backward.step(records[k + 1]);
    if (k == 0) continue;  // where velocities' variance falls from 100 as a difference
    const WholeSnapshot sample = backward.snapshot(records[k]);
    VectorXd e(layout.size);
    local(layout, sample.x, about[k], e.data());
    for (int i = 0; i < layout.size; ++i) {
      const double sd = std::sqrt(dense.covariance[k](i, i));
      mean = std::max(mean, std::abs(e[i] - dense.mean[k][i]) / sd);
      for (int j = 0; j < layout.size; ++j) {
        const double scale = sd * std::sqrt(dense.covariance[k](j, j));
        covariance = std::max(covariance, std::abs(sample.P[i * layout.size + j] - dense.covariance[k](i, j)) / scale);
      }
    }
  }
  CAPTURE(mean, covariance);
  CHECK(mean < 1e-6);
  CHECK(covariance < 1e-6);
}

TEST_CASE("joints of several freedoms: a step takes no heap, with deviations and means") {
  const Model robot = chain_of_groups();
  TrackerOptions wanted;
  wanted.rows = TrackRows::whole_body, wanted.deviations = true, wanted.outputs = {"q", "dq", "ddq", "tau", "f"};
  Tracker tracker(read_system(robot), wanted);
  std::vector<double> y, out(tracker.columns().size());
  for (const TrackerInput& input : tracker.inputs()) {
    const std::string& column = input.columns.front();
    y.push_back(column.size() > 3 && column.compare(column.size() - 3, 3, ".qw") == 0 ? 1.0 : 0.0);
  }
  bool ok = true;
  const long taken = allocations_of([&] {
    for (int k = 0; k < 10; ++k) ok = tracker.step(y.data(), 0.01, out.data()).ok && ok;
  });
  CHECK(ok);
  CHECK(taken == 0);
  for (double x : out) CHECK(std::isfinite(x));
}

TEST_CASE("a plane's readings: sigma counts along the axes in which they are read, however the body is turned") {
  std::mt19937 rng(5);
  JointSpec plane;
  plane.kind = JointKind::planar, plane.axis = {{0, 0, 1}};
  const Model robot = ModelBuilder("plane")
                          .root("ground", zero_inertia<double>(), false)
                          .link("cart", random_inertia(rng), "ground", "slide", plane, identity_pose<double>())
                          .build();
  SensorSet set;
  Sensor encoders;
  encoders.name = "encoders", encoders.type = "joint_position", encoders.sigma = {1e-3, 0.1, 1e-2}, encoders.all = true;
  set.sensors.push_back(encoders);
  TrackerOptions wanted;
  wanted.rows = TrackRows::whole_body, wanted.deviations = true, wanted.outputs = {"q"};
  Tracker tracker(std::make_shared<const System>(robot, set), wanted);
  REQUIRE(tracker.columns()[3] == "sd.q.slide.x");
  REQUIRE(tracker.columns()[4] == "sd.q.slide.y");
  for (double angle : {0.0, 1.5707963267948966, 0.7}) {
    CAPTURE(angle);
    tracker.start(nullptr, nullptr);
    const double y[] = {0.3, -0.2, angle};
    double out[6];
    REQUIRE(tracker.step(y, 0, out).ok);
    CHECK(out[3] == Approx(1e-3).epsilon(0.02));
    CHECK(out[4] == Approx(0.1).epsilon(0.02));
    CHECK(out[5] == Approx(1e-2).epsilon(0.02));
  }
}
