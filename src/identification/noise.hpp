// Deviations of rows: what is stated, what a fit leaves, and what none is taken for smaller than.
#pragma once

#include <vector>

#include "fit_problem.hpp"

namespace sparsedyn {

/// By row of a sample, what no deviation is taken for smaller than: a millionth of the rms of what was measured, where rows are
/// not weighted, or the rounding of the terms that the robot's parameters make there. Rows without noise are fitted as if they
/// had so much, and their squares beside the prior's keep digits.
std::vector<double> least_deviations(RowInformation& information);
/// rows log(squares) of a row, −2 log of its likelihood where its deviation is what these squares say, but for a constant;
/// `least`: of the row.
double squares_cost(const RowInformation::Factor& factor, double squares, double least);

/// Deviations that are stated: by the options, else by the sensors; 0 where they are to be estimated.
std::vector<double> known_sigma(RowInformation& information, const IdentifyOptions& options);

/// A fit by reweighting until the deviations that are not known stay: its parameters, and the deviations by row.
struct Reweighted {
  std::vector<double> value, sigma;
  Eigen::VectorXd x;  // the variables, in the prior's deviations
};
/// all: parameters and deviations to a millionth of their own deviation. few: to a hundredth, which tells whether the rows are
/// explained at a third of the cost, and less where bodies lie at the edge of what can exist.
enum class FitDigits { all, few };
Reweighted reweighted(FitProblem& p, const std::vector<double>& known, FitDigits digits = FitDigits::all);

/// −2 log of the likelihood and the prior of a fit, but for a constant: Σ squares / σ² of rows whose deviation is known, rows
/// log squares of others, and |x|².
double cost_of(const FitProblem& p, const std::vector<double>& known, const Reweighted& fit);

/// What a fit leaves of each row of a sample beside what noise explains: √(squares / (rows σ²)), σ stated, or what least
/// squares of that row alone leaves, without prior and bounds; and the rows where chi-square (σ stated) or Fisher's F rejects,
/// with probability 1e-6, and the ratio's square is above `worth_telling`.
inline constexpr double worth_telling = 1.2;  // 10 % of a deviation
struct BesideLeastSquares {
  std::vector<double> ratio;  // by row; NaN where there are no samples
  std::vector<int> rejected;
};
BesideLeastSquares beside_least_squares(RowInformation& information, const std::vector<double>& known,
                                        const std::vector<double>& value);

/// Share of a normal deviation's square that min(u², k²) keeps.
double kept_square(double k);
/// Of good samples where Huber weighted them: σ with Σ min(r², k²σ²) as normal noise has it (Huber's second proposal, 1964).
/// `weighing`: the deviation that makes AᵀWA / σ² the information of the fit, σ² E[ψ²] E[w] / E[ψ′]² (Huber 1981, ch. 7.6).
void huber_sigma(RowInformation& information, const std::vector<double>& known, std::vector<double>& good,
                 std::vector<double>& weighing);

}  // namespace sparsedyn
