// Rows of the whole body on legs, forward and backward over the samples, beside one dense least-squares problem over all of
// them at the same linearisation, whose derivatives are differences.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "dense_lines.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/legged_robot.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"
#include "tracking/whole/whole_backward.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int dense_knots = 20;
constexpr double dense_dt = 0.004;
constexpr double leg_share = 0.04, own_share = 0.06, base_place = 3e-5;  // inside an interval, as WholeForward has it
constexpr double stance = 3000, open_place = 10;                         // N, m

/// Unknowns: the first knot's errors, then of each interval its z or their walk, the offsets' walk, and what moves joints, base
/// and footholds beside the step. All feet stand.
class DenseLegs : public DenseLines {
 public:
  DenseLegs(const WholeLayout& layout, IntervalRows& rows, const WholeKnot& start, const std::vector<WholeKnot>& about,
            const std::vector<std::vector<double>>& y, const std::vector<WholeSample>& records)
      : layout_(layout), rows_(rows), about_(about), y_(y), records_(records), feet_(layout), n_(layout.size) {
    each_ = static_cast<Eigen::Index>(layout.unknowns.size() + layout.offsets.size() + 3 * layout.points.size()) +
            layout.joints + 6;
    size_ = n_ + (dense_knots - 1) * each_;
    first_knot(start);
    for (std::size_t k = 1; k < about.size(); ++k) interval(k);
    solve();
  }

 private:
  VectorXd errors_of_knot(const WholeKnot& x, const WholeKnot& from) const {
    VectorXd e(n_);
    local(layout_, x, from, e.data());
    return e;
  }
  WholeKnot moved(const WholeKnot& x, const double* e) const {
    WholeKnot z = x;
    retract(layout_, e, z);
    return z;
  }
  double sigma_of(const IntervalUnknown& u) const { return u.contact >= 0 && !u.is_moment ? stance : u.sigma; }

  /// Encoders, and feet where joints put them.
  void knot_rows(std::size_t k, const AffineErrors& e) {
    const auto predicted = [&](const double* error) {
      const WholeKnot x = moved(about_[k], error);
      VectorXd value(static_cast<Eigen::Index>(layout_.knots.size() + 3 * layout_.points.size()));
      Eigen::Index at = 0;
      for (const KnotReading& reading : layout_.knots) value[at++] = x.q[static_cast<std::size_t>(reading.v + 1)];
      feet_.at(x.q.data());
      for (std::size_t p = 0; p < layout_.points.size(); ++p) {
        const Vector3 miss = transposed_times(x.R(), x.footholds[p] - x.p()) - feet_.point(static_cast<int>(p));
        for (int c = 0; c < 3; ++c) value[at++] = miss[c];
      }
      return value;
    };
    const std::vector<double> none(static_cast<std::size_t>(n_), 0.0);
    const VectorXd now = predicted(none.data());
    const MatrixXd H = derivative_by_six(static_cast<int>(n_), static_cast<int>(now.size()), predicted);
    for (Eigen::Index i = 0; i < now.size(); ++i) {
      const auto encoder = static_cast<std::size_t>(i);
      const bool foot = encoder >= layout_.knots.size();
      const double reading = foot ? 0 : y_[k][static_cast<std::size_t>(layout_.knots[encoder].input)];
      const double sigma = foot ? layout_.contacts[0].settings->kinematics : layout_.knots[encoder].sigma;
      line(H.row(i).transpose(), e, reading - now[i], sigma);
    }
  }

