#include "hard_row_factor.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/loops/following_rows.hpp"
#include "constraints/loops/products.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn {
namespace {

constexpr double firm = HardRowLimits::firm, lost = HardRowLimits::lost;
constexpr double ever_said = 1e-13;  // likewise: what is said at all; below it a row follows from others
constexpr double follows = 1e-9;     // of the largest singular value, where one state alone tells
constexpr double singular = 1e-14;   // of a pivot, beside what was summed into it

/// A = L Lᵀ in place, n × n, of the lower triangle. -1, or where a pivot vanishes.
int cholesky(double* A, std::size_t n) noexcept {
  for (std::size_t j = 0; j < n; ++j) {
    double* of_j = A + j * n;
    const double pivot = of_j[j] - product(of_j, of_j, j);
    if (!(pivot > singular * of_j[j])) return static_cast<int>(j);
    of_j[j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) A[i * n + j] = (A[i * n + j] - product(A + i * n, of_j, j)) / of_j[j];
  }
  return -1;
}

void solve_lower(const double* L, std::size_t n, double* x) noexcept {
  for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] - product(L + i * n, x, i)) / L[i * n + i];
}

void solve_upper(const double* L, std::size_t n, double* x) noexcept {
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= L[i * n + k] * x[i];
  }
}

/// How many pivots of a matrix ≥ 0 exceed `least`, the largest taken first; A is overwritten.
int pivots_above(double least, double* A, std::size_t m) noexcept {
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (A[i * m + i] > A[best * m + best]) best = i;
    if (!(A[best * m + best] > least)) return static_cast<int>(k);
    for (std::size_t c = 0; c < m && best != k; ++c) std::swap(A[k * m + c], A[best * m + c]);
    for (std::size_t r = 0; r < m && best != k; ++r) std::swap(A[r * m + k], A[r * m + best]);
    for (std::size_t i = k + 1; i < m; ++i) {
      const double factor = A[i * m + k] / A[k * m + k];
      for (std::size_t c = k + 1; c < m; ++c) A[i * m + c] -= factor * A[k * m + c];
    }
  }
  return static_cast<int>(m);
}

}  // namespace

HardRowFactor::HardRowFactor(const Model& model, ConstraintRows& rows, const std::vector<std::vector<double>>& postures)
    : all_(rows), n_(static_cast<std::size_t>(model.nv)), m_(0), measured_(!postures.empty()) {
  for (const RowBlock& b : rows.blocks())
    for (int r = 0; b.hard && r < b.rows; ++r) hard_.push_back(b.first_row + r);
  m_ = hard_.size();
  size_.assign(m_, 0.0), E_ = c_ = sigma_ = size_;
  gram_.assign(m_ * m_, 0.0), V_ = T_ = gram_;
  S_.assign(n_, 0.0), y_ = S_;
  U_.assign(m_ * n_, 0.0), W_ = U_;
  L_.assign(n_ * n_, 0.0);
  if (m_ > 0) measure(model, postures);
}

void HardRowFactor::measure(const Model& model, const std::vector<std::vector<double>>& postures) {
  Workspace<double> ws(model);
  const std::vector<double> still(n_, 0.0);
  for (const std::vector<double>& q : postures) {
    all_.at(ws, q.data(), still.data());
    for (std::size_t k = 0; k < m_; ++k)
      size_[k] = std::max(size_[k], std::sqrt(product(all_.row(hard_[k]), all_.row(hard_[k]), n_)));
  }
  judge_points_and_turns();
  for (const std::vector<double>& q : postures) {
    all_.at(ws, q.data(), still.data());
    most_firm_ = std::max(most_firm_, rows_above(firm));
    rank_ = std::max(rank_, rows_above(ever_said));
  }
}

void HardRowFactor::judge_points_and_turns() noexcept {
  std::size_t first = 0;
  for (const RowBlock& b : all_.blocks())
    for (int r = 0; b.hard && r < b.rows; r += 3, first += static_cast<std::size_t>(std::min(b.rows, 3)))
      if (b.rows >= 3) judge_beside_largest(size_.data() + first);
}

/// Of the rows by Gram's matrix, each beside where it is largest: how many say, beside those before them, more than the root of
/// `least`.
int HardRowFactor::rows_above(double least) noexcept {
  for (std::size_t i = 0; i < m_; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double sizes = size_[i] * size_[k];
      const double both = sizes > 0 ? product(all_.row(hard_[i]), all_.row(hard_[k]), n_) / sizes : 0;
      gram_[i * m_ + k] = gram_[k * m_ + i] = both;
    }
  return pivots_above(least, gram_.data(), m_);
}

