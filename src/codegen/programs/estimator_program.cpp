#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "codegen/differentiate/set_hessian.hpp"
#include "determinacy/held_exactly.hpp"
#include "recorded_factors.hpp"
#include "recorded_sensitivities.hpp"
#include "refinement_steps.hpp"
#include "runtime/estimation/deviations.hpp"
#include "runtime/spread/certified_sweep.hpp"
#include "runtime/system_samples.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/assemble.hpp"
#include "varying_robot.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;

Vector zeros(std::size_t n) { return Vector(n, Expr(0.0)); }

/// The rows that weigh.
std::vector<int> noisy_rows(const EstimatorPlan& plan) {
  std::vector<int> rows;
  for (int r = 0; r < plan.augmented.equations(); ++r)
    if (!plan.augmented.exact(r) && !plan.left_out[r]) rows.push_back(r);
  return rows;
}

/// 1/σ of each row, as numbers or as an input.
Vector weights(Recorder& recorder, const System& system, const std::vector<int>& noisy, bool as_input) {
  Vector weight = zeros(static_cast<std::size_t>(system.pattern().rows));
  std::vector<std::string> names;
  for (int r : noisy) {
    const Measurement& m = system.measurements()[system.equations()[r].measurement];
    names.push_back("weight." + system.equation_names()[r]);
    weight[r] = Expr(1 / m.sigma[r - m.first_row]);
  }
  if (!as_input) return weight;
  const Vector given = recorder.input("weight", names);
  for (std::size_t k = 0; k < noisy.size(); ++k) weight[noisy[k]] = given[k];
  return weight;
}

/// sd² = gᵀ C g of an output with the gradient g. The answer to g in the stationarity rows is x = −C g with the residuals
/// ν = W Y C g, and Y x = 0 in exact rows, so that gᵀ C g = Σ ν² + Σ p x²: a sum of squares is never negative, and its root
/// keeps the digits that C has where exact readings fix the output and gᵀ C g is a difference of large numbers.
Expr squared_deviation(const Vector& answer, const std::vector<int>& noisy, const std::vector<double>& precision, int n) {
  Expr sum = 0.0;
  for (int r : noisy) sum += answer[n + r] * answer[n + r];
  for (std::size_t u = 0; u < precision.size(); ++u) {
    if (precision[u] == 0) continue;
    const Expr residual = Expr(std::sqrt(precision[u])) * answer[u];  // p x² as a square: x² may leave the range of floats
    sum += residual * residual;
  }
  return sum;
}

/// Deviations of outputs. What exact readings state has none; others come from the entries of the inverse that a sweep finds
/// (runtime/spread/spread_plan.hpp) and that certified_sweep.hpp has measured, or from a solve each. Where digits are lost so
/// far that a variance of the sweep is negative, its root is no number, and the sample has no answer.
Vector deviations(const RecordedFactors& factors, const SpreadPlan& spread, const Vector& swept, const Outputs& outputs,
                  const Vector& y, const SystemWorkspace<Expr>& work, const std::vector<int>& noisy,
                  const std::vector<double>& precision, const RefinementSteps& refined, int m, int n) {
  Vector sd;
  for (int c = 0; c < static_cast<int>(outputs.columns().size()); ++c) {
    if (spread.is_held(c)) {
      sd.push_back(Expr(0.0));
      continue;
    }
    Vector zero = zeros(static_cast<std::size_t>(n)), gradient = zero, unit = zeros(static_cast<std::size_t>(m + n));
    outputs.gradient(c, y.data(), work, zero.data(), gradient.data());
    if (spread.sweeps_output(c)) {
      const auto cell = [&](int at) { return swept[static_cast<std::size_t>(at)]; };
      sd.push_back(sqrt(spread.variance_of_output<Expr>(c, gradient.data(), cell)));
      continue;
    }
    for (int u : outputs.unknowns_of(c)) unit[m + u] = gradient[u];
    sd.push_back(
        sqrt(squared_deviation(factors.solve(unit, steps_of(refined, "sd." + outputs.columns()[c])), noisy, precision, n)));
  }
  return sd;
}

/// Noisy rows of sensors, of which innovations are written.
std::vector<int> rows_with_innovations(const System& system) {
  std::vector<int> rows;
  for (int r = 0; r < system.pattern().rows; ++r)
    if (system.equations()[r].measurement >= 0 && system.sigma_of(r) > 0) rows.push_back(r);
  return rows;
}

