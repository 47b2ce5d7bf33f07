// Which freedoms lie on one branch, and where the second derivatives of three of them are kept.
#pragma once

#include <algorithm>
#include <vector>

#include "sparsedyn/recursive/workspace.hpp"

namespace sparsedyn {

/// A freedom's depth is its place on the way from the world, freedoms of one joint one after the other. Second derivatives are
/// kept by the roles i, j, k of their freedoms: j any freedom on the way of k, i any on the way of j, where the way of a
/// freedom ends with the whole of its joint. For k and j there is a row with room for every i, filled up to whole blocks of
/// four.
class TripleIndex {
 public:
  static constexpr int block = 4;
  explicit TripleIndex(const Model& model)
      : nv_(model.nv), depth_(nv_), joint_(nv_), way_(nv_), path_(nv_ * nv_, -1), row_(nv_ * nv_, -1) {
    const std::vector<int> parent = parent_freedoms(model);
    for (const Body& body : model.bodies)
      for (int k = body.v, end = body.v + freedoms(body.joint); k < end; ++k) {
        depth_[k] = parent[k] < 0 ? 0 : depth_[parent[k]] + 1;
        joint_[k] = body.v;
        way_[k] = depth_[body.v] + end - body.v;
        for (int x = end - 1, d = way_[k] - 1; x >= 0; x = parent[x]) path_[k * nv_ + d--] = x;
      }
    for (int k = 0; k < nv_; ++k)
      for (int d = 0; d < way_[k]; ++d) row_[k * nv_ + d] = room_, room_ += width(on_path(k, d));
  }
  int nv() const { return nv_; }
  int depth(int k) const { return depth_[k]; }
  /// Freedoms on the way of k, and the room for them in a row.
  int way(int k) const { return way_[k]; }
  int width(int k) const { return (way_[k] + block - 1) / block * block; }
  /// The freedom of depth d on the way of k.
  int on_path(int k, int d) const { return path_[k * nv_ + d]; }
  bool same_joint(int a, int b) const { return joint_[a] == joint_[b]; }
  /// True where one of the freedoms is on the other's way to the world, or they are of one joint.
  bool on_one_branch(int a, int b) const {
    const int low = depth_[a] < depth_[b] ? b : a, high = low == a ? b : a;
    return path_[low * nv_ + depth_[high]] == high;
  }
  /// Numbers before the row of (j, k), and in all rows.
  int row(int j, int k) const { return row_[k * nv_ + depth_[j]]; }
  int room() const { return room_; }

 private:
  int nv_, room_ = 0;
  std::vector<int> depth_, joint_, way_, path_, row_;
};

/// Calls visit(a, b, c) for all ordered triples on one branch, row by row.
template <class Visit>
void for_each_triple(const TripleIndex& index, Visit&& visit) {
  const int n = index.nv();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n && index.on_one_branch(a, b); ++c)
        if (index.on_one_branch(a, c) && index.on_one_branch(b, c)) visit(a, b, c);
}

}  // namespace sparsedyn
