#include "tracking/shared/wide_rows.hpp"

#include <cstddef>

#include "scalar/processor.hpp"

namespace sparsedyn::tracking {
namespace {

[[gnu::always_inline]] inline void add_four(const double* const (&row)[4], const double (&x)[4], int n,
                                            double* __restrict to) noexcept {
  const double *const a = row[0], *const b = row[1], *const c = row[2], *const d = row[3];
  for (int i = 0; i < n; ++i) to[i] += (x[0] * a[i] + x[1] * b[i]) + (x[2] * c[i] + x[3] * d[i]);
}

[[gnu::always_inline]] inline void add_products_of(const double* P, const double* h, int n, double* to) noexcept {
  const double* row[4] = {P, P, P, P};
  double x[4] = {0, 0, 0, 0};
  int found = 0;
  for (int k = 0; k < n; ++k) {
    if (h[k] == 0) continue;
    row[found] = P + static_cast<std::ptrdiff_t>(k) * n, x[found++] = h[k];
    if (found < 4) continue;
    add_four(row, x, n, to);
    found = 0;
  }
  if (found == 0) return;
  for (int k = found; k < 4; ++k) row[k] = row[0], x[k] = 0;
  add_four(row, x, n, to);
}

/// By eight partial sums, so that every processor adds in one order.
[[gnu::always_inline]] inline double product_of(const double* a, const double* b, int n) noexcept {
  double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) part[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) part[0] += a[i] * b[i];
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

[[gnu::always_inline]] inline void subtract_along_of(const double* columns, const double* s, int count, const double* h, int n,
                                                     double* to) noexcept {
  for (int w = 0; w < count; w += 4) {
    const double* const column[4] = {columns + w * n, columns + (w + 1) * n, columns + (w + 2) * n, columns + (w + 3) * n};
    double x[4];
    for (int k = 0; k < 4; ++k) x[k] = -s[w + k] * product_of(h, column[k], n);
    add_four(column, x, n, to);
  }
}

[[gnu::always_inline]] inline void subtract_squares_of(double* P, const double* columns, const double* s, int count,
                                                       int n) noexcept {
  for (int i = 0; i < n; ++i) {
    double* const __restrict to = P + static_cast<std::ptrdiff_t>(i) * n;
    for (int w = 0; w < count; w += 4) {
      const double *const a = columns + w * n, *const b = a + n, *const c = b + n, *const d = c + n;
      const double ga = a[i] * s[w], gb = b[i] * s[w + 1], gc = c[i] * s[w + 2], gd = d[i] * s[w + 3];
      if (ga == 0 && gb == 0 && gc == 0 && gd == 0) continue;
      for (int j = 0; j <= i; ++j) to[j] -= (ga * a[j] + gb * b[j]) + (gc * c[j] + gd * d[j]);
    }
  }
}

void add_products(const double* P, const double* h, int n, double* to) noexcept { add_products_of(P, h, n, to); }
void subtract_along(const double* columns, const double* s, int count, const double* h, int n, double* to) noexcept {
  subtract_along_of(columns, s, count, h, n, to);
}
void subtract_squares(double* P, const double* columns, const double* s, int count, int n) noexcept {
  subtract_squares_of(P, columns, s, count, n);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void add_products_avx2(const double* P, const double* h, int n, double* to) noexcept {
  add_products_of(P, h, n, to);
}
[[gnu::target("avx2")]] void subtract_along_avx2(const double* columns, const double* s, int count, const double* h, int n,
                                                 double* to) noexcept {
  subtract_along_of(columns, s, count, h, n, to);
}
[[gnu::target("avx2")]] void subtract_squares_avx2(double* P, const double* columns, const double* s, int count,
                                                   int n) noexcept {
  subtract_squares_of(P, columns, s, count, n);
}
#endif

WideRows for_this_processor() noexcept {
#ifdef __x86_64__
  if (processor_vectors().avx2) return {add_products_avx2, subtract_along_avx2, subtract_squares_avx2};
#endif
  return {add_products, subtract_along, subtract_squares};
}

}  // namespace

const WideRows& wide_rows() noexcept {
  static const WideRows rows = for_this_processor();
  return rows;
}

}  // namespace sparsedyn::tracking
