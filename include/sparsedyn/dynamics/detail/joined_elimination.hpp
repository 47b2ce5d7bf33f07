// The articulated-body algorithm where joints are coupled. A coordinate that several joints read is not eliminated at one of
// them: it stays open on the way to the body below which all of them lie, beside the accelerations. Minimised is, of a subtree
// below body i and with y the open coordinates,
//   ½ aᵀ I a + aᵀ (p + Σ B_k y_k) + ½ Σ D_kl y_k y_l − Σ u_k y_k
// (Gauss's principle). A joint that reads y_c puts a = a' + S m y_c; every other joint, and y_c where it closes, is eliminated
// as ever. Where followers are near their leaders few coordinates are open at a time, and the cost grows as n: the elimination
// of constraint embedding (Jain 2009) or of clusters (Chignoli, Adrian, Kim & Wensing 2022), coordinate by coordinate.
#pragma once

#include <algorithm>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/eliminate.hpp"

namespace sparsedyn {

namespace detail {
inline namespace SPARSEDYN_CODE {

/// I S of freedom k.
template <class S>
Force<S> column_along(const Body& body, int k, const ArticulatedInertia<S>& I) {
  const JointFreedom freedom = freedom_of(body.joint, k);
  const Force<S> about = column(I, freedom.axis);
  if (freedom.slides < 0) return about;
  const Force<S> sliding = column(I, freedom.slides);
  const auto pitch = Constant<S>(body.pitch);
  return {about.n + pitch * sliding.n, about.f + pitch * sliding.f};
}

template <class S>
void add_scaled(const S& x, const Force<S>& g, Force<S>& to) {
  to = {to.n + x * g.n, to.f + x * g.f};
}

/// I, B, D and the pivots, from tips to base. Poses are those of ws, articulated inertias are its bodies'. Returns the entry of
/// the robot's v nearest to the tips whose pivot is nothing but rounding, or -1.
template <class S>
class JoinedElimination {
 public:
  JoinedElimination(const CoordinateMap& map, Workspace<S>& ws) : map_(map), tree_(map.tree), ws_(ws), j_(ws.joined) {}

  int factor() noexcept {
    int singular = -1;
    const auto note = [&](bool vanishes, int coordinate) {
      if (vanishes && singular < 0) singular = coordinate;
    };
    std::fill(j_.wrench.begin(), j_.wrench.end(), Force<S>{zero3<S>(), zero3<S>()});
    for (auto* numbers : {&j_.D, &j_.size}) std::fill(numbers->begin(), numbers->end(), S(0.0));
    for (int i = bodies() - 1; i >= 0; --i) {
      const JoinedPlan::AtBody& at = j_.plan.bodies[i];
      const Body& body = tree_.bodies[i];
      for (int x = 0; x < at.closing; ++x) note(close(i, x, x + 1, count(at)), at.open[x]);
      if (at.own >= 0)
        read(i);
      else
        for (int k = freedoms(body.joint) - 1; k >= 0; --k) note(eliminate(i, k), map_.v[body.v + k].index);
      if (at.closes_own) note(close(i, at.own, at.closing, at.own), at.open[at.own]);
      if (body.parent < 0) continue;
      ws_.inertia[body.parent] = ws_.inertia[body.parent] + to_parent(ws_.pose[i], ws_.inertia[i]);
      for (int x = at.closing; x < leaving(at); ++x) {
        Force<S>& up = j_.wrench[slot(body.parent, at.open[x])];
        up = up + to_parent(ws_.pose[i], j_.wrench[at.slot + x]);
      }
    }
    for (std::size_t x = 0; x < j_.plan.last.size(); ++x) {
      const int c = j_.plan.last[x];
      note(pivot(c), c);
      for (std::size_t y = x + 1; y < j_.plan.last.size(); ++y)
        for (std::size_t z = x + 1; z < j_.plan.last.size(); ++z) take_off(c, j_.plan.last[y], j_.plan.last[z]);
    }
    return singular;
  }

  /// Accelerations a for torques tau (both of the robot, maybe one array) and the wrenches in ws.force (its bodies' own), by
  /// the factors.
  void solve(const S* tau, S* a) noexcept {
    for (int k = 0; k < j_.n; ++k) j_.u[k] = tau[k];
    for (int i = bodies() - 1; i >= 0; --i) drive(i);
    for (std::size_t x = 0; x < j_.plan.last.size(); ++x)
      for (std::size_t y = x + 1; y < j_.plan.last.size(); ++y) pass_on(j_.plan.last[x], j_.plan.last[y]);
    for (std::size_t x = j_.plan.last.size(); x-- > 0;) {
      const int c = j_.plan.last[x];
      a[c] = j_.u[c];
      for (std::size_t y = x + 1; y < j_.plan.last.size(); ++y) a[c] = a[c] - j_.mixed(c, j_.plan.last[y]) * a[j_.plan.last[y]];
      a[c] = j_.inverse[c] * a[c];
    }
    for (int i = 0; i < bodies(); ++i) accelerate(i, a);
  }

 private:
  int bodies() const { return static_cast<int>(tree_.bodies.size()); }
  static int count(const JoinedPlan::AtBody& at) { return static_cast<int>(at.open.size()); }
  static int leaving(const JoinedPlan::AtBody& at) { return count(at) - (at.closes_own ? 1 : 0); }
  std::size_t slot(int body, int coordinate) const {
    const JoinedPlan::AtBody& at = j_.plan.bodies[body];
    return static_cast<std::size_t>(at.slot + (std::find(at.open.begin(), at.open.end(), coordinate) - at.open.begin()));
  }
  S& share(int i, int k, int x) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    return j_.share[at.share + k * count(at) + x];
  }
  bool pivot(int c) {
    j_.inverse[c] = S(1.0) / j_.mixed(c, c);
    return is_singular_pivot(j_.mixed(c, c), j_.size[c]);
  }
  /// D_kl −= D_kc D_cl / D_cc.
  void take_off(int c, int k, int l) { j_.mixed(k, l) = j_.mixed(k, l) - j_.inverse[c] * j_.mixed(c, k) * j_.mixed(c, l); }
  void pass_on(int c, int k) { j_.u[k] = j_.u[k] - j_.inverse[c] * j_.mixed(c, k) * j_.u[c]; }

  /// The open coordinate at place x of body i is eliminated; those at [from, to) stay open.
  bool close(int i, int x, int from, int to) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    const int c = at.open[x];
    const bool vanishes = pivot(c);
    const Force<S>& U = j_.wrench[at.slot + x];
    ws_.inertia[i] = minus_outer(ws_.inertia[i], U, Force<S>{j_.inverse[c] * U.n, j_.inverse[c] * U.f});
    for (int y = from; y < to; ++y) {
      const int k = at.open[y];
      add_scaled(S(-j_.inverse[c] * j_.mixed(c, k)), U, j_.wrench[at.slot + y]);
      for (int z = from; z < to; ++z) take_off(c, k, at.open[z]);
    }
    return vanishes;
  }

