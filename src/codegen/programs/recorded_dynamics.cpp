#include "recorded_dynamics.hpp"

#include <algorithm>
#include <cstddef>

#include "codegen/minimal/minimal_crba.hpp"
#include "codegen/minimal/minimal_derivatives.hpp"
#include "codegen/minimal/minimal_dynamics.hpp"
#include "codegen/minimal/minimal_elimination.hpp"
#include "codegen/minimal/recorded_tree.hpp"
#include "coupled_vectors.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

namespace {

using Expressions = std::vector<Expr>;

void first_derivatives(const Model& model, const MinimalFormulation& f, const Expressions& q, const Expressions& v,
                       const Expressions& a, const WrenchInputs& fx, const RneaDerivatives<Expr>& out) {
  const int n = model.nv;
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    Expressions tau(map->v.size()), dq(tau.size() * tau.size()), dv(dq), M(dq);
    first_derivatives(map->tree, f, positions(*map, q), tree_of(*map, v), tree_of(*map, a), fx,
                      {tau.data(), dq.data(), dv.data(), M.data()});
    gather_rows(*map, 1, tau.data(), out.tau);
    gather(*map, dq, out.dtau_dq), gather(*map, dv, out.dtau_dv), gather(*map, M, out.M);
  } else if (is_minimal(model, f)) {
    MinimalOptions options = f.tree;
    options.balanced = false;
    minimal_derivatives(recorded_tree(model, options), q.data(), v.data(), a.data(), fx.on_bodies(), out);
    add_joint_torques(model, q.data(), v.data(), a.data(), out.tau);
    add_stiffness<Expr>(model, [&](int k) -> Expr& { return out.dtau_dq[k * n + k]; });
    add_load_slopes(model, v.data(), [&](int k) -> Expr& { return out.dtau_dv[k * n + k]; });
    add_armature<Expr>(model, [&](int k) -> Expr& { return out.M[k * n + k]; });
  } else {
    MomentWorkspace<Expr> work(model);
    rnea_derivatives(model, work, q.data(), v.data(), a.data(), fx.on_bodies(), out);
  }
}

}  // namespace

// The templates know what the joints add; the minimal formulations are of bodies alone.

Expressions inverse_dynamics(const Model& model, const MinimalFormulation& f, const Expressions& q, const Expressions& v,
                             const Expr* a, const WrenchInputs& fx) {
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    const Expressions accelerations = a ? tree_of(*map, Expressions(a, a + v.size())) : Expressions();
    return gathered(
        *map, inverse_dynamics(map->tree, f, positions(*map, q), tree_of(*map, v), a ? accelerations.data() : nullptr, fx));
  }
  Expressions tau(v.size());
  if (is_minimal(model, f)) {
    tau = minimal_rnea(recorded_tree(model, f.tree), q.data(), v.data(), a, fx.on_bodies());
    add_joint_torques(model, q.data(), v.data(), a, tau.data());
    return tau;
  }
  Workspace<Expr> work(model);
  rnea(model, work, q.data(), v.data(), a, fx.on_bodies(), tau.data());
  return tau;
}

JointSpaceMatrix<Expr> joint_space_matrix(const Model& model, const MinimalFormulation& f, const Expressions& q) {
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    const JointSpaceMatrix<Expr> tree = joint_space_matrix(map->tree, f, positions(*map, q));
    const std::size_t m = map->v.size(), n = map->joined.size();
    Expressions all(m * m), own(n * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k <= i; ++k) all[i * m + k] = all[k * m + i] = tree.lower[i][k];
    gather(*map, all, own.data());
    JointSpaceMatrix<Expr> M{freedom_parents(model), {}};
    for (std::size_t i = 0; i < n; ++i)
      M.lower.emplace_back(own.begin() + static_cast<std::ptrdiff_t>(i * n),
                           own.begin() + static_cast<std::ptrdiff_t>(i * n + i + 1));
    return M;
  }
  if (is_minimal(model, f)) {
    JointSpaceMatrix<Expr> M = minimal_crba(recorded_tree(model, f.tree), q.data(), f.tensors, f.columns);
    add_armature<Expr>(model, [&](int k) -> Expr& { return M.lower[k][k]; });
    return M;
  }
  const auto n = static_cast<std::size_t>(model.nv);
  const Expressions zero(n);
  Expressions tau(n), dq(n * n), dv(n * n), M(n * n);
  MomentWorkspace<Expr> work(model);
  rnea_derivatives(model, work, q.data(), zero.data(), zero.data(), static_cast<const Force<Expr>*>(nullptr),
                   {tau.data(), dq.data(), dv.data(), M.data()});
  JointSpaceMatrix<Expr> matrix{freedom_parents(model), {}};
  for (std::size_t i = 0; i < n; ++i)
    matrix.lower.emplace_back(M.begin() + static_cast<std::ptrdiff_t>(i * n),
                              M.begin() + static_cast<std::ptrdiff_t>(i * n + i + 1));
  return matrix;
}

RecordedDerivatives inverse_dynamics_derivatives(const Model& model, const MinimalFormulation& f, const Expressions& q,
                                                 const Expressions& v, const Expressions& a, const WrenchInputs& fx) {
  const auto n = static_cast<std::size_t>(model.nv);
  Expressions tau(n), dq(n * n), dv(n * n), M(n * n);
  first_derivatives(model, f, q, v, a, fx, {tau.data(), dq.data(), dv.data(), M.data()});
  const std::vector<Expressions> zero(n, Expressions(n));
  RecordedDerivatives d{tau, zero, zero, {freedom_parents(model), {}}};
  for (std::size_t i = 0; i < n; ++i) {
    d.M.lower.emplace_back();
    for (std::size_t k = 0; k < n; ++k) {
      d.dtau_dq[i][k] = dq[i * n + k], d.dtau_dv[i][k] = dv[i * n + k];
      if (k <= i) d.M.lower[i].push_back(M[i * n + k]);
    }
  }
  return d;
}

namespace {

bool has_rotors(const Model& model) {
  const std::vector<JointPhysics>& physics = model.tree().physics;
  return std::any_of(physics.begin(), physics.end(), [](const JointPhysics& p) { return p.armature != 0; });
}

/// q̈ = M⁻¹ (τ − bias). A rotor's inertia acts on what follows its joint and not on what carries it, and a follower's on its
/// leader, which minimal eliminations do not know.
Expressions through_inertia(const Model& model, const MinimalFormulation& f, const Expressions& q, const Expressions& v,
                            const Expressions& tau, const WrenchInputs& fx) {
  Expressions rest = inverse_dynamics(model, f, q, v, nullptr, fx);
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = tau[k] - rest[k];
  return branch_solve(branch_factors(joint_space_matrix(model, f, q)), rest);
}

}  // namespace

bool eliminates_joints(const Model& model) { return !has_rotors(model) && !model.coordinate_map; }

Expressions forward_dynamics(const Model& model, const MinimalFormulation& f, const Expressions& q, const Expressions& v,
                             const Expressions& tau, const WrenchInputs& fx) {
  if (is_minimal(model, f) && !eliminates_joints(model)) return through_inertia(model, f, q, v, tau, fx);
  Expressions a(v.size());
  if (is_minimal(model, f)) {
    const Expr* const driving = without_joint_torques(model, q.data(), v.data(), tau.data(), a.data());
    return minimal_forward_dynamics(recorded_tree(model, f.tree), f.eliminate, q.data(), v.data(), driving, fx.on_bodies());
  }
  Workspace<Expr> work(model);
  aba(model, work, q.data(), v.data(), tau.data(), fx.on_bodies(), a.data());
  return a;
}

}  // namespace sparsedyn
