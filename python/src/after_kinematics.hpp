// Algorithms that read their outputs off one pass of forward kinematics.
#pragma once

#include "algorithm.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn::python {

/// One pass of forward kinematics, then what `write` reads off it.
template <class Write>
[[gnu::flatten]] int after_kinematics(Works& works, const State& s, Write&& write) {
  forward_kinematics(works.model, works.basic, s.q, s.dq, s.ddq);
  write(works.model, works.basic);
  return -1;
}

inline double* put(const Vec3<double>& x, double* out) {
  for (int k = 0; k < 3; ++k) *out++ = x[k];
  return out;
}

/// Angular, then linear.
inline double* put(const Motion<double>& m, double* out) { return put(m.v, put(m.w, out)); }

/// x y z, then the unit quaternion x y z w.
inline double* put(const Pose<double>& pose, double* out) {
  out = put(pose.d, out);
  for (double u : quaternion_from_rotation(pose.R)) *out++ = u;
  return out;
}

/// 4 × 4, row by row.
inline double* put_matrix(const Pose<double>& pose, double* out) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) *out++ = pose.R(r, c);
    *out++ = pose.d[r];
  }
  for (int c = 0; c < 4; ++c) *out++ = c == 3;
  return out;
}

}  // namespace sparsedyn::python
