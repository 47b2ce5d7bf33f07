// How the counts of `flops --chain A..B` grow with the number of joints, beside the formulas of the literature.
#pragma once

#include <string>
#include <vector>

#include "flops/count_growth.hpp"
#include "requests/flops_entries.hpp"

namespace sparsedyn {

/// One account of one algorithm: `who` is raw, folded, or the source of a published formula.
struct GrowthLine {
  std::string algorithm, who;
  CountGrowth mul, add;
};

/// Least-squares polynomials in n, linear for rnea and aba, quadratic for crba, cubic with the factorisation of M. Of
/// algorithms counted at more sizes than the polynomial has coefficients; empty for a robot.
std::vector<GrowthLine> flops_growth(const FlopsReport& report);

}  // namespace sparsedyn
