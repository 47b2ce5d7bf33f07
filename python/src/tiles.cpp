#include "tiles.hpp"

#include <cstring>

// Compiled for AVX2 and for any machine; the loader takes the one that runs. Only moves: the numbers are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define SPARSEDYN_CLONES [[gnu::target_clones("avx2", "default")]]
#else
#define SPARSEDYN_CLONES
#endif

namespace sparsedyn::python {
namespace {

typedef double Four __attribute__((vector_size(32)));
typedef long Index __attribute__((vector_size(32)));

/// to[e · to_step + s] = from[s · from_step + e] for four s and four e.
[[gnu::always_inline]] inline void transpose_four(const double* from, long from_step, double* to, long to_step) {
  Four r[4];
  for (int s = 0; s < 4; ++s) std::memcpy(&r[s], from + s * from_step, sizeof(Four));
  const Four low01 = __builtin_shuffle(r[0], r[1], Index{0, 4, 2, 6}),
             high01 = __builtin_shuffle(r[0], r[1], Index{1, 5, 3, 7});
  const Four low23 = __builtin_shuffle(r[2], r[3], Index{0, 4, 2, 6}),
             high23 = __builtin_shuffle(r[2], r[3], Index{1, 5, 3, 7});
  const Four columns[4] = {
      __builtin_shuffle(low01, low23, Index{0, 1, 4, 5}), __builtin_shuffle(high01, high23, Index{0, 1, 4, 5}),
      __builtin_shuffle(low01, low23, Index{2, 3, 6, 7}), __builtin_shuffle(high01, high23, Index{2, 3, 6, 7})};
  for (int e = 0; e < 4; ++e) std::memcpy(to + e * to_step, &columns[e], sizeof(Four));
}

/// `rows` × `columns` numbers, row by row and `from_step` apart, into columns that are `to_step` apart.
[[gnu::always_inline]] inline void transpose(const double* from, long rows, long columns, long from_step, double* to,
                                             long to_step) {
  long s = 0;
  for (; s + 4 <= rows; s += 4) {
    long e = 0;
    for (; e + 4 <= columns; e += 4) transpose_four(from + s * from_step + e, from_step, to + e * to_step + s, to_step);
    for (; e < columns; ++e)
      for (long k = s; k < s + 4; ++k) to[e * to_step + k] = from[k * from_step + e];
  }
  for (; s < rows; ++s)
    for (long e = 0; e < columns; ++e) to[e * to_step + s] = from[s * from_step + e];
}

}  // namespace

SPARSEDYN_CLONES void rows_to_columns(const double* in, long size, long n, double* out) noexcept {
  transpose(in, n, size, size, out, n);
}

SPARSEDYN_CLONES void columns_to_rows(const double* in, long size, long n, double* out) noexcept {
  transpose(in, size, n, n, out, size);
}

}  // namespace sparsedyn::python