  /// a = a' + S m y_c.
  void read(int i) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    const Body& body = tree_.bodies[i];
    const int c = at.open[at.own];
    const auto m = Constant<S>(map_.v[body.v].multiplier), pitch = Constant<S>(body.pitch);
    const ArticulatedInertia<S>& I = ws_.inertia[i];
    const Force<S> U = column_along(body, 0, I);
    Force<S>& own = j_.wrench[at.slot + at.own];
    const S along = along_freedom(body, pitch, 0, own);
    j_.mixed(c, c) =
        j_.mixed(c, c) + m * (m * with_armature(along_freedom(body, pitch, 0, U), armature_of(tree_, body.v)) + along + along);
    for (int x = at.closing; x < count(at); ++x) {
      if (x == at.own) continue;
      const int k = at.open[x];
      j_.mixed(c, k) = j_.mixed(k, c) = j_.mixed(c, k) + m * along_freedom(body, pitch, 0, j_.wrench[at.slot + x]);
    }
    const S size = is_shift(body.joint, 0) ? I.C.xx + I.C.yy + I.C.zz : I.A.xx + I.A.yy + I.A.zz;
    j_.size[c] = j_.size[c] + m * m * size;
    add_scaled(S(m), U, own);
  }

  /// Freedom k of a joint that no other follows.
  bool eliminate(int i, int k) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    const Body& body = tree_.bodies[i];
    const auto pitch = Constant<S>(body.pitch);
    ArticulatedInertia<S>& I = ws_.inertia[i];
    const S size = is_shift(body.joint, k) ? I.C.xx + I.C.yy + I.C.zz : I.A.xx + I.A.yy + I.A.zz;
    const Force<S> U = column_along(body, k, I);
    const S D = with_armature(along_freedom(body, pitch, k, U), armature_of(tree_, body.v)), inverse = S(1.0) / D;
    ws_.freedom[body.v + k] = {U, inverse, S(0.0)};
    I = minus_outer(I, U, Force<S>{inverse * U.n, inverse * U.f});
    if (const JointFreedom freedom = freedom_of(body.joint, k); freedom.slides < 0 && armature_of(tree_, body.v) == 0)
      clear_axis(I, freedom.axis);
    for (int x = at.closing; x < count(at); ++x) share(i, k, x) = along_freedom(body, pitch, k, j_.wrench[at.slot + x]);
    for (int x = at.closing; x < count(at); ++x) {
      const S scale = inverse * share(i, k, x);
      add_scaled(S(-scale), U, j_.wrench[at.slot + x]);
      for (int y = at.closing; y < count(at); ++y)
        j_.mixed(at.open[x], at.open[y]) = j_.mixed(at.open[x], at.open[y]) - scale * share(i, k, y);
    }
    return is_singular_pivot(D, size);
  }

  /// What drives the freedoms at body i, and its wrench on to the parent.
  void drive(int i) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    const Body& body = tree_.bodies[i];
    const auto pitch = Constant<S>(body.pitch);
    Force<S>& p = ws_.force[i];
    const auto closed = [&](int x, int from, int to) {
      const int c = at.open[x];
      add_scaled(S(j_.inverse[c] * j_.u[c]), j_.wrench[at.slot + x], p);
      for (int y = from; y < to; ++y) pass_on(c, at.open[y]);
    };
    for (int x = 0; x < at.closing; ++x) closed(x, x + 1, count(at));
    if (at.own >= 0) {
      const int c = at.open[at.own];
      j_.u[c] = j_.u[c] - Constant<S>(map_.v[body.v].multiplier) * along_freedom(body, pitch, 0, p);
    }
    for (int k = freedoms(body.joint) - 1; at.own < 0 && k >= 0; --k) {
      EliminatedFreedom<S>& e = ws_.freedom[body.v + k];
      e.u = j_.u[map_.v[body.v + k].index] - along_freedom(body, pitch, k, p);
      const S scale = e.inverse * e.u;
      add_scaled(scale, e.U, p);
      for (int x = at.closing; x < count(at); ++x) j_.u[at.open[x]] = j_.u[at.open[x]] - scale * share(i, k, x);
    }
    if (at.closes_own) closed(at.own, at.closing, at.own);
    if (body.parent >= 0) ws_.force[body.parent] = ws_.force[body.parent] + to_parent(ws_.pose[i], p);
  }

  /// Base to tips: (δα, δa)_i, kept in ws.motion, and the accelerations that are found at body i.
  void accelerate(int i, S* a) {
    const JoinedPlan::AtBody& at = j_.plan.bodies[i];
    const Body& body = tree_.bodies[i];
    const auto pitch = Constant<S>(body.pitch);
    Motion<S> delta{zero3<S>(), zero3<S>()};
    if (body.parent >= 0) delta = to_child(ws_.pose[i], Motion<S>{ws_.motion[body.parent].al, ws_.motion[body.parent].a});
    const auto closed = [&](int x, int from, int to) {
      const int c = at.open[x];
      S rest = j_.u[c] - dot(delta, j_.wrench[at.slot + x]);
      for (int y = from; y < to; ++y) rest = rest - j_.mixed(c, at.open[y]) * a[at.open[y]];
      a[c] = j_.inverse[c] * rest;
    };
    if (at.closes_own) closed(at.own, at.closing, at.own);
    if (at.own >= 0) add_along_freedom(body, pitch, 0, S(Constant<S>(map_.v[body.v].multiplier) * a[at.open[at.own]]), delta);
    for (int k = 0; at.own < 0 && k < freedoms(body.joint); ++k) {
      const EliminatedFreedom<S>& e = ws_.freedom[body.v + k];
      S rest = e.u - dot(delta, e.U);
      for (int x = at.closing; x < count(at); ++x) rest = rest - share(i, k, x) * a[at.open[x]];
      S& own = a[map_.v[body.v + k].index];
      own = e.inverse * rest;
      add_along_freedom(body, pitch, k, own, delta);
    }
    for (int x = at.closing; x-- > 0;) closed(x, x + 1, count(at));
    ws_.motion[i].al = delta.w, ws_.motion[i].a = delta.v;
  }

  const CoordinateMap& map_;
  const Model& tree_;
  Workspace<S>& ws_;
  JoinedWorkspace<S>& j_;
};

}  // namespace SPARSEDYN_CODE
}  // namespace detail
}  // namespace sparsedyn
