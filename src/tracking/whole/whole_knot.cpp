#include "tracking/whole/whole_knot.hpp"

#include <algorithm>

#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::tracking {

WholeKnot::WholeKnot(const WholeLayout& layout)
    : q(static_cast<std::size_t>(layout.model.nq), 0.0),
      dq(static_cast<std::size_t>(layout.nv), 0.0),
      offsets(layout.offsets.size(), 0.0),
      z(layout.unknowns.size(), 0.0),
      footholds(layout.points.size(), zero3<double>()) {
  neutral(layout.model, q.data());
}

void WholeKnot::put_base(const Matrix3& R, const Vector3& p, const Vector3& v, const Vector3& w) noexcept {
  auto u = quaternion_from_rotation(R);
  normalise_quaternion(u.data());
  const Vector3 in_base = transposed_times(rotation_from_quaternion(u.data()), v);
  for (std::size_t k = 0; k < 3; ++k) q[k] = p[static_cast<int>(k)];
  for (std::size_t k = 0; k < 4; ++k) q[3 + k] = u[k];
  for (std::size_t k = 0; k < 3; ++k) dq[k] = w[static_cast<int>(k)], dq[3 + k] = in_base[static_cast<int>(k)];
}

void retract(const WholeLayout& layout, const double* error, WholeKnot& x) noexcept {
  if (layout.floating) {
    const Vector3 turn = part_of(error, WholeLayout::turn);
    const Matrix3 E = exponential(turn), V = left_jacobian(turn);
    x.put_base(E * x.R(), E * x.p() + V * part_of(error, WholeLayout::place),
               E * x.v() + V * part_of(error, WholeLayout::velocity), x.w() + part_of(error, WholeLayout::rate));
    for (std::size_t k = 0; k < x.footholds.size(); ++k)
      x.footholds[k] = E * x.footholds[k] + V * part_of(error, layout.points[k].error);
  }
  for (const GroupJoint& group : layout.groups) group.integrate(x.q.data(), error + layout.position_error(group.v), x.q.data());
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    if (const int at = layout.coordinate(v); at >= 0) x.q[static_cast<std::size_t>(at)] += error[layout.position_error(v)];
    x.dq[static_cast<std::size_t>(v)] += error[layout.velocity_error(v)];
  }
  for (std::size_t k = 0; k < x.offsets.size(); ++k) x.offsets[k] += error[static_cast<std::size_t>(layout.first_offset) + k];
  for (std::size_t k = 0; k < x.z.size(); ++k) x.z[k] += error[static_cast<std::size_t>(layout.first_unknown) + k];
}

void local(const WholeLayout& layout, const WholeKnot& x, const WholeKnot& from, double* error) noexcept {
  if (layout.floating) {
    const Vector3 turn = logarithm(x.R() * transpose(from.R()));
    const Matrix3 E = exponential(turn), V = inverse_left_jacobian(turn);
    put_part(error, WholeLayout::turn, turn);
    put_part(error, WholeLayout::place, V * (x.p() - E * from.p()));
    put_part(error, WholeLayout::velocity, V * (x.v() - E * from.v()));
    put_part(error, WholeLayout::rate, x.w() - from.w());
    for (std::size_t k = 0; k < x.footholds.size(); ++k)
      put_part(error, layout.points[k].error, V * (x.footholds[k] - E * from.footholds[k]));
  }
  for (const GroupJoint& group : layout.groups)
    group.difference(from.q.data(), x.q.data(), error + layout.position_error(group.v));
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    if (const int at = layout.coordinate(v); at >= 0)
      error[layout.position_error(v)] = x.q[static_cast<std::size_t>(at)] - from.q[static_cast<std::size_t>(at)];
    error[layout.velocity_error(v)] = x.dq[static_cast<std::size_t>(v)] - from.dq[static_cast<std::size_t>(v)];
  }
  for (std::size_t k = 0; k < x.offsets.size(); ++k)
    error[static_cast<std::size_t>(layout.first_offset) + k] = x.offsets[k] - from.offsets[k];
  for (std::size_t k = 0; k < x.z.size(); ++k) error[static_cast<std::size_t>(layout.first_unknown) + k] = x.z[k] - from.z[k];
}

void copy(const WholeKnot& from, WholeKnot& to) noexcept {
  std::copy(from.q.begin(), from.q.end(), to.q.begin());
  std::copy(from.dq.begin(), from.dq.end(), to.dq.begin());
  std::copy(from.offsets.begin(), from.offsets.end(), to.offsets.begin());
  std::copy(from.z.begin(), from.z.end(), to.z.begin());
  std::copy(from.footholds.begin(), from.footholds.end(), to.footholds.begin());
}

}  // namespace sparsedyn::tracking
