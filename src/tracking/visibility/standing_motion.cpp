#include "tracking/visibility/standing_motion.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "constraints/closed_states.hpp"
#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "tracking/shared/rolling.hpp"
#include "tracking/visibility/arbitrary_postures.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int base_freedoms = 6;
constexpr double bent = 0.6;                          // rad: no leg is straight
constexpr double base_turn = 0.2, base_shift = 0.02;  // rad, m
constexpr double swing = 0.3;                         // rad, of joints that reach to no contact
constexpr int most_steps = 20;
constexpr double closed_within = 1e-12;  // m

double posture(std::size_t v) { return v % 2 == 0 ? bent : -bent; }

/// That posture, moved to where the loops are closed; where it cannot be, an arbitrary one.
std::vector<double> closed_posture(const Model& model, const ConstraintSet& set, const std::vector<double>& q) {
  std::vector<std::vector<double>> tried = arbitrary_postures(model);
  tried.insert(tried.begin(), q);
  const ClosedStates found = closed_states(model, set, std::move(tried), 0);
  if (!found.closed) throw Untrackable("no posture closes the loops: " + found.why);
  return found.q.front();
}

}  // namespace

StandingMotion::StandingMotion(const Model& model, const ConstraintSet& constraints, std::vector<ContactPoint> points,
                               double share)
    : model_(model),
      points_(std::move(points)),
      share_(share),
      work_(model),
      loops_(model, constraints),
      q_(static_cast<std::size_t>(model.nq)),
      jacobian_((3 * points_.size() + static_cast<std::size_t>(loops_.rows())) * static_cast<std::size_t>(model.nv)),
      point_jacobian_(6 * static_cast<std::size_t>(model.nv)),
      reaches_(static_cast<std::size_t>(model.nv), 0) {
  std::vector<double> zero(q_.size()), step(reaches_.size());
  for (std::size_t v = base_freedoms; v < step.size(); ++v) step[v] = posture(v);
  neutral(model, zero.data());
  integrate(model, zero.data(), step.data(), q_.data());
  middle_ = q_ = closed_posture(model, constraints, q_);
  held_ = places(q_);
  for (std::size_t p = 0; p < points_.size(); ++p) links_.push_back(link_of(p));
  loops_.at(q_.data());
  find_jacobian();
  find_reaching();
}

/// Joints that move a contact, and those in a loop with one of them.
void StandingMotion::find_reaching() {
  const std::size_t nv = reaches_.size(), of_contacts = 3 * points_.size();
  const auto moved_by = [&](std::size_t row, std::size_t v) { return jacobian_[row * nv + v] != 0; };
  const auto add = [&](std::size_t row) {
    bool more = false;
    for (std::size_t v = base_freedoms; v < nv; ++v)
      if (moved_by(row, v) && !reaches_[v]) reaches_[v] = 1, more = true;
    return more;
  };
  for (std::size_t r = 0; r < of_contacts; ++r) add(r);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t r = of_contacts; r * nv < jacobian_.size(); ++r) {
      bool tied = false;
      for (std::size_t v = base_freedoms; v < nv; ++v) tied = tied || (reaches_[v] && moved_by(r, v));
      if (tied && add(r)) more = true;
    }
  }
}

/// Of the contacts in the world; the workspace is then at q.
std::vector<double> StandingMotion::places(const std::vector<double>& q) {
  forward_kinematics<double>(model_, work_, q.data(), nullptr, nullptr);
  std::vector<double> x;
  for (const ContactPoint& point : points_) {
    const Pose<double> link = link_pose(model_, work_, point.link);
    const Vector3 place = link.R * point.in_link + link.d;
    x.insert(x.end(), {place[0], place[1], place[2]});
  }
  return x;
}

Matrix3 StandingMotion::link_of(std::size_t point) const { return link_pose(model_, work_, points_[point].link).R; }

