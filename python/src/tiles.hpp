// Rows of samples into structures of arrays and back, by tiles that stay in the cache.
#pragma once

namespace sparsedyn::python {

/// out[e · n + s] = in[s · size + e] for n samples of `size` numbers.
void rows_to_columns(const double* in, long size, long n, double* out) noexcept;
/// out[s · size + e] = in[e · n + s].
void columns_to_rows(const double* in, long size, long n, double* out) noexcept;

}  // namespace sparsedyn::python