/// A flag for each row: others predict it, at a few states, random and special ones. Throws std::domain_error for a row that
/// they predict at some of them alone, which straight lines cannot tell.
std::vector<char> predicted_rows(const System& system, const EstimatorPlan& plan) {
  constexpr int states = 16;
  const auto shared = std::make_shared<const System>(system.of_examples());  // where parameters are inputs, examples do
  EstimatorOptions options;
  options.outputs = {system.unknown_names().front()}, options.comparisons = true;
  Estimator estimator(shared, std::shared_ptr<const EstimatorPlan>(std::shared_ptr<void>(), &plan), options);
  const Samples samples = samples_of(system, states / 2);
  const std::vector<double> v(static_cast<std::size_t>(system.model().nv)), y(system.inputs().size());
  std::vector<int> times(static_cast<std::size_t>(system.pattern().rows));
  double out = 0;
  int answered = 0;
  for (int k = 0; k < states; ++k) {
    const std::vector<double> q = samples.state(state_in_turn(samples, k));
    if (!estimator.estimate(q.data(), v.data(), y.data(), &out).ok()) continue;
    ++answered;
    estimator.expect_comparisons(system.pattern().rows);
    for (int r : rows_with_innovations(system)) times[r] += std::isfinite(estimator.against_others(r).deviation);
  }
  if (answered == 0) throw std::domain_error("innovations: the set is solved at none of the states that were tried");
  std::vector<char> predicted(times.size());
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r] != 0 && times[r] != answered)
      throw std::domain_error("others predict " + system.equation_names()[r] + " at some states alone");
    predicted[r] = times[r] > 0;
  }
  return predicted;
}

/// What a sweep in code, which nothing looks at, is not trusted with: variances that moved at some state by more than may stand
/// for all states; and what is refined. A flag for each output, then for each row.
std::vector<char> left_to_solves(const SweepTrial& trial, const System& system, const Outputs& outputs,
                                 const RefinementSteps& refined) {
  std::vector<char> solved;
  for (double by : trial.moved) solved.push_back(by > steady_for_all_states);
  for (std::size_t c = 0; c < outputs.columns().size() && c < solved.size(); ++c)
    if (steps_of(refined, "sd." + outputs.columns()[c]) > 0) solved[c] = 1;
  for (std::size_t r = 0, at = outputs.columns().size(); at < solved.size() && r < system.equation_names().size(); ++r, ++at)
    if (steps_of(refined, "innovation." + system.equation_names()[r]) > 0) solved[at] = 1;
  return solved;
}

/// (y − Y x)/σ over its own deviation: ν/√v with v = Z_ν,ν, of rows that others predict.
Vector innovations(const RecordedFactors& factors, const SpreadPlan& spread, const Vector& swept, const Vector& x,
                   const std::vector<int>& rows, const std::vector<char>& predicted, const std::vector<int>& steps, int m,
                   int n) {
  Vector found;
  for (int r : rows) {
    if (!predicted[r]) {
      found.push_back(Expr(0.0));
      continue;
    }
    Expr v = 0.0;
    if (spread.sweeps_row(r)) {
      v = spread.variance_of_row<Expr>(r, [&](int at) { return swept[static_cast<std::size_t>(at)]; });
    } else {
      Vector unit = zeros(static_cast<std::size_t>(m + n));
      unit[r] = Expr(1.0);
      v = factors.solve(unit, steps[r])[n + r];
    }
    found.push_back(x[n + r] / sqrt(v));
  }
  return found;
}

}  // namespace

