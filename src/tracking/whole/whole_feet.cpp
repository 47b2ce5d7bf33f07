#include "tracking/whole/whole_feet.hpp"

#include <algorithm>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {

WholeFeet::WholeFeet(const WholeLayout& layout)
    : layout_(layout),
      work_(layout.model),
      q_(static_cast<std::size_t>(layout.model.nq)),
      jacobians_(3 * static_cast<std::size_t>(layout.nv) * layout.points.size()),
      whole_(6 * static_cast<std::size_t>(layout.nv)),
      places_(layout.points.size()) {
  neutral(layout.model, q_.data());
}

void WholeFeet::at(const double* q) noexcept {
  const std::size_t first = layout_.floating ? 7 : 0;
  std::copy(q + first, q + q_.size(), q_.begin() + static_cast<std::ptrdiff_t>(first));
  forward_kinematics<double>(layout_.model, work_, q_.data(), nullptr, nullptr);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const ContactPoint& point = layout_.points[k];
    const Pose<double> link = link_pose(layout_.model, work_, point.link), root = link_pose(layout_.model, work_, 0);
    places_[k] = transposed_times(root.R, link.R * point.in_link + link.d - root.d);
    point_jacobian(layout_.model, work_, point.link, Axes::world, point.in_link, whole_.data());
    double* const J = jacobians_.data() + 3 * k * static_cast<std::size_t>(layout_.nv);
    for (int c = 0; c < layout_.nv; ++c) {
      const bool base = c < layout_.base_freedoms;
      const Vector3 column = transposed_times(root.R, Vector3{{whole_[static_cast<std::size_t>(3 * layout_.nv + c)],
                                                               whole_[static_cast<std::size_t>(4 * layout_.nv + c)],
                                                               whole_[static_cast<std::size_t>(5 * layout_.nv + c)]}});
      for (int r = 0; r < 3; ++r) J[r * layout_.nv + c] = base ? 0.0 : column[r];
    }
  }
}

Matrix3 WholeFeet::link_rotation(int link) const noexcept {
  return transpose(link_pose(layout_.model, work_, 0).R) * link_pose(layout_.model, work_, link).R;
}

}  // namespace sparsedyn::tracking
