// Which freedoms lie on one branch, and where the second derivatives of three of them are kept.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {

/// A freedom's depth is its number on the way from the world, freedoms of one joint one after the other; its place is its
/// number when the tree is gone through from the tips inwards, so that all freedoms below a joint are neighbours and its own
/// follow them. Second derivatives are kept by the roles i, j, k of their freedoms: j any freedom on the way of k, i any on the
/// way of j, where the way of a freedom ends with the whole of its joint. For i and j there is a row with room for every k, in
/// the order of places, filled up to whole blocks of four.
class TensorIndex {
 public:
  static constexpr int block = 4;
  explicit TensorIndex(const Model& model)
      : nv_(model.nv),
        depth_(nv_),
        joint_(nv_),
        way_(nv_),
        place_(nv_),
        freedom_(nv_),
        below_(nv_),
        row_(nv_),
        path_(nv_ * nv_, -1) {
    const std::vector<int> parent = parent_freedoms(model);
    for (const Body& body : model.bodies)
      for (int k = body.v, end = body.v + freedoms(body.joint); k < end; ++k) {
        depth_[k] = parent[k] < 0 ? 0 : depth_[parent[k]] + 1;
        joint_[k] = body.v;
        way_[k] = depth_[body.v] + end - body.v;
        for (int x = end - 1, d = way_[k] - 1; x >= 0; x = parent[x]) path_[k * nv_ + d--] = x;
      }
    find_places(model);
    for (int j = 0; j < nv_; ++j) row_[j] = room_, room_ += way_[j] * width(j);
  }
  int nv() const { return nv_; }
  int depth(int k) const { return depth_[k]; }
  /// Freedoms on the way of k, and the one of depth d.
  int way(int k) const { return way_[k]; }
  int on_path(int k, int d) const { return path_[k * nv_ + d]; }
  /// The freedom at a place; the first place of j's joint and all below it, their number, and the room for them in a row.
  int freedom(int place) const { return freedom_[place]; }
  int first(int j) const { return place_[joint_[j]] + 1 - below_[j]; }
  int below(int j) const { return below_[j]; }
  int width(int j) const { return (below_[j] + block - 1) / block * block; }
  int place(int k) const { return place_[k]; }
  /// Bodies from the tips inwards, in the order of places.
  const std::vector<int>& tips_first() const { return tips_first_; }
  bool same_joint(int a, int b) const { return joint_[a] == joint_[b]; }
  /// True where one of the freedoms is on the other's way to the world, or they are of one joint.
  bool on_one_branch(int a, int b) const {
    const int low = depth_[a] < depth_[b] ? b : a, high = low == a ? b : a;
    return path_[low * nv_ + depth_[high]] == high;
  }
  /// Numbers before the row of (i, j), before the triple, and in all rows.
  int row(int i, int j) const { return row_[j] + depth_[i] * width(j); }
  int at(int i, int j, int k) const { return row(i, j) + place_[k] - first(j); }
  int room() const { return room_; }

 private:
  /// A body's subtree begins, outwards, behind those of its elder siblings.
  void find_places(const Model& model) {
    const int n = static_cast<int>(model.bodies.size());
    std::vector<int> size(n, 0), begin(n), next(n);
    for (int b = n - 1; b >= 0; --b) {
      size[b] += freedoms(model.bodies[b].joint);
      if (model.bodies[b].parent >= 0) size[model.bodies[b].parent] += size[b];
    }
    int roots = 0;
    for (int b = 0; b < n; ++b) {
      const Body& body = model.bodies[b];
      int& at = body.parent < 0 ? roots : next[body.parent];
      begin[b] = at, at += size[b], next[b] = begin[b] + freedoms(body.joint);
      for (int k = body.v; k < body.v + freedoms(body.joint); ++k) {
        place_[k] = nv_ - 1 - begin[b] - (k - body.v);
        freedom_[place_[k]] = k;
        below_[k] = size[b];
      }
    }
    tips_first_.resize(n);
    std::iota(tips_first_.rbegin(), tips_first_.rend(), 0);
    std::stable_sort(tips_first_.begin(), tips_first_.end(), [&](int a, int b) { return begin[a] > begin[b]; });
  }

  int nv_, room_ = 0;
  std::vector<int> depth_, joint_, way_, place_, freedom_, below_, row_, path_, tips_first_;
};

inline namespace SPARSEDYN_CODE {

/// Calls visit(a, b, c) for all ordered triples on one branch, row by row.
template <class Visit>
void for_each_triple(const TensorIndex& index, Visit&& visit) {
  const int n = index.nv();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n && index.on_one_branch(a, b); ++c)
        if (index.on_one_branch(a, c) && index.on_one_branch(b, c)) visit(a, b, c);
}

/// The same for the robot whose tree the index is of: where joints are coupled, triples of entries of v that move freedoms on
/// one branch.
template <class Visit>
void for_each_triple(const Model& model, const TensorIndex& index, Visit&& visit) {
  if (!model.coordinate_map) return for_each_triple(index, visit);
  const auto& joined = model.coordinate_map->joined;
  const auto meet = [&](int a, int b, int c) {
    for (int i : joined[static_cast<std::size_t>(a)])
      for (int j : joined[static_cast<std::size_t>(b)])
        for (int k : joined[static_cast<std::size_t>(c)])
          if (index.on_one_branch(i, j) && index.on_one_branch(i, k) && index.on_one_branch(j, k)) return true;
    return false;
  };
  for (int a = 0; a < model.nv; ++a)
    for (int b = 0; b < model.nv; ++b)
      for (int c = 0; c < model.nv; ++c)
        if (meet(a, b, c)) visit(a, b, c);
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
