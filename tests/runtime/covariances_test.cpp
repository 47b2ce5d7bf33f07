// Covariances of pairs of outputs beside the dense ones of the same system.
#include "runtime/spread/covariances.hpp"

#include <algorithm>
#include <utility>

#include "determinacy/held_exactly.hpp"
#include "redundant_set.hpp"
#include "reference.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using test::random_sample;
using test::redundant_set;
using test::SampleState;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Of the unknowns a few in all combinations, each with itself too.
Pairs some_pairs(const System& system) {
  const std::vector<std::string>& names = system.unknown_names();
  Pairs pairs;
  for (std::size_t a = 0; a < names.size(); a += 7)
    for (std::size_t b = a; b < names.size(); b += 13) pairs.emplace_back(names[a], names[b]);
  return pairs;
}

int place(const System& system, const std::string& name) {
  const std::vector<std::string>& names = system.unknown_names();
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

void estimate(Estimator& estimator, const SampleState& s, std::vector<double>& out) {
  out.resize(estimator.output_columns().size());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
}

}  // namespace

TEST_CASE("covariances of pairs are those of the dense estimate") {
  const bool floating = GENERATE(false, true);
  const bool gap = GENERATE(false, true);
  test::TreeOptions tree;
  tree.floating = floating;
  const auto system = std::make_shared<const System>(test::random_tree(5, 21, tree), redundant_set(floating));
  EstimatorOptions options;
  options.outputs = {"tau"};
  options.covariances = some_pairs(*system);
  options.replan = [&](const std::vector<char>& missing) { return test::quick_plan(*system, missing); };
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(3);
  SampleState s = random_sample(*system, rng);
  if (gap) s.y[1] = std::nan("");
  std::vector<double> out;
  estimate(estimator, s, out);
  const test::DenseEstimate dense = test::reference(*system, s, test::sigmas(estimator));
  REQUIRE(estimator.covariances().size() == options.covariances.size());
  for (std::size_t k = 0; k < options.covariances.size(); ++k) {
    const auto& [first, second] = options.covariances[k];
    const int a = place(*system, first), b = place(*system, second);
    INFO(first << " | " << second);
    const double size = std::sqrt(std::max(0.0, dense.covariance(a, a) * dense.covariance(b, b)));
    CHECK(std::abs(estimator.covariances()[k] - dense.covariance(a, b)) <= 1e-8 * std::max(1.0, size));
  }
  CHECK(estimator.covariance(options.covariances) == estimator.covariances());
  if (!gap) CHECK(test::allocations_of([&] { estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()); }) == 0);
}

namespace {

/// All pairs of these outputs.
Pairs all_pairs(const std::vector<std::string>& names) {
  Pairs pairs;
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a; b < names.size(); ++b) pairs.emplace_back(names[a], names[b]);
  return pairs;
}

/// How many of the pairs the sweep over the plan's factors finds.
long swept_pairs(const System& system, const EstimatorPlan& plan, const std::vector<std::string>& names, const Pairs& pairs) {
  const Outputs outputs(system, names);
  const SweptPairs places(pairs, outputs);
  const SpreadPlan sweep(plan.augmented, plan.plan, outputs, held_exactly(system), {true, true}, places.columns);
  long swept = 0;
  for (std::size_t k = 0; k < places.columns.size(); ++k) swept += sweep.sweeps_pair(static_cast<int>(k));
  return swept;
}

/// Against solves for the same pairs at the same sample.
void check_beside_solves(Estimator& estimator, const Pairs& pairs) {
  const std::vector<double> found = estimator.covariances(), solved = estimator.covariance(pairs);
  REQUIRE(found.size() == pairs.size());
  const std::vector<std::string> columns = estimator.output_columns();
  const auto deviation = [&](const std::string& name) {
    return estimator
        .standard_deviations()[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin())];
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CAPTURE(pairs[k].first, pairs[k].second);
    CHECK(std::abs(found[k] - solved[k]) <= 1e-10 * deviation(pairs[k].first) * deviation(pairs[k].second) + 1e-25);
  }
}

}  // namespace

