// Second derivatives of inverse dynamics on a MinimalTree, as dense tensors.
#pragma once

#include <algorithm>
#include <vector>

#include "minimal_second_entries.hpp"
#include "sparsedyn/codegen/detail/for_each_lane.hpp"

namespace sparsedyn {

namespace detail {

/// A pair of freedoms, j above or equal to k, and its vectors at a body above them.
template <class S>
struct MinimalPair {
  int j, k;
  MinimalPairForceColumn<S> y;
};

template <class T>
std::vector<std::vector<T>> in_groups(const std::vector<T>& all, std::size_t largest) {
  std::vector<std::vector<T>> groups;
  for (const T& x : all) {
    if (groups.empty() || groups.back().size() == largest) groups.emplace_back();
    groups.back().push_back(x);
  }
  return groups;
}

/// Freedoms and pairs of freedoms on their way to the base. Those that pass the same bodies do so side by side.
template <class S>
class MinimalSecondPasses {
 public:
  MinimalSecondPasses(const MinimalTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx,
                      const DenseSecondDerivatives<S>& out)
      : tree_(tree),
        T_{out, tree.nv},
        passes_(minimal_moment_passes(tree, q, v, a, fx)),
        force_columns_(tree.bodies.size()),
        below_(tree.bodies.size()),
        waiting_(tree.bodies.size()) {
    if (!is_base(0)) return;
    const MinimalBody& root = tree.bodies.front();
    for (int c = 0; c < 3; ++c) base_v_[c] = v[root.v + 3 + c];
    lift_ = -transposed_times(rotation_from_quaternion(q + root.q + 3), tree.gravity);
    put_base_alone(T_, root.v, lift_, passes_.moments[0]);
  }

  void run() {
    for (int j = static_cast<int>(tree_.bodies.size()) - 1; j >= 0; --j) is_base(j) ? arrive(j) : meet(j);
  }

 private:
  using Pairs = std::vector<MinimalPair<S>>;

  bool is_base(int i) const { return tree_.bodies[i].joint == BodyJoint::floating; }
  bool slides(int i) const { return tree_.bodies[i].joint == BodyJoint::prismatic; }
  int parent(int i) const { return tree_.bodies[i].parent; }

  /// Body j sends its force column; it and those from below are pairs with j.
  void meet(int j) {
    const BodyMotion<S>& m = passes_.motion.motion[j];
    force_columns_[j] =
        slides(j) ? minimal_prismatic_column(m, passes_.moments[j]) : minimal_revolute_column(m, passes_.moments[j]);
    below_[j].push_back(j);
    std::vector<Pairs> waiting = std::move(waiting_[j]);
    for (Pairs& few : waiting) for_each_lane<S>(few, [&](MinimalPair<S>& p) { put_at(j, p); });
    for (std::vector<int>& group : in_groups(below_[j], width())) {
      Pairs pairs;
      for_each_lane<S>(group, [&](int k) {
        pairs.push_back(
            {j, k, slides(j) ? minimal_prismatic_pair(m, force_columns_[k]) : minimal_revolute_pair(m, force_columns_[k])});
        put_at(j, pairs.back());
      });
      if (parent(j) < 0) continue;
      for_each_lane<S>(group, [&](int k) {
        force_columns_[k] = minimal_to_parent(passes_.motion.pose[j], passes_.rate[j], force_columns_[k]);
      });
      join(waiting, pairs);
      send(j, pairs);
    }
    for (Pairs& few : waiting) send(j, few);
    if (parent(j) < 0) return;
    std::vector<int>& below = below_[parent(j)];
    below.insert(below.end(), below_[j].begin(), below_[j].end());
  }

  /// Pairs take in the largest waiting group with which they fill a vector up to an eighth, or stay within half of it. Pairs
  /// with fewer entries come last: freedoms paired with themselves, and prismatic ones.
  static bool go_together(std::size_t a, std::size_t b) {
    return a + b <= width() && (8 * (a + b) >= 7 * width() || few(a + b));
  }
  static bool few(std::size_t pairs) { return 2 * pairs <= width(); }
  void join(std::vector<Pairs>& waiting, Pairs& pairs) const {
    auto best = waiting.end();
    for (auto group = waiting.begin(); group != waiting.end(); ++group)
      if (go_together(group->size(), pairs.size()) && (best == waiting.end() || group->size() > best->size())) best = group;
    if (best == waiting.end()) return;
    pairs.insert(pairs.begin(), best->begin(), best->end());
    waiting.erase(best);
    const auto empty = [&](const MinimalPair<S>& p) { return (p.j == p.k) + 2 * slides(p.j); };
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const MinimalPair<S>& a, const MinimalPair<S>& b) { return empty(a) < empty(b); });
  }

  /// Pairs at body j go to its parent. From there they go on to the base, unless they are few: then they wait for others.
  void send(int j, Pairs& pairs) {
    if (pairs.empty() || parent(j) < 0) return;
    const bool wait = few(pairs.size());
    for_each_lane<S>(pairs, [&](MinimalPair<S>& p) {
      p.y = minimal_to_parent(passes_.motion.pose[j], passes_.rate[j], p.y);
      for (int i = parent(j); i >= 0 && !wait; i = parent(i)) {
        put_at(i, p);
        if (parent(i) >= 0) p.y = minimal_to_parent(passes_.motion.pose[i], passes_.rate[i], p.y);
      }
    });
    if (!wait) return;
    join(waiting_[parent(j)], pairs);
    waiting_[parent(j)].push_back(pairs);
  }

  void put_at(int i, const MinimalPair<S>& p) {
    const BodyMotion<S>& m = passes_.motion.motion[i];
    const int vi = tree_.bodies[i].v, vj = tree_.bodies[p.j].v, vk = tree_.bodies[p.k].v;
    if (is_base(i))
      put_at_base(T_, vi, vj, vk, m.w, base_v_, lift_, p.y);
    else
      put(T_, vi, vj, vk, slides(i) ? at_prismatic(m, p.y) : at_revolute(m, p.y));
  }

  /// At the free base.
  void arrive(int base) {
    for (Pairs& few : waiting_[base]) for_each_lane<S>(few, [&](MinimalPair<S>& p) { put_at(base, p); });
    for (std::vector<int>& group : in_groups(below_[base], width()))
      for_each_lane<S>(group, [&](int k) {
        put_base_twice(T_, tree_.bodies[base].v, tree_.bodies[k].v, passes_.motion.motion[base].w, base_v_, lift_,
                       force_columns_[k]);
      });
  }

  static std::size_t width() { return static_cast<std::size_t>(LaneLoop<S>::width()); }

  const MinimalTree& tree_;
  MinimalTensors<S> T_;
  MinimalPasses<S> passes_;
  Vec3<S> base_v_ = zero3<S>(), lift_ = base_v_;
  std::vector<MinimalSecondOrderColumn<S>> force_columns_;
  std::vector<std::vector<int>> below_;      // bodies from each on to the tips, these first
  std::vector<std::vector<Pairs>> waiting_;  // at each body, groups of few
};

}  // namespace detail

/// As SecondDerivatives::dense after rnea_second_derivatives; tree: in metres and not balanced; fx: as in minimal_rnea.
template <class S>
void minimal_second_derivatives(const MinimalTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx,
                                const DenseSecondDerivatives<S>& out) {
  const int n = tree.nv;
  if (n == 0) return;
  for (S* tensor : {out.qq, out.qv, out.vv, out.Mq}) std::fill(tensor, tensor + n * n * n, S(0.0));
  detail::MinimalSecondPasses<S>(tree, q, v, a, fx, out).run();
}

}  // namespace sparsedyn
