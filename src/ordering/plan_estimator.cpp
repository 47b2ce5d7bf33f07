#include "sparsedyn/ordering/plan_estimator.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <random>

#include "gated_plan.hpp"
#include "rank_revealing.hpp"
#include "reduced_rows.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/solve/unit_entries.hpp"
#include "sparsedyn/io/fnv_hash.hpp"
#include "sparsedyn/system/names.hpp"

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
  for (int j = 0; j < n; ++j) {
    const auto found = system.sensors().prior.find(kind_name(system.unknowns()[j].kind));
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

/// Weights of a sample with gaps: one whole sensor all but gone, or in every other sample every fifth row. (Not quite gone: a
/// sample that nothing determines says nothing about an order.)
std::vector<double> with_gaps(const System& system, std::vector<double> weight, int sample) {
  constexpr double gone = 1e-6;
  std::minstd_rand rng(static_cast<unsigned>(sample) + 1u);
  rng.discard(1);
  if (sample % 2) {
    for (double& w : weight)
      if (rng() % 5 == 0) w *= gone;
  } else if (!system.measurements().empty()) {
    const Measurement& m = system.measurements()[rng() % system.measurements().size()];
    for (int k = 0; k < m.rows(); ++k) weight[m.first_row + k] *= gone;
  }
  return weight;
}

/// The augmented system at the states of `samples`.
Samples augmented_samples(const Augmented& augmented, const System& system, const Samples& samples,
                          const std::vector<double>& weight, const std::vector<double>& precision, bool gaps) {
  Samples filled = samples;
  auto values = std::make_shared<std::vector<double>>(system.pattern().entries());
  auto right_side = std::make_shared<std::vector<double>>(system.pattern().rows);
  filled.fill = [&augmented, &system, weight, precision, samples, values, right_side, gaps](int s, double* a, double* b) {
    samples.fill(s, values->data(), right_side->data());
    augmented.fill(values->data(), right_side->data(), (gaps ? with_gaps(system, weight, s) : weight).data(), precision.data(),
                   a, b);
  };
  return filled;
}

OrderingProblem augmented_problem(const Augmented& augmented, const System& system, const Samples& samples,
                                  const Statement& stated, bool gaps) {
  OrderingProblem problem;
  problem.pattern = augmented.pattern();
  problem.unit = augmented.unit_entries(unit_entries(system));
  problem.samples = augmented_samples(augmented, system, samples, stated.weight, stated.precision, gaps);
  return problem;
}

int count(const std::vector<char>& flags) { return static_cast<int>(std::count(flags.begin(), flags.end(), char(1))); }

/// A statement that leaves nothing open: what neither rows nor priors determine has a unit precision.
struct Closed {
  Statement stated;
  std::vector<char> undetermined;  // an unknown
  int redundancy;
};

/// Judged at the first of the samples. Throws RedundantExactRows.
Closed close(const System& system, const std::vector<char>& left_out, const Samples& samples) {
  const Pattern& pattern = system.pattern();
  Closed closed{statement_of(system, left_out), std::vector<char>(pattern.columns, 0), 0};
  Statement& stated = closed.stated;
  const int facts = pattern.rows - count(stated.left_out) + count(stated.prior);
  std::vector<double> values(pattern.entries()), right_side(pattern.rows);
  samples.fill(0, values.data(), right_side.data());
  ReducedRows reduced(system);
  reduced.reduce(values.data());
  refuse_redundant_exact_rows(system, reduced, stated);
  const Eigen::MatrixXd open = open_directions(reduced, stated);
  if (open.cols() > 0) {
    for (int j = 0; j < pattern.columns; ++j) closed.undetermined[j] = open.row(j).cwiseAbs().maxCoeff() > 0;
    for (int j : independent_rows(open)) stated.prior[j] = 1, stated.precision[j] = 1.0;
  }
  closed.redundancy = facts + static_cast<int>(open.cols()) - pattern.columns;
  return closed;
}

void complete(Closed closed, EstimatorPlan& plan) {
  plan.left_out = std::move(closed.stated.left_out);
  plan.precision = std::move(closed.stated.precision);
  plan.undetermined = std::move(closed.undetermined);
  plan.redundancy = closed.redundancy;
}

/// The order that is proof against gaps, where it is healthy and costs less than the others: then it serves every sample.
bool take_if_better(const Plan& gated, const OrderingProblem& problem, OptimiseResult& result) {
  StrategyResult own{"residuals first",
                     gated.factor_flops(),
                     gated.solve_flops(),
                     gated.elimination.fill,
                     measure_health(gated, problem.samples),
                     gated.order};
  const bool better = own.health.healthy() && own.flops().total() < result.plan.flops().total();
  if (better) {
    result.plan = gated;
    result.plan.strategy = own.strategy;
    result.plan.health = own.health;
  }
  const auto dearer = [&](const StrategyResult& other) { return other.flops().total() > own.flops().total(); };
  result.strategies.insert(std::find_if(result.strategies.begin(), result.strategies.end(), dearer), std::move(own));
  return better;
}

std::string fingerprint_of(const System& system, const Augmented& augmented) {
  FnvHash hash;
  hash.add(system.fingerprint());
  for (const auto* indices : {&augmented.pattern().row_start, &augmented.pattern().column})
    for (int index : *indices) hash.add(static_cast<long>(index));
  return hash.hexadecimal();
}

}  // namespace

