// Joints that follow others (URDF: <mimic>), exactly: q_f = multiplier q_l + offset. The positions q_t of the tree in which
// every joint moves on its own are linear in the coordinates y that are left, and so are its velocities:
//   q_t = G y + g,   v_t = G v,   a_t = G a          (G constant: one entry a row)
// By the principle of virtual power every algorithm follows from that of the tree:
//   τ = Gᵀ τ_t,   M = Gᵀ M_t G,   J = J_t G,   ∂τ/∂q = Gᵀ ∂τ_t/∂q_t G, …
// Rotors and friction of a follower turn at the follower's speed; the leader's torque bears its torque by the multiplier.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// From the coordinates of a robot whose joints are coupled to those of its tree.
struct CoordinateMap {
  /// An entry of the tree's q or v: multiplier · (entry `index` of the robot's) + offset.
  struct Entry {
    int index;                  // of the robot's q or v
    double multiplier, offset;  // rad or m a rad or m (or of their rates); rad or m
    /// Whether it is the robot's own entry, no more.
    bool same() const { return multiplier == 1 && offset == 0; }
  };
  Model tree;                            // the same robot, every joint on its own
  std::vector<JointCoupling> couplings;  // as they were stated
  std::vector<Entry> q, v;               // by entry of the tree's q and v (whose offsets are 0)
  std::vector<std::vector<int>> joined;  // by entry of the robot's v: the tree's entries that it moves, its own first
};

inline namespace SPARSEDYN_CODE {

/// Most robots have no coupled joints: what follows this question is kept out of their way.
[[gnu::always_inline]] constexpr bool seldom(bool coupled) { return __builtin_expect(coupled, false) != 0; }

/// Positions of the tree, q_t = G y + g.
template <class S>
const S* tree_positions(const CoordinateMap& map, const S* y, S* q) noexcept {
  using C = Constant<S>;
  for (std::size_t k = 0; k < map.q.size(); ++k) {
    const CoordinateMap::Entry& e = map.q[k];
    q[k] = y[e.index];
    if (e.multiplier != 1) q[k] = C(e.multiplier) * q[k];
    if (e.offset != 0) q[k] = q[k] + C(e.offset);
  }
  return q;
}

/// Velocities, accelerations or multipliers of the tree, x_t = G x; null for null.
template <class S>
const S* tree_rates(const CoordinateMap& map, const S* x, S* out) noexcept {
  if (!x) return nullptr;
  for (std::size_t k = 0; k < map.v.size(); ++k) {
    const CoordinateMap::Entry& e = map.v[k];
    out[k] = e.multiplier == 1 ? x[e.index] : Constant<S>(e.multiplier) * x[e.index];
  }
  return out;
}

/// What entry k of the tree's v reads.
inline CoordinateMap::Entry entry_of(const Model& model, int k) {
  return model.coordinate_map ? model.coordinate_map->v[static_cast<std::size_t>(k)] : CoordinateMap::Entry{k, 1, 0};
}

/// And of its q.
inline CoordinateMap::Entry position_entry_of(const Model& model, int k) {
  return model.coordinate_map ? model.coordinate_map->q[static_cast<std::size_t>(k)] : CoordinateMap::Entry{k, 1, 0};
}

/// Whether a joint neither follows another nor leads one.
inline bool moves_alone(const Model& model, const Joint& joint) {
  return !joint.follows() &&
         (!model.coordinate_map || model.coordinate_map->joined[static_cast<std::size_t>(joint.v)].size() == 1);
}

/// to += multiplier · x.
template <class S>
void add_times(double multiplier, const S& x, S& to) {
  to = to + (multiplier == 1 ? x : Constant<S>(multiplier) * x);
}

/// Gᵀ X, X of `columns` columns, row by row: torques, regressors.
template <class S>
void gather_rows(const CoordinateMap& map, int columns, const S* X, S* out) noexcept {
  const int n = static_cast<int>(map.joined.size());
  for (int i = 0; i < n * columns; ++i) out[i] = S(0.0);
  for (std::size_t k = 0; k < map.v.size(); ++k) {
    const CoordinateMap::Entry& e = map.v[k];
    for (int c = 0; c < columns; ++c) add_times(e.multiplier, X[static_cast<int>(k) * columns + c], out[e.index * columns + c]);
  }
}

/// Entry k of Gᵀ x.
template <class S>
S joined_entry(const CoordinateMap& map, const S* x, int k) noexcept {
  S sum(0.0);
  for (int t : map.joined[static_cast<std::size_t>(k)]) add_times(map.v[static_cast<std::size_t>(t)].multiplier, x[t], sum);
  return sum;
}

/// Gᵀ X G, both square, row by row.
template <class S>
void gather_matrix(const CoordinateMap& map, const S* X, S* out) noexcept {
  const int n = static_cast<int>(map.joined.size()), m = static_cast<int>(map.v.size());
  for (int i = 0; i < n * n; ++i) out[i] = S(0.0);
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < m; ++c)
      add_times(map.v[r].multiplier * map.v[c].multiplier, X[r * m + c], out[map.v[r].index * n + map.v[c].index]);
}

}  // namespace SPARSEDYN_CODE

/// What an algorithm on the tree reads and writes; nothing where no joint follows another. One a thread, taken once.
template <class S>
struct TreeNumbers {
  /// `matrices`: how many square ones.
  explicit TreeNumbers(const Model& model, int matrices = 0) {
    if (!model.coordinate_map) return;
    const Model& tree = model.tree();
    q.resize(static_cast<std::size_t>(tree.nq));
    for (auto* x : {&v, &a, &tau}) x->resize(static_cast<std::size_t>(tree.nv));
    matrix.resize(static_cast<std::size_t>(matrices), std::vector<S>(v.size() * v.size(), S(0.0)));
  }
  std::vector<S> q, v, a, tau;         // of the tree
  std::vector<std::vector<S>> matrix;  // each the square of its freedoms
};

}  // namespace sparsedyn
