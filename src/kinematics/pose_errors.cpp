#include "pose_errors.hpp"

#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {

PoseErrors::PoseErrors(const Model& model, std::vector<int> links)
    : model_(model),
      links_(std::move(links)),
      work_(model),
      targets_(links_.size()),
      quaternions_(links_.size()),
      e_(6 * links_.size()),
      jacobian_(e_.size() * static_cast<std::size_t>(model.nv)) {}

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
  double squares = 0;
  for (std::size_t t = 0; t < links_.size(); ++t) {
    const Pose<double> pose = link_pose(model_, work_, links_[t]);
    const std::array<double, 4> u = quaternion_from_rotation(pose.R);
    const Vec3<double> w = pose.R * rotation_between(quaternions_[t].data(), u.data()), p = pose.d - targets_[t].d;
    for (int k = 0; k < 3; ++k) {
      const auto i = 6 * t + static_cast<std::size_t>(k);
      e_[i] = w[k], e_[i + 3] = p[k];
    }
    squares += dot(w, w) + dot(p, p);
  }
  return squares;
}

const std::vector<double>& PoseErrors::jacobian() noexcept {
  for (std::size_t t = 0; t < links_.size(); ++t)
    link_jacobian(model_, work_, links_[t], Axes::world, jacobian_.data() + 6 * t * static_cast<std::size_t>(model_.nv));
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
