// Orders do not follow rounding: what another compiler, flag or machine rounds otherwise ends in the same orders.
#include "ordering/reproducible_samples.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "runtime/system_samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What another machine might make of these samples: each number a few roundings beside, each that is rounding another.
Samples rounded_otherwise(const Samples& samples, const UnitEntries& unit, int rows, unsigned seed) {
  Samples other = samples;
  const auto disturbed = [unit, rows](const auto& fill, unsigned first_seed) {
    return [=](int s, double* values, double* right_side) {
      fill(s, values, right_side);
      std::mt19937 rng(first_seed + static_cast<unsigned>(s));
      const auto disturb = [&](double& x) {
        const double roundings = uniform_draw(rng, -4, 4);
        x = std::abs(x) < 1e-15 && x != 0 ? roundings * 1e-17 : x * (1 + roundings * epsilon);
      };
      for (std::size_t e = 0; e < unit.size(); ++e)
        if (unit[e] == 0) disturb(values[e]);
      for (int r = 0; r < rows; ++r) disturb(right_side[r]);
    };
  };
  other.fill = disturbed(samples.fill, 10000 * seed);
  other.moved = disturbed(samples.moved, 10000 * seed + 5000);
  return other;
}

OptimiseResult searched(const System& system, unsigned seed) {
  OrderingProblem problem;
  problem.pattern = system.pattern();
  problem.unit = unit_entries(system);
  const int rows = problem.pattern.rows;
  problem.samples =
      reproducible(rounded_otherwise(samples_of(system, 40), problem.unit, rows, seed), problem.pattern.entries(), rows);
  OptimiseOptions options;
  options.budget = 60;  // the steps end it
  options.search_steps = 400;
  return optimise_order(problem, options);
}

}  // namespace

TEST_CASE("Numbers are rounded as single precision rounds them, whatever their size") {
  std::mt19937 rng(3);
  for (int k = 0; k < 10000; ++k) {
    const double x = uniform_draw(rng, -1e3, 1e3);
    CHECK(in_single_precision(x) == static_cast<double>(static_cast<float>(x)));
  }
  CHECK(in_single_precision(0.0) == 0.0);
  CHECK(in_single_precision(-1.0) == -1.0);
  CHECK(in_single_precision(1 - 0x1p-40) == 1.0);
  CHECK(in_single_precision(std::ldexp(1 + 0x1p-30, 700)) == std::ldexp(1.0, 700));
  CHECK(std::isnan(in_single_precision(std::numeric_limits<double>::quiet_NaN())));
  CHECK(in_single_precision(std::numeric_limits<double>::infinity()) == std::numeric_limits<double>::infinity());
  CHECK(in_single_precision(std::numeric_limits<double>::max()) == std::numeric_limits<double>::max());
}

TEST_CASE("Samples that are rounded otherwise are the same samples, without what is rounding alone") {
  const System system(load_urdf(source_folder() + "/robots/arm.urdf"), forward_dynamics_set());
  const UnitEntries unit = unit_entries(system);
  const int entries = system.pattern().entries(), rows = system.pattern().rows;
  const Samples plain = samples_of(system, 20);
  const Samples one = reproducible(rounded_otherwise(plain, unit, rows, 1), entries, rows),
                two = reproducible(rounded_otherwise(plain, unit, rows, 2), entries, rows);
  std::vector<double> a(entries), b(rows), c(entries), d(rows), exact(entries), right_side(rows);
  int cleared_numbers = 0;
  for (int s = 0; s < plain.count; ++s) {
    for (int again = 0; again < 2; ++again) one.fill(s, a.data(), b.data());
    two.fill(s, c.data(), d.data());
    plain.fill(s, exact.data(), right_side.data());
    for (int e = 0; e < entries; ++e) {
      INFO("state " << s << ", entry " << e << ", exactly " << exact[e]);
      CHECK(a[e] == c[e]);
    }
    CHECK(b == d);
    for (int e = 0; e < entries; ++e) {
      CHECK(std::abs(a[e] - exact[e]) <= 0x1p-24 * std::abs(exact[e]) + 1e-14);
      cleared_numbers += a[e] == 0 && exact[e] != 0;
    }
  }
  CHECK(cleared_numbers > 0);  // cosines of π/2
}

TEST_CASE("Every strategy's order, its counts and the choice are the same for samples that are rounded otherwise") {
  std::vector<Model> robots{random_tree(6, 5), load_urdf(source_folder() + "/robots/arm.urdf")};
  TreeOptions tree;
  tree.floating = true;
  robots.push_back(random_tree(8, 3, tree));
  for (const Model& robot : robots) {
    const System system(robot, forward_dynamics_set());
    const OptimiseResult first = searched(system, 0);
    for (unsigned seed : {1u, 2u, 3u}) {
      const OptimiseResult other = searched(system, seed);
      REQUIRE(other.strategies.size() == first.strategies.size());
      for (std::size_t k = 0; k < first.strategies.size(); ++k) {
        INFO(first.strategies[k].strategy);
        CHECK(other.strategies[k].strategy == first.strategies[k].strategy);
        CHECK(other.strategies[k].order.rows == first.strategies[k].order.rows);
        CHECK(other.strategies[k].order.columns == first.strategies[k].order.columns);
        CHECK(other.strategies[k].flops() == first.strategies[k].flops());
        CHECK(other.strategies[k].health.worst_backward_error == first.strategies[k].health.worst_backward_error);
      }
      CHECK(other.plan.strategy == first.plan.strategy);
      CHECK(other.plan.fallback.has_value() == first.plan.fallback.has_value());
    }
  }
}

TEST_CASE("Draws are those of the standard's engines, uniform and normal") {
  std::mt19937 rng(7);
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0, fourths = 0;
  const int n = 200000;
  NormalDraw<std::mt19937> normal(rng);
  for (int k = 0; k < n; ++k) {
    const double u = unit_draw(rng), x = normal();
    REQUIRE((u >= 0 && u < 1));
    sum += u, squares += u * u, normal_sum += x, normal_squares += x * x, fourths += x * x * x * x;
  }
  CHECK(sum / n == Approx(0.5).margin(0.004));
  CHECK(squares / n == Approx(1.0 / 3).margin(0.004));
  CHECK(normal_sum / n == Approx(0).margin(0.012));
  CHECK(normal_squares / n == Approx(1).margin(0.02));
  CHECK(fourths / n == Approx(3).margin(0.15));
#ifdef __GLIBCXX__  // the states that health was sampled at before stay
  std::mt19937 ours(5), theirs(5);
  NormalDraw<std::mt19937> draw(ours);
  std::normal_distribution<double> distribution;
  for (int k = 0; k < 1000; ++k) CHECK(draw() == Approx(distribution(theirs)).epsilon(1e-14));
  std::minstd_rand engine(3), same(3);
  for (int k = 0; k < 1000; ++k)
    CHECK(uniform_draw(engine, -2, 8) == Approx(std::uniform_real_distribution<double>(-2, 8)(same)).margin(1e-14));
#endif
}