/// By how much a contact has moved from where it is held.
Vector3 StandingMotion::rolled(std::size_t point) const {
  if (!points_[point].rolls()) return zero3<double>();
  return roll_over(points_[point].radius, link_of(point) * transpose(links_[point]), vertical_of(model_)).moved;
}

/// Contacts are held where they have come to.
void StandingMotion::roll_on() {
  places(q_);
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const Vector3 moved = rolled(p);
    for (std::size_t k = 0; k < 3; ++k) held_[3 * p + k] += moved[static_cast<int>(k)];
    links_[p] = link_of(p);
  }
}

/// By how much contacts are off their places and loops open; the workspace and the loops are then at q.
std::vector<double> StandingMotion::gaps(const std::vector<double>& q) {
  std::vector<double> found = places(q);
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const Vector3 moved = rolled(p);
    for (std::size_t k = 0; k < 3; ++k) found[3 * p + k] = held_[3 * p + k] + moved[static_cast<int>(k)] - found[3 * p + k];
  }
  loops_.at(q.data());
  for (int row = 0; row < loops_.rows(); ++row) found.push_back(-loops_.error(row));
  return found;
}

void StandingMotion::find_jacobian() {
  const std::size_t nv = reaches_.size();
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Vector3 lowest = points_[p].in_link;
    if (points_[p].rolls()) lowest -= points_[p].radius * transposed_times(link_of(p), vertical_of(model_));
    point_jacobian(model_, work_, points_[p].link, Axes::world, lowest, point_jacobian_.data());
    std::copy_n(point_jacobian_.begin() + static_cast<std::ptrdiff_t>(3 * nv), 3 * nv,
                jacobian_.begin() + static_cast<std::ptrdiff_t>(3 * p * nv));
  }
  for (int row = 0; row < loops_.rows(); ++row)
    std::copy_n(loops_.jacobian(row), nv,
                jacobian_.begin() + static_cast<std::ptrdiff_t>((3 * points_.size() + static_cast<std::size_t>(row)) * nv));
}

/// The least step of the joints that closes the gaps, again and again; several points of one sole leave what they must.
void StandingMotion::hold(std::vector<double>& q) {
  const auto nv = static_cast<Eigen::Index>(reaches_.size()), rows = static_cast<Eigen::Index>(jacobian_.size()) / nv;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (int k = 0; k < most_steps; ++k) {
    const std::vector<double> now = gaps(q);
    const Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(now.data(), rows);
    gap_ = gap.norm();
    if (gap_ < closed_within) return;
    find_jacobian();
    const Eigen::VectorXd joints =
        Eigen::Map<Rows>(jacobian_.data(), rows, nv).rightCols(nv - base_freedoms).completeOrthogonalDecomposition().solve(gap);
    std::vector<double> step(reaches_.size(), 0.0);
    for (Eigen::Index v = 0; v < joints.size(); ++v) step[static_cast<std::size_t>(base_freedoms + v)] = joints(v);
    integrate(model_, q.data(), step.data(), q.data());
  }
}

const std::vector<double>& StandingMotion::at(double t, double pushed) {
  std::vector<double> step(reaches_.size()), q(q_.size());
  for (std::size_t v = 0; v < step.size(); ++v) {
    const double wave = share_ * std::sin((3 + 0.7 * static_cast<double>(v)) * t);
    step[v] = v < 3 ? base_turn * wave : v < base_freedoms ? base_shift * wave : swing * wave;
  }
  step[3] += pushed;
  integrate(model_, middle_.data(), step.data(), q.data());
  difference(model_, q.data(), q_.data(), step.data());
  for (std::size_t v = 0; v < step.size(); ++v)
    if (!reaches_[v]) step[v] = 0;
  integrate(model_, q.data(), step.data(), q_.data());  // joints that reach start from where they were
  if (!jacobian_.empty()) hold(q_);
  roll_on();
  return q_;
}

}  // namespace sparsedyn::tracking
