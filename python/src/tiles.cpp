#include "tiles.hpp"

#include <algorithm>

#include "scalar/processor.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define SPARSEDYN_AVX2
#include <immintrin.h>
#endif

namespace sparsedyn::python {
namespace {

/// `rows` × `columns` numbers, row by row, into columns that are `rows` apart; from row `first_row` on. Whether all of them are
/// finite: x · 0 is 0 or NaN.
bool transpose_plain(const double* from, long rows, long columns, double* to, long first_row = 0) {
  double sum = 0;
  for (long s = first_row; s < rows; ++s)
    for (long e = 0; e < columns; ++e) {
      const double x = from[s * columns + e];
      to[e * rows + s] = x, sum += x * 0;
    }
  return sum == 0;
}

bool finite_plain(const double* x, long n) {
  double sum = 0;
  for (long k = 0; k < n; ++k) sum += x[k] * 0;
  return sum == 0;
}

#ifdef SPARSEDYN_AVX2

/// Sums of x · 0.
struct Sums {
  __m256d of[4];
};

[[gnu::target("avx2,fma")]] inline Sums no_sums() {
  return {{_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()}};
}

[[gnu::target("avx2,fma")]] inline bool all_zero(const Sums& sums) {
  const __m256d all = _mm256_add_pd(_mm256_add_pd(sums.of[0], sums.of[1]), _mm256_add_pd(sums.of[2], sums.of[3]));
  return _mm256_movemask_pd(_mm256_cmp_pd(all, _mm256_setzero_pd(), _CMP_EQ_OQ)) == 15;
}

/// Entries k and k + 1 of rows r and r + 2: halves of rows are put together while they are loaded, which leaves one shuffle for
/// each column.
[[gnu::target("avx2,fma")]] inline __m256d halves(const double* from, long columns) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from)), _mm_loadu_pd(from + 2 * columns), 1);
}

[[gnu::target("avx2,fma")]] inline void put(const __m256d& column, double* to, __m256d& sum) {
  sum = _mm256_fmadd_pd(column, _mm256_setzero_pd(), sum);
  _mm256_storeu_pd(to, column);
}

[[gnu::target("avx2,fma")]] inline void transpose_four(const double* from, long columns, double* to, long rows, Sums& sums) {
  const __m256d even = halves(from, columns), odd = halves(from + columns, columns);
  const __m256d even2 = halves(from + 2, columns), odd2 = halves(from + columns + 2, columns);
  put(_mm256_unpacklo_pd(even, odd), to, sums.of[0]);
  put(_mm256_unpackhi_pd(even, odd), to + rows, sums.of[1]);
  put(_mm256_unpacklo_pd(even2, odd2), to + 2 * rows, sums.of[2]);
  put(_mm256_unpackhi_pd(even2, odd2), to + 3 * rows, sums.of[3]);
}

/// One column of four rows.
[[gnu::target("avx2,fma")]] inline void transpose_column(const double* from, long columns, double* to, Sums& sums) {
  put(_mm256_set_pd(from[3 * columns], from[2 * columns], from[columns], from[0]), to, sums.of[0]);
}

/// Four columns of one row.
[[gnu::target("avx2,fma")]] inline void transpose_row(const double* from, double* to, long rows, Sums& sums) {
  const __m256d row = _mm256_loadu_pd(from);
  sums.of[1] = _mm256_fmadd_pd(row, _mm256_setzero_pd(), sums.of[1]);
  const __m128d low = _mm256_castpd256_pd128(row), high = _mm256_extractf128_pd(row, 1);
  _mm_storel_pd(to, low), _mm_storeh_pd(to + rows, low);
  _mm_storel_pd(to + 2 * rows, high), _mm_storeh_pd(to + 3 * rows, high);
}

/// Four rows: by blocks of four by four; of two or three columns that are left the last block lies over the one before it.
[[gnu::target("avx2,fma")]] inline void transpose_four_rows(const double* from, long columns, double* to, long rows,
                                                            Sums& sums) {
  long e = 0;
  for (; e + 4 <= columns; e += 4) transpose_four(from + e, columns, to + e * rows, rows, sums);
  if (columns - e == 1)
    transpose_column(from + e, columns, to + e * rows, sums);
  else if (e < columns)
    transpose_four(from + columns - 4, columns, to + (columns - 4) * rows, rows, sums);
}

/// Likewise of rows.
[[gnu::target("avx2,fma")]] bool transpose_avx2(const double* from, long rows, long columns, double* to) {
  if (rows < 4 || columns < 4) return transpose_plain(from, rows, columns, to);
  Sums sums = no_sums();
  long s = 0;
  for (; s + 4 <= rows; s += 4) transpose_four_rows(from + s * columns, columns, to + s, rows, sums);
  if (rows - s == 1) {
    const double* row = from + s * columns;
    for (long e = 0; e + 4 <= columns; e += 4) transpose_row(row + e, to + e * rows + s, rows, sums);
    if (columns % 4 != 0) transpose_row(row + columns - 4, to + (columns - 4) * rows + s, rows, sums);
  } else if (s < rows)
    transpose_four_rows(from + (rows - 4) * columns, columns, to + rows - 4, rows, sums);
  return all_zero(sums);
}

[[gnu::target("avx2,fma")]] bool finite_avx2(const double* x, long n) {
  Sums sums = no_sums();
  long k = 0;
  for (; k + 16 <= n; k += 16)
    for (int l = 0; l < 4; ++l) sums.of[l] = _mm256_fmadd_pd(_mm256_loadu_pd(x + k + 4 * l), _mm256_setzero_pd(), sums.of[l]);
  return all_zero(sums) && finite_plain(x + k, n - k);
}

bool has_avx2() { return processor_vectors().avx2 && processor_vectors().fma; }
#endif

/// rows × columns numbers, row by row, to the transposed matrix, row by row.
bool transpose(const double* from, long rows, long columns, double* to) noexcept {
#ifdef SPARSEDYN_AVX2
  if (has_avx2()) return transpose_avx2(from, rows, columns, to);
#endif
  return transpose_plain(from, rows, columns, to);
}

}  // namespace

bool rows_to_columns(const double* in, long size, long n, double* out) noexcept { return transpose(in, n, size, out); }

bool columns_to_rows(const double* in, long size, long n, double* out) noexcept { return transpose(in, size, n, out); }

bool all_finite(const double* x, long n) noexcept {
#ifdef SPARSEDYN_AVX2
  if (has_avx2()) return finite_avx2(x, n);
#endif
  return finite_plain(x, n);
}

}  // namespace sparsedyn::python
