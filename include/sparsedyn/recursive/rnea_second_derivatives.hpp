// Second derivatives of inverse dynamics by moment matrices, for every joint, with external wrenches.
//
// With e_x = z_x × ρ + l_x the displacement by freedom x and A = r'' − g, every second derivative is a sum over the mass below
// the deepest of three freedoms i, j, k (each above or in the joint of the next) of products of e_i, e_j, e_k and their rates.
// What depends on k travels up as a DeepWave; at j it makes the PairWave of (j, k), which travels up to every i.
// Derivation, and the order of differentiation within a joint: docs/second-derivatives.md.
#pragma once

#include "sparsedyn/recursive/second_derivative_waves.hpp"

namespace sparsedyn {

/// Second derivatives at one state. [a,b,c]: derivative by c of ∂τ_a/∂q_b (qq, qv) or ∂τ_a/∂v_b (vv); Mq[a,b,c] = ∂M_ab/∂q_c.
/// Columns with respect to q are on the tangent space, perturbed on the right, b first: [a,b,c] and [a,c,b] of qq differ only
/// where b and c belong to one joint. Triples not on a common branch are zero and not stored.
template <class S>
class SecondDerivatives {
 public:
  explicit SecondDerivatives(const Model& model) : index_(model), records_(index_.count()) {}
  const TripleIndex& index() const { return index_; }
  std::vector<TripleRecord<S>>& records() { return records_; }
  const std::vector<TripleRecord<S>>& records() const { return records_; }

  S qq(int a, int b, int c) const {
    return entry(a, b, c, [&](const auto& r) { return r.qq[slot(a, b, c)]; });
  }
  S qv(int a, int b, int c) const {
    return entry(a, b, c, [&](const auto& r) { return r.qv[slot(a, b, c)]; });
  }
  S vv(int a, int b, int c) const {
    return entry(a, b, c, [&](const auto& r) { return r.vv[rank(a, b, c)]; });
  }
  S Mq(int a, int b, int c) const {
    return entry(a, b, c, [&](const auto& r) { return r.Mq[rank(c, a, b)]; });
  }

  /// The record of three freedoms on one branch, in any order.
  int record_of(int a, int b, int c) const {
    int x[3] = {a, b, c};
    const auto deeper = [&](int p, int q) { return index_.depth(p) > index_.depth(q); };
    if (deeper(x[0], x[1])) std::swap(x[0], x[1]);
    if (deeper(x[1], x[2])) std::swap(x[1], x[2]);
    if (deeper(x[0], x[1])) std::swap(x[0], x[1]);
    return index_.sorted(x[0], x[1], x[2]);
  }
  int slot(int a, int b, int c) const { return order_slot(index_.depth(a), index_.depth(b), index_.depth(c)); }
  int rank(int a, int b, int c) const { return rank_of(index_.depth(a), index_.depth(b), index_.depth(c)); }

