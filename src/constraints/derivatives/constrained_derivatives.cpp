#include "constrained_derivatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "scalar/larger.hpp"

namespace sparsedyn {

ConstrainedDerivatives::ConstrainedDerivatives(const Model& model, const ConstraintRows& rows, std::vector<RowBlock> on_tree)
    : model_(model), rows_(rows), moved_(model, rows, std::move(on_tree)), moments_(model) {
  const auto n = static_cast<std::size_t>(model.nv), m = static_cast<std::size_t>(rows.rows());
  for (const RowBlock& b : rows.blocks()) hard_ = hard_ || b.hard;
  for (auto* matrix : {&by_q_, &by_v_, &inertia_}) matrix->resize(n * n);
  tau_.resize(n), rhs_.resize(n), column_.resize(n), of_rows_.resize(m), aim_.resize(m);
  still_.resize(n), no_force_.resize(m);
  for (auto* columns : {&side_, &x_, &step_}) columns->resize(n * W);
  for (auto* columns : {&force_, &drift_, &miss_, &pulls_}) columns->resize(m * W);
  written_.resize(static_cast<std::size_t>(rows.forces())), gaps_.resize(static_cast<std::size_t>(rows.gaps()));
}

/// −∂ID/∂θ + ∂(Jᵀλ)/∂θ, or a unit torque, into side_; ∂j/∂θ at fixed accelerations into drift_. Columns past the last are zero.
void ConstrainedDerivatives::start(int first) noexcept {
  const int n = model_.nv;
  for (auto* columns : {&side_, &x_, &drift_, &pulls_}) std::fill(columns->begin(), columns->end(), 0.0);
  for (int l = 0; l < W && first + l < 3 * n; ++l) {
    const int kind = (first + l) / n, i = (first + l) % n;
    for (int k = 0; k < n; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * n + i;
      side_[k * W + l] = kind == 0 ? moved_.push_by_q()[at] - by_q_[at] : kind == 1 ? -by_v_[at] : (k == i ? 1 : 0);
    }
    for (int r = 0; r < rows_.rows() && kind < 2; ++r)
      drift_[r * W + l] = kind == 0 ? moved_.miss_by_q(r)[i] : moved_.miss_by_v(r)[i];
  }
}

/// dλ = −h dj + λ ∘ ∂ln D/∂θ + what the multipliers of hard rows have gained.
void ConstrainedDerivatives::change_forces(const Answer& at, int first) noexcept {
  for (std::size_t k = 0; k < rows_.blocks().size(); ++k) {
    const RowBlock& b = rows_.blocks()[k];
    const bool active = rows_.states()[k].active;
    const double* h = at.slopes + k * LawNumbers::most_rows * LawNumbers::most_rows;
    for (int r = 0; r < b.rows; ++r) {
      const int row = b.first_row + r;
      std::array<double, W> sum;
      std::copy_n(pulls_.data() + row * W, W, sum.data());
      for (int l = 0; active && l < W && first + l < model_.nv; ++l)
        sum[static_cast<std::size_t>(l)] += at.f[row] * moved_.stiffness_by_q(row)[first + l];
      for (int c = 0; active && c < b.rows; ++c) {
        const double* missed = miss_.data() + (b.first_row + c) * W;
        for (int l = 0; l < W; ++l) sum[static_cast<std::size_t>(l)] -= h[r * b.rows + c] * missed[l];
      }
      std::copy_n(sum.data(), W, force_.data() + row * W);
    }
  }
}

/// x_ from where the equations themselves miss, which gives digits that D takes from H = M + JᵀDJ:
///   H δx = side + Jᵀ dλ − M x,    dλ ← dλ − h J δx
/// D times the rounding of dj is in both terms of dλ. Whether δx was small in all columns: a step leaves about this part of
/// what it was.
bool ConstrainedDerivatives::improve(const InertiaFactor& factor, HardRowFactor* hard, const Answer& at, int first) noexcept {
  const auto n = static_cast<std::size_t>(model_.nv);
  rows_.times<W>(x_.data(), miss_.data());
  for (std::size_t r = 0; r < miss_.size(); ++r) miss_[r] += drift_[r];
  change_forces(at, first);
  worst_ = hard ? -1 : loose_block(first);
  step_ = side_;
  const bool begun = std::any_of(x_.begin(), x_.end(), [](double x) { return x != 0; });
  for (std::size_t k = 0; begun && k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const double M = inertia_[k * n + i];
      for (std::size_t l = 0; l < W && M != 0; ++l) step_[k * W + l] -= M * x_[i * W + l];
    }
  rows_.add_columns_transposed<W>(force_.data(), step_.data());
  if (hard)
    solve_exactly(*hard);
  else
    factor.solve<W>(at.factors, step_.data());
  for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += step_[k];
  rows_.times<W>(step_.data(), force_.data());
  for (std::size_t r = 0; r < miss_.size(); ++r) miss_[r] += force_[r];
  change_forces(at, first);
  for (const RowBlock& b : rows_.blocks())
    if (b.hard) std::copy_n(force_.data() + b.first_row * W, b.rows * W, pulls_.data() + b.first_row * W);
  return small_step(first);
}

/// Beside what it leads to, beside rounding of the largest column so far by the same of q, v, τ, and beside rounding of what
/// the side would do to a robot without constraints, of inertias heaviest_ at most: columns of a robot that is held fully are
/// zero.
bool ConstrainedDerivatives::small_step(int first) noexcept {
  constexpr double small = 1e-6, rounding = 1e-13;
  std::array<double, W> most{}, size{}, push{};
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const std::size_t l = k % W;
    most[l] = larger(most[l], std::abs(step_[k])), size[l] = larger(size[l], std::abs(x_[k]));
    push[l] = larger(push[l], std::abs(side_[k]));
  }
  before_ = left_, left_ = 0;
  for (std::size_t l = 0; l < W && first + static_cast<int>(l) < 3 * model_.nv; ++l) {
    double& largest = largest_[kind_of(first, l)];
    largest = larger(largest, size[l]);
    const double least = larger(small * size[l], rounding * larger(largest, push[l] / heaviest_));
    if (!(most[l] <= least)) left_ = larger(left_, most[l] / least);
  }
  return left_ <= 1;
}

