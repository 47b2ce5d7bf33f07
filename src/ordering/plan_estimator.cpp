#include "sparsedyn/ordering/plan_estimator.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <random>

#include "gated_plan.hpp"
#include "rank_revealing.hpp"
#include "reduced_rows.hpp"
#include "sparsedyn/ordering/optimise.hpp"

namespace sparsedyn {
namespace {

std::string redundancy_message(const System& system, const std::vector<int>& rows) {
  std::string text = "exact rows follow from each other:";
  for (int r : rows) text += " " + system.equation_names()[r];
  return text;
}

/// What the set says about each row and unknown.
struct Statement {
  std::vector<char> left_out, exact;  // a row
  std::vector<double> weight;         // a row: 1/σ of noisy ones, else 0
  std::vector<char> prior;            // an unknown
  std::vector<double> precision;      // an unknown: 1/s², else 0
};

Statement statement_of(const System& system, const std::vector<char>& left_out) {
  const int m = system.pattern().rows, n = system.pattern().columns;
  Statement stated{left_out, std::vector<char>(m, 0), std::vector<double>(m, 0.0), std::vector<char>(n, 0),
                   std::vector<double>(n, 0.0)};
  stated.left_out.resize(m, 0);
  for (int r = 0; r < m; ++r) {
    if (stated.left_out[r]) continue;
    const int k = system.equations()[r].measurement;
    const double sigma = k < 0 ? 0.0 : system.measurements()[k].sigma[r - system.measurements()[k].first_row];
    stated.exact[r] = sigma == 0;
    if (sigma > 0) stated.weight[r] = 1 / sigma;
  }
  static const char* const kinds[] = {"acc", "f", "tau", "fx", "ddq"};
  for (int j = 0; j < n; ++j) {
    const auto found = system.sensors().prior.find(kinds[static_cast<int>(system.unknowns()[j].kind)]);
    if (found == system.sensors().prior.end()) continue;
    stated.prior[j] = 1, stated.precision[j] = 1 / (found->second * found->second);
  }
  return stated;
}

/// Rows of a matrix, chosen by a flag each.
Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& A, const std::vector<int>& which) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(which.size()), A.cols());
  for (std::size_t i = 0; i < which.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = A.row(which[i]);
  return out;
}

void refuse_redundant_exact_rows(const System& system, const ReducedRows& reduced, const Statement& stated) {
  std::vector<int> exact, named;  // rows of R, equations
  for (std::size_t i = 0; i < reduced.sensor_rows().size(); ++i)
    if (stated.exact[reduced.sensor_rows()[i]]) exact.push_back(static_cast<int>(i));
  const Eigen::MatrixXd dependencies = null_space(chosen_rows(reduced.rows(), exact).transpose()).basis;
  if (dependencies.cols() == 0) return;
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (dependencies.row(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff() > 0)
      named.push_back(reduced.sensor_rows()[exact[i]]);
  throw RedundantExactRows(system, named);
}

/// Directions of all unknowns (columns) that neither rows nor priors see.
Eigen::MatrixXd open_directions(const ReducedRows& reduced, const Statement& stated) {
  std::vector<int> kept, with_prior;
  for (std::size_t i = 0; i < reduced.sensor_rows().size(); ++i)
    if (!stated.left_out[reduced.sensor_rows()[i]]) kept.push_back(static_cast<int>(i));
  for (std::size_t j = 0; j < stated.prior.size(); ++j)
    if (stated.prior[j]) with_prior.push_back(static_cast<int>(j));
  const Eigen::Index free = reduced.rows().cols();
  Eigen::MatrixXd seen(static_cast<Eigen::Index>(kept.size() + with_prior.size()), free);
  seen.topRows(static_cast<Eigen::Index>(kept.size())) = chosen_rows(reduced.rows(), kept);
  if (!with_prior.empty())
    seen.bottomRows(static_cast<Eigen::Index>(with_prior.size())) =
        chosen_rows(reduced.expand(Eigen::MatrixXd::Identity(free, free)), with_prior);
  return reduced.expand(null_space(seen).basis);
}

/// The rows of a basis that make it regular: as many as it has columns, the most independent first.
std::vector<int> independent_rows(const Eigen::MatrixXd& basis) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(basis.transpose());
  const auto& order = qr.colsPermutation().indices();
  return {order.data(), order.data() + basis.cols()};
}

/// Weights of a sample with gaps: every fifth measurement all but gone. (Not quite: a sample that nothing determines says
/// nothing about an order.)
std::vector<double> with_gaps(std::vector<double> weight, int sample) {
  std::minstd_rand rng(static_cast<unsigned>(sample) + 1u);
  for (double& w : weight)
    if (rng() % 5 == 0) w *= 1e-6;
  return weight;
}

/// The augmented system at the states of `samples`.
OrderingProblem augmented_problem(const Augmented& augmented, const Pattern& rows, const Samples& samples,
                                  const Statement& stated, bool gaps) {
  OrderingProblem problem;
  problem.pattern = augmented.pattern();
  problem.samples = samples;
  auto values = std::make_shared<std::vector<double>>(rows.entries());
  auto right_side = std::make_shared<std::vector<double>>(rows.rows);
  problem.samples.fill = [&augmented, &stated, samples, values, right_side, gaps](int s, double* a, double* b) {
    samples.fill(s, values->data(), right_side->data());
    const std::vector<double> weight = gaps ? with_gaps(stated.weight, s) : stated.weight;
    augmented.fill(values->data(), right_side->data(), weight.data(), stated.precision.data(), a, b);
  };
  return problem;
}

int count(const std::vector<char>& flags) { return static_cast<int>(std::count(flags.begin(), flags.end(), char(1))); }

}  // namespace

RedundantExactRows::RedundantExactRows(const System& system, std::vector<int> r)
    : std::domain_error(redundancy_message(system, r)), rows(std::move(r)) {}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out,
                                                    const OptimiseOptions& options) {
  const Pattern& pattern = system.pattern();
  Statement stated = statement_of(system, left_out);
  const int noisy = pattern.rows - count(stated.exact) - count(stated.left_out);
  const int facts = noisy + count(stated.exact) + count(stated.prior);

  const Samples samples = samples_of(system);
  std::vector<double> values(pattern.entries()), right_side(pattern.rows);
  samples.fill(0, values.data(), right_side.data());
  ReducedRows reduced(system);
  reduced.reduce(values.data());
  refuse_redundant_exact_rows(system, reduced, stated);
  const Eigen::MatrixXd open = open_directions(reduced, stated);
  std::vector<char> undetermined(pattern.columns, 0);
  if (open.cols() > 0) {
    for (int j = 0; j < pattern.columns; ++j) undetermined[j] = open.row(j).cwiseAbs().maxCoeff() > 0;
    for (int j : independent_rows(open)) stated.prior[j] = 1, stated.precision[j] = 1.0;
  }

  const Augmented augmented(pattern, stated.exact, stated.prior);
  OptimiseResult result = optimise_order(augmented_problem(augmented, pattern, samples, stated, false), options);
  result.plan.fingerprint = system.fingerprint();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(result.plan));
  plan->gated = gated_plan(augmented, augmented_problem(augmented, pattern, samples, stated, true), options);
  plan->left_out = std::move(stated.left_out);
  plan->precision = std::move(stated.precision);
  plan->undetermined = std::move(undetermined);
  plan->redundancy = facts + static_cast<int>(open.cols()) - pattern.columns;
  return plan;
}

}  // namespace sparsedyn
