// Indices, sizes, deviations and pointers that make no sense: a status or an exception, never a crash or a number.
#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using test::random_sample;
using test::redundant_set;
using test::with_deviations;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double endlessly = std::numeric_limits<double>::infinity();

struct FourJoints {
  std::shared_ptr<const System> system = std::make_shared<const System>(test::random_tree(4, 3), redundant_set(false));
  std::shared_ptr<const EstimatorPlan> plan = test::quick_plan(*system);
  EstimatorOptions options = with_deviations();
  int rows = system->pattern().rows;
  int noisy = system->measurements().front().first_row;
};

std::vector<double> estimate(Estimator& estimator, const test::SampleState& s) {
  std::vector<double> out(estimator.output_columns().size());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
  return out;
}

}  // namespace

TEST_CASE("a deviation that is none, or of a row that has none, is refused and changes nothing") {
  FourJoints f;
  Estimator estimator(f.system, f.plan, f.options);
  std::mt19937 rng(1);
  const test::SampleState s = random_sample(*f.system, rng);
  const std::vector<double> before = estimate(estimator, s);
  const double sigma = estimator.sigma(f.noisy);
  for (double wrong : {0.0, -0.0, -1.0, not_a_number, endlessly, -endlessly, 1e-310, 1e-101, 1e101}) {
    INFO(wrong);
    CHECK(!estimator.set_sigma(f.noisy, wrong));
  }
  for (int row : {-1, -1000000, f.rows, f.rows + 1000000, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    INFO(row);
    CHECK(!estimator.set_sigma(row, 1.0));
    CHECK_THROWS_AS(estimator.sigma(row), std::out_of_range);
    CHECK_THROWS_AS(estimator.weight(row), std::out_of_range);
    CHECK_THROWS_AS(estimator.residual(row), std::out_of_range);
    CHECK_THROWS_AS(estimator.determined(row), std::out_of_range);
  }
  int exact = 0;
  for (int r = 0; r < f.rows; ++r)
    if (!(estimator.sigma(r) > 0)) {  // an equation of motion, or an exact sensor
      CHECK(!estimator.set_sigma(r, 1.0));
      CHECK(estimator.sigma(r) == 0);
      ++exact;
    }
  CHECK(exact > 0);
  CHECK(estimator.sigma(f.noisy) == sigma);
  CHECK(estimate(estimator, s) == before);
  CHECK(test::allocations_of([&] { CHECK(estimator.set_sigma(f.noisy, 2 * sigma)); }) == 0);
  CHECK(estimator.sigma(f.noisy) == 2 * sigma);
}

TEST_CASE("a batch refuses samples that were not prepared") {
  FourJoints f;
  std::mt19937 rng(2);
  const test::SampleState s = random_sample(*f.system, rng);
  const std::vector<Estimator::Inputs> inputs(Batch::lanes + 3, {s.q.data(), s.v.data(), s.y.data()});
  for (bool in_batches : {false, true}) {
    f.options.in_batches = in_batches;
    Estimator estimator(f.system, f.plan, f.options);
    std::vector<double> out(estimator.output_columns().size(), 7.0);
    const std::vector<double> untouched = out;
    for (int count : {-1, 0, 1, Batch::lanes + 3}) {
      estimator.prepare(inputs.data(), count);
      const int prepared = in_batches ? std::max(0, std::min<int>(count, Batch::lanes)) : 0;
      for (int k : {-1, prepared, Batch::lanes, 1000000}) {
        out = untouched;
        const EstimateStatus status = estimator.take(k, out.data());
        CHECK(status.state == LUState::no_sample);
        CHECK(estimator.describe(status) == "no such sample was prepared");
        CHECK(out == untouched);
      }
      if (prepared > 0) CHECK(estimator.take(prepared - 1, out.data()).ok());
    }
  }
}

TEST_CASE("before the first sample nothing is projected, and no status of another system is described by wrong names") {
  FourJoints f;
  Estimator estimator(f.system, f.plan, f.options);
  std::vector<double> residual(static_cast<std::size_t>(f.rows), 7.0);
  const std::vector<double> zero(residual.size(), 0.0);
  estimator.project(residual.data(), residual.data());
  CHECK(residual == zero);
  EstimateStatus status;
  status.state = LUState::zero_pivot, status.unknown = 1000000;
  CHECK(estimator.describe(status) == "the measurements do not determine an unknown at this state");
  status.state = LUState::not_finite_input, status.equation = 1000000;
  CHECK_THAT(estimator.describe(status), Catch::Contains("of the estimate"));
}

TEST_CASE("a missing system, a missing plan and unknown outputs are refused") {
  FourJoints f;
  CHECK_THROWS_AS(Estimator(nullptr, f.plan, f.options), std::invalid_argument);
  CHECK_THROWS_AS(Estimator(f.system, nullptr, f.options), std::invalid_argument);
  CHECK_THROWS_AS(Solver(nullptr, std::make_shared<const Plan>()), std::invalid_argument);
  CHECK_THROWS_AS(Solver(f.system, nullptr), std::invalid_argument);
  const Outputs outputs(*f.system, {"tau"});
  CHECK_THROWS_AS(outputs.unknowns_of(-1), std::out_of_range);
  CHECK_THROWS_AS(outputs.unknowns_of(static_cast<int>(outputs.columns().size())), std::out_of_range);
}

TEST_CASE("sets written in C++ are held to what files may say") {
  const Model model = test::random_tree(4, 3);
  const auto refused = [&](auto&& change, const char* words) {
    SensorSet set = redundant_set(false);
    change(set);
    CHECK_THROWS_AS(System(model, set), InputError);
    CHECK_THROWS_WITH(System(model, set), Catch::Contains(words));
  };
  for (double wrong : {-1.0, not_a_number, endlessly, 1e-200})
    refused([&](SensorSet& set) { set.sensors.front().sigma = {wrong}; }, "sigma");
  refused([](SensorSet& set) { set.sensors.front().value = {not_a_number}; }, "the value nan");
  refused([](SensorSet& set) { set.prior = {{"ddq", 0.0}}; }, "prior ddq");
  refused([](SensorSet& set) { set.prior = {{"ddq", not_a_number}}; }, "prior ddq");
  refused([](SensorSet& set) { set.prior = {{"qdd", 1.0}}; }, "near: ddq");
}
