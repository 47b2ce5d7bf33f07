// Readings beside what all others predict: by a sweep, in a batch and alone, beside a solve for each, and beside an estimate
// without that reading.
#include <algorithm>
#include <array>

#include "batches.hpp"
#include "redundant_set.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using test::random_sample;
using test::redundant_set;
using test::SampleState;

namespace {

struct Compared {
  std::vector<AgainstOthers> rows;
  int suspect;
};

Compared compared(Estimator& estimator, int expected) {
  Compared found{{}, -1};
  estimator.expect_comparisons(expected);
  for (int r = 0; r < estimator.system().pattern().rows; ++r) found.rows.push_back(estimator.against_others(r));
  found.suspect = estimator.suspect();
  return found;
}

void check_equal(const Compared& found, const Compared& expected) {
  CHECK(found.suspect == expected.suspect);
  REQUIRE(found.rows.size() == expected.rows.size());
  for (std::size_t r = 0; r < found.rows.size(); ++r) {
    const AgainstOthers &a = found.rows[r], &b = expected.rows[r];
    INFO("row " << r);
    if (!std::isfinite(b.deviation)) {
      CHECK(!std::isfinite(a.deviation));
      continue;
    }
    CHECK(std::abs(a.deviation - b.deviation) <= 1e-9 * b.deviation);
    CHECK(std::abs(a.difference - b.difference) <= 1e-9 * std::max(1.0, std::abs(b.difference)));
  }
}

std::vector<SampleState> samples_with_gaps(const System& system) {
  std::mt19937 rng(12);
  std::vector<SampleState> samples;
  for (int k = 0; k < Batch::lanes; ++k) samples.push_back(random_sample(system, rng));
  samples[2].y[0] = std::nan("");
  samples[5].y[1] += 60;  // an outlier
  return samples;
}

/// A solve for each reading beside sweeps, alone and in a batch.
void check_ways(const std::shared_ptr<const System>& system, EstimatorOptions options, const TakenOff& offsets) {
  const auto plan = test::quick_plan(*system);
  options.replan = [&](const std::vector<char>& missing) { return test::quick_plan(*system, missing); };
  Estimator by_solves(system, plan, options);
  options.comparisons = true;
  Estimator by_sweeps(system, plan, options);
  options.in_batches = true;
  Estimator together(system, plan, options);
  for (Estimator* of : {&by_solves, &by_sweeps, &together}) of->take_off(offsets);
  const std::vector<SampleState> samples = samples_with_gaps(*system);
  std::vector<Estimator::Inputs> inputs;
  for (const SampleState& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  std::vector<double> out(by_solves.output_columns().size());
  together.prepare(inputs.data(), Batch::lanes);
  const int all = system->pattern().rows;
  for (int k = 0; k < Batch::lanes; ++k) {
    INFO("sample " << k);
    REQUIRE(by_solves.estimate(inputs[k].q, inputs[k].v, inputs[k].y, out.data()).ok());
    const Compared expected = compared(by_solves, all);
    REQUIRE(by_sweeps.estimate(inputs[k].q, inputs[k].v, inputs[k].y, out.data()).ok());
    const std::vector<double> innovations = by_sweeps.innovations();
    check_equal(compared(by_sweeps, all), expected);
    REQUIRE(together.take(k, out.data()).ok());
    check_equal(compared(together, k % 2), expected);  // one of them is enough for the batch
    CHECK(test::same(together.innovations(), innovations));
    CHECK(together.leave_out_suspects() == by_solves.leave_out_suspects());
  }
}

}  // namespace

TEST_CASE("readings compared by a sweep are those compared by a solve each") {
  const bool floating = GENERATE(false, true);
  test::TreeOptions tree;
  tree.floating = floating;
  SensorSet set = redundant_set(floating);
  set.prior = {{"ddq", 3.0}};
  const auto system = std::make_shared<const System>(test::random_tree(5, 21, tree), set);
  check_ways(system, {}, {});
  EstimatorOptions options;
  options.huber = 2;  // shares
  check_ways(system, options, {});
  options.huber = 0, options.standard_deviations = true;  // another sweep
  check_ways(system, options, {});
  options.innovations = true, options.gate = true;  // the same sweep
  check_ways(system, options, {});
  const int row = system->measurements().front().first_row;
  check_ways(system, options, {{row}, {0.4}, {0.02}});
}

/// What a reading says of itself is left out by a large sigma.
TEST_CASE("a reading beside the others is the reading beside an estimate without it") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  EstimatorOptions options;
  options.comparisons = true;
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(3);
  const SampleState s = random_sample(*system, rng);
  std::vector<double> out(estimator.output_columns().size());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  estimator.expect_comparisons(system->pattern().rows);
  const int row = estimator.rows("encoders").front();
  const AgainstOthers found = estimator.against_others(row);
  const double sigma = estimator.sigma(row);
  constexpr double without = 1e6;
  REQUIRE(estimator.set_sigma(row, without * sigma));
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK(found.difference == Approx(estimator.residual(row) * without).epsilon(1e-8));
}

TEST_CASE("covariances of residuals are what projected unit readings leave") {
  const auto system = std::make_shared<const System>(test::random_tree(5, 4), redundant_set(false));
  EstimatorOptions options;
  options.comparisons = GENERATE(false, true);
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(5);
  SampleState s = random_sample(*system, rng);
  s.y[1] = std::nan("");
  const std::size_t m = system->pattern().rows;
  std::vector<double> out(estimator.output_columns().size()), unit(m, 0.0), expected(m);
  std::vector<int> rows;
  for (int r = 0; r < static_cast<int>(m); ++r)
    if (estimator.sigma(r) > 0) rows.push_back(r);
  REQUIRE(rows.size() > Batch::lanes);
  std::vector<double> found(rows.size() * m, 1.0);
  estimator.residual_covariances(rows.data(), static_cast<int>(rows.size()), found.data());
  CHECK(std::all_of(found.begin(), found.end(), [](double x) { return x == 0; }));  // no sample yet
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  CHECK(test::allocations_of([&] {
          estimator.residual_covariances(rows.data(), static_cast<int>(rows.size()), found.data());
          estimator.expect_comparisons(static_cast<int>(m));
          static_cast<void>(estimator.suspect());
        }) == 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double weight = estimator.weight(rows[k]);
    unit[static_cast<std::size_t>(rows[k])] = weight > 0 ? 1 / weight : 0.0;
    estimator.project(unit.data(), expected.data());
    unit[static_cast<std::size_t>(rows[k])] = 0;
    for (std::size_t r = 0; r < m; ++r) CHECK(std::abs(found[k * m + r] - expected[r]) <= 1e-12);
  }
}
