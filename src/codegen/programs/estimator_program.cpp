#include <algorithm>

#include "determinacy/held_exactly.hpp"
#include "recorded_factors.hpp"
#include "recorded_sensitivities.hpp"
#include "runtime/spread/certified_sweep.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "system/assemble.hpp"

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

/// sd² = −gᵀ Z g for the gradient g of an output and the inverse Z of the augmented matrix: by the entries that its sweep finds
/// (runtime/spread/spread_plan.hpp), or by a solve.
Vector deviations(const RecordedFactors& factors, const SpreadPlan& spread, const Outputs& outputs, const Vector& y,
                  const SystemWorkspace<Expr>& work, int m, int n) {
  Vector sd;
  const Vector swept = factors.sweep(spread.inverse());
  for (std::size_t c = 0; c < outputs.columns().size(); ++c) {
    Vector zero = zeros(static_cast<std::size_t>(n)), gradient = zero, unit = zeros(static_cast<std::size_t>(m + n));
    outputs.gradient(static_cast<int>(c), y.data(), work, zero.data(), gradient.data());
    if (spread.sweeps_output(static_cast<int>(c))) {
      const auto cell = [&](int at) { return swept[static_cast<std::size_t>(at)]; };
      sd.push_back(sqrt(spread.variance_of_output<Expr>(static_cast<int>(c), gradient.data(), cell)));
      continue;
    }
    for (int u : outputs.unknowns_of(static_cast<int>(c))) unit[m + u] = gradient[u];
    const Vector response = factors.solve(unit);
    Expr variance = 0.0;
    for (int u : outputs.unknowns_of(static_cast<int>(c))) variance -= gradient[u] * response[u];
    sd.push_back(sqrt(variance));
  }
  return sd;
}

}  // namespace

Program estimator_program(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& outputs,
                          const ReadInputs& read, const EstimatorProgramOptions& options) {
  Recorder recorder;
  const SensorInputs in = sensor_inputs(recorder, system, read);
  const std::vector<int> noisy = noisy_rows(plan);
  const Vector weight = weights(recorder, system, noisy, options.weights);
  const Augmented& augmented = plan.augmented;
  const int m = augmented.equations(), n = augmented.unknowns();

  Vector values(static_cast<std::size_t>(system.pattern().entries())), readings(static_cast<std::size_t>(m));
  SystemWorkspace<Expr> work(system);
  system.assemble(in.q.data(), in.v.data(), in.y.data(), values.data(), readings.data(), work);
  const Plan& order = options.weights && plan.missing_data ? *plan.missing_data : plan.plan;
  Vector cells(static_cast<std::size_t>(order.program.cells)), right_side(static_cast<std::size_t>(m + n));
  const Vector precision(plan.regularisation.precision.begin(), plan.regularisation.precision.end());
  augmented.fill(values.data(), readings.data(), weight.data(), precision.data(), cells.data(), right_side.data());
  run(order.program.factor, cells.data());
  const RecordedFactors factors(order.program, cells);
  const Vector x = factors.solve(right_side);

  const Outputs wanted(system, outputs);
  Vector found(wanted.columns().size());
  wanted.write(x.data(), in.y.data(), work, found.data());
  output_by_kind(recorder, wanted.columns(), found);
  if (options.deviations) {
    // Code does not look at its sweep as an Estimator does: weights that are not known yet are left to solves.
    const Spread wish{true, false};
    const bool sweeps = !options.weights && sweep_keeps_digits(system, plan, wanted, wish);
    const SpreadPlan spread(augmented, order, wanted, held_exactly(system), sweeps ? wish : Spread{});
    recorder.output("sd", prefixed("sd.", wanted.columns()), deviations(factors, spread, wanted, in.y, work, m, n));
  }
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
    record_sensitivities(recorder, system, wanted, {in, read, work, Vector(x.begin(), x.begin() + n), change_of_x},
                         options.derivatives);
  }
  if (options.chi_square) {
    Expr sum = 0.0;
    for (int r : noisy) sum += x[n + r] * x[n + r];
    recorder.output("chi2", {"chi2"}, {sum});
  }
  return recorder.program();
}

}  // namespace sparsedyn
