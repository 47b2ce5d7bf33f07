#include "pose_errors.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {
namespace {

/// The longest way from a first joint to a link, joint by joint.
double reach(const Model& model) {
  const auto length = [](const Vec3<double>& d) { return std::sqrt(dot(d, d)); };
  const std::vector<Body>& bodies = model.tree().bodies;
  std::vector<double> way(bodies.size(), 0.0);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (const int parent = bodies[i].parent; parent >= 0)
      way[i] = way[static_cast<std::size_t>(parent)] + length(bodies[i].placement.d);
  double longest = 0;
  for (const Link& link : model.links)
    if (link.body >= 0) longest = std::max(longest, way[static_cast<std::size_t>(link.body)] + length(link.pose.d));
  return longest;
}

/// What counts as much as 1 rad. Were it 1 m for a robot of millimetres, its positions would be lost beside angles.
double length_unit(const Model& model) {
  const double most = 10 * reach(model);
  return most > 0 ? std::min(1.0, most) : 1;
}

std::size_t rows_of(const std::vector<PoseWeights>& weights) {
  std::size_t rows = 0;
  for (const PoseWeights& w : weights) rows += (w.orientation > 0 ? 3u : 0u) + (w.position > 0 ? 3u : 0u);
  return rows;
}

}  // namespace

PoseErrors::PoseErrors(const Model& model, std::vector<int> links, std::vector<PoseWeights> weights)
    : model_(model),
      links_(std::move(links)),
      unit_(length_unit(model)),
      weights_(weights.empty() ? std::vector<PoseWeights>(links_.size()) : std::move(weights)),
      work_(model),
      targets_(links_.size()),
      quaternions_(links_.size()),
      e_(rows_of(weights_)),
      jacobian_(e_.size() * static_cast<std::size_t>(model.nv)),
      of_link_(6 * static_cast<std::size_t>(model.nv)) {
  for (PoseWeights& each : weights_) each.position /= unit_;
}

bool PoseErrors::aim(const Pose<double>* targets) noexcept {
  bool finite = true;
  for (std::size_t t = 0; t < links_.size(); ++t) {
    targets_[t] = targets[t];
    for (int r = 0; r < 3; ++r) {
      finite = finite && std::isfinite(targets[t].d[r]);
      for (int c = 0; c < 3; ++c) finite = finite && std::isfinite(targets[t].R(r, c));
    }
    if (finite) quaternions_[t] = quaternion_from_rotation(targets[t].R);
  }
  return finite;
}

double PoseErrors::at(const double* q) noexcept {
  forward_kinematics<double>(model_, work_, q, nullptr, nullptr);
  double* row = e_.data();
  turned_ = moved_ = 0;
  const auto put = [&](double weight, const Vec3<double>& error) {
    if (weight == 0) return 0.0;
    for (int k = 0; k < 3; ++k) *row++ = weight * error[k];
    return weight * weight * dot(error, error);
  };
  for (std::size_t t = 0; t < links_.size(); ++t) {
    const Pose<double> pose = link_pose(model_, work_, links_[t]);
    const std::array<double, 4> u = quaternion_from_rotation(pose.R);
    turned_ += put(weights_[t].orientation, pose.R * rotation_between(quaternions_[t].data(), u.data()));
    moved_ += put(weights_[t].position, pose.d - targets_[t].d);
  }
  return turned_ + moved_;
}

double PoseErrors::residual() const noexcept { return std::sqrt(turned_ + unit_ * unit_ * moved_); }

const std::vector<double>& PoseErrors::jacobian() noexcept {
  const auto half = 3 * static_cast<std::size_t>(model_.nv);
  double* next = jacobian_.data();
  const auto put = [&](double weight, const double* rows) {
    if (weight == 0) return;
    for (std::size_t k = 0; k < half; ++k) *next++ = weight * rows[k];
  };
  for (std::size_t t = 0; t < links_.size(); ++t) {
    link_jacobian(model_, work_, links_[t], Axes::world, of_link_.data());
    put(weights_[t].orientation, of_link_.data());
    put(weights_[t].position, of_link_.data() + half);
  }
  return jacobian_;
}

void PoseErrors::place_root(double* q) noexcept {
  if (!model_.floating()) return;
  forward_kinematics<double>(model_, work_, q, nullptr, nullptr);
  const Pose<double> base = link_pose(model_, work_, 0), first = link_pose(model_, work_, links_[0]);
  const Pose<double> placed = targets_[0] * (inverse(first) * base);
  const std::array<double, 4> u = quaternion_from_rotation(placed.R);
  for (int k = 0; k < 3; ++k) q[model_.bodies[0].q + k] = placed.d[k];
  for (int k = 0; k < 4; ++k) q[model_.bodies[0].q + 3 + k] = u[static_cast<std::size_t>(k)];
}

}  // namespace sparsedyn
