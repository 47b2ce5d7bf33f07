#include "bounded_steps.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

/// A = L Lᵀ (lower triangle, n × n row by row, overwritten) and A⁻¹ y in place of y. False where A is not positive definite.
bool solve_by_cholesky(double* A, std::size_t n, double* y) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = A + i * n;
    for (std::size_t j = 0; j < i; ++j) {
      const double* const other = A + j * n;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum * other[j];
    }
    double pivot = row[i];
    for (std::size_t k = 0; k < i; ++k) pivot -= row[k] * row[k];
    if (!(pivot > 0)) return false;
    row[i] = 1 / std::sqrt(pivot);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) y[i] -= A[i * n + k] * y[k];
    y[i] *= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    y[i] *= A[i * n + i];
    for (std::size_t k = 0; k < i; ++k) y[k] -= A[i * n + k] * y[i];
  }
  return true;
}

}  // namespace

BoundedSteps::BoundedSteps(int rows, int columns)
    : rows_(static_cast<std::size_t>(rows)),
      columns_(static_cast<std::size_t>(columns)),
      least_(columns_),
      greatest_(columns_),
      fixed_(columns_),
      released_(columns_),
      rest_(rows_),
      free_(rows_ * columns_),
      y_(std::max(rows_, columns_)),
      square_(y_.size() * y_.size()) {}

void BoundedSteps::set_room(const JointRange& range, const double* q) noexcept {
  for (std::size_t i = 0; i < columns_; ++i) least_[i] = range.room_below(q, i), greatest_[i] = range.room_above(q, i);
}

/// All columns are free again.
void BoundedSteps::begin(const double* J, const double* e) noexcept {
  std::fill(fixed_.begin(), fixed_.end(), 0);
  std::copy_n(e, rows_, rest_.begin());
  for (std::size_t r = 0; r < rows_; ++r)
    for (std::size_t i = 0; i < columns_; ++i) free_[i * rows_ + r] = J[r * columns_ + i];
}

/// Whether the step stays within the room; otherwise what leaves it stops at the edge from now on.
bool BoundedSteps::within_room(double* step) noexcept {
  bool within = true;
  for (std::size_t i = 0; i < columns_; ++i) {
    if (fixed_[i] || (step[i] >= least_[i] && step[i] <= greatest_[i])) continue;
    step[i] = step[i] < least_[i] ? least_[i] : greatest_[i];
    fixed_[i] = 1, within = false;
  }
  return within;
}

/// The share of columns that have become fixed moves to rest_.
void BoundedSteps::absorb(const double* step) noexcept {
  for (std::size_t i = 0; i < columns_; ++i) {
    if (!fixed_[i]) continue;
    double* const column = &free_[i * rows_];
    for (std::size_t r = 0; r < rows_; ++r) rest_[r] += column[r] * step[i], column[r] = 0;
  }
}

/// y ← (J Jᵀ + μ)⁻¹ y, columns that are free. On a tree most of a column is zero.
bool BoundedSteps::by_rows(double damping) noexcept {
  std::fill_n(square_.begin(), rows_ * rows_, 0.0);
  for (std::size_t r = 0; r < rows_; ++r) square_[r * rows_ + r] = damping;
  for (std::size_t i = 0; i < columns_; ++i) {
    const double* const column = &free_[i * rows_];
    for (std::size_t r = 0; r < rows_; ++r) {
      const double x = column[r];
      if (x == 0) continue;
      double* const row = &square_[r * rows_];
      for (std::size_t k = 0; k <= r; ++k) row[k] += x * column[k];
    }
  }
  return solve_by_cholesky(square_.data(), rows_, y_.data());
}

/// y ← −(JᵀJ + μ)⁻¹ Jᵀ rest, zero where a column is fixed.
bool BoundedSteps::by_columns(double damping) noexcept {
  const auto dot = [&](const double* a, const double* b) {
    double sum = 0;
    for (std::size_t r = 0; r < rows_; ++r) sum += a[r] * b[r];
    return sum;
  };
  for (std::size_t i = 0; i < columns_; ++i) {
    const double* const column = &free_[i * rows_];
    y_[i] = -dot(column, rest_.data());
    for (std::size_t k = 0; k < i; ++k) square_[i * columns_ + k] = dot(column, &free_[k * rows_]);
    square_[i * columns_ + i] = dot(column, column) + damping;
  }
  return solve_by_cholesky(square_.data(), columns_, y_.data());
}

