// Columns of M on their way to the base, all that pass a joint side by side: what moves a composite body along a freedom is
// carried by the same rotation and shift as what moves the bodies that it carries. Neighbours in memory are neighbours in v, so
// that four of them fill a vector, and columns do not wait for one another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

/// The memory: n and f of a wrench for each freedom, a row each, with room for fours that begin before the first.
template <class S>
struct CarriedColumns {
  explicit CarriedColumns(const Model& model)
      : stride(model.nv + room), wrench(static_cast<std::size_t>(6 * stride), S(0.0)), end(model.bodies.size(), 0) {
    std::vector<int> freedoms_of(end.size(), 0);  // of the body and all that it carries
    for (std::size_t i = end.size(); i-- > 0;) {
      const Body& body = model.bodies[i];
      freedoms_of[i] += freedoms(body.joint);
      end[i] = std::max(end[i], body.v + freedoms(body.joint));
      together = together && end[i] - body.v == freedoms_of[i];
      if (body.parent < 0) continue;
      const auto p = static_cast<std::size_t>(body.parent);
      end[p] = std::max(end[p], end[i]), freedoms_of[p] += freedoms_of[i];
    }
  }
  static constexpr int room = 4;
  S* row(int k) { return wrench.data() + k * stride + room; }

  int stride;
  std::vector<S> wrench;  // n, f: 6 × stride
  std::vector<int> end;   // of each body: behind the freedoms of all that it carries
  bool together = true;   // these are neighbours in v, for all bodies
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Whether four of S are in one register.
template <class S>
constexpr bool carries_fours = std::is_floating_point_v<S>&& register_width<S, 4> == 4;

/// The columns from `first` to `end`, in the parent's frame. What lies up to three columns before `first` is overwritten: these
/// columns have not begun.
template <class S>
[[gnu::always_inline]] inline void carry_columns(const Pose<S>& pose, CarriedColumns<S>& columns, int first, int end) {
  const auto vector = [&](int k, int c) __attribute__((always_inline)) {
    return Vec3<simd<S, 4>>{{load<4>(columns.row(k) + c), load<4>(columns.row(k + 1) + c), load<4>(columns.row(k + 2) + c)}};
  };
  for (int c = end - 4; c > first - 4; c -= 4) {
    const Vec3<simd<S, 4>> f = pose.R * vector(3, c), n = pose.R * vector(0, c) + cross(pose.d, f);
    for (int k = 0; k < 3; ++k) store(n[k], columns.row(k) + c), store(f[k], columns.row(3 + k) + c);
  }
}

/// Entries of a body's freedoms with those of all that it carries, whose columns are in its frame.
template <class S>
[[gnu::always_inline]] inline void meet_columns(const Body& body, CarriedColumns<S>& columns, int end, int nv, S* M) {
  const int first = body.v + freedoms(body.joint);
  const auto meet = [&](int freedom, const S* from) __attribute__((always_inline)) {
    for (int c = first; c < end; ++c) M[freedom * nv + c] = M[c * nv + freedom] = from[c];
  };
  switch (body.joint) {
    case BodyJoint::revolute: return meet(body.v, columns.row(2));
    case BodyJoint::prismatic: return meet(body.v, columns.row(5));
    case BodyJoint::floating:
      for (int k = 0; k < 6; ++k) meet(body.v + k, columns.row(k));
      return;
    default: break;
  }
  for (int c = first; c < end; ++c) {
    S* const row = M + c * nv;
    const auto vector = [&](int k) { return Vec3<S>{{columns.row(k)[c], columns.row(k + 1)[c], columns.row(k + 2)[c]}}; };
    joint_force(body, Force<S>{vector(0), vector(3)}, row);
    for (int k = body.v; k < first; ++k) M[k * nv + c] = row[k];
  }
}

/// All entries of M but those that are zero; composite(i): of body i, last to first, once. start(i, j): the wrench that moves
/// body i and all that it carries along freedom j of its joint. pose: of each body in its parent.
template <class S, class Composite, class Start>
[[gnu::always_inline]] inline void write_columns_together(const Model& model, const std::vector<Pose<S>>& pose,
                                                          CarriedColumns<S>& columns, Composite&& composite, Start&& start,
                                                          S* M) {
  const int nv = model.nv;
  for (int i = static_cast<int>(model.bodies.size()) - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    const int first = body.v + freedoms(body.joint);
    composite(i);
    meet_columns(body, columns, columns.end[i], nv, M);
    if (body.parent >= 0) carry_columns(pose[i], columns, first, columns.end[i]);
    // own columns last: numbers that were written one by one are read in fours, which waits for them
    for (int j = body.v; j < first; ++j) {
      Force<S> F = start(i, j);
      joint_force(body, F, M + j * nv);
      if (body.parent < 0) continue;
      F = to_parent(pose[i], F);
      for (int k = 0; k < 3; ++k) columns.row(k)[j] = F.n[k], columns.row(3 + k)[j] = F.f[k];
    }
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
