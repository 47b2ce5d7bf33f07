#include "tracking/whole/whole_visibility.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int moving_steps = 100;
constexpr double moving_dt = 0.01;
constexpr double doubt = 100;        // the start's deviations are so many times those stated
constexpr double open_share = 0.8;   // of its variance that a direction keeps which nothing sees
constexpr double named_share = 0.1;  // of such a direction that is called by name

/// A smooth motion of all joints: sines of unlike rates.
struct RandomMotion {
  explicit RandomMotion(const WholeLayout& layout) : layout_(layout) {}
  void at(double t, double* q, double* dq) const {
    std::vector<double> step(static_cast<std::size_t>(layout_.nv));
    for (int k = 0; k < layout_.nv; ++k) {
      const double rate = 3 + 0.7 * k, phase = 1.3 * k;
      step[static_cast<std::size_t>(k)] = 0.4 + 0.5 * std::sin(rate * t + phase);
      dq[k] = 0.5 * rate * std::cos(rate * t + phase);
    }
    std::vector<double> zero(static_cast<std::size_t>(layout_.model.nq));
    neutral(layout_.model, zero.data());
    integrate(layout_.model, zero.data(), step.data(), q);
  }

 private:
  const WholeLayout& layout_;
};

/// Readings without noise, offsets and unknown wrenches, of the interval between two knots and of its end.
void read_exactly(const WholeLayout& layout, IntervalRows& rows, const WholeKnot& from, const WholeKnot& to, double dt,
                  std::vector<double>& y) {
  std::vector<double> middle(from.q), step(from.dq), v(from.dq), z(layout.unknowns.size(), 0.0),
      none(layout.system->inputs().size(), 0.0);
  for (std::size_t k = 0; k < v.size(); ++k)
    step[k] = 0.5 * dt * from.dq[k], v[k] = 0.5 * (from.dq[k] + to.dq[k]), z[k] = (to.dq[k] - from.dq[k]) / dt;
  integrate(layout.model, from.q.data(), step.data(), middle.data());
  rows.find(middle.data(), v.data(), none.data(), z.data());
  const std::size_t equations = rows.equations().size();
  for (std::size_t i = 0; i < layout.intervals.size(); ++i)
    if (const int input = layout.intervals[i].input; input >= 0)
      y[static_cast<std::size_t>(input)] =
          i < equations ? -rows.residual(static_cast<int>(i)) : rows.residual(static_cast<int>(i));
  for (const KnotReading& reading : layout.knots) {
    const auto at = static_cast<std::size_t>(reading.position ? layout.coordinate(reading.v) : reading.v);
    y[static_cast<std::size_t>(reading.input)] = reading.position ? to.q[at] : to.dq[at];
  }
  for (const GroupReading& reading : layout.group_readings) {
    const GroupJoint& group = layout.groups[static_cast<std::size_t>(reading.group)];
    for (int c = 0; c < group.coordinates; ++c)
      y[static_cast<std::size_t>(reading.inputs[static_cast<std::size_t>(c)])] = to.q[static_cast<std::size_t>(group.q + c)];
  }
}

/// What may be unseen: its error, its name, its deviation at the start.
struct Candidate {
  int error;
  std::string name;
  double sigma;
};

}  // namespace

std::vector<std::string> unseen(const WholeLayout& stated, IntervalRows& rows) {
  WholeLayout layout = stated;
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < layout.offsets.size(); ++k) {
    ReadingOffset& offset = layout.offsets[k];
    offset.sigma *= doubt, offset.walk = 0;
    candidates.push_back({layout.first_offset + static_cast<int>(k), offset.column, offset.sigma});
  }
  for (std::size_t k = 0; k < layout.unknowns.size(); ++k) {
    IntervalUnknown& u = layout.unknowns[k];
    if (!u.walks || layout.system->unknowns()[static_cast<std::size_t>(u.unknown)].kind != VariableKind::fx) continue;
    u.sigma *= doubt, u.walk = 0;
    const std::string& name = layout.system->unknown_names()[static_cast<std::size_t>(u.unknown)];
    candidates.push_back({layout.first_unknown + static_cast<int>(k), name, u.sigma});
  }
  if (candidates.empty() || layout.floating) return {};
  WholeForward filter(layout, rows);
  filter.start();
  const RandomMotion motion(layout);
  WholeKnot from(layout), to(layout);
  std::vector<double> y(layout.inputs.size(), 0.0);
  for (int k = 0; k < moving_steps; ++k) {
    motion.at(k * moving_dt, to.q.data(), to.dq.data());
    read_exactly(layout, rows, k == 0 ? to : from, to, moving_dt, y);
    if (!filter.step(y.data(), moving_dt, nullptr, nullptr).ok) return {};
    copy(to, from);
  }
  const auto n = static_cast<Eigen::Index>(candidates.size());
  Eigen::MatrixXd left(n, n);  // of the variance at the start
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k) {
      const Candidate &a = candidates[static_cast<std::size_t>(i)], &b = candidates[static_cast<std::size_t>(k)];
      left(i, k) = filter.gaussian().at(a.error, b.error) / (a.sigma * b.sigma);
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(left);
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < n; ++i) {
    double along = 0;
    for (Eigen::Index d = 0; d < n; ++d)
      if (directions.eigenvalues()(d) > open_share) along = std::max(along, std::abs(directions.eigenvectors()(i, d)));
    if (along > named_share) names.push_back(candidates[static_cast<std::size_t>(i)].name);
  }
  return names;
}

}  // namespace sparsedyn::tracking