 private:
  template <class Read>
  S entry(int a, int b, int c, Read&& read) const {
    if (!index_.on_one_branch(a, b) || !index_.on_one_branch(a, c) || !index_.on_one_branch(b, c)) return S(0.0);
    return read(records_[record_of(a, b, c)]);
  }
  TripleIndex index_;
  std::vector<TripleRecord<S>> records_;
};

namespace detail {

/// Three different joints: all eighteen entries at once.
template <class S>
[[gnu::always_inline]] inline void store_apart(const TripleValues<S>& t, TripleRecord<S>& r) {
  r.qq[0] = r.qq[1] = t.qq_i, r.qq[2] = r.qq[3] = t.qq_j, r.qq[4] = r.qq[5] = t.qq_k;
  r.qv[0] = t.qv_ijk, r.qv[1] = t.qv_ikj, r.qv[2] = -t.qv_kij, r.qv[3] = t.qv_jki, r.qv[4] = t.qv_kij, r.qv[5] = t.qv_kji;
  r.vv[0] = twice(t.C), r.vv[1] = -twice(t.B), r.vv[2] = twice(t.B);
  r.Mq[0] = S(0.0), r.Mq[1] = t.C + t.B, r.Mq[2] = t.C - t.B;
}

/// The same freedom twice or three times, of joints with one freedom: [a,b,c] stands in the first slot that fits its depths.
template <class S>
void store_twice_above(const TripleValues<S>& t, TripleRecord<S>& r) {  // i = j
  r.qq[0] = r.qq[1] = t.qq_j, r.qq[4] = t.qq_k;
  r.qv[0] = -t.qv_kij, r.qv[1] = t.qv_ikj, r.qv[4] = t.qv_kij;
  r.vv[0] = twice(t.C), r.vv[2] = twice(t.B);
  r.Mq[0] = S(0.0), r.Mq[2] = t.C - t.B;
}
template <class S>
void store_twice_below(const TripleValues<S>& t, TripleRecord<S>& r) {  // j = k
  r.qq[0] = t.qq_i, r.qq[2] = r.qq[3] = t.qq_k;
  r.qv[0] = t.qv_ijk, r.qv[2] = t.qv_kij, r.qv[3] = t.qv_kji;
  r.vv[0] = twice(t.C), r.vv[1] = twice(t.B);
  r.Mq[0] = S(0.0), r.Mq[1] = t.C + t.B;
}
template <class S>
void store_thrice(const TripleValues<S>& t, TripleRecord<S>& r) {
  r.qq[0] = t.qq_k, r.qv[0] = t.qv_kij, r.vv[0] = twice(t.C), r.Mq[0] = S(0.0);
}

/// i and j two freedoms of one joint, k below it. vv of τ_k sums both orders; [l,m,h] by depth, l = i if `in_order`.
template <class S>
void store_two_above(const TripleValues<S>& t, bool in_order, TripleRecord<S>& r) {
  r.vv[2] = r.vv[2] + t.B;
  r.Mq[2] = t.C - t.B;
  if (in_order) {
    r.qq[2] = r.qq[3] = t.qq_j, r.qq[5] = t.qq_k;
    r.qv[1] = t.qv_ikj, r.qv[2] = -t.qv_kij, r.qv[4] = t.qv_kij;
    r.vv[0] = twice(t.C);
  } else {
    r.qq[0] = r.qq[1] = t.qq_j, r.qq[4] = t.qq_k;
    r.qv[3] = t.qv_ikj, r.qv[0] = -t.qv_kij, r.qv[5] = t.qv_kij;
    r.vv[1] = twice(t.C);
  }
}

/// Two or three freedoms of a joint that has several: each ordered choice (i, j, k) gives those entries for which its order of
/// differentiation is the right one; vv collects two orders.
template <class S>
void store_together(const TripleValues<S>& t, int i, int j, int k, bool ij, bool jk, SecondDerivatives<S>& out) {
  TripleRecord<S>& r = out.records()[out.record_of(i, j, k)];
  const auto qq = [&](int a, int b, int c) -> S& { return r.qq[out.slot(a, b, c)]; };
  const auto qv = [&](int a, int b, int c) -> S& { return r.qv[out.slot(a, b, c)]; };
  const auto vv = [&](int a, int b, int c) -> S& { return r.vv[out.rank(a, b, c)]; };
  const auto Mq = [&](int a, int b, int c) -> S& { return r.Mq[out.rank(c, a, b)]; };
  qq(k, j, i) = t.qq_k;
  qv(k, i, j) = t.qv_kij;
  if (!ij) qq(i, k, j) = t.qq_i, qq(k, i, j) = t.qq_k, qv(i, j, k) = t.qv_ijk, qv(k, j, i) = t.qv_kji;
  if (!jk) qq(j, i, k) = qq(j, k, i) = t.qq_j, qv(i, k, j) = t.qv_ikj, qv(j, i, k) = -t.qv_kij;
  // e_i · (z_j × e_k + z_k × e_j): both orders of j and k add up, and a single freedom counts twice
  if (jk)
    vv(i, j, k) = vv(i, j, k) + (j == k ? twice(t.C) : t.C);
  else
    vv(i, j, k) = twice(t.C);
  if (!ij) vv(k, i, j) = twice(t.B);
  if (ij && !jk) vv(k, i, j) = vv(k, i, j) + (i == j ? twice(t.B) : t.B);
  if (!ij) Mq(i, k, j) = t.C + t.B;
  if (!jk) Mq(i, j, k) = t.C - t.B;
}

/// Puts the values of (i, j, k) where they belong; ij, jk: whether these freedoms are of one joint.
template <class S>
void store(const TripleValues<S>& t, int i, int j, int k, bool ij, bool jk, SecondDerivatives<S>& out) {
  if (jk && j != k) return store_together(t, i, j, k, ij, jk, out);
  if (jk && ij && i != j) return store_together(t, i, j, k, ij, jk, out);
  const bool in_order = i <= j;
  TripleRecord<S>& r = out.records()[in_order ? out.index().sorted(i, j, k) : out.index().sorted(j, i, k)];
  if (!ij) return jk ? store_twice_below(t, r) : store_apart(t, r);
  if (i != j) return store_two_above(t, in_order, r);
  return jk ? store_thrice(t, r) : store_twice_above(t, r);
}

/// Freedom j of body_j and the deep freedom k, with the freedoms of body_j and, going up, of every body above it.
template <class S>
void climb_with_pair(const Model& model, const SecondWorkspace<S>& ws, int body_j, int j, int k, bool jk, const DeepWave<S>& x,
                     SecondDerivatives<S>& out) {
  PairWave<S> y;
  TripleValues<S> t[6];
  start(ws.frames[body_j], ws.screws[j], x, y);
  for (int b = body_j; b >= 0; b = model.bodies[b].parent) {
    const Body& body = model.bodies[b];
    const int i = body.v;
    const bool ij = b == body_j;
    if (!ij && !has_fixed_axis(body.joint)) arrive(ws.frames[b], y);
    if (body.joint == BodyJoint::revolute) {
      store(at_revolute(ws.frames[b], ws.screws[i], y), i, j, k, ij, jk, out);
    } else {
      if (body.joint == BodyJoint::floating && body.parent < 0)
        at_free_base(ws.frames[b], y, t);
      else
        for (int c = 0; c < freedoms(body.joint); ++c) t[c] = at_screw(ws.screws[i + c], y);
      for (int c = 0; c < freedoms(body.joint); ++c) store(t[c], i + c, j, k, ij, jk, out);
    }
    if (body.parent >= 0) leave(ws.frames[b], y);
  }
}

}  // namespace detail

/// All second derivatives of τ at (q, v, a) with wrenches fx (as in rnea_derivatives), into `out`, built for the same model.
/// About 400 operations for each pair of freedoms on a branch and 100 for each triple; no heap.
template <class S>
void rnea_second_derivatives(const Model& model, SecondWorkspace<S>& ws, const S* q, const S* v, const S* a, const Force<S>* fx,
                             SecondDerivatives<S>& out) noexcept {
  moment_passes(model, ws.moments, q, v, a, fx);
  find_frames(model, ws);
  for (TripleRecord<S>& r : out.records()) {
    for (S& x : r.vv) x = S(0.0);
    for (S& x : r.Mq) x = S(0.0);
  }
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int k = model.bodies[b].v; k < model.bodies[b].v + freedoms(model.bodies[b].joint); ++k) {
      DeepWave<S> x = deep_wave(ws.moments.bodies[b], ws.frames[b], ws.screws[k], ws.moments.mass[b]);
      for (int up = b; up >= 0; up = model.bodies[up].parent) {
        const Body& body = model.bodies[up];
        if (up != b && !has_fixed_axis(body.joint)) arrive(ws.frames[up], x);
        for (int j = body.v; j < body.v + freedoms(body.joint); ++j)
          detail::climb_with_pair(model, ws, up, j, k, up == b, x, out);
        if (body.parent >= 0) leave(ws.frames[up], x);
      }
    }
}

extern template void rnea_second_derivatives(const Model&, SecondWorkspace<double>&, const double*, const double*,
                                             const double*, const Force<double>*, SecondDerivatives<double>&) noexcept;

}  // namespace sparsedyn
