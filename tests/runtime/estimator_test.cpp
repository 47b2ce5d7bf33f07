#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using test::check_against_reference;
using test::random_sample;
using test::redundant_set;
using test::with_deviations;
using State = test::SampleState;

TEST_CASE("a redundant set gives the dense weighted estimate and its deviations") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const bool floating = seed % 2;
    test::TreeOptions tree;
    tree.floating = floating;
    const auto system =
        std::make_shared<const System>(test::random_tree(3 + static_cast<int>(seed), seed, tree), redundant_set(floating));
    Estimator estimator(system, test::quick_plan(*system), with_deviations());
    std::mt19937 rng(seed);
    for (int k = 0; k < 3; ++k) check_against_reference(estimator, random_sample(*system, rng));
  }
}

TEST_CASE("a pivot that is not divided by, for another cell holds its inverse, is none that vanishes") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const auto system = std::make_shared<const System>(test::random_tree(4, seed), redundant_set(false));
    Estimator estimator(system, test::quick_plan(*system), with_deviations());
    std::mt19937 rng(seed);
    check_against_reference(estimator, random_sample(*system, rng));
  }
}

TEST_CASE("noise may change and measurements may be missing under the same plan") {
  const auto system = std::make_shared<const System>(test::random_tree(5, 3), redundant_set(false));
  Estimator estimator(system, plan_estimator(*system),
                      with_deviations());  // few states do not find an order that stands the gap
  std::mt19937 rng(7);
  State s = random_sample(*system, rng);
  const Measurement& first = system->measurements().front();
  CHECK(estimator.set_sigma(first.first_row, 2.5));
  check_against_reference(estimator, s);
  s.y[first.inputs[0]] = std::numeric_limits<double>::quiet_NaN();
  check_against_reference(estimator, s);
  CHECK(estimator.replanned() == 0);
}

TEST_CASE("an estimator that was moved still tells of its last sample") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 2), redundant_set(false));
  Estimator first(system, test::quick_plan(*system), with_deviations());
  std::mt19937 rng(5);
  const State s = random_sample(*system, rng);
  std::vector<double> out(first.output_columns().size());
  REQUIRE(first.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  const std::vector<double> unknowns(first.unknowns(), first.unknowns() + system->pattern().columns);
  const std::vector<double> deviations = first.standard_deviations();
  const Estimator second = std::move(first);
  CHECK(std::vector<double>(second.unknowns(), second.unknowns() + system->pattern().columns) == unknowns);
  CHECK(second.standard_deviations() == deviations);
}

TEST_CASE("priors enter with their precision") {
  SensorSet set = redundant_set(false);
  set.prior = {{"ddq", 3.0}, {"fx", 0.5}};
  const auto system = std::make_shared<const System>(test::random_tree(4, 11), set);
  Estimator estimator(system, test::quick_plan(*system), with_deviations());
  std::mt19937 rng(1);
  check_against_reference(estimator, random_sample(*system, rng));
}

TEST_CASE("a sample that leaves something open gives the rest and says what is open") {
  SensorSet set = redundant_set(false);
  set.sensors.erase(set.sensors.begin() + 1);  // torques and wrenches only: as many rows as unknowns
  const auto system = std::make_shared<const System>(test::random_tree(3, 5), set);
  EstimatorOptions options = with_deviations();
  options.outputs = {"ddq", "tau"};
  options.replan = [&](const std::vector<char>& missing) { return test::quick_plan(*system, missing); };
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(2);
  State s = random_sample(*system, rng);
  std::vector<double> out(6);
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  for (int c = 0; c < 6; ++c) CHECK(estimator.determined(c));
  const double torque = out[4];
  const Measurement& motor = system->measurements().front();
  s.y[motor.inputs[0]] = std::numeric_limits<double>::quiet_NaN();  // tau of the first joint
  const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  REQUIRE(status.ok());
  CHECK(estimator.replanned() == 1);
  CHECK(status.missing == 1);
  CHECK_FALSE(estimator.determined(0));
  CHECK(std::isnan(out[0]));
  CHECK_FALSE(estimator.determined(3));
  CHECK(estimator.determined(4));
  CHECK(out[4] == Approx(torque).epsilon(1e-10));
}

TEST_CASE("exact rows that follow from each other are named and refused") {
  SensorSet set = redundant_set(false);
  for (Sensor& s : set.sensors) s.sigma = {};
  const System system(test::random_tree(2, 1), set);
  try {
    plan_estimator(system);
    FAIL("accepted");
  } catch (const RedundantExactRows& error) {
    CHECK(std::string(error.what()).find("y.motors") != std::string::npos);
    CHECK_FALSE(error.rows.empty());
  }
}

TEST_CASE("estimates take no heap") {
  const auto system = std::make_shared<const System>(test::random_tree(4, 9), redundant_set(false));
  EstimatorOptions options = with_deviations();
  options.innovations = true;
  options.outputs = {"tau"};
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(4);
  const State s = random_sample(*system, rng);
  std::vector<double> out(4);
  const long before = test::allocations();
  const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  const long after = test::allocations();
  CHECK(status.ok());
  CHECK(after == before);
}