TEST_CASE("covariances that a sweep finds are those of solves, one by one, in lanes, with gaps and without a sweep") {
  test::TreeOptions tree;
  tree.floating = true;
  const auto system = std::make_shared<const System>(test::random_tree(6, 21, tree), redundant_set(true));
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options;
  options.outputs = {"tau", "ddq", "acc"};
  options.standard_deviations = options.innovations = options.in_batches = true;
  const std::vector<std::string> names = Outputs(*system, options.outputs).columns();
  options.covariances = all_pairs(names);
  options.covariances.emplace_back(system->unknown_names().back(), names.front());  // of which one is no output
  options.replan = [&](const std::vector<char>& missing) { return test::quick_plan(*system, missing); };
  const long swept = swept_pairs(*system, *plan, names, options.covariances);
  CHECK(swept > 20);
  CHECK(swept < static_cast<long>(options.covariances.size()));  // the others are solved for
  Estimator estimator(system, plan, options);
  std::mt19937 rng(3);
  std::vector<double> out;
  std::vector<SampleState> samples;
  for (int k = 0; k < Batch::lanes; ++k) samples.push_back(random_sample(*system, rng));
  samples[3].y[1] = std::nan("");
  std::vector<std::vector<double>> alone;
  for (const SampleState& s : samples) {
    estimate(estimator, s, out);
    check_beside_solves(estimator, options.covariances);
    alone.push_back(estimator.covariances());
  }
  std::vector<Estimator::Inputs> inputs;
  for (const SampleState& s : samples) inputs.push_back({s.q.data(), s.v.data(), s.y.data()});
  estimator.prepare(inputs.data(), Batch::lanes);
  for (int k = 0; k < Batch::lanes; ++k) {
    REQUIRE(estimator.take(k, out.data()).ok());
    for (std::size_t i = 0; i < alone[0].size(); ++i)
      CHECK(estimator.covariances()[i] == Approx(alone[static_cast<std::size_t>(k)][i]).epsilon(1e-9).margin(1e-14));
    check_beside_solves(estimator, options.covariances);
  }
  // known offsets are in common: no sweep knows of them
  TakenOff offsets;
  offsets.rows = {system->measurements().front().first_row};
  offsets.value = {0.1}, offsets.covariance = {0.04};
  estimator.take_off(offsets);
  estimate(estimator, samples[0], out);
  check_beside_solves(estimator, options.covariances);
  CHECK(estimator.covariances() != alone[0]);
}

TEST_CASE("a quantity's covariance with itself is its variance, whatever enters that") {
  SensorSet set = redundant_set(false);
  set.position_sigma = {{{"*"}, 1e-2}}, set.velocity_sigma = {{{"*"}, 3e-2}};
  const Model model = test::random_tree(5, 4);
  const auto system = std::make_shared<const System>(model, set);
  EstimatorOptions options;
  options.outputs = {"tau", "acc"}, options.standard_deviations = true;
  const Outputs outputs(*system, options.outputs);
  for (const std::string& name : outputs.columns()) options.covariances.emplace_back(name, name);
  Estimator estimator(system, test::quick_plan(*system), options);
  const int row = system->measurements().front().first_row;
  estimator.take_off({{row, row + 1}, {0.4, 0.1}, {0.02, 0.01, 0.01, 0.03}});
  std::mt19937 rng(8);
  std::vector<double> out;
  estimate(estimator, random_sample(*system, rng), out);
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double sd = estimator.standard_deviations()[c];
    CHECK(std::abs(estimator.covariances()[c] - sd * sd) <= 1e-9 * std::max(1.0, sd * sd));
  }
}

