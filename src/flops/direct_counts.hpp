// What general solvers cost on the same system: counted in closed form, not run.
#pragma once

#include "sparsedyn/scalar/counting_scalar.hpp"
#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn {

/// Factorisation and solve apart.
struct DirectCounts {
  OperationCounts factorisation, solve;
};

/// LU of a full n × n matrix, pivots inverted once (Golub & Van Loan 2013, §3.2): (n³ − n)/3 mul, n (n − 1)(2n − 1)/6 add,
/// n div; solve n² mul, n² − n add.
DirectCounts dense_lu_counts(long n);

/// Cholesky of the normal equations AᵀA x = Aᵀb (what least squares without orthogonalisation costs), AᵀA formed and factored
/// inside its pattern in the column order given: a row of A with k entries gives k (k + 1)/2 products, a column of the factor
/// with l entries below its diagonal one root, one division, l scalings and l (l + 1)/2 products.
DirectCounts normal_cholesky_counts(const Pattern& pattern, const std::vector<int>& column_order);

}  // namespace sparsedyn
