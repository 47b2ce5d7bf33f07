#include "estimator_problem.hpp"

#include <memory>
#include <mutex>
#include <random>
#include <utility>

#include "io/fnv_hash.hpp"
#include "ordering/algorithms/umfpack.hpp"
#include "ordering/reproducible_samples.hpp"
#include "runtime/plans/augmented_units.hpp"
#include "runtime/system_samples.hpp"
#include "system/unit_entries.hpp"

namespace sparsedyn {
namespace {

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

std::vector<SampleWeights> weights_of_gaps(const System& system, const Samples& samples, const MeasurementWeights& stated) {
  std::vector<SampleWeights> all;
  for (int s = 0; s < samples.count; ++s) all.push_back({with_gaps(system, stated.weight, s), stated.regularisation.precision});
  return all;
}

/// The same in the robot's own units: an order is found, and its health judged, of a small robot as of one of a metre.
Samples in_own_units(const System& system, const Augmented& augmented, Samples samples) {
  const auto units = std::make_shared<AugmentedUnits>(system, augmented);
  if (units->none()) return samples;
  const auto turn = std::make_shared<std::mutex>();  // the units of one state after the other
  samples.fill = [units, turn, fill = std::move(samples.fill)](int s, double* matrix, double* right_side) {
    fill(s, matrix, right_side);
    const std::lock_guard<std::mutex> mine(*turn);
    units->read(matrix);
    units->apply(matrix, right_side);
  };
  return samples;
}

/// The system at its states, without rounding, computed by two threads; by one where others' states are among them.
Samples cleared_samples(const System& of, const OptimiseOptions& options) {
  const int entries = of.pattern().entries(), rows = of.pattern().rows;
  std::vector<Samples> alike = samples_for_threads(of, options.also ? 1 : 2);
  for (Samples& each : alike) each = cleared(sampled(std::move(each), options), entries, rows);
  return kept(std::move(alike), entries, rows);
}

}  // namespace

OrderingProblem augmented_problem(const Augmented& augmented, const System& system, const Samples& samples,
                                  std::vector<SampleWeights> weights) {
  OrderingProblem problem;
  problem.pattern = augmented.pattern();
  problem.unit = augmented.unit_entries(unit_entries(system));
  problem.exact = augmented.exact_rows();
  const auto all = std::make_shared<const std::vector<SampleWeights>>(std::move(weights));
  const Samples weighted = augmented_samples(augmented, system, samples, [all](int s) -> const SampleWeights& {
    return (*all)[static_cast<std::size_t>(s) % all->size()];
  });
  problem.samples = reproducible(in_own_units(system, augmented, weighted), problem.pattern.entries(), problem.pattern.rows);
  return problem;
}

EstimatorProblem::EstimatorProblem(const System& of, const std::vector<char>& left_out, const OptimiseOptions& options)
    : system(of),
      samples(cleared_samples(of, options)),
      stated(closed_measurement_weights(of, left_out, samples)),
      augmented(of.pattern(), stated.exact, stated.prior),
      all_readings(augmented_problem(augmented, of, samples, {{stated.weight, stated.regularisation.precision}})),
      with_gaps(augmented_problem(augmented, of, samples, weights_of_gaps(of, samples, stated))) {}

std::string structure_of(const EstimatorProblem& problem, const OptimiseOptions& options) {
  FnvHash hash;
  hash.add(estimator_fingerprint(problem.system, problem.augmented));
  for (long choice :
       {static_cast<long>(options.health_states), static_cast<long>(options.umfpack_states), static_cast<long>(has_umfpack())})
    hash.add(choice);
  return hash.hexadecimal();
}

}  // namespace sparsedyn
