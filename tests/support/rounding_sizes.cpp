#include "support/rounding_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsedyn::test::rounding {

Numbers absolute_product(const QuadMatrix& A, const Numbers& x) {
  Numbers y = zeros(A.rows);
  for (int i = 0; i < A.rows; ++i)
    for (int k = 0; k < A.columns; ++k) y[i] += std::fabs(static_cast<double>(A(i, k))) * x[k];
  return y;
}

Numbers sizes_of_inverse(const QuadMatrix& W, const Numbers& S) {
  const int n = W.rows;
  QuadMatrix middle(n, n);
  for (std::size_t i = 0; i < S.size(); ++i) middle.e[i] = S[i];
  Numbers result(S.size());
  for (int k = 0; k < n; ++k) {
    Numbers column = zeros(n);
    for (int i = 0; i < n; ++i) column[i] = std::fabs(static_cast<double>(W(i, k)));
    column = absolute_product(W, absolute_product(middle, column));
    for (int i = 0; i < n; ++i) result[i * n + k] = column[i];
  }
  return result;
}

Numbers sizes_of_solution(const QuadMatrix& W, const Numbers& S, const Numbers& D, const std::vector<Quad>& r,
                          bool by_inverse) {
  const int n = W.rows;
  Numbers sizes(r.size());
  for (int k = 0; k < n; ++k) {
    Numbers column = zeros(n), result = zeros(n);
    for (int i = 0; i < n; ++i) {
      column[i] = D[i * n + k];
      result[i] = std::fabs(static_cast<double>(r[i * n + k]));
    }
    if (by_inverse) result = absolute_product(W, column);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) column[i] += S[i * n + j] * result[j];
    column = absolute_product(W, column);
    for (int i = 0; i < n; ++i) sizes[i * n + k] = column[i];
  }
  return sizes;
}

void Collector::add(double x, const Quad& r, double size) {
  constexpr double unit_roundoff = 0.5 * std::numeric_limits<double>::epsilon(), far = std::numeric_limits<double>::infinity();
  const double off = static_cast<double>(abs(Quad(x) - r));
  error_ = std::isfinite(x) ? std::max(error_, off) : far;
  largest_ = std::max(largest_, static_cast<double>(abs(r)));
  sizes_ = std::max(sizes_, size);
  const double ratio = off == 0 ? 0.0 : off / (unit_roundoff * size);
  of_rounding_ = std::isfinite(x) ? std::max(of_rounding_, ratio) : far;
}

void Collector::add(const Motion<double>& x, const Motion<Quad>& r, double angular, double linear) {
  for (int k = 0; k < 3; ++k) add(x.w[k], r.w[k], angular), add(x.v[k], r.v[k], linear);
}

void Collector::add(const Force<double>& x, const Force<Quad>& r, double moment, double force) {
  for (int k = 0; k < 3; ++k) add(x.n[k], r.n[k], moment), add(x.f[k], r.f[k], force);
}

AwkwardError Collector::error_of(const std::string& algorithm, bool sized) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  // what is zero has no relative error
  const bool zero = error_ == 0 || (sized && largest_ < 1e-25 * sizes_);
  const double condition = sizes_ == 0 ? 0.0 : sizes_ / largest_;
  return {algorithm, zero ? 0.0 : error_ / largest_, sized ? of_rounding_ : none, sized ? condition : none};
}

}  // namespace sparsedyn::test::rounding
