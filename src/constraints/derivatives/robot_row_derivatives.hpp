// RowDerivatives of any robot. Where joints follow others, q_t = G y + g, they are found on the tree, where every joint moves
// on its own, and gathered: by row ∂j/∂y = (∂j/∂q_t) G, of pushes ∂(Jᵀf)/∂y = Gᵀ (∂(J_tᵀf)/∂q_t) G. G is constant.
#pragma once

#include <memory>
#include <vector>

#include "row_derivatives.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class RobotRowDerivatives {
 public:
  /// on_tree: the constraints of `rows` on the tree; not read where no joint follows another.
  RobotRowDerivatives(const Model& model, const ConstraintRows& rows, std::vector<RowBlock> on_tree);

  /// As of RowDerivatives. Leaves ws as it was.
  void at(Workspace<double>& ws, const double* q, const double* v, const double* a, const double* f) noexcept;

  const double* miss_by_q(int r) const noexcept { return map_ ? row(miss_q_, r) : moved_.miss_by_q(r); }
  const double* miss_by_v(int r) const noexcept { return map_ ? row(miss_v_, r) : moved_.miss_by_v(r); }
  const double* stiffness_by_q(int r) const noexcept { return map_ ? row(stiffness_q_, r) : moved_.stiffness_by_q(r); }
  const std::vector<double>& push_by_q() const noexcept { return map_ ? push_q_ : moved_.push_by_q(); }
  const std::vector<double>& written_by_q() const noexcept { return map_ ? written_q_ : moved_.written_by_q(); }

 private:
  const double* row(const std::vector<double>& rows, int r) const noexcept {
    return rows.data() + static_cast<std::size_t>(r) * map_->joined.size();
  }

  const ConstraintRows* rows_;
  const CoordinateMap* map_;
  std::unique_ptr<ConstraintRows> tree_rows_;
  RowDerivatives moved_;
  std::vector<double> q_, v_, a_;                                           // of the tree
  std::vector<double> miss_q_, miss_v_, stiffness_q_, push_q_, written_q_;  // gathered
};

}  // namespace sparsedyn
