// Rows of samples into structures of arrays and back, by tiles that stay in the cache. With the machine's vectors where it has
// AVX2 and FMA, asked when the module is loaded. Only moves: the numbers are the same.
#pragma once

namespace sparsedyn::python {

/// out[e · n + s] = in[s · size + e] for n samples of `size` numbers. Whether all of them are finite.
bool rows_to_columns(const double* in, long size, long n, double* out) noexcept;
/// out[s · size + e] = in[e · n + s]. Whether all of them are finite.
bool columns_to_rows(const double* in, long size, long n, double* out) noexcept;
/// Whether all n numbers are finite.
bool all_finite(const double* x, long n) noexcept;

}  // namespace sparsedyn::python