/// Outputs are linear in the offsets, t = −∂o/∂b, so that these add t_aᵀ C t_b.
TEST_CASE("offsets add to covariances what outputs have in common of them") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options;
  options.outputs = {"tau"};
  const std::vector<std::string> names = Outputs(*system, options.outputs).columns();
  options.covariances = {{names[0], names[1]}, {names[2], names[0]}};
  Estimator plain(system, plan, options), off(system, plan, options);
  const int row = system->measurements().front().first_row;
  const double c00 = 0.3, c01 = -0.1, c11 = 0.2;
  off.take_off({{row, row + 1}, {0, 0}, {c00, c01, c01, c11}});
  std::mt19937 rng(8);
  const SampleState s = random_sample(*system, rng);
  std::vector<double> out, by_first, by_second, with;
  estimate(plain, s, out);
  const std::vector<double> without = plain.covariances();
  plain.take_off({{row, row + 1}, {-1, 0}, {}});
  estimate(plain, s, by_first);
  plain.take_off({{row, row + 1}, {0, -1}, {}});
  estimate(plain, s, by_second);
  estimate(off, s, with);
  const auto t = [&](std::size_t c) { return std::make_pair(by_first[c] - out[c], by_second[c] - out[c]); };
  const auto added = [&](std::size_t a, std::size_t b) {
    return t(a).first * (c00 * t(b).first + c01 * t(b).second) + t(a).second * (c01 * t(b).first + c11 * t(b).second);
  };
  CHECK(off.covariances()[0] - without[0] == Approx(added(0, 1)).epsilon(1e-8).margin(1e-12));
  CHECK(off.covariances()[1] - without[1] == Approx(added(2, 0)).epsilon(1e-8).margin(1e-12));
  CHECK(std::abs(added(0, 1)) > 1e-6);
}

TEST_CASE("an uncertain state adds to covariances what outputs have in common of it") {
  SensorSet set = redundant_set(false);
  const Model model = test::random_tree(4, 6);
  const auto exact = std::make_shared<const System>(model, set);
  set.position_sigma = {{{"*"}, 2e-2}};
  const auto system = std::make_shared<const System>(model, set);
  EstimatorOptions options;
  options.outputs = {"tau"};
  const std::vector<std::string> names = Outputs(*system, options.outputs).columns();
  options.covariances = {{names[0], names[1]}};
  options.derivatives = true;
  Estimator without(exact, test::quick_plan(*exact), options), with(system, test::quick_plan(*system), options);
  std::mt19937 rng(8);
  const SampleState s = random_sample(*system, rng);
  std::vector<double> out;
  estimate(without, s, out), estimate(with, s, out);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<double> by_q(out.size() * nv);
  DerivativeArrays into{};
  into.dq = by_q.data();
  REQUIRE(without.derivatives(into).ok());
  double added = 0;
  for (std::size_t k = 0; k < nv; ++k) added += by_q[k] * by_q[nv + k] * 2e-2 * 2e-2;
  CHECK(with.covariances()[0] - without.covariances()[0] == Approx(added).epsilon(1e-9));
}

TEST_CASE("rank decisions at a state give the covariances of a planned order") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  EstimatorOptions options;
  options.outputs = {"tau", "ddq"};
  const Outputs outputs(*system, options.outputs);
  options.covariances = {{outputs.columns()[0], outputs.columns()[5]}, {outputs.columns()[2], outputs.columns()[3]}};
  Estimator estimator(system, test::quick_plan(*system), options);
  const TakenOff off{{system->measurements().front().first_row}, {0.2}, {0.1}};
  estimator.take_off(off);
  std::mt19937 rng(8);
  const SampleState s = random_sample(*system, rng);
  std::vector<double> out;
  estimate(estimator, s, out);
  const StateEstimate found = estimate_at_state(*system, outputs, test::sigmas(estimator), s.q.data(), s.v.data(), s.y.data(),
                                                off, true, {{0, 5}, {2, 3}});
  REQUIRE(found.covariances.size() == 2);
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(found.covariances[k] == Approx(estimator.covariances()[k]).epsilon(1e-7).margin(1e-10));
}

TEST_CASE("pairs that are no pairs of outputs are refused") {
  const auto system = std::make_shared<const System>(test::random_tree(3, 2), redundant_set(false));
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options;
  options.covariances = {{"tau", "tau"}};
  CHECK_THROWS_WITH(Estimator(system, plan, options), Catch::Contains("stands for 3 outputs"));
  options.covariances = {{"tau.joint1", "tau.elbw"}};
  CHECK_THROWS_AS(Estimator(system, plan, options), UnknownOutput);
  options.covariances = {};
  Estimator estimator(system, plan, options);
  CHECK(estimator.covariances().empty());
  CHECK_THROWS_AS(estimator.covariance({{"tau.joint1", "tau.joint1"}}), std::logic_error);
}