/// Whether a block's misses are rounding: beside what they are sums of, or in forces beside the multipliers, or beside the
/// largest multipliers so far by the same of q, v, τ. All rows set the measure, since a redundant one may be rounding
/// throughout.
bool ConstrainedDerivatives::is_rounding(const RowBlock& b, const RowBlockState& s, int lane,
                                         double most_pulls) const noexcept {
  double missed = 0, size = 0, gained = 0, pulls = 0;
  for (int r = b.first_row; r < b.first_row + b.rows; ++r) {
    const int at = r * W + lane;
    double of_row = 0;
    for (int i : b.freedoms) of_row += std::abs(rows_.row(r)[i] * x_[i * W + lane]);
    missed = larger(missed, std::abs(miss_[at])), size = larger(size, of_row);
    gained = larger(gained, s.law.D[r - b.first_row] * std::abs(miss_[at]));
    pulls = larger(pulls, std::abs(pulls_[at]));
  }
  return missed <= 1e-12 * size || gained <= 1e-9 * pulls || gained <= 1e-13 * most_pulls;
}

/// A hard block whose misses are not rounding in some column, or -1.
int ConstrainedDerivatives::loose_block(int first) noexcept {
  int worst = -1;
  const int lanes = std::min(static_cast<int>(W), 3 * model_.nv - first);
  for (const RowBlock& b : rows_.blocks())
    for (int r = b.first_row; b.hard && r < b.first_row + b.rows; ++r)
      for (int l = 0; l < lanes; ++l) {
        double& most = most_pulls_[kind_of(first, static_cast<std::size_t>(l))];
        most = larger(most, std::abs(pulls_[r * W + l]));
      }
  for (std::size_t k = 0; k < rows_.blocks().size(); ++k)
    for (int l = 0; rows_.blocks()[k].hard && l < lanes; ++l) {
      const double most = most_pulls_[kind_of(first, static_cast<std::size_t>(l))];
      if (!is_rounding(rows_.blocks()[k], rows_.states()[k], l, most)) worst = static_cast<int>(k);
    }
  return worst;
}

/// Proximal steps until the hard rows' misses are rounding, and steps small. -1, or a block of which they are not.
int ConstrainedDerivatives::settle_hard_rows(const InertiaFactor& factor, const Answer& at, int first) noexcept {
  for (int step = 0; step < 30; ++step)
    if (improve(factor, nullptr, at, first) && worst_ < 0) return -1;
  return std::max(worst_, 0);
}

/// Steps by the factor of the hard rows until they are small, or stay what they are: rounding. -1, or a hard block.
int ConstrainedDerivatives::refine_exactly(const InertiaFactor& factor, HardRowFactor& hard, const Answer& at,
                                           int first) noexcept {
  for (int step = 0; step < 4; ++step)
    if (improve(factor, &hard, at, first)) return -1;
  if (left_ >= 0.5 * before_) return -1;
  for (std::size_t k = 0; k < rows_.blocks().size(); ++k)
    if (rows_.blocks()[k].hard) return static_cast<int>(k);
  return 0;
}

