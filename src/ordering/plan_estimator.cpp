#include "sparsedyn/ordering/plan_estimator.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "gated_plan.hpp"
#include "sparsedyn/ordering/optimise.hpp"

namespace sparsedyn {
namespace {

/// Singular values below this, beside the largest, are rounding: after scaling, true couplings of small links are above 1e-8.
constexpr double rank_tolerance = 1e-10;
constexpr double null_entry = 1e-7;

std::string redundancy_message(const System& system, const std::vector<int>& rows) {
  std::string text = "exact rows follow from each other:";
  for (int r : rows) text += " " + system.equation_names()[r];
  return text;
}

/// The chosen rows of a sparse matrix, each scaled to a largest entry of 1 (twice, with the columns between).
Eigen::MatrixXd scaled_rows(const Pattern& pattern, const std::vector<double>& values, const std::vector<int>& rows,
                            Eigen::VectorXd& column_scale) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), pattern.columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int e = pattern.row_start[rows[i]]; e < pattern.row_start[rows[i] + 1]; ++e)
      A(static_cast<Eigen::Index>(i), pattern.column[e]) = values[e];
  column_scale = Eigen::VectorXd::Ones(pattern.columns);
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double m = A.row(i).cwiseAbs().maxCoeff();
      if (m > 0) A.row(i) /= m;
    }
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      const double m = A.rows() ? A.col(j).cwiseAbs().maxCoeff() : 0.0;
      if (m > 0) A.col(j) /= m, column_scale[j] /= m;
    }
  }
  return A;
}

/// An orthonormal basis of the null space of A.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  qr.setThreshold(rank_tolerance);
  const Eigen::Index rank = qr.rank();
  const Eigen::MatrixXd Q = qr.householderQ();
  return Q.rightCols(A.cols() - rank);
}

/// The rows of a basis that make it regular: as many as it has columns, the most independent first.
std::vector<int> independent_rows(const Eigen::MatrixXd& basis) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(basis.transpose());
  const auto& order = qr.colsPermutation().indices();
  return {order.data(), order.data() + basis.cols()};
}

struct Matrix {
  std::vector<double> values, right_side;
};

Matrix at_a_random_state(const System& system, const Samples& samples) {
  Matrix matrix{std::vector<double>(system.pattern().entries()), std::vector<double>(system.pattern().rows)};
  samples.fill(0, matrix.values.data(), matrix.right_side.data());
  return matrix;
}

void refuse_redundant_exact_rows(const System& system, const Matrix& matrix, const std::vector<char>& exact) {
  std::vector<int> rows;
  for (std::size_t r = 0; r < exact.size(); ++r)
    if (exact[r]) rows.push_back(static_cast<int>(r));
  Eigen::VectorXd scale;
  const Eigen::MatrixXd dependencies = null_space(scaled_rows(system.pattern(), matrix.values, rows, scale).transpose());
  std::vector<int> named;
  for (Eigen::Index i = 0; i < dependencies.rows() && dependencies.cols() > 0; ++i)
    if (dependencies.row(i).cwiseAbs().maxCoeff() > null_entry && system.equations()[rows[i]].measurement >= 0)
      named.push_back(rows[i]);
  if (dependencies.cols() > 0) throw RedundantExactRows(system, named);
}

/// Weights of a sample with gaps: every fifth measurement all but gone. (Not quite: a sample that nothing determines says
/// nothing about an order.)
std::vector<double> with_gaps(std::vector<double> weight, int sample) {
  std::minstd_rand rng(static_cast<unsigned>(sample) + 1u);
  for (double& w : weight)
    if (rng() % 5 == 0) w *= 1e-6;
  return weight;
}

}  // namespace

RedundantExactRows::RedundantExactRows(const System& system, std::vector<int> r)
    : std::domain_error(redundancy_message(system, r)), rows(std::move(r)) {}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out,
                                                    const OptimiseOptions& options) {
  const Pattern& pattern = system.pattern();
  const int m = pattern.rows, n = pattern.columns;
  std::vector<char> out = left_out.empty() ? std::vector<char>(m, 0) : left_out, exact(m, 0), prior(n, 0);
  std::vector<double> weight(m, 0.0), precision(n, 0.0);
  int noisy = 0, priors = 0;
  for (int r = 0; r < m; ++r) {
    if (out[r]) continue;
    const int k = system.equations()[r].measurement;
    const double sigma = k < 0 ? 0.0 : system.measurements()[k].sigma[r - system.measurements()[k].first_row];
    exact[r] = sigma == 0;
    if (sigma > 0) weight[r] = 1 / sigma, ++noisy;
  }
  static const char* const kinds[] = {"acc", "f", "tau", "fx", "ddq"};
  for (int j = 0; j < n; ++j) {
    const auto found = system.sensors().prior.find(kinds[static_cast<int>(system.unknowns()[j].kind)]);
    if (found == system.sensors().prior.end()) continue;
    prior[j] = 1, precision[j] = 1 / (found->second * found->second), ++priors;
  }

  const Samples samples = samples_of(system);
  const Matrix matrix = at_a_random_state(system, samples);
  refuse_redundant_exact_rows(system, matrix, exact);

  // what rows and priors leave open
  std::vector<int> rows;
  for (int r = 0; r < m; ++r)
    if (!out[r]) rows.push_back(r);
  Eigen::VectorXd scale;
  Eigen::MatrixXd A = scaled_rows(pattern, matrix.values, rows, scale);
  const Eigen::Index equations = A.rows();
  A.conservativeResize(equations + priors, Eigen::NoChange);
  for (Eigen::Index j = 0, k = equations; j < n; ++j)
    if (prior[j]) A.row(k).setZero(), A(k++, j) = 1.0;
  const Eigen::MatrixXd open = null_space(A);
  std::vector<char> undetermined(n, 0);
  for (int j = 0; j < n && open.cols() > 0; ++j) undetermined[j] = open.row(j).cwiseAbs().maxCoeff() > null_entry;
  if (open.cols() > 0)
    for (int j : independent_rows(open)) prior[j] = 1, precision[j] = 1.0;

  const Augmented augmented(pattern, exact, prior);
  OrderingProblem problem;
  problem.pattern = augmented.pattern();
  problem.samples = samples;
  auto values = std::make_shared<Matrix>(matrix);
  problem.samples.fill = [&, values](int s, double* a, double* b) {
    samples.fill(s, values->values.data(), values->right_side.data());
    augmented.fill(values->values.data(), values->right_side.data(), weight.data(), precision.data(), a, b);
  };
  OptimiseResult result = optimise_order(problem, options);
  result.plan.fingerprint = system.fingerprint();
  problem.samples.fill = [&, values](int s, double* a, double* b) {
    samples.fill(s, values->values.data(), values->right_side.data());
    const std::vector<double> faint = with_gaps(weight, s);
    augmented.fill(values->values.data(), values->right_side.data(), faint.data(), precision.data(), a, b);
  };
  std::optional<Plan> gated = gated_plan(augmented, problem, options);
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(result.plan));
  int exact_rows = 0;
  for (char e : exact) exact_rows += e;
  plan->gated = std::move(gated);
  plan->left_out = std::move(out);
  plan->precision = std::move(precision);
  plan->undetermined = std::move(undetermined);
  plan->redundancy = noisy + exact_rows + priors + static_cast<int>(open.cols()) - n;
  return plan;
}

}  // namespace sparsedyn