bool HardRowFactor::weak() noexcept { return rows_above(firm) < most_firm_; }

/// U Σ = A V by rotations of A's columns (Hestenes 1958), which find small singular values to their own digits; largest first.
void HardRowFactor::rotate_columns() noexcept {
  constexpr double right_angle = 1e-15;
  std::fill(V_.begin(), V_.end(), 0.0);
  for (std::size_t k = 0; k < m_; ++k) V_[k * m_ + k] = 1;
  bool turned = true;
  for (int sweep = 0; turned && sweep < 60; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t k = i + 1; k < m_; ++k) {
        double *a = U_.data() + i * n_, *b = U_.data() + k * n_;
        const double aa = product(a, a, n_), bb = product(b, b, n_), ab = product(a, b, n_);
        const bool sorted = aa >= bb * (1 - 1e-14);
        if (sorted && !(std::abs(ab) > right_angle * std::sqrt(aa * bb))) continue;
        turned = true;
        // tan 2φ = 2 ab / (aa − bb), with the larger column first
        const double phi = 0.5 * std::atan2(2 * ab, aa - bb), c = std::cos(phi), s = std::sin(phi);
        const auto rotate = [&](double* x, double* y, std::size_t n) {
          for (std::size_t r = 0; r < n; ++r) {
            const double first = x[r];
            x[r] = c * first + s * y[r], y[r] = c * y[r] - s * first;
          }
        };
        rotate(a, b, n_), rotate(V_.data() + i * m_, V_.data() + k * m_, m_);
      }
  }
  for (std::size_t k = 0; k < m_; ++k) {
    double* u = U_.data() + k * n_;
    sigma_[k] = std::sqrt(product(u, u, n_));
    for (std::size_t i = 0; i < n_ && sigma_[k] > 0; ++i) u[i] /= sigma_[k];
  }
}

int HardRowFactor::take(const double* M) noexcept {
  for (std::size_t i = 0; i < n_; ++i) y_[i] = M[i * n_ + i];
  for (std::size_t k = 0, r = 0; k < all_.blocks().size(); ++k) {
    const RowBlock& b = all_.blocks()[k];
    for (int own = 0; b.hard && own < b.rows; ++own, ++r) {
      E_[r] = std::sqrt(1 / (own < 3 ? b.linear_weight : b.angular_weight));
      for (std::size_t i = 0; i < n_; ++i) y_[i] += std::pow(E_[r] * all_.row(hard_[r])[i], 2);
    }
  }
  for (std::size_t i = 0; i < n_; ++i) S_[i] = y_[i] > 0 ? 1 / std::sqrt(y_[i]) : 1;
  for (std::size_t r = 0; r < m_; ++r)
    for (std::size_t i = 0; i < n_; ++i) U_[r * n_ + i] = E_[r] * all_.row(hard_[r])[i] * S_[i];
  rotate_columns();
  if (!measured_)
    rank_ = static_cast<int>(std::count_if(sigma_.begin(), sigma_.end(), [&](double x) { return x > follows * sigma_[0]; }));
  if (rank_ == 0 || sigma_[static_cast<std::size_t>(rank_) - 1] > lost * sigma_[0]) return -1;
  // of what is said no more: the row that has most part in it
  const double* gone = V_.data() + (static_cast<std::size_t>(rank_) - 1) * m_;
  std::size_t most = 0;
  for (std::size_t r = 1; r < m_; ++r)
    if (std::abs(gone[r]) > std::abs(gone[most])) most = r;
  return hard_[most];
}

int HardRowFactor::factor(const double* H) noexcept {
  const auto rank = static_cast<std::size_t>(rank_);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = S_[i] * H[i * n_ + k] * S_[k];
      for (std::size_t r = 0; r < rank; ++r) sum += U_[r * n_ + i] * U_[r * n_ + k];
      L_[i * n_ + k] = sum;
    }
  if (const int failed = cholesky(L_.data(), n_); failed >= 0) return failed;
  std::copy_n(U_.begin(), rank * n_, W_.begin());
  for (std::size_t r = 0; r < rank; ++r) solve_lower(L_.data(), n_, W_.data() + r * n_);
  for (std::size_t r = 0; r < rank; ++r)
    for (std::size_t k = 0; k <= r; ++k) T_[r * rank + k] = product(W_.data() + r * n_, W_.data() + k * n_, n_);
  cholesky(T_.data(), rank);  // Uᵀ K⁻¹ U, whose eigenvalues lie between 1/(nv + 1) and 1
  return -1;
}

