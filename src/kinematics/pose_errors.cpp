#include "pose_errors.hpp"

#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {

namespace {

std::size_t rows_of(const std::vector<PoseWeights>& weights) {
  std::size_t rows = 0;
  for (const PoseWeights& w : weights) rows += (w.orientation > 0 ? 3u : 0u) + (w.position > 0 ? 3u : 0u);
  return rows;
}

}  // namespace

PoseErrors::PoseErrors(const Model& model, std::vector<int> links, std::vector<PoseWeights> weights)
    : model_(model),
      links_(std::move(links)),
      weights_(weights.empty() ? std::vector<PoseWeights>(links_.size()) : std::move(weights)),
      work_(model),
      targets_(links_.size()),
      quaternions_(links_.size()),
      e_(rows_of(weights_)),
      jacobian_(e_.size() * static_cast<std::size_t>(model.nv)),
      of_link_(6 * static_cast<std::size_t>(model.nv)) {}

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
  double squares = 0, *row = e_.data();
  const auto put = [&](double weight, const Vec3<double>& error) {
    if (weight == 0) return 0.0;
    for (int k = 0; k < 3; ++k) *row++ = weight * error[k];
    return weight * weight * dot(error, error);
  };
  for (std::size_t t = 0; t < links_.size(); ++t) {
    const Pose<double> pose = link_pose(model_, work_, links_[t]);
    const std::array<double, 4> u = quaternion_from_rotation(pose.R);
    const double turned = put(weights_[t].orientation, pose.R * rotation_between(quaternions_[t].data(), u.data()));
    squares += turned + put(weights_[t].position, pose.d - targets_[t].d);
  }
  return squares;
}

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