/// Jᵀ y at column i.
double BoundedSteps::along(std::size_t i) const noexcept {
  double sum = 0;
  for (std::size_t r = 0; r < rows_; ++r) sum += free_[i * rows_ + r] * y_[r];
  return sum;
}

bool BoundedSteps::damped(const double* J, const double* e, double damping, double* step) noexcept {
  begin(J, e);
  do {
    absorb(step);
    const bool rows = rows_ < columns_;  // (JᵀJ + μ)⁻¹ Jᵀ = Jᵀ (J Jᵀ + μ)⁻¹: the smaller of the two
    if (rows)
      for (std::size_t r = 0; r < rows_; ++r) y_[r] = -rest_[r];
    if (!(rows ? by_rows(damping) : by_columns(damping))) return false;
    for (std::size_t i = 0; i < columns_; ++i)
      if (!fixed_[i]) step[i] = rows ? along(i) : y_[i];
  } while (!within_room(step));
  return true;
}

/// The entry that stops at an edge but would rather leave it into the room, by the sign of its multiplier, d + δ − Jᵀ y; none
/// is let go twice. -1: none.
int BoundedSteps::held_back(const double* J, const double* d, const double* step) const noexcept {
  int worst = -1;
  double most = 1e-12;
  for (std::size_t i = 0; i < columns_; ++i) {
    if (!fixed_[i] || released_[i]) continue;
    double multiplier = d[i] + step[i];
    for (std::size_t r = 0; r < rows_; ++r) multiplier -= J[r * columns_ + i] * y_[r];
    const double inward = step[i] == least_[i] ? -multiplier : multiplier;
    if (inward > most) most = inward, worst = static_cast<int>(i);
  }
  return worst;
}

bool BoundedSteps::nearest(const double* J, const double* e, const double* d, double* step) noexcept {
  begin(J, e);
  std::fill(released_.begin(), released_.end(), 0);
  double size = 0;
  for (double x : free_) size += x * x;
  for (;;) {
    absorb(step);  // δ = Jᵀ y − d with J Jᵀ y = J d − e
    for (std::size_t r = 0; r < rows_; ++r) y_[r] = -rest_[r];
    for (std::size_t i = 0; i < columns_; ++i)
      for (std::size_t r = 0; r < rows_; ++r) y_[r] += free_[i * rows_ + r] * d[i];
    if (!by_rows(1e-14 * size)) return false;  // rows may follow from each other
    for (std::size_t i = 0; i < columns_; ++i)
      if (!fixed_[i]) step[i] = along(i) - d[i];
    if (!within_room(step)) continue;
    const int back = held_back(J, d, step);
    if (back < 0) return true;
    const auto i = static_cast<std::size_t>(back);
    released_[i] = 1, fixed_[i] = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      free_[i * rows_ + r] = J[r * columns_ + i];
      rest_[r] -= free_[i * rows_ + r] * step[i];
    }
  }
}

bool BoundedSteps::newton(const double* H, const double* g, double damping, double* step) noexcept {
  for (std::size_t i = 0; i < columns_; ++i) {
    fixed_[i] = (g[i] > 0 ? least_[i] : greatest_[i]) == 0;
    if (fixed_[i]) step[i] = 0;
  }
  const auto entry = [&](std::size_t i, std::size_t k) { return i > k ? H[i * columns_ + k] : H[k * columns_ + i]; };
  do {
    for (std::size_t i = 0; i < columns_; ++i) {
      y_[i] = fixed_[i] ? 0 : -g[i];
      for (std::size_t k = 0; k < columns_ && !fixed_[i]; ++k)
        if (fixed_[k]) y_[i] -= entry(i, k) * step[k];
      for (std::size_t k = 0; k < i; ++k) square_[i * columns_ + k] = fixed_[i] || fixed_[k] ? 0 : entry(i, k);
      square_[i * columns_ + i] = fixed_[i] ? 1 : entry(i, i) + damping;
    }
    if (!solve_by_cholesky(square_.data(), columns_, y_.data())) return false;
    for (std::size_t i = 0; i < columns_; ++i)
      if (!fixed_[i]) step[i] = y_[i];
  } while (!within_room(step));
  return true;
}

}  // namespace sparsedyn
