#include "tracking/visibility/standing_motion.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int base_freedoms = 6;
constexpr double bent = 0.6;                          // rad: no leg is straight
constexpr double base_turn = 0.2, base_shift = 0.02;  // rad, m
constexpr double swing = 0.3;                         // rad, of joints that reach to no contact
constexpr int most_steps = 20;
constexpr double closed_within = 1e-12;  // m

double posture(std::size_t v) { return v % 2 == 0 ? bent : -bent; }

}  // namespace

StandingMotion::StandingMotion(const Model& model, std::vector<ContactPoint> points, double share)
    : model_(model),
      points_(std::move(points)),
      share_(share),
      work_(model),
      q_(static_cast<std::size_t>(model.nq)),
      jacobian_(3 * points_.size() * static_cast<std::size_t>(model.nv)),
      point_jacobian_(6 * static_cast<std::size_t>(model.nv)),
      reaches_(static_cast<std::size_t>(model.nv), 0) {
  std::vector<double> zero(q_.size()), step(reaches_.size());
  for (std::size_t v = base_freedoms; v < step.size(); ++v) step[v] = posture(v);
  neutral(model, zero.data());
  integrate(model, zero.data(), step.data(), q_.data());
  held_ = places(q_);
  find_jacobian();
  for (std::size_t r = 0; r < 3 * points_.size(); ++r)
    for (std::size_t v = base_freedoms; v < reaches_.size(); ++v)
      if (jacobian_[r * reaches_.size() + v] != 0) reaches_[v] = 1;
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

void StandingMotion::find_jacobian() {
  const std::size_t nv = reaches_.size();
  for (std::size_t p = 0; p < points_.size(); ++p) {
    point_jacobian(model_, work_, points_[p].link, Axes::world, points_[p].in_link, point_jacobian_.data());
    std::copy_n(point_jacobian_.begin() + static_cast<std::ptrdiff_t>(3 * nv), 3 * nv,
                jacobian_.begin() + static_cast<std::ptrdiff_t>(3 * p * nv));
  }
}

/// The least step of the joints that closes the gaps, again and again; several points of one sole leave what they must.
void StandingMotion::hold_contacts(std::vector<double>& q) {
  const auto nv = static_cast<Eigen::Index>(reaches_.size()), rows = static_cast<Eigen::Index>(held_.size());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (int k = 0; k < most_steps; ++k) {
    const std::vector<double> now = places(q);
    Eigen::VectorXd gap(rows);
    for (Eigen::Index r = 0; r < rows; ++r) gap(r) = held_[static_cast<std::size_t>(r)] - now[static_cast<std::size_t>(r)];
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

const std::vector<double>& StandingMotion::at(double t) {
  std::vector<double> zero(q_.size()), step(reaches_.size()), q(q_.size());
  neutral(model_, zero.data());
  for (std::size_t v = 0; v < step.size(); ++v) {
    const double wave = share_ * std::sin((3 + 0.7 * static_cast<double>(v)) * t);
    step[v] = v < 3 ? base_turn * wave : v < base_freedoms ? base_shift * wave : posture(v) + swing * wave;
  }
  integrate(model_, zero.data(), step.data(), q.data());
  difference(model_, q.data(), q_.data(), step.data());
  for (std::size_t v = 0; v < step.size(); ++v)
    if (!reaches_[v]) step[v] = 0;
  integrate(model_, q.data(), step.data(), q_.data());  // joints that reach start from where they were
  if (!points_.empty()) hold_contacts(q_);
  return q_;
}

}  // namespace sparsedyn::tracking
