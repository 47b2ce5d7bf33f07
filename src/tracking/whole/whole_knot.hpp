// The estimate about which errors are taken, and how it moves with them.
#pragma once

#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::tracking {

/// q (nq), dq (nv) of the robot, offsets, footholds by point, and z of the interval that ends here.
struct WholeKnot {
  std::vector<double> q, dq, offsets, z;
  std::vector<Vector3> footholds;
  explicit WholeKnot(const WholeLayout& layout);

  // Of a floating base: in the world, but ω in the base's axes.
  Matrix3 R() const noexcept { return rotation_from_quaternion(q.data() + 3); }
  Vector3 p() const noexcept { return {{q[0], q[1], q[2]}}; }
  Vector3 w() const noexcept { return {{dq[0], dq[1], dq[2]}}; }
  Vector3 v() const noexcept { return R() * Vector3{{dq[3], dq[4], dq[5]}}; }
  void put_base(const Matrix3& R, const Vector3& p, const Vector3& v, const Vector3& w) noexcept;
};

/// x becomes x plus errors. No heap.
void retract(const WholeLayout& layout, const double* error, WholeKnot& x) noexcept;
/// The errors of x beside `from`: from plus them is x. No heap.
void local(const WholeLayout& layout, const WholeKnot& x, const WholeKnot& from, double* error) noexcept;
void copy(const WholeKnot& from, WholeKnot& to) noexcept;

inline Vector3 part_of(const double* e, int first) noexcept { return {{e[first], e[first + 1], e[first + 2]}}; }
inline void put_part(double* e, int first, const Vector3& x) noexcept {
  for (int k = 0; k < 3; ++k) e[first + k] = x[k];
}

}  // namespace sparsedyn::tracking
