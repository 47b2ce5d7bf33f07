// M⁻¹ without M: the articulated-body algorithm for unit torques at all freedoms at once (Carpentier, "Analytical inverse of
// the joint space inertia matrix", 2018). A column is one such torque. Towards the base it exists only for the freedoms below a
// body; outwards, by symmetry, only columns from the body's own on are worked out.
#pragma once

#include <algorithm>
#include <utility>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

/// Six rows (angular first) of one number a column: a spatial vector for each column.
template <class S>
class SpatialColumns {
 public:
  explicit SpatialColumns(int columns) : columns_(columns), values_(6 * static_cast<std::size_t>(columns), S(0.0)) {}
  void clear() noexcept { std::fill(values_.begin(), values_.end(), S(0.0)); }
  /// Column c, or the columns c … c + 3 side by side: T is S or simd<S, 4>.
  template <class T>
  Force<T> wrench(int c) const noexcept {
    return {read<T>(0, c), read<T>(3, c)};
  }
  template <class T>
  Motion<T> motion(int c) const noexcept {
    return {read<T>(0, c), read<T>(3, c)};
  }
  template <class T>
  void set(int c, const Vec3<T>& angular, const Vec3<T>& linear) noexcept {
    for (int r = 0; r < 3; ++r) put(angular[r], at(r, c)), put(linear[r], at(3 + r, c));
  }
  static void get(const S* from, S& to) noexcept { to = *from; }
  static void get(const S* from, simd<S, 4>& to) noexcept { to = load<4>(from); }
  static void put(const S& x, S* to) noexcept { *to = x; }
  static void put(const simd<S, 4>& x, S* to) noexcept { store(x, to); }

 private:
  S* at(int r, int c) noexcept { return values_.data() + static_cast<std::size_t>(r) * columns_ + c; }
  template <class T>
  Vec3<T> read(int row, int c) const noexcept {
    Vec3<T> x;
    for (int r = 0; r < 3; ++r) get(values_.data() + static_cast<std::size_t>(row + r) * columns_ + c, x[r]);
    return x;
  }
  int columns_;
  std::vector<S> values_;
};

/// What unit torques at all freedoms do, a column each. Allocated once for a model; one a thread.
template <class S>
struct UnitTorques {
  explicit UnitTorques(const Model& model) : wrench(model.nv), motion(model.bodies.size(), SpatialColumns<S>(model.nv)) {
    const std::vector<int> parent = parent_freedoms(model);
    for (const Body& body : model.bodies) {
      below.emplace_back();
      for (int c = body.v; c < model.nv; ++c) {
        int j = c;
        while (j > body.v) j = parent[j];
        if (j != body.v) continue;
        if (below.back().empty() || below.back().back().second < c) below.back().push_back({c, c});
        below.back().back().second = c + 1;
      }
    }
  }
  SpatialColumns<S> wrench;               // what those below a body leave for it, in the frame of the body reached
  std::vector<SpatialColumns<S>> motion;  // a body: its acceleration, in its frame
  std::vector<std::vector<std::pair<int, int>>> below;  // a body: ranges [first, last) of its and all lower freedoms
};