  void first_knot(const WholeKnot& start) {
    AffineErrors e{MatrixXd::Zero(n_, size_), errors_of_knot(start, about_[0])};
    e.M.leftCols(n_).setIdentity();
    const auto& base = layout_.system->sensors().start.at("q.base");
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(k);
      line_of(WholeLayout::turn + k, 0, base[3 + at]);
      VectorXd place = VectorXd::Zero(n_);  // δp + θ × p: the base may be turned about its own origin
      place[WholeLayout::place + k] = 1;
      const Matrix3 across = hat(start.p());
      for (int c = 0; c < 3; ++c) place[WholeLayout::turn + c] = -across(k, c);
      line(place, {e.M, VectorXd::Zero(n_)}, 0, base[at]);
      line_of(WholeLayout::velocity + k, 0, layout_.system->sensors().start.at("dq")[0]);
      line_of(WholeLayout::rate + k, 0, 1);
    }
    for (int v = layout_.base_freedoms; v < layout_.nv; ++v)
      line_of(layout_.position_error(v), 0, 1), line_of(layout_.velocity_error(v), 0, 10);
    for (std::size_t k = 0; k < layout_.offsets.size(); ++k)
      line_of(layout_.first_offset + static_cast<int>(k), 0, layout_.offsets[k].sigma);
    for (const tracking::ContactPoint& point : layout_.points)
      for (int c = 0; c < 3; ++c) {  // it goes with the base
        VectorXd beside = VectorXd::Zero(n_);
        beside[point.error + c] = 1, beside[WholeLayout::place + c] = -1;
        line(beside, {e.M, VectorXd::Zero(n_)}, 0, open_place);
      }
    for (std::size_t k = 0; k < layout_.unknowns.size(); ++k)
      line_of(layout_.first_unknown + static_cast<int>(k), 0, sigma_of(layout_.unknowns[k]));
    knot_rows(0, e);
    errors_.push_back(e);
  }

  void interval(std::size_t k) {
    WholeKnot x = about_[k - 1];
    AffineErrors e = errors_.back();
    Eigen::Index own = n_ + static_cast<Eigen::Index>(k - 1) * each_;
    for (std::size_t i = 0; i < layout_.unknowns.size(); ++i, ++own) {
      const IntervalUnknown& u = layout_.unknowns[i];
      const int error = layout_.first_unknown + static_cast<int>(i);
      const double centre = about_[k].z[i];
      if (u.walks) {
        e.c[error] += x.z[i] - centre;
        e.M(error, own) += 1;
        line_of(own, 0, u.walk * std::sqrt(dense_dt));
      } else {
        e.M.row(error).setZero(), e.c[error] = 0;
        e.M(error, own) = 1;
        line_of(own, -centre, sigma_of(u));
      }
      x.z[i] = centre;
    }
    for (std::size_t i = 0; i < layout_.offsets.size(); ++i, ++own) {
      const double walk = layout_.offsets[i].walk;
      line_of(own, 0, walk > 0 ? walk * std::sqrt(dense_dt) : 1);
      if (walk > 0) e.M(layout_.first_offset + static_cast<int>(i), own) += 1;
    }
    interval_rows(k, x, e);
    WholeKnot next(layout_), there(layout_);
    WholeJacobian unused(layout_);
    step_whole(layout_, x, dense_dt, feet_, next, unused);
    const MatrixXd F = derivative_by_six(static_cast<int>(n_), static_cast<int>(n_), [&](const double* error) {
      step_whole(layout_, moved(x, error), dense_dt, feet_, there, unused);
      return errors_of_knot(there, next);
    });
    e.M = F * e.M, e.c = F * e.c + errors_of_knot(next, about_[k]);
    const auto adds = [&](int error, double sigma) {
      e.M(error, own) += 1;
      line_of(own++, 0, sigma);
    };
    for (int v = layout_.base_freedoms; v < layout_.nv; ++v) {
      const int at = layout_.position_error(v), z = layout_.first_unknown + v;
      for (const tracking::ContactPoint& point : layout_.points)  // that rolls: with what a joint does inside
        for (int c = 0; c < 3; ++c) e.M(point.error + c, own) += F(point.error + c, z) / F(at, z);
      adds(at, leg_share * layout_.acceleration_sigma * dense_dt * dense_dt);
    }
    for (int c = 0; c < 3; ++c) {  // a mean angular velocity that the knots' own do not show
      VectorXd turned = F.col(WholeLayout::rate + c);
      turned.segment(WholeLayout::rate, 3).setZero();
      e.M.col(own) += turned;
      line_of(own++, 0, own_share * dense_dt * std::abs(x.z[static_cast<std::size_t>(c)]));
      adds(WholeLayout::place + c, base_place);
    }
    for (const tracking::ContactPoint& point : layout_.points)
      for (int c = 0; c < 3; ++c) adds(point.error + c, layout_.contacts[0].settings->walk * std::sqrt(dense_dt));
    knot_rows(k, e);
    errors_.push_back(e);
  }

  /// Readings less what they should be, at the interval's middle.
  VectorXd rest(std::size_t k, const WholeKnot& x) {
    std::vector<double> step(x.dq), q(x.q), v(x.dq), none(layout_.system->inputs().size(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) step[i] = 0.5 * dense_dt * x.dq[i], v[i] += 0.5 * dense_dt * x.z[i];
    integrate(layout_.model, x.q.data(), step.data(), q.data());
    rows_.find(q.data(), v.data(), none.data(), x.z.data());
    VectorXd found(rows_.rows());
    for (int i = 0; i < rows_.rows(); ++i) {
      const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
      found[i] = rows_.residual(i);
      if (reading.input >= 0) found[i] += y_[k][static_cast<std::size_t>(reading.input)];
      if (reading.offset >= 0) found[i] -= x.offsets[static_cast<std::size_t>(reading.offset - layout_.first_offset)];
    }
    return found;
  }

  void interval_rows(std::size_t k, const WholeKnot& x, const AffineErrors& e) {
    const VectorXd now = rest(k, x);
    const MatrixXd H = derivative_by_six(static_cast<int>(n_), static_cast<int>(now.size()),
                                         [&](const double* error) { return rest(k, moved(x, error)); });
    for (Eigen::Index i = 0; i < now.size(); ++i) {
      const IntervalReading& reading = layout_.intervals[static_cast<std::size_t>(i)];
      double variance = reading.contact >= 0 ? 100 : reading.variance;
      if (variance == 0) variance = 1e-10 * records_[k].rows[static_cast<std::size_t>(i)].variance;  // what stands for exact
      line(-H.row(i).transpose(), e, now[i], std::sqrt(variance));
    }
  }

  const WholeLayout& layout_;
  IntervalRows& rows_;
  const std::vector<WholeKnot>& about_;
  const std::vector<std::vector<double>>& y_;
  const std::vector<WholeSample>& records_;
  WholeFeet feet_;
  Eigen::Index n_, each_ = 0;
};

