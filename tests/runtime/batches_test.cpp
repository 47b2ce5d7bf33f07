// Rows of a log as lanes: the same answers in the same words.
#include "batches.hpp"

#include <limits>

#include "redundant_set.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using test::check_batch;
using test::random_sample;
using test::redundant_set;

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

std::vector<test::SampleState> random_samples(const System& system, int count, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<test::SampleState> samples;
  for (int k = 0; k < count; ++k) samples.push_back(random_sample(system, rng));
  return samples;
}

EstimatorOptions everything(const System& system) {
  EstimatorOptions options = test::with_deviations();
  options.innovations = true;
  options.replan = [&system](const std::vector<char>& missing) { return test::quick_plan(system, missing); };
  return options;
}

}  // namespace

TEST_CASE("batches of every length are their samples one by one") {
  const bool floating = GENERATE(false, true);
  test::TreeOptions tree;
  tree.floating = floating;
  SensorSet set = redundant_set(floating);
  set.prior = {{"ddq", 3.0}};
  const auto system = std::make_shared<const System>(test::random_tree(6, 21, tree), set);
  const auto plan = test::quick_plan(*system);
  for (int count = 0; count <= Batch::lanes; ++count)
    check_batch(system, plan, everything(*system), random_samples(*system, count, 5));
}

TEST_CASE("gaps and bad samples in a batch are answered alone, and leave the others as they are") {
  SensorSet set = redundant_set(false);
  set.sensors.erase(set.sensors.begin() + 1);  // a gap leaves something open
  const auto system = std::make_shared<const System>(test::random_tree(4, 5), set);
  const auto plan = test::quick_plan(*system);
  auto samples = random_samples(*system, Batch::lanes, 6);
  samples[1].y[system->measurements().front().inputs[0]] = gap;
  samples[2].y[system->measurements()[1].inputs[0]] = endless;
  samples[4].q[0] = gap;
  samples[7].v[1] = -endless;
  check_batch(system, plan, everything(*system), samples);
  EstimatorOptions inaccurate = everything(*system);
  inaccurate.tolerance = 1e-17;  // which refinement meets here and there
  check_batch(system, plan, inaccurate, samples);
}

TEST_CASE("samples of a robot with a body that base parameters may swallow are answered one by one, whatever the batch") {
  test::TreeOptions tree;
  tree.floating = true, tree.kinds = {JointKind::revolute};
  Model model = test::random_tree(4, 8, tree);
  CHECK_FALSE(System(model, redundant_set(true), formulation_named("canonical")).sums_inertias());
  model.bodies[0].inertia = zero_inertia<double>();
  const auto system = std::make_shared<const System>(model, redundant_set(true), formulation_named("canonical"));
  REQUIRE(system->sums_inertias());
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options = everything(*system);
  options.outputs = {"tau", "ddq"};
  check_batch(system, plan, options, random_samples(*system, Batch::lanes, 4));
}

TEST_CASE("offsets are projected from a sample of a batch as from one alone") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options;
  Estimator one_by_one(system, plan, options);
  options.in_batches = true;
  Estimator together(system, plan, options);
  const auto samples = random_samples(*system, Batch::lanes, 3);
  std::vector<Estimator::Inputs> inputs;
  for (const auto& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  together.prepare(inputs.data(), Batch::lanes);
  const std::size_t rows = system->pattern().rows;
  std::vector<double> out(together.output_columns().size()), offset(rows, 0.0), from_batch(rows), alone(rows);
  offset[system->measurements().front().first_row] = 1;
  for (int k = Batch::lanes; k-- > 0;) {
    REQUIRE(together.take(k, out.data()).ok());
    together.project(offset.data(), from_batch.data());
    REQUIRE(one_by_one.estimate(inputs[k].q, inputs[k].v, inputs[k].y, out.data()).ok());
    one_by_one.project(offset.data(), alone.data());
    CHECK(test::same(from_batch, alone));
  }
}

TEST_CASE("batches take no heap") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  EstimatorOptions options = everything(*system);
  options.in_batches = true;
  Estimator estimator(system, test::quick_plan(*system), options);
  const auto samples = random_samples(*system, Batch::lanes, 4);
  std::vector<Estimator::Inputs> inputs;
  for (const auto& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  std::vector<double> out(estimator.output_columns().size());
  bool ok = true;
  CHECK(test::allocations_of([&] {
          estimator.prepare(inputs.data(), Batch::lanes);
          for (int k = 0; k < Batch::lanes; ++k) ok = estimator.take(k, out.data()).ok() && ok;
        }) == 0);
  CHECK(ok);
}