RedundantExactRows::RedundantExactRows(const System& system, std::vector<int> r)
    : std::domain_error(redundancy_message(system, r)), rows(std::move(r)) {}

Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random) {
  return augmented_samples(plan.augmented, system, samples_of(system, random), statement_of(system, plan.left_out).weight,
                           plan.precision, false);
}

SearchedEstimator search_estimator_plan(const System& system, const std::vector<char>& left_out,
                                        const OptimiseOptions& options) {
  const Samples samples = samples_of(system);
  Closed closed = close(system, left_out, samples);
  const Augmented augmented(system.pattern(), closed.stated.exact, closed.stated.prior);
  const OrderingProblem problem = augmented_problem(augmented, system, samples, closed.stated, false);
  OptimiseResult result = optimise_order(problem, options);
  std::optional<Plan> gated =
      gated_plan(augmented, augmented_problem(augmented, system, samples, closed.stated, true), options);
  if (gated && take_if_better(*gated, problem, result)) gated.reset();
  result.plan.fingerprint = fingerprint_of(system, augmented);
  result.plan.numbers = system.numbers_fingerprint();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(result.plan));
  plan->gated = std::move(gated);
  complete(std::move(closed), *plan);
  return {plan, std::move(result.strategies)};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const std::vector<char>& left_out,
                                                    const OptimiseOptions& options) {
  return search_estimator_plan(system, left_out, options).plan;
}

EstimatorShape estimator_shape(const System& system) {
  const Closed closed = close(system, {}, samples_of(system, 1));
  Augmented augmented(system.pattern(), closed.stated.exact, closed.stated.prior);
  UnitEntries unit = augmented.unit_entries(unit_entries(system));
  std::string fingerprint = fingerprint_of(system, augmented);
  return {std::move(augmented), std::move(unit), std::move(fingerprint)};
}

std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored) {
  Closed closed = close(system, {}, samples_of(system, 1));
  const Augmented augmented(system.pattern(), closed.stated.exact, closed.stated.prior);
  const std::optional<Order> gated = std::move(stored.second);
  stored.second.reset();
  auto plan = std::make_shared<EstimatorPlan>(augmented, std::move(stored));
  if (gated) plan->gated = make_plan(plan->plan.pattern, *gated, plan->plan.unit);
  complete(std::move(closed), *plan);
  return plan;
}

Plan stored_plan(const EstimatorPlan& plan) {
  Plan stored = plan.plan;
  stored.second.reset();
  if (plan.gated) stored.second = plan.gated->order, stored.second_strategy = "for samples with gaps";
  return stored;
}

}  // namespace sparsedyn
