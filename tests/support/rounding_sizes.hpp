// What rounding may cost: beside each number stands its size, the sum of the magnitudes of the terms that make it, and sizes go
// through products and solutions as the numbers do.
#pragma once

#include <vector>

#include "sparsedyn/spatial/spatial.hpp"
#include "support/awkward_errors.hpp"
#include "support/quad.hpp"
#include "support/world_dynamics.hpp"

namespace sparsedyn::test::rounding {

using Numbers = std::vector<double>;

inline Numbers zeros(int n) { return Numbers(static_cast<std::size_t>(n), 0.0); }

/// |A| x for A and x of sizes.
Numbers absolute_product(const QuadMatrix& A, const Numbers& x);

/// |W| S |W|: sizes of the inverse W of a matrix whose entries have the sizes S, row by row.
Numbers sizes_of_inverse(const QuadMatrix& W, const Numbers& S);

/// |W| (D + S |r|), row by row: right-hand sides of sizes D, solved for r with the matrix of sizes S whose inverse is W. By a
/// product with W, whose own rounding counts for all that it meets: |W| (D + S |W| D).
Numbers sizes_of_solution(const QuadMatrix& W, const Numbers& S, const Numbers& D, const std::vector<Quad>& r, bool by_inverse);

/// The errors of an algorithm's numbers, gathered.
class Collector {
 public:
  /// x, of size `size`, beside the exact r.
  void add(double x, const Quad& r, double size);
  void add(const Motion<double>& x, const Motion<Quad>& r, double angular, double linear);
  void add(const Force<double>& x, const Force<Quad>& r, double moment, double force);
  /// Without sizes only the relative error is known.
  AwkwardError error_of(const std::string& algorithm, bool sized = true) const;

 private:
  double error_ = 0, largest_ = 0, of_rounding_ = 0, sizes_ = 0;
};

}  // namespace sparsedyn::test::rounding
