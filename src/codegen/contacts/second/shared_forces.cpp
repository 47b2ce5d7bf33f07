#include "shared_forces.hpp"

#include <algorithm>

#include "loop_curvature.hpp"

namespace sparsedyn {

SharedForces::SharedForces(std::size_t nv, const std::vector<RowBlock>& blocks) : n_(nv), y_(nv), change_(nv), C_(nv * nv) {
  std::size_t rows = 0;
  for (const RowBlock& b : blocks) rows += static_cast<std::size_t>(b.rows);
  for (auto* of_rows : {&g_, &column_, &forces_}) of_rows->resize(rows);
  for (auto* matrix : {&tested_, &turned_, &by_unit_}) matrix->resize(rows * nv);
}

bool SharedForces::add(const ConstraintAnswer& at, const std::vector<double>& eta, EvaluatedStage& curvature,
                       EvaluatedStage& turns, EvaluatedStage* moments, double* G, double* W) noexcept {
  std::copy(eta.begin(), eta.end(), g_.begin());
  at.redundant->keep_null_space(g_.data());
  at.redundant->motion_of(at.f, y_.data());
  read_turns(at, turns, tested_);
  if (moments) take_moments(at, *moments);
  turns.set("mu", y_.data());
  if (!turns.evaluate()) return false;
  read_turns(at, turns, turned_);
  turn_forces(at, W);
  if (!pair_with_rows(at, turns)) return false;
  share_changes(at, W);
  return bend(at, curvature, G);
}

/// What the stage `loop_turns` has given, by rows of nv numbers.
void SharedForces::read_turns(const ConstraintAnswer& at, EvaluatedStage& turns, std::vector<double>& to) const noexcept {
  const double* turned = turns.output("loop_turns");
  std::fill(to.begin(), to.end(), 0.0);
  for (const RowBlock& b : at.rows.blocks()) {
    if (!is_loop(b.type)) continue;
    for (int i : b.freedoms)
      for (int r = 0; r < b.rows; ++r)
        to[static_cast<std::size_t>(b.first_row + r) * n_ + static_cast<std::size_t>(i)] = *turned++;
  }
}

/// −∂η of the rows of welds.
void SharedForces::take_moments(const ConstraintAnswer& at, EvaluatedStage& moments) noexcept {
  const double* turned = moments.output("eta_turns");
  for (const RowBlock& b : at.rows.blocks()) {
    if (b.type != ConstraintType::weld) continue;
    for (int i : b.freedoms)
      for (int r = 3; r < 6; ++r)
        tested_[static_cast<std::size_t>(b.first_row + r) * n_ + static_cast<std::size_t>(i)] -= *turned++;
  }
}

void SharedForces::take_column(const std::vector<double>& of_rows, std::size_t i) noexcept {
  for (std::size_t r = 0; r < column_.size(); ++r) column_[r] = of_rows[r * n_ + i];
}

/// −∂w ∂fᵀ of what ∂f/∂q has beside by_row(): as the rows turn, so does the form of the least forces.
void SharedForces::turn_forces(const ConstraintAnswer& at, double* W) noexcept {
  for (std::size_t i = 0; i < n_; ++i) {
    take_column(turned_, i);
    at.redundant->keep_null_space(column_.data());
    for (const int row : at.redundant->rows())
      for (std::size_t k = 0; k < n_; ++k)
        W[k * 3 * n_ + i] -= tested_[static_cast<std::size_t>(row) * n_ + k] * column_[static_cast<std::size_t>(row)];
  }
}

/// C, one freedom after the other.
bool SharedForces::pair_with_rows(const ConstraintAnswer& at, EvaluatedStage& turns) noexcept {
  std::fill(change_.begin(), change_.end(), 0.0), std::fill(C_.begin(), C_.end(), 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    change_[k] = 1;
    turns.set("mu", change_.data());
    change_[k] = 0;
    if (!turns.evaluate()) return false;
    read_turns(at, turns, by_unit_);
    for (const int row : at.redundant->rows())
      for (std::size_t i = 0; i < n_; ++i)
        C_[i * n_ + k] += g_[static_cast<std::size_t>(row)] * by_unit_[static_cast<std::size_t>(row) * n_ + i];
  }
  return true;
}

/// C ∂y/∂θ: E J ∂y = ∂f − E ∂(J) y.
void SharedForces::share_changes(const ConstraintAnswer& at, double* W) noexcept {
  const std::size_t width = 3 * n_;
  for (std::size_t e = 0; e < width; ++e) {
    for (const int row : at.redundant->rows())
      forces_[static_cast<std::size_t>(row)] = at.derivatives.by_row()[static_cast<std::size_t>(row) * width + e];
    if (e < n_) {
      take_column(turned_, e);
      at.redundant->weigh(column_.data());
      for (const int row : at.redundant->rows())
        forces_[static_cast<std::size_t>(row)] -= column_[static_cast<std::size_t>(row)];
    }
    at.redundant->motion_of(forces_.data(), change_.data());
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) W[i * width + e] += C_[i * n_ + k] * change_[k];
  }
}

/// gᵀ ∂²J y: the stage gives −∂²(w f) at the rates y of μ and the forces −g.
bool SharedForces::bend(const ConstraintAnswer& at, EvaluatedStage& curvature, double* G) const noexcept {
  for (const char* name : {"on_w", "on_p", "on_r", "loop_nu", "loop_force"}) curvature.clear(name);
  curvature.set("mu", y_.data());
  double *force = curvature.input("loop_force"), *bends = curvature.input("loop_bends");
  for (const RowBlock& b : at.rows.blocks()) {
    if (!is_loop(b.type)) continue;
    for (int r = 0; r < b.rows; ++r) *force++ = b.hard ? -g_[static_cast<std::size_t>(b.first_row + r)] : 0;
    std::fill_n(bends, 5, 0.0);  // but the quaternion
    bends += bends_of(b);
  }
  if (!curvature.evaluate()) return false;
  const double* qq = curvature.output("qq");
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t low = std::min(i, k), high = std::max(i, k);
      G[i * 3 * n_ + k] += qq[high * (high + 1) / 2 + low];
    }
  return true;
}

}  // namespace sparsedyn
