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

[[gnu::always_inline]] inline void add_wide_rows_of(const double* P, int n, const int* index, const double* x, int count,
                                                    int length, double* to) noexcept {
  for (int k = 0; k < count; k += 4) {
    const double* row[4];
    double factor[4];
    for (int i = 0; i < 4; ++i) {
      const bool there = k + i < count;
      row[i] = P + static_cast<std::ptrdiff_t>(index[there ? k + i : k]) * n, factor[i] = there ? x[k + i] : 0;
    }
    add_four(row, factor, length, to);
  }
}

[[gnu::always_inline]] inline void subtract_squares_of(double* P, const double* columns, const double* s, int count, int n,
                                                       const ErrorRange* ranges, int range_count) noexcept {
  for (int r = 0; r < range_count; ++r)
    for (int i = ranges[r].first; i < ranges[r].last; ++i) {
      double* const __restrict to = P + static_cast<std::ptrdiff_t>(i) * n;
      for (int w = 0; w < count; w += 4) {
        const double *const a = columns + w * n, *const b = a + n, *const c = b + n, *const d = c + n;
        const double ga = a[i] * s[w], gb = b[i] * s[w + 1], gc = c[i] * s[w + 2], gd = d[i] * s[w + 3];
        if (ga == 0 && gb == 0 && gc == 0 && gd == 0) continue;
        for (int other = 0; other <= r; ++other) {
          const int last = other < r ? ranges[other].last : i + 1;
          for (int j = ranges[other].first; j < last; ++j) to[j] -= (ga * a[j] + gb * b[j]) + (gc * c[j] + gd * d[j]);
        }
      }
    }
}

void add_wide_rows(const double* P, int n, const int* index, const double* x, int count, int length, double* to) noexcept {
  add_wide_rows_of(P, n, index, x, count, length, to);
}
void subtract_squares(double* P, const double* columns, const double* s, int count, int n, const ErrorRange* ranges,
                      int range_count) noexcept {
  subtract_squares_of(P, columns, s, count, n, ranges, range_count);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void add_wide_rows_avx2(const double* P, int n, const int* index, const double* x, int count,
                                                int length, double* to) noexcept {
  add_wide_rows_of(P, n, index, x, count, length, to);
}
[[gnu::target("avx2")]] void subtract_squares_avx2(double* P, const double* columns, const double* s, int count, int n,
                                                   const ErrorRange* ranges, int range_count) noexcept {
  subtract_squares_of(P, columns, s, count, n, ranges, range_count);
}
#endif

WideRows for_this_processor() noexcept {
#ifdef __x86_64__
  if (processor_vectors().avx2) return {add_wide_rows_avx2, subtract_squares_avx2};
#endif
  return {add_wide_rows, subtract_squares};
}

}  // namespace

const WideRows& wide_rows() noexcept {
  static const WideRows rows = for_this_processor();
  return rows;
}

}  // namespace sparsedyn::tracking
