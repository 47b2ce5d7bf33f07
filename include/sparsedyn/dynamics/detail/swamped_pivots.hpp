// Pivots that are nothing but rounding of what was carried to them: a light body between heavy ones, all of whose motions the
// joints take up. The difference that is left of what they carry has no digit, and says nothing of itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/eliminate.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// The largest of a scalar's magnitudes.
template <class S>
double largest_magnitude(const S& x) {
  return Magnitude<S>::of(x);
}

/// The least of a scalar's values: no body's pivot is negative. Asked of double alone; 0 for others.
template <class S>
double least_value([[maybe_unused]] const S& x) {
  if constexpr (std::is_same_v<S, double>)
    return x;
  else
    return 0;
}

/// Whether pivots are looked at. (Of float, three digits apart are common.)
template <class S>
constexpr bool has_swamped_pivots = Magnitude<S>::exists && !std::is_same_v<S, float>;

/// The largest of what any joint carries: the traces of A and C.
template <class S>
class LargestCarried {
 public:
  void note(const ArticulatedInertia<S>& I) {
    if constexpr (has_swamped_pivots<S>) {
      const double turning = largest_magnitude(S(I.A.xx + I.A.yy + I.A.zz));
      const double shifting = largest_magnitude(S(I.C.xx + I.C.yy + I.C.zz));
      size_ = std::max(size_, turning + shifting);
    }
  }
  double size() const { return size_; }

 private:
  double size_ = 0;
};

/// Moves what is not zero by ±4 ε of what it may have been summed from, A: turning, C: shifting.
template <class S>
void move_by_rounding(ArticulatedInertia<S>& I, double turning, double shifting, unsigned& signs) noexcept {
  const auto move = [&](S& x, double size) {
    signs = signs * 1664525u + 1013904223u;
    if (Magnitude<S>::of(x) > 0) x = x + S((signs >> 31 ? 4 : -4) * rounding_of<S>() * size);
  };
  const auto move_all = [&](Sym3<S>& s, double size) {
    for (S* x : {&s.xx, &s.xy, &s.xz, &s.yy, &s.yz, &s.zz}) move(*x, size);
  };
  move_all(I.A, turning), move_all(I.C, shifting);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) move(I.B(i, k), std::sqrt(turning * shifting));
}

/// Eliminates all over again with what bodies hand on moved by its rounding: the entry of v, the nearest to the tips, whose
/// pivot a tenth of itself depends on that, or -1. ws.freedom stays. any: nv numbers.
template <class S>
[[gnu::cold, gnu::noinline]] int first_swamped(const Model& model, Workspace<S>& ws, const S* any) noexcept {
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i)
    ws.inertia[i] = with_inertia<S>(model.bodies[i].inertia, [](const auto& I) { return articulated<S>(I); });
  unsigned signs = 1;
  for (int i = n - 1; i >= 0; --i) {
    const Body& body = model.bodies[i];
    ArticulatedInertia<S>& I = ws.inertia[i];
    const double turning = Magnitude<S>::of(I.A.xx + I.A.yy + I.A.zz), shifting = Magnitude<S>::of(I.C.xx + I.C.yy + I.C.zz);
    EliminatedFreedom<S> kept[6];
    EliminatedFreedom<S>* const own = ws.freedom.data() + body.v;
    const int count = freedoms(body.joint);
    std::copy_n(own, count, kept);
    Force<S> none{zero3<S>(), zero3<S>()};
    const double armature = count == 1 ? armature_of(model, body.v) : 0.0;
    eliminate_joint(body, armature, I, none, any, ws.freedom.data());
    int swamped = -1;
    for (int k = count - 1; k >= 0; --k) {
      const double now = Magnitude<S>::of(own[k].inverse), change = Magnitude<S>::of(own[k].inverse - kept[k].inverse);
      if (swamped < 0 && !(change <= 0.1 * now)) swamped = body.v + k;
    }
    std::copy_n(kept, count, own);
    if (swamped >= 0) return swamped;
    if (body.parent < 0) continue;
    move_by_rounding(I, turning, shifting, signs);
    ws.inertia[body.parent] = ws.inertia[body.parent] + carried_to_parent(body, armature, ws.pose[i], I);
  }
  return -1;
}

/// For the end of an elimination, `largest` having noted each body before its joint: the entry of v whose pivot is rounding, or
/// -1. Looks closer where a pivot is negative, or 10¹¹ times smaller than what was carried. any: nv numbers.
template <class S>
int swamped_freedom(const Model& model, Workspace<S>& ws, const LargestCarried<S>& largest, const S* any) noexcept {
  if constexpr (has_swamped_pivots<S>) {
    double inverse = 0, least = 0;
    for (const EliminatedFreedom<S>& e : ws.freedom)
      inverse = std::max(inverse, largest_magnitude(e.inverse)), least = std::min(least, least_value(e.inverse));
    if (seldom(least < 0 || inverse * largest.size() >= 1 / (16384 * rounding_of<S>()))) return first_swamped(model, ws, any);
  }
  return -1;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
