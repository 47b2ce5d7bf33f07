#include "robot_row_derivatives.hpp"

#include <algorithm>
#include <utility>

namespace sparsedyn {
namespace {

/// to = from G, row by row.
void times_map(const CoordinateMap& map, const double* from, std::vector<double>& to) {
  const std::size_t n = map.joined.size(), m = map.v.size(), rows = n ? to.size() / n : 0;
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < m; ++k) {
      const CoordinateMap::Entry& e = map.v[k];
      to[r * n + static_cast<std::size_t>(e.index)] += e.multiplier * from[r * m + k];
    }
}

}  // namespace

RobotRowDerivatives::RobotRowDerivatives(const Model& model, const ConstraintRows& rows, std::vector<RowBlock> on_tree)
    : rows_(&rows),
      map_(model.coordinate_map.get()),
      tree_rows_(map_ ? std::make_unique<ConstraintRows>(map_->tree, std::move(on_tree)) : nullptr),
      moved_(model.tree(), map_ ? *tree_rows_ : rows) {
  if (!map_) return;
  q_.resize(map_->q.size()), v_.resize(map_->v.size()), a_.resize(map_->v.size());
  const auto n = static_cast<std::size_t>(model.nv);
  for (auto* matrix : {&miss_q_, &miss_v_, &stiffness_q_}) matrix->resize(static_cast<std::size_t>(rows.rows()) * n);
  push_q_.resize(n * n), written_q_.resize(static_cast<std::size_t>(rows.forces()) * n);
}

void RobotRowDerivatives::at(Workspace<double>& ws, const double* q, const double* v, const double* a,
                             const double* f) noexcept {
  if (!map_) return moved_.at(ws, q, v, a, f);
  tree_positions(*map_, q, q_.data()), tree_rates(*map_, v, v_.data()), tree_rates(*map_, a, a_.data());
  tree_rows_->at(ws, q_.data(), v_.data(), rows_);
  moved_.at(ws, q_.data(), v_.data(), a_.data(), f);
  times_map(*map_, moved_.miss_by_q(0), miss_q_), times_map(*map_, moved_.miss_by_v(0), miss_v_);
  times_map(*map_, moved_.stiffness_by_q(0), stiffness_q_), times_map(*map_, moved_.written_by_q().data(), written_q_);
  gather_matrix(*map_, moved_.push_by_q().data(), push_q_.data());
}

}  // namespace sparsedyn
