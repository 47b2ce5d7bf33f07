// Where the second derivatives of a tree are kept: only triples of freedoms on one branch have any.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/recursive/workspace.hpp"

namespace sparsedyn {

/// Numbers the unordered triples of freedoms that lie on a common branch, 0 … count() − 1. A freedom's depth is its place on
/// the way from the world, freedoms of one joint one after the other; the triple at depths l ≤ m ≤ h, h being that of freedom
/// k, has the number first(k) + m (m + 1)/2 + l.
class TripleIndex {
 public:
  explicit TripleIndex(const Model& model)
      : nv_(model.nv), parent_(parent_freedoms(model)), depth_(model.nv), first_(model.nv), path_(model.nv * model.nv, -1) {
    for (int k = 0; k < nv_; ++k) {
      depth_[k] = parent_[k] < 0 ? 0 : depth_[parent_[k]] + 1;
      first_[k] = count_;
      count_ += (depth_[k] + 1) * (depth_[k] + 2) / 2;
      for (int i = k; i >= 0; i = parent_[i]) path_[k * nv_ + depth_[i]] = i;
    }
  }
  int nv() const { return nv_; }
  int count() const { return count_; }
  int depth(int k) const { return depth_[k]; }
  /// True where one of the freedoms is on the other's way to the world, or they are of one joint.
  bool on_one_branch(int a, int b) const {
    const int low = depth_[a] < depth_[b] ? b : a, high = low == a ? b : a;
    return path_[low * nv_ + depth_[high]] == high;
  }
  /// Of i, j, k with depths in this order.
  int sorted(int i, int j, int k) const { return first_[k] + depth_[j] * (depth_[j] + 1) / 2 + depth_[i]; }
  /// The freedom of depth d on the way from the world to k.
  int on_path(int k, int d) const { return path_[k * nv_ + d]; }

 private:
  int nv_, count_ = 0;
  std::vector<int> parent_, depth_, first_, path_;
};

/// What is kept for the triple i, j, k (sorted by depth): entries of four tensors.
template <class S>
struct TripleRecord {
  S qq[6], qv[6];  // [i,j,k] [i,k,j] [j,i,k] [j,k,i] [k,i,j] [k,j,i]
  S vv[3];         // [i,{j,k}] [j,{i,k}] [k,{i,j}]
  S Mq[3];         // [{j,k},i] [{i,k},j] [{i,j},k]
};

/// Slot of [a,b,c] among six, given their depths. Equal depths are the same freedom: the first slot that fits is meant.
constexpr int order_slot(int a, int b, int c) {
  if (a <= b && a <= c) return b <= c ? 0 : 1;
  if (b <= a && b <= c) return a <= c ? 2 : 4;
  return a <= b ? 3 : 5;
}
/// Place of a's depth among the three sorted: 0, 1 or 2; the first that fits.
constexpr int rank_of(int a, int b, int c) { return (b < a ? 1 : 0) + (c < a ? 1 : 0); }

}  // namespace sparsedyn
