// Where the second derivatives of inverse dynamics are kept, and how they are read: by entry, or as dense tensors.
#pragma once

#include <utility>

#include "sparsedyn/dynamics/detail/second_order/tensor_index.hpp"

namespace sparsedyn {

/// What is kept of a triple i, j, k (i above or in the joint of j, j above or in the joint of k): vv[i,j,k] = 2 C,
/// vv[k,i,j] = 2 B, Mq[i,k,j] = C + B, Mq[i,j,k] = C − B; qq_x: an entry of τ_x; qv_abc = qv[a,b,c], qv[j,i,k] = −qv_kij.
enum class TensorEntry { C, B, qq_i, qq_j, qq_k, qv_ijk, qv_ikj, qv_kij, qv_jki, qv_kji };
constexpr int tensor_values = 10;

/// Four tensors, row-major nv × nv × nv: [a,b,c] at (a nv + b) nv + c.
template <class S>
struct DenseSecondDerivatives {
  S *qq, *qv, *vv, *Mq;
};

/// Second derivatives at one state. [a,b,c]: derivative by c of ∂τ_a/∂q_b (qq, qv) or ∂τ_a/∂v_b (vv); Mq[a,b,c] = ∂M_ab/∂q_c.
/// Columns with respect to q are on the tangent space, perturbed on the right, b first: [a,b,c] and [a,c,b] of qq differ only
/// where b and c belong to one joint. Triples not on a common branch are zero and not stored.
template <class S>
class SecondDerivatives {
 public:
  explicit SecondDerivatives(const Model& model)
      : index_(model), values_(static_cast<std::size_t>(index_.room()) * tensor_values, S(0.0)) {}
  const TensorIndex& index() const { return index_; }
  /// Values of the row of (i, j), block of four k by block: value x of the n-th at (n / 4 · tensor_values + x) · 4 + n % 4.
  S* row(int i, int j) { return values_.data() + static_cast<std::size_t>(index_.row(i, j)) * tensor_values; }

  /// Adds x to vv[k,k,k] of a joint of one freedom.
  void add_to_vv(int k, const S& x) {
    S& C = const_cast<S*>(values(k, k, k))[static_cast<int>(TensorEntry::C) * TensorIndex::block];  // vv = 2 C
    C = C + Constant<S>(0.5) * x;
  }

  S qq(int a, int b, int c) const;
  S qv(int a, int b, int c) const;
  S vv(int a, int b, int c) const;
  S Mq(int a, int b, int c) const;
  /// All entries, zeros too; no heap.
  void dense(const DenseSecondDerivatives<S>& out) const noexcept;