/// step_, and what the multipliers of hard rows gain, J δx = −miss: of redundant rows as much of it as J δx can be. Along a
/// motion that opens a loop, rows may contradict each other; the part that does is no force's, since Jᵀ of it is zero.
void ConstrainedDerivatives::solve_exactly(HardRowFactor& hard) noexcept {
  for (int l = 0; l < W; ++l) {
    for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] = step_[i * W + l];
    for (int row : hard.rows()) aim_[row] = -miss_[row * W + l];
    hard.solve(rhs_.data(), aim_.data(), column_.data(), of_rows_.data());
    for (std::size_t i = 0; i < rhs_.size(); ++i) step_[i * W + l] = column_[i];
    for (int row : hard.rows()) pulls_[row * W + l] += of_rows_[row];
  }
}

/// Redundant rows: λ = E J y is the least force, E⁻¹ the rows' weights, and ∂λ/∂q of solve_exactly is of that form. As the
/// rows turn, so does the form: what is left is the part of E ∂(J y)/∂q that moves nothing. Of robots at rest with the
/// accelerations y, ∂j/∂q is ∂(J y)/∂q and a multiple of J, which has no such part.
void ConstrainedDerivatives::add_turned_forces(Workspace<double>& ws, HardRowFactor& hard, const Answer& at,
                                               double* by_q) noexcept {
  hard.motion_of(at.f, column_.data());
  moved_.at(ws, at.q, still_.data(), column_.data(), no_force_.data());
  const auto n = static_cast<std::size_t>(model_.nv);
  std::fill(of_rows_.begin(), of_rows_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (int row : hard.rows()) of_rows_[row] = moved_.miss_by_q(row)[i];
    hard.keep_null_space(of_rows_.data());
    rows_.write(of_rows_.data(), written_.data(), gaps_.data());
    for (std::size_t r = 0; r < written_.size(); ++r) by_q[r * n + i] += written_[r];
  }
}

void ConstrainedDerivatives::write(int first, int lane, const ConstraintDerivatives& out) noexcept {
  const int n = model_.nv, kind = (first + lane) / n, i = (first + lane) % n;
  double* const accelerations[] = {out.da_dq, out.da_dv, out.da_dtau};
  double* const forces[] = {out.dlambda_dq, out.dlambda_dv, out.dlambda_dtau};
  for (int k = 0; k < n; ++k) accelerations[kind][static_cast<std::size_t>(k) * n + i] = x_[k * W + lane];
  const std::size_t column = static_cast<std::size_t>(first) + static_cast<std::size_t>(lane),
                    width = 3 * static_cast<std::size_t>(n);
  for (std::size_t at = 0, r = 0; at < by_row_.size(); at += width, ++r)
    by_row_[at + column] = force_[r * W + static_cast<std::size_t>(lane)];
  if (!forces[kind]) return;
  for (int r = 0; r < rows_.rows(); ++r) of_rows_[r] = force_[r * W + lane];
  rows_.write(of_rows_.data(), written_.data(), gaps_.data());
  for (std::size_t r = 0; r < written_.size(); ++r) {
    const std::size_t at = r * n + i;
    forces[kind][at] = written_[r] + (kind == 0 ? moved_.written_by_q()[at] : 0);
  }
}

int ConstrainedDerivatives::solve(Workspace<double>& ws, const InertiaFactor& factor, HardRowFactor* hard, const Answer& at,
                                  const ConstraintDerivatives& out) noexcept {
  moved_.at(ws, at.q, at.v, at.a, at.f);
  rnea_derivatives<double>(model_, moments_, at.q, at.v, at.a, at.fx,
                           {tau_.data(), by_q_.data(), by_v_.data(), inertia_.data()});
  largest_.fill(0.0), most_pulls_.fill(0.0);
  heaviest_ = 0;
  for (std::size_t k = 0; k < inertia_.size(); k += static_cast<std::size_t>(model_.nv) + 1)
    heaviest_ = larger(heaviest_, inertia_[k]);
  for (int first = 0; first < 3 * model_.nv; first += W) {
    start(first);
    improve(factor, hard, at, first);
    const int failed = hard ? refine_exactly(factor, *hard, at, first) : hard_ ? settle_hard_rows(factor, at, first) : -1;
    if (failed >= 0) return failed;
    for (int l = 0; l < W && first + l < 3 * model_.nv; ++l) write(first, l, out);
  }
  if (hard && hard->has_redundant_rows() && out.dlambda_dq) add_turned_forces(ws, *hard, at, out.dlambda_dq);
  return -1;
}

}  // namespace sparsedyn