void HardRowFactor::solve(const double* f, const double* g, double* x, double* lambda) noexcept {
  const auto rank = static_cast<std::size_t>(rank_);
  for (std::size_t i = 0; i < n_; ++i) y_[i] = S_[i] * f[i];
  for (std::size_t k = 0; k < rank; ++k) {
    double sum = 0;
    for (std::size_t r = 0; r < m_; ++r) sum += V_[k * m_ + r] * E_[r] * g[hard_[r]];
    c_[k] = sum / sigma_[k];
    for (std::size_t i = 0; i < n_; ++i) y_[i] += c_[k] * U_[k * n_ + i];
  }
  // K ŷ = f̂ + U c, then Uᵀ (ŷ + K⁻¹ U μ) = c
  solve_lower(L_.data(), n_, y_.data());
  for (std::size_t k = 0; k < rank; ++k) c_[k] -= product(W_.data() + k * n_, y_.data(), n_);
  solve_lower(T_.data(), rank, c_.data()), solve_upper(T_.data(), rank, c_.data());
  for (std::size_t k = 0; k < rank; ++k)
    for (std::size_t i = 0; i < n_; ++i) y_[i] += c_[k] * W_[k * n_ + i];
  solve_upper(L_.data(), n_, y_.data());
  for (std::size_t i = 0; i < n_; ++i) x[i] = S_[i] * y_[i];
  for (std::size_t r = 0; r < m_; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k < rank; ++k) sum += V_[k * m_ + r] * c_[k] / sigma_[k];
    lambda[hard_[r]] = E_[r] * sum;
  }
}

/// Of E^-½ λ what lies in the range of E^½ J: Σ v (vᵀ E^-½ λ).
void HardRowFactor::keep_least(double* lambda) noexcept {
  const auto rank = static_cast<std::size_t>(rank_);
  for (std::size_t k = 0; k < rank; ++k) {
    c_[k] = 0;
    for (std::size_t r = 0; r < m_; ++r) c_[k] += V_[k * m_ + r] * lambda[hard_[r]] / E_[r];
  }
  for (std::size_t r = 0; r < m_; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k < rank; ++k) sum += V_[k * m_ + r] * c_[k];
    lambda[hard_[r]] = E_[r] * sum;
  }
}

/// E^-½ λ = V Σ Uᵀ S⁻¹ y.
void HardRowFactor::motion_of(const double* lambda, double* y) const noexcept {
  std::fill_n(y, n_, 0.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(rank_); ++k) {
    double along = 0;
    for (std::size_t r = 0; r < m_; ++r) along += V_[k * m_ + r] * lambda[hard_[r]] / E_[r];
    for (std::size_t i = 0; i < n_; ++i) y[i] += along / sigma_[k] * S_[i] * U_[k * n_ + i];
  }
}

void HardRowFactor::weigh(double* x) const noexcept {
  for (std::size_t r = 0; r < m_; ++r) x[hard_[r]] *= E_[r] * E_[r];
}

/// E^½ (1 − Σ v vᵀ) E^½ x. The projection is repeated because the first one leaves rounding of the part that it takes away.
void HardRowFactor::keep_null_space(double* x) noexcept {
  for (std::size_t r = 0; r < m_; ++r) x[hard_[r]] *= E_[r];
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t k = 0; k < static_cast<std::size_t>(rank_); ++k) {
      double along = 0;
      for (std::size_t r = 0; r < m_; ++r) along += V_[k * m_ + r] * x[hard_[r]];
      for (std::size_t r = 0; r < m_; ++r) x[hard_[r]] -= V_[k * m_ + r] * along;
    }
  for (std::size_t r = 0; r < m_; ++r) x[hard_[r]] *= E_[r];
}

/// All rows of a block set the measure, since a redundant one may be rounding throughout.
bool HardRowFactor::met(const double* x, const double* g, int& row, double least) const noexcept {
  constexpr double rounding = 1e-11;
  double worst = rounding;
  row = -1;
  for (const RowBlock& b : all_.blocks()) {
    if (!b.hard) continue;
    double most = 0, size = least * (b.rows > 3 ? std::min(b.unit, 1.0) : b.unit);
    int of_block = b.first_row;
    for (int r = b.first_row; r < b.first_row + b.rows; ++r) {
      double miss = -g[r];
      size = std::max(size, std::abs(g[r]));
      for (int i : b.freedoms) {
        const double term = all_.row(r)[i] * x[i];
        miss += term, size = std::max(size, std::abs(term));
      }
      if (!(std::abs(miss) <= most)) most = std::abs(miss), of_block = r;
    }
    if (!(most <= worst * size)) worst = most / size, row = of_block;
  }
  return row < 0;
}

}  // namespace sparsedyn
