// How operation counts grow with the length of a chain: the polynomial that published formulas are.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// y ≈ Σ_k coefficients[k] n^k.
struct CountGrowth {
  std::vector<double> coefficients;
  double largest_residual = 0;  // largest |y − Σ|
};

/// Least squares over points (n, y), as many n as y and more than `degree`, no n twice.
CountGrowth fit_growth(const std::vector<double>& n, const std::vector<double>& y, int degree);

/// The degree in which an algorithm's count grows with the joints of a chain: 1 for rnea and aba, 2 for crba, 3 with a
/// factorisation of M.
int growth_degree(const std::string& algorithm);

/// "93 n − 108": at most three decimals.
std::string growth_text(const CountGrowth& growth);

}  // namespace sparsedyn