/// Allocated once for a model; one a thread.
template <class S>
struct DirectMinverseWorkspace {
  explicit DirectMinverseWorkspace(const Model& model) : dynamics(model), torques(model), zero(model.nv, S(0.0)) {}
  Workspace<S> dynamics;
  UnitTorques<S> torques;
  std::vector<S> zero;
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// work(T(), c) for c in [first, last): four columns side by side, then one by one.
template <class S, class Work>
void by_fours(int first, int last, Work&& work) {
  int c = first;
  for (; c + 4 <= last; c += 4) work(simd<S, 4>(), c);
  for (; c < last; ++c) work(S(0.0), c);
}

/// Row j of D⁻¹ u, u = e_j − Sᵀ p, and p ← p + U D⁻¹ u, for each freedom of the body, last first; p then goes to the parent.
template <class S>
void gather_torques(const Body& body, const Pose<S>& pose, const EliminatedFreedom<S>* freedom,
                    const std::vector<std::pair<int, int>>& below, int nv, SpatialColumns<S>& p, S* inverse) noexcept {
  const S pitch(body.pitch);
  for (int k = freedoms(body.joint) - 1; k >= 0; --k) {
    const int j = body.v + k;
    const EliminatedFreedom<S>& e = freedom[j];
    S* row = inverse + j * nv;
    const auto eliminate = [&](auto zero, int c) {
      using T = decltype(zero);
      const Force<T> x = p.template wrench<T>(c);
      const T scale = S(-e.inverse) * along_freedom(body, pitch, k, x);
      SpatialColumns<S>::put(scale, row + c);
      p.set(c, x.n + scale * e.U.n, x.f + scale * e.U.f);
    };
    for (const auto& [first, last] : below) by_fours<S>(first, last, eliminate);
    row[j] = row[j] + e.inverse;  // column j itself: nothing has come to it from below
    p.template set<S>(j, e.inverse * e.U.n, e.inverse * e.U.f);
  }
  if (body.parent < 0) return;
  for (const auto& [first, last] : below)
    by_fours<S>(first, last, [&](auto zero, int c) {
      const auto x = to_parent(pose, p.template wrench<decltype(zero)>(c));
      p.set(c, x.n, x.f);
    });
}

/// Row j ← row j − D⁻¹ Uᵀ δ, δ ← δ + S (row j), for each freedom of the body; δ: the parent's motion in the body's frame.
template <class S>
void spread_motion(const Body& body, const Pose<S>& pose, const EliminatedFreedom<S>* freedom, int nv,
                   const SpatialColumns<S>* parent, SpatialColumns<S>& own, S* inverse) noexcept {
  const S pitch(body.pitch);
  by_fours<S>(body.v, nv, [&](auto zero, int c) {
    using T = decltype(zero);
    Motion<T> delta = own.template motion<T>(c);
    if (parent) delta = to_child(pose, parent->template motion<T>(c));
    for (int k = 0; k < freedoms(body.joint); ++k) {
      const EliminatedFreedom<S>& e = freedom[body.v + k];
      S* entry = inverse + (body.v + k) * nv + c;
      T a;
      SpatialColumns<S>::get(entry, a);
      a = a - e.inverse * (dot(e.U.n, delta.w) + dot(e.U.f, delta.v));
      SpatialColumns<S>::put(a, entry);
      add_along_freedom(body, pitch, k, a, delta);
    }
    own.set(c, delta.w, delta.v);
  });
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// M⁻¹ from the poses and eliminated freedoms that aba has left in `dynamics`. Results as in direct_minverse.
template <class S>
void minverse_from_articulated(const Model& model, const Workspace<S>& dynamics, UnitTorques<S>& torques, S* inverse) noexcept {
  const int n = static_cast<int>(model.bodies.size()), nv = model.nv;
  const EliminatedFreedom<S>* freedom = dynamics.freedom.data();
  std::fill(inverse, inverse + nv * nv, S(0.0));
  torques.wrench.clear();
  for (int i = n - 1; i >= 0; --i)
    detail::gather_torques(model.bodies[i], dynamics.pose[i], freedom, torques.below[i], nv, torques.wrench, inverse);
  for (int i = 0; i < n; ++i) {
    const int up = model.bodies[i].parent;
    SpatialColumns<S>* const motion = torques.motion.data();
    if (up < 0) motion[i].clear();
    detail::spread_motion(model.bodies[i], dynamics.pose[i], freedom, nv, up < 0 ? nullptr : motion + up, motion[i], inverse);
  }
  for (int j = 0; j < nv; ++j)
    for (int c = j + 1; c < nv; ++c) inverse[c * nv + j] = inverse[j * nv + c];
}

}  // namespace SPARSEDYN_CODE

/// M(q)⁻¹, nv × nv row by row, symmetric, all entries written. q: nq. O(n²), no heap. If a joint cannot be solved for, its
/// first entry of v is returned and nothing is to be used. For robots minverse() takes three quarters of the time and rounds
/// less; where M itself is not wanted and the tree is deep, this. With coupled joints it is minverse().
template <class S>
DynamicsStatus direct_minverse(const Model& model, DirectMinverseWorkspace<S>& ws, const S* q, S* inverse) noexcept {
  if (model.coordinate_map) return minverse(model, ws.dynamics, q, inverse);
  DynamicsStatus status;
  Workspace<S>& d = ws.dynamics;
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    d.pose[i] = joint_pose(model.bodies[i], q);
    d.inertia[i] = with_inertia<S>(model.bodies[i].inertia, [](const auto& I) { return articulated<S>(I); });
  }
  LargestCarried<S> largest;
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    Force<S> none{zero3<S>(), zero3<S>()};
    const double armature = armature_of(model, body.v);
    largest.note(d.inertia[i]);
    const int singular = eliminate_joint(body, armature, d.inertia[i], none, ws.zero.data(), d.freedom.data());
    if (status.ok()) status.singular = singular;
    if (body.parent >= 0)
      d.inertia[body.parent] = d.inertia[body.parent] + carried_to_parent(body, armature, d.pose[i], d.inertia[i]);
  }
  if (status.ok()) status.singular = swamped_freedom(model, d, largest, ws.zero.data());
  if (status.ok()) minverse_from_articulated(model, d, ws.torques, inverse);
  return status;
}

extern template DynamicsStatus direct_minverse(const Model&, DirectMinverseWorkspace<double>&, const double*, double*) noexcept;

}  // namespace sparsedyn
