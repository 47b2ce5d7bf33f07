#include "tracking/whole/whole_visibility.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "constraints/closed_states.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tracking/visibility/arbitrary_postures.hpp"
#include "tracking/visibility/held_forces.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int moving_steps = 100;
constexpr double moving_dt = 0.01;
constexpr double doubt = 100;        // the start's deviations are so many times those stated
constexpr double open_share = 0.8;   // of its variance that a direction keeps which nothing sees
constexpr double named_share = 0.1;  // of such a direction that is called by name

/// A smooth motion of all joints, rates that are sines of unlike frequencies; with loops what of it these leave. Where they let
/// nothing through it turns back.
class RandomMotion {
 public:
  explicit RandomMotion(const WholeLayout& layout)
      : layout_(layout), rates_(static_cast<std::size_t>(layout.nv)), step_(rates_) {
    const ConstraintSet& set = layout.system->sensors().constraints;
    const ClosedStates start = closed_states(layout.model, set, arbitrary_postures(layout.model), 0);
    q_ = start.q.front(), next_ = q_;
    if (!start.closed) why_ = "no posture closes the loops: " + start.why;
    if (std::any_of(set.constraints.begin(), set.constraints.end(), [](const Constraint& c) { return c.hard; }))
      loops_.emplace(layout.model, set);
  }

  /// Empty, or why there is none.
  const std::string& why() const { return why_; }

  /// Where the motion is, and moving_dt later at the next call.
  void put_next(WholeKnot& knot) {
    find_rates(time_);
    if (loops_) loops_->project(q_.data(), rates_.data());
    knot.q = q_, knot.dq = rates_;
    for (int k = 0; k < parts; ++k) move(moving_dt / parts);
  }

 private:
  static constexpr int parts = 8;

  void find_rates(double t) {
    for (std::size_t k = 0; k < rates_.size(); ++k) {
      const double x = static_cast<double>(k), rate = 3 + 0.7 * x, phase = 1.3 * x;
      rates_[k] = direction_ * 0.5 * rate * std::cos(rate * t + phase);
    }
  }

  void move(double dt) {
    find_rates(time_ + 0.5 * dt);
    if (loops_) loops_->project(q_.data(), rates_.data());
    for (std::size_t k = 0; k < step_.size(); ++k) step_[k] = dt * rates_[k];
    integrate(layout_.model, q_.data(), step_.data(), next_.data());
    time_ += dt;
    if (loops_ && !loops_->project(next_.data(), rates_.data()).ok())
      direction_ = -direction_;
    else
      q_ = next_;
  }

  const WholeLayout& layout_;
  std::optional<LoopProjection> loops_;
  std::vector<double> q_, next_, rates_, step_;
  double time_ = 0, direction_ = 1;
  std::string why_;
};

/// Readings without noise, offsets and unknown wrenches, of the interval between two knots and of its end.
void read_exactly(const WholeLayout& layout, IntervalRows& rows, const WholeKnot& from, const WholeKnot& to, double dt,
                  std::vector<double>& y) {
  std::vector<double> middle(from.q), step(from.dq), v(from.dq), z(layout.unknowns.size(), 0.0),
      none(layout.system->inputs().size(), 0.0);
  for (std::size_t k = 0; k < v.size(); ++k)
    step[k] = 0.5 * dt * from.dq[k], v[k] = 0.5 * (from.dq[k] + to.dq[k]), z[k] = (to.dq[k] - from.dq[k]) / dt;
  integrate(layout.model, from.q.data(), step.data(), middle.data());
  hold_exact_rows(*layout.system, rows, loop_forces(*layout.system, rows), middle.data(), v.data(), none, z);
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

std::vector<std::string> unseen(const WholeLayout& stated, IntervalRows& rows, std::string& why) {
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
  RandomMotion motion(layout);
  if (why = motion.why(); !why.empty()) return {};
  WholeKnot from(layout), to(layout);
  std::vector<double> y(layout.inputs.size(), 0.0);
  for (int k = 0; k < moving_steps; ++k) {
    motion.put_next(to);
    read_exactly(layout, rows, k == 0 ? to : from, to, moving_dt, y);
    if (const TrackerStep done = filter.step(y.data(), moving_dt, nullptr, nullptr); !done.ok) {
      why = done.why;
      return {};
    }
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
