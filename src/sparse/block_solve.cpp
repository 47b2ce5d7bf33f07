#include "sparsedyn/sparse/detail/block_solve.hpp"

#include <algorithm>
#include <cmath>

#include "batch_vectors.hpp"
#include "sparse/steps/steps.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"

namespace sparsedyn {

/// L and U as they are walked: positions of the order, numbers beside their patterns.
struct TriangularFactors {
  const Elimination& pattern;
  const Order& order;
  const double *lower, *upper, *below, *above;
};

/// The routines of one vector set.
struct BlockKernels {
  void (*solve)(const TriangularFactors&, const Batch* b, Batch* y, Batch* x);
  void (*solve_transposed)(const TriangularFactors&, const Batch* c, Batch* y, Batch* z);
  void (*residual)(const Pattern&, const double* matrix, const Batch* b, const Batch* x, Batch* rest);
  void (*residual_transposed)(const Pattern&, const double* matrix, const Batch* c, const Batch* z, Batch* rest);
};

namespace {

/// a −= factor · x.
template <int width>
[[gnu::always_inline]] inline void subtract_multiple(BatchVectors<width>& a, double factor, const BatchVectors<width>& x) {
  a = a - factor * x;
}

/// y_k = (b_k − Σ l y) below_k for k = 0, 1, …, then x_k = (y_k − Σ u x) above_k for k = n − 1, n − 2, …
template <int width>
[[gnu::always_inline]] inline void solve_block(const TriangularFactors& f, const Batch* right_side, Batch* work,
                                               Batch* solution) {
  const auto* b = as_vectors<width>(right_side);
  auto *y = as_vectors<width>(work), *x = as_vectors<width>(solution);
  const int n = f.pattern.size();
  for (int k = 0; k < n; ++k) {
    BatchVectors<width> sum = b[f.order.rows[k]];
    for (int l = f.pattern.lower_start[k]; l < f.pattern.lower_start[k + 1]; ++l)
      subtract_multiple<width>(sum, f.lower[l], y[f.pattern.lower[l]]);
    y[k] = f.below[k] * sum;
  }
  for (int k = n; k-- > 0;) {
    BatchVectors<width> sum = y[k];
    for (int u = f.pattern.upper_start[k]; u < f.pattern.upper_start[k + 1]; ++u)
      subtract_multiple<width>(sum, f.upper[u], y[f.pattern.upper[u]]);
    y[k] = f.above[k] * sum;
  }
  for (int k = 0; k < n; ++k) x[f.order.columns[k]] = y[k];
}

/// Uᵀ w = c, then Lᵀ z = w: each unknown is taken off the equations that come after it.
template <int width>
[[gnu::always_inline]] inline void solve_block_transposed(const TriangularFactors& f, const Batch* right_side, Batch* work,
                                                          Batch* solution) {
  const auto* c = as_vectors<width>(right_side);
  auto *w = as_vectors<width>(work), *z = as_vectors<width>(solution);
  const int n = f.pattern.size();
  for (int k = 0; k < n; ++k) w[k] = c[f.order.columns[k]];
  for (int k = 0; k < n; ++k) {
    const BatchVectors<width> done = w[k] = f.above[k] * w[k];
    for (int u = f.pattern.upper_start[k]; u < f.pattern.upper_start[k + 1]; ++u)
      subtract_multiple<width>(w[f.pattern.upper[u]], f.upper[u], done);
  }
  for (int k = n; k-- > 0;) {
    const BatchVectors<width> done = w[k] = f.below[k] * w[k];
    for (int l = f.pattern.lower_start[k]; l < f.pattern.lower_start[k + 1]; ++l)
      subtract_multiple<width>(w[f.pattern.lower[l]], f.lower[l], done);
  }
  for (int k = 0; k < n; ++k) z[f.order.rows[k]] = w[k];
}

template <int width>
[[gnu::always_inline]] inline void residual_of_block(const Pattern& pattern, const double* matrix, const Batch* right_side,
                                                     const Batch* solution, Batch* left) {
  const auto *b = as_vectors<width>(right_side), *x = as_vectors<width>(solution);
  auto* rest = as_vectors<width>(left);
  for (int r = 0; r < pattern.rows; ++r) {
    BatchVectors<width> sum = b[r];
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      subtract_multiple<width>(sum, matrix[e], x[pattern.column[e]]);
    rest[r] = sum;
  }
}

template <int width>
[[gnu::always_inline]] inline void residual_of_transposed(const Pattern& pattern, const double* matrix, const Batch* right_side,
                                                          const Batch* solution, Batch* left) {
  const auto *c = as_vectors<width>(right_side), *z = as_vectors<width>(solution);
  auto* rest = as_vectors<width>(left);
  for (int k = 0; k < pattern.columns; ++k) rest[k] = c[k];
  for (int r = 0; r < pattern.rows; ++r) {
    const BatchVectors<width> of_row = z[r];
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      subtract_multiple<width>(rest[pattern.column[e]], matrix[e], of_row);
  }
}

using Factors = const TriangularFactors&;

void solve_portably(Factors f, const Batch* b, Batch* y, Batch* x) { solve_block<2>(f, b, y, x); }
void solve_transposed_portably(Factors f, const Batch* c, Batch* y, Batch* z) { solve_block_transposed<2>(f, c, y, z); }
void residual_portably(const Pattern& p, const double* a, const Batch* b, const Batch* x, Batch* rest) {
  residual_of_block<2>(p, a, b, x, rest);
}
void residual_transposed_portably(const Pattern& p, const double* a, const Batch* c, const Batch* z, Batch* rest) {
  residual_of_transposed<2>(p, a, c, z, rest);
}
constexpr BlockKernels portable_blocks{solve_portably, solve_transposed_portably, residual_portably,
                                       residual_transposed_portably};

#ifdef __x86_64__
[[gnu::target("avx2")]] void solve_avx2(Factors f, const Batch* b, Batch* y, Batch* x) { solve_block<4>(f, b, y, x); }
[[gnu::target("avx2")]] void solve_transposed_avx2(Factors f, const Batch* c, Batch* y, Batch* z) {
  solve_block_transposed<4>(f, c, y, z);
}
[[gnu::target("avx2")]] void residual_avx2(const Pattern& p, const double* a, const Batch* b, const Batch* x, Batch* rest) {
  residual_of_block<4>(p, a, b, x, rest);
}
[[gnu::target("avx2")]] void residual_transposed_avx2(const Pattern& p, const double* a, const Batch* c, const Batch* z,
                                                      Batch* rest) {
  residual_of_transposed<4>(p, a, c, z, rest);
}
constexpr BlockKernels avx2_blocks{solve_avx2, solve_transposed_avx2, residual_avx2, residual_transposed_avx2};

[[gnu::target("avx512f")]] void solve_avx512(Factors f, const Batch* b, Batch* y, Batch* x) { solve_block<8>(f, b, y, x); }
[[gnu::target("avx512f")]] void solve_transposed_avx512(Factors f, const Batch* c, Batch* y, Batch* z) {
  solve_block_transposed<8>(f, c, y, z);
}
[[gnu::target("avx512f")]] void residual_avx512(const Pattern& p, const double* a, const Batch* b, const Batch* x,
                                                Batch* rest) {
  residual_of_block<8>(p, a, b, x, rest);
}
[[gnu::target("avx512f")]] void residual_transposed_avx512(const Pattern& p, const double* a, const Batch* c, const Batch* z,
                                                           Batch* rest) {
  residual_of_transposed<8>(p, a, c, z, rest);
}
constexpr BlockKernels avx512_blocks{solve_avx512, solve_transposed_avx512, residual_avx512, residual_transposed_avx512};
#endif

const BlockKernels& widest_blocks() {
#ifdef __x86_64__
  if (widest_vectors() == VectorSet::avx512) return avx512_blocks;
  if (widest_vectors() == VectorSet::avx2) return avx2_blocks;
#endif
  return portable_blocks;
}

double scale_in(int cell, const double* cells) { return cell == no_cell ? 1.0 : cell == minus_one ? -1.0 : cells[cell]; }

/// By lane; NaN where something is.
Batch largest_of(const Batch* x, int n) {
  Batch most(0.0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < Batch::lanes; ++k) {
      const double size = std::abs(x[i].lane[k]);
      if (!(size <= most.lane[k])) most.lane[k] = size;
    }
  return most;
}

Batch backward_errors(const Batch* right_side, const Batch* solution, const Batch* rest, int n, double norm) {
  const Batch b = largest_of(right_side, n), x = largest_of(solution, n), r = largest_of(rest, n);
  Batch error;
  for (int k = 0; k < Batch::lanes; ++k) {
    const double size = norm * x.lane[k] + b.lane[k];
    error.lane[k] = size == 0 ? 0 : r.lane[k] / size;
  }
  return error;
}

}  // namespace

BlockSolve::BlockSolve(const Plan& plan)
    : plan_(&plan),
      kernels_(&widest_blocks()),
      matrix_(plan.pattern.entries()),
      lower_(plan.elimination.lower.size()),
      upper_(plan.elimination.upper.size()),
      below_(plan.pattern.rows),
      above_(plan.pattern.rows),
      y_(plan.pattern.rows, Batch(0.0)),
      column_sum_(plan.pattern.columns) {}

void BlockSolve::load(ZeroFillLU<double>& lu) noexcept {
  if (!plan_->program.complete.runs.empty()) lu.complete(column_sum_.data());
  const double* const cells = lu.values();
  const LUProgram::Factors& from = plan_->program.factors;
  const Pattern& pattern = plan_->pattern;
  std::copy_n(cells, matrix_.size(), matrix_.data());
  for (std::size_t l = 0; l < lower_.size(); ++l) lower_[l] = cells[from.lower[l]];
  for (std::size_t u = 0; u < upper_.size(); ++u) upper_[u] = cells[from.upper[u]];
  for (std::size_t k = 0; k < below_.size(); ++k) {
    const double inverse = scale_in(from.reciprocal[k], cells);
    below_[k] = from.divides_upper[k] ? inverse : 1.0;
    above_[k] = from.divides_upper[k] ? 1.0 : inverse;
  }
  norm_ = transposed_norm_ = 0;
  std::fill(column_sum_.begin(), column_sum_.end(), 0.0);
  for (int r = 0; r < pattern.rows; ++r) {
    double sum = 0;
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      sum += std::abs(matrix_[e]);
      column_sum_[pattern.column[e]] += std::abs(matrix_[e]);
    }
    norm_ = std::max(norm_, sum);
  }
  for (double sum : column_sum_) transposed_norm_ = std::max(transposed_norm_, sum);
}

void BlockSolve::solve(const Batch* b, Batch* x) noexcept {
  kernels_->solve({plan_->elimination, plan_->order, lower_.data(), upper_.data(), below_.data(), above_.data()}, b, y_.data(),
                  x);
}

void BlockSolve::solve_transposed(const Batch* c, Batch* z) noexcept {
  kernels_->solve_transposed({plan_->elimination, plan_->order, lower_.data(), upper_.data(), below_.data(), above_.data()}, c,
                             y_.data(), z);
}

Batch BlockSolve::residual(const Batch* b, const Batch* x, Batch* rest) const noexcept {
  kernels_->residual(plan_->pattern, matrix_.data(), b, x, rest);
  return backward_errors(b, x, rest, plan_->pattern.rows, norm_);
}

Batch BlockSolve::residual_transposed(const Batch* c, const Batch* z, Batch* rest) const noexcept {
  kernels_->residual_transposed(plan_->pattern, matrix_.data(), c, z, rest);
  return backward_errors(c, z, rest, plan_->pattern.rows, transposed_norm_);
}

}  // namespace sparsedyn