Program estimator_program(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                          const ReadInputs& read, const EstimatorProgramOptions& options) {
  Recorder recorder;
  declare_parameters(recorder, options.parameters, system, 3 + options.weights + options.derivatives.second);
  const SensorInputs in = sensor_inputs(recorder, system, read);
  const std::vector<int> noisy = noisy_rows(plan);
  const Vector weight = weights(recorder, system, noisy, options.weights);
  const Augmented& augmented = plan.augmented;
  const int m = augmented.equations(), n = augmented.unknowns();

  Vector values(static_cast<std::size_t>(system.pattern().entries())), readings(static_cast<std::size_t>(m));
  SystemWorkspace<Expr> work(system);
  system.assemble(in.q.data(), in.v.data(), in.y.data(), values.data(), readings.data(), work);
  assemble_parameters(system, values.data());
  const Plan& order = options.weights && plan.missing_data ? *plan.missing_data : plan.plan;
  Vector cells(static_cast<std::size_t>(order.program.cells)), right_side(static_cast<std::size_t>(m + n));
  const Vector precision(plan.regularisation.precision.begin(), plan.regularisation.precision.end());
  augmented.fill(values.data(), readings.data(), weight.data(), precision.data(), cells.data(), right_side.data());
  const RecordedFactors factors(order, cells);
  const Outputs wanted(system, outputs);
  const Vector x = factors.solve(right_side, steps_of_unknowns(options.refined));

  Vector found(wanted.columns().size());
  wanted.write(x.data(), in.y.data(), work, found.data());
  output_by_kind(recorder, wanted.columns(), found);
  if (options.weights && options.innovations) throw std::invalid_argument("innovations: not with weights as an input");
  // Code does not look at its sweep as an Estimator does. Weights that are not known yet are left to solves.
  const Spread wish{options.deviations, options.innovations};
  const SweepTrial trial = options.weights ? SweepTrial{} : try_sweep_at_many(system, plan, wanted, wish);
  constexpr double promised = 1e-8;  // beyond, the order loses digits at some postures, and of others at those not tried
  const bool sweeps = trial.stands_for_all() && trial.within(promised);
  const SpreadPlan spread(augmented, order, wanted, held_exactly(system), sweeps ? wish : Spread{}, {},
                          left_to_solves(trial, system, wanted, options.refined));
  const Vector swept = sweeps ? factors.sweep(spread.inverse()) : Vector{};
  if (options.deviations)
    recorder.output(
        "sd", prefixed("sd.", wanted.columns()),
        deviations(factors, spread, swept, wanted, in.y, work, noisy, plan.regularisation.precision, options.refined, m, n));
  if (options.derivatives.any()) {
    Vector factor = weight;
    for (int r = 0; r < m; ++r)
      if (augmented.exact(r)) factor[r] = Expr(1.0);
    const auto change_of_x = [&](const RecordedChange& change) {  // runtime/derivatives/derivative_engine.hpp, ChangedResidual
      Vector right = zeros(static_cast<std::size_t>(m + n));
      for (const auto& [row, value] : change.right_side) right[row] += factor[row] * value;
      for (const RecordedChange::Entry& e : change.matrix) {
        const Expr weighted = factor[e.row] * e.value;
        right[e.row] -= weighted * x[e.column];
        right[m + e.column] -= weighted * x[n + e.row];
      }
      return factors.solve(right);
    };
    const RecordedSolution solution{in, read, work, Vector(x.begin(), x.begin() + n), change_of_x};
    // With the two kinds of rows, and the two kinds of unknowns, exchanged the matrix is its transpose.
    const auto multipliers = [&](const Vector& c) {
      Vector right = zeros(static_cast<std::size_t>(m)), both;
      right.insert(right.end(), c.begin(), c.end());
      const Vector found_there = factors.solve(right);
      both.insert(both.end(), found_there.begin() + n, found_there.end());
      both.insert(both.end(), found_there.begin(), found_there.begin() + n);
      return both;
    };
    if (options.derivatives.second)
      record_hessian(recorder, system, wanted, solution,
                     {options.parameters, factor, Vector(x.begin() + n, x.end()), multipliers}, options.derivatives);
    record_sensitivities(recorder, system, wanted, solution, options.derivatives);
  }
  if (options.chi_square) {
    Expr sum = 0.0;
    for (int r : noisy) sum += x[n + r] * x[n + r];
    recorder.output("chi2", {"chi2"}, {sum});
  }
  if (options.innovations) {
    const std::vector<int> rows = rows_with_innovations(system);
    std::vector<std::string> names;
    std::vector<int> steps(static_cast<std::size_t>(m));
    for (int r : rows) {
      names.push_back("innovation." + system.equation_names()[r]);
      steps[r] = steps_of(options.refined, names.back());
    }
    recorder.output("innovation", names,
                    innovations(factors, spread, swept, x, rows, predicted_rows(system, plan), steps, m, n));
  }
  return recorder.program();
}

}  // namespace sparsedyn