 private:
  bool on_one_branch(int a, int b, int c) const {
    return index_.on_one_branch(a, b) && index_.on_one_branch(a, c) && index_.on_one_branch(b, c);
  }
  /// Value x of the triple at v[x · TensorIndex::block].
  const S* values(int i, int j, int k) const {
    constexpr int block = TensorIndex::block;
    const std::size_t at = static_cast<std::size_t>(index_.at(i, j, k));
    return values_.data() + at / block * block * tensor_values + at % block;
  }
  S value(TensorEntry x, int i, int j, int k) const { return values(i, j, k)[static_cast<int>(x) * TensorIndex::block]; }
  bool above(int a, int b) const { return index_.depth(a) < index_.depth(b) && !index_.same_joint(a, b); }
  void spread_apart(int i, int j, int k, const DenseSecondDerivatives<S>& out) const;
  TensorIndex index_;
  std::vector<S> values_;
};

// Which roles an entry's freedoms have: sorted by the tree, and within a joint as the entry's order of differentiation asks
// for; see the table in docs/second-derivatives.md.

template <class S>
S SecondDerivatives<S>::qq(int a, int b, int c) const {
  using V = TensorEntry;
  if (!on_one_branch(a, b, c)) return S(0.0);
  if (above(a, b) && above(a, c)) return above(b, c) ? value(V::qq_i, a, b, c) : value(V::qq_i, a, c, b);
  if (above(a, b)) return value(V::qq_j, c, a, b);
  if (above(a, c)) return value(V::qq_j, b, a, c);
  return above(b, c) ? value(V::qq_k, b, c, a) : value(V::qq_k, c, b, a);
}

template <class S>
S SecondDerivatives<S>::qv(int a, int b, int c) const {
  using V = TensorEntry;
  if (!on_one_branch(a, b, c)) return S(0.0);
  if (above(a, b) && above(c, a)) return value(V::qv_jki, c, a, b);
  if (above(a, b)) return above(c, b) ? value(V::qv_ikj, a, c, b) : value(V::qv_ijk, a, b, c);
  if (above(c, b)) return value(V::qv_kji, c, b, a);
  return above(a, c) ? -value(V::qv_kij, b, a, c) : value(V::qv_kij, b, c, a);
}

template <class S>
S SecondDerivatives<S>::vv(int a, int b, int c) const {
  using V = TensorEntry;
  const auto sum = [](const S& x, const S& y) { return x + y; };
  const auto twice = [](const S& x) { return x + x; };
  if (!on_one_branch(a, b, c)) return S(0.0);
  if (above(c, b)) std::swap(b, c);
  if (!above(b, c))  // of one joint: both orders add up
    return above(b, a) ? sum(value(V::B, b, c, a), value(V::B, c, b, a)) : sum(value(V::C, a, b, c), value(V::C, a, c, b));
  if (!above(b, a)) return twice(value(V::C, a, b, c));
  return above(a, c) ? -twice(value(V::B, b, a, c)) : twice(value(V::B, b, c, a));
}

template <class S>
S SecondDerivatives<S>::Mq(int a, int b, int c) const {
  using V = TensorEntry;
  if (!on_one_branch(a, b, c)) return S(0.0);
  if (above(b, a)) std::swap(a, b);
  if (above(b, c)) return value(V::C, a, b, c) - value(V::B, a, b, c);
  if (above(a, c)) return value(V::C, a, c, b) + value(V::B, a, c, b);
  return S(0.0);  // moving c carries a and b alike
}

/// The entries of three different joints.
template <class S>
void SecondDerivatives<S>::spread_apart(int i, int j, int k, const DenseSecondDerivatives<S>& out) const {
  const S* x = values(i, j, k);
  const int n = index_.nv();
  const auto at = [n](int a, int b, int c) { return (a * n + b) * n + c; };
  const auto read = [&](TensorEntry v) -> const S& { return x[static_cast<int>(v) * TensorIndex::block]; };
  using V = TensorEntry;
  const int ijk = at(i, j, k), ikj = at(i, k, j), jik = at(j, i, k), jki = at(j, k, i), kij = at(k, i, j), kji = at(k, j, i);
  out.qq[ijk] = out.qq[ikj] = read(V::qq_i), out.qq[jik] = out.qq[jki] = read(V::qq_j);
  out.qq[kij] = out.qq[kji] = read(V::qq_k);
  out.qv[ijk] = read(V::qv_ijk), out.qv[ikj] = read(V::qv_ikj), out.qv[jki] = read(V::qv_jki), out.qv[kji] = read(V::qv_kji);
  out.qv[kij] = read(V::qv_kij), out.qv[jik] = -read(V::qv_kij);
  const S C = read(V::C), B = read(V::B);
  out.vv[ijk] = out.vv[ikj] = C + C, out.vv[kij] = out.vv[kji] = B + B, out.vv[jik] = out.vv[jki] = -(B + B);
  out.Mq[ikj] = out.Mq[kij] = C + B, out.Mq[ijk] = out.Mq[jik] = C - B;
}

template <class S>
void SecondDerivatives<S>::dense(const DenseSecondDerivatives<S>& out) const noexcept {
  const int n = index_.nv();
  for (S* tensor : {out.qq, out.qv, out.vv, out.Mq}) std::fill(tensor, tensor + n * n * n, S(0.0));
  for (int j = 0; j < n; ++j)
    for (int d = 0; d < index_.way(j) && !index_.same_joint(index_.on_path(j, d), j); ++d)
      for (int at = index_.first(j); !index_.same_joint(index_.freedom(at), j); ++at)
        spread_apart(index_.on_path(j, d), j, index_.freedom(at), out);
  const auto copy = [&](int a, int b, int c) {
    const int at = (a * n + b) * n + c;
    out.qq[at] = qq(a, b, c), out.qv[at] = qv(a, b, c), out.vv[at] = vv(a, b, c), out.Mq[at] = Mq(a, b, c);
  };
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n && index_.same_joint(x, y); ++z)
        if (index_.on_one_branch(x, z)) copy(x, y, z), copy(x, z, y), copy(z, x, y);
}

extern template class SecondDerivatives<double>;

}  // namespace sparsedyn
