// When a measurement is no check on the others: its residual has almost no variance of its own.
#pragma once

namespace sparsedyn {

/// Variance, of a residual in its deviations, up to which no other row predicts the measurement.
constexpr double no_redundancy = 1e-9;

}  // namespace sparsedyn
