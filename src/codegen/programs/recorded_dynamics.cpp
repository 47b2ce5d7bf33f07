#include "recorded_dynamics.hpp"

#include <cstddef>

#include "codegen/minimal/minimal_crba.hpp"
#include "codegen/minimal/minimal_derivatives.hpp"
#include "codegen/minimal/minimal_dynamics.hpp"
#include "coupled_vectors.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

namespace {

using Expressions = std::vector<Expr>;

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
    tau = minimal_rnea(minimal_tree(model, f.tree), q.data(), v.data(), a, fx.on_bodies());
    add_joint_torques(model, v.data(), a, tau.data());
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
    JointSpaceMatrix<Expr> M = minimal_crba(minimal_tree(model, f.tree), q.data());
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

}  // namespace sparsedyn
