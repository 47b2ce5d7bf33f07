// Newton's iteration with hard rows by HardRowFactor: their law is λ itself (D = 0), which each step finds beside a.
#include <algorithm>

#include "newton_iteration.hpp"

namespace sparsedyn {

int NewtonIteration::block_of(int row) const noexcept {
  int found = -1;
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.blocks()[k].first_row <= row) found = static_cast<int>(k);
  return found;
}

bool NewtonIteration::take_hard_rows(ConstraintStatus& status) noexcept {
  const int lost = hard_.take(M.data());
  if (lost < 0) return true;
  status.state = ConstraintState::rank_lost;
  status.constraint = block_of(lost);
  status.row = lost - rows.blocks()[static_cast<std::size_t>(status.constraint)].first_row;
  return false;
}

ConstraintStatus NewtonIteration::iterate_exactly(bool warm) noexcept {
  ConstraintStatus status;
  if (!take_hard_rows(status)) return status;
  begin_exactly();
  return iterate_as_chosen(warm);
}

void NewtonIteration::begin_exactly() noexcept {
  for (int row : hard_.rows()) j[row] = 0;
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.blocks()[k].hard) rows.states()[k].law.D.fill(0.0), rows.states()[k].law.pull.fill(0.0);
  exactly_ = true;
}

bool NewtonIteration::hold_exactly(ConstraintStatus& status) noexcept {
  if (exactly_) return true;
  if (!take_hard_rows(status)) return false;
  begin_exactly();
  pull_exactly();
  forces(j.data(), f.data());
  return true;
}

/// (M + Jᵀ h J) a⁺ − Jᵀ λ = push + Jᵀ (f + h (j + a*)) and J a⁺ = a*, λ and J of the hard rows on the left, of others on the
/// right.
int NewtonIteration::step_exactly(bool sticks) noexcept {
  H = M, rhs_ = push;
  std::copy(f.begin(), f.end(), lambda_next.begin());
  for (int row : hard_.rows()) lambda_next[row] = 0;
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.states()[k].active) add_block(static_cast<int>(k), sticks);
  if (const int failed = hard_.factor(H.data()); failed >= 0) return failed;
  rows.add_transposed(lambda_next.data(), rhs_.data());
  hard_.solve(rhs_.data(), rows.aim().data(), next.data(), held_.data());
  rows.miss(next.data(), j_next.data());
  std::copy(f.begin(), f.end(), lambda_next.begin());
  for (int row : hard_.rows()) j_next[row] = 0, lambda_next[row] = held_[row];
  for (std::size_t k = 0; k < rows.blocks().size(); ++k)
    if (rows.states()[k].active && !rows.blocks()[k].hard) add_slope(static_cast<int>(k));
  return -1;
}

void NewtonIteration::pull_exactly() noexcept {
  for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
    const RowBlock& b = rows.blocks()[k];
    for (int r = 0; b.hard && r < b.rows; ++r) rows.states()[k].law.pull[r] = lambda[b.first_row + r];
  }
}

bool NewtonIteration::settle_exactly(double left, ConstraintStatus& status) noexcept {
  constexpr double still =
      1;  // m/s² beside the robot's length, rad/s²: at rest accelerations are rounding, as pull_hard_rows has it
  int row = -1;
  for (int again = 0; again < 3; ++again) {
    rows.miss(a.data(), j.data());
    for (int hard : hard_.rows()) j_next[hard] = -j[hard], j[hard] = 0;
    forces(j.data(), f.data());
    missed_by_inertia(rhs_);
    rows.add_transposed(f.data(), rhs_.data());
    hard_.solve(rhs_.data(), j_next.data(), next.data(), held_.data());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += next[i];
    rows.times<1>(next.data(), j_next.data());
    for (std::size_t r = 0; r < j.size(); ++r) j_next[r] += j[r];
    std::copy(f.begin(), f.end(), lambda_next.begin());
    for (int hard : hard_.rows()) j_next[hard] = 0, lambda_next[hard] += held_[hard];
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      if (rows.states()[k].active && !rows.blocks()[k].hard) add_slope(static_cast<int>(k));
    std::copy(lambda_next.begin(), lambda_next.end(), lambda.begin());
    std::copy(j_next.begin(), j_next.end(), j.begin());
    pull_exactly();
    if (again > 0 && hard_.met(a.data(), rows.aim().data(), row, still)) break;
  }
  const double off = residual(status.constraint);
  if (row < 0 && off <= left) return true;
  if (row >= 0) status.constraint = block_of(row);
  double size = 0;
  for (double x : lambda) size = std::max(size, std::abs(x));
  status.residual = size > 0 ? off / size : 0;
  return false;
}

}  // namespace sparsedyn