/// Torques, an accelerometer with offsets, encoders, four feet; no gyroscope, whose deviation depends on what is estimated.
SensorSet densely_read() {
  SensorSet set = legged_sensors();
  set.sensors.erase(
      std::remove_if(set.sensors.begin(), set.sensors.end(), [](const Sensor& s) { return s.type == "gyroscope"; }),
      set.sensors.end());
  for (Sensor& s : set.sensors)
    if (s.over_time.offset.there) s.over_time.offset.walk = 0.05;
  set.model_wrench = {40, 4, true};
  for (Sensor& s : set.sensors)  // one foot stands as a point
    if (s.type == "contact" && s.name != "foot3") s.over_time.contact.radius = s.name == "foot0" ? 0.1 : 0.02;
  set.start["q.base"] = {0.1, 0.2, 0.1, 0.05, 0.04, 0.3}, set.start["dq"] = {0.5};
  return set;
}

}  // namespace

TEST_CASE("a filter on legs, and the way back over its samples, beside a dense solution of twenty knots") {
  const auto system = std::make_shared<const System>(walking_quadruped(), densely_read());
  IntervalRows rows(*system, WholeLayout::freed_link(*system));
  const WholeLayout layout(system, rows);
  StandingMotion motion(system->model(), ConstraintSet{}, layout.points, 0.25);
  std::vector<int> links;
  for (const TrackedContact& c : layout.contacts) links.push_back(c.link);
  ExactReadings readings(*system, links);
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> y;
  std::vector<WholeKnot> about;
  const std::vector<double> first = motion.at(0);
  std::vector<double> q[3] = {motion.at(-dense_dt), first, {}}, v0(18), v1(18), first_v;
  for (int k = 0; k < dense_knots; ++k) {
    q[2] = motion.at((k + 1) * dense_dt);
    difference(system->model(), q[0].data(), q[2].data(), v1.data());
    for (double& x : v1) x /= 2 * dense_dt;
    if (k == 0) v0 = first_v = v1;
    const auto& exact = readings.of(q[0], v0, q[1], v1, dense_dt);
    std::vector<double> row;
    for (const TrackerInput& input : layout.inputs) {
      const auto at = exact.find(input.columns.front());
      const bool encoder = input.columns.front().rfind("y.encoders", 0) == 0;
      row.push_back(at == exact.end() ? (input.is_flag ? 1.0 : input.fallback)
                                      : at->second + (encoder ? 1e-3 : 0.1) * normal(rng));
    }
    y.push_back(row);
    WholeKnot x(layout);
    x.q = q[1], x.dq = v1;
    for (std::size_t j = 0; j < 18; ++j) x.dq[j] += 0.02 * normal(rng), x.z[j] = (v1[j] - v0[j]) / dense_dt + normal(rng);
    for (std::size_t j = 18; j < x.z.size(); ++j) x.z[j] = layout.unknowns[j].contact >= 0 ? 20 + normal(rng) : normal(rng);
    for (double& b : x.offsets) b = 0.01 * normal(rng);
    std::vector<double> jitter(18), q_about(x.q);
    for (double& s : jitter) s = 1e-3 * normal(rng);
    integrate(system->model(), x.q.data(), jitter.data(), q_about.data());
    x.q = q_about;
    WholeFeet feet(layout);
    feet.at(x.q.data());
    for (std::size_t p = 0; p < layout.points.size(); ++p)
      x.footholds[p] = x.p() + x.R() * feet.point(static_cast<int>(p)) + Vector3{{1e-3 * normal(rng), 1e-3 * normal(rng), 0}};
    about.push_back(x);
    q[0] = q[1], q[1] = q[2], v0 = v1;
  }
  WholeForward forward(layout, rows, false);
  WholeStart start;
  start.given = start.moving = true;
  std::copy_n(first.begin(), 7, start.base.begin()), std::copy_n(first_v.begin(), 6, start.twist.begin());
  forward.start(start);
  forward.judge();
  std::vector<WholeSample> records(y.size(), WholeSample(layout, forward.most_rows()));
  for (std::size_t k = 0; k < y.size(); ++k) REQUIRE(forward.step(y[k].data(), dense_dt, &about[k], &records[k]).ok);

  WholeKnot begun(layout);  // as the filter starts: joints as read, at rest but for the base, footholds below the feet
  for (const KnotReading& reading : layout.knots)
    begun.q[static_cast<std::size_t>(reading.v + 1)] = y[0][static_cast<std::size_t>(reading.input)];
  std::copy_n(first.begin(), 7, begun.q.begin()), std::copy_n(first_v.begin(), 6, begun.dq.begin());
  WholeFeet feet(layout);
  feet.at(begun.q.data());
  for (std::size_t p = 0; p < layout.points.size(); ++p)
    begun.footholds[p] = begun.p() + begun.R() * feet.point(static_cast<int>(p));
  const DenseLegs dense(layout, rows, begun, about, y, records);

  WholeBackward backward(layout, true);
  backward.begin();
  double worst_mean = 0, worst_covariance = 0;
  for (std::size_t k = y.size(); k-- > 0;) {
    if (k + 1 < y.size()) backward.step(records[k + 1]);
    const WholeSnapshot sample = backward.snapshot(records[k]);
    VectorXd e(layout.size);
    local(layout, sample.x, about[k], e.data());
    for (int i = 0; i < layout.size && k > 0; ++i) {  // at the first, variances of 100 fall to 1e-5: differences
      const double sd = std::sqrt(dense.covariance[k](i, i));
      worst_mean = std::max(worst_mean, std::abs(e[i] - dense.mean[k][i]) / sd);
      for (int j = 0; j < layout.size; ++j)
        worst_covariance = std::max(worst_covariance, std::abs(sample.P[i * layout.size + j] - dense.covariance[k](i, j)) /
                                                          (sd * std::sqrt(dense.covariance[k](j, j))));
    }
  }
  CAPTURE(worst_mean, worst_covariance, forward.surprise(), dense.surprise);
  CHECK(std::abs(forward.surprise() - dense.surprise) < 1e-6 * std::abs(dense.surprise));
  CHECK(worst_mean < 1e-6);
  CHECK(worst_covariance < 1e-6);
}
