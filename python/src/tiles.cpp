#include "tiles.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define SPARSEDYN_AVX2
#include <immintrin.h>
#endif

namespace sparsedyn::python {
namespace {

/// `rows` × `columns` numbers, row by row, into columns that are `rows` apart; from row `first_row` and column `first_column`
/// on.
void transpose_plain(const double* from, long rows, long columns, double* to, long first_row = 0) {
  for (long s = first_row; s < rows; ++s)
    for (long e = 0; e < columns; ++e) to[e * rows + s] = from[s * columns + e];
}

bool finite_plain(const double* x, long n) {
  double sum = 0;  // x · 0 is 0 or NaN
  for (long k = 0; k < n; ++k) sum += x[k] * 0;
  return sum == 0;
}

#ifdef SPARSEDYN_AVX2

[[gnu::target("avx2")]] inline void transpose_four(const double* from, long columns, double* to, long rows) {
  const __m256d r0 = _mm256_loadu_pd(from), r1 = _mm256_loadu_pd(from + columns);
  const __m256d r2 = _mm256_loadu_pd(from + 2 * columns), r3 = _mm256_loadu_pd(from + 3 * columns);
  const __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1);
  const __m256d c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
  _mm256_storeu_pd(to, _mm256_permute2f128_pd(a, c, 0x20));
  _mm256_storeu_pd(to + rows, _mm256_permute2f128_pd(b, d, 0x20));
  _mm256_storeu_pd(to + 2 * rows, _mm256_permute2f128_pd(a, c, 0x31));
  _mm256_storeu_pd(to + 3 * rows, _mm256_permute2f128_pd(b, d, 0x31));
}

[[gnu::target("avx2")]] void transpose_avx2(const double* from, long rows, long columns, double* to) {
  long s = 0;
  for (; s + 4 <= rows; s += 4) {
    const double* row = from + s * columns;
    long e = 0;
    for (; e + 4 <= columns; e += 4) transpose_four(row + e, columns, to + e * rows + s, rows);
    for (; e < columns; ++e)
      _mm256_storeu_pd(to + e * rows + s, _mm256_set_pd(row[3 * columns + e], row[2 * columns + e], row[columns + e], row[e]));
  }
  transpose_plain(from, rows, columns, to, s);
}

[[gnu::target("avx2")]] bool finite_avx2(const double* x, long n) {
  __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
  const __m256d zero = _mm256_setzero_pd();
  long k = 0;
  for (; k + 16 <= n; k += 16)
    for (int l = 0; l < 4; ++l) sum[l] = _mm256_add_pd(sum[l], _mm256_mul_pd(_mm256_loadu_pd(x + k + 4 * l), zero));
  const __m256d all = _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
  return _mm256_movemask_pd(_mm256_cmp_pd(all, zero, _CMP_EQ_OQ)) == 15 && finite_plain(x + k, n - k);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#endif

/// rows × columns numbers, row by row, to the transposed matrix, row by row.
void transpose(const double* from, long rows, long columns, double* to) noexcept {
#ifdef SPARSEDYN_AVX2
  if (has_avx2()) return transpose_avx2(from, rows, columns, to);
#endif
  transpose_plain(from, rows, columns, to);
}

}  // namespace

void rows_to_columns(const double* in, long size, long n, double* out) noexcept { transpose(in, n, size, out); }

void columns_to_rows(const double* in, long size, long n, double* out) noexcept { transpose(in, size, n, out); }

bool all_finite(const double* x, long n) noexcept {
#ifdef SPARSEDYN_AVX2
  if (has_avx2()) return finite_avx2(x, n);
#endif
  return finite_plain(x, n);
}

}  // namespace sparsedyn::python
