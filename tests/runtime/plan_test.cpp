#include "sparsedyn/sparse/plan.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "random_systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("Static L and U are those of a dense boolean elimination") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 4 + 2 * static_cast<int>(seed);
    const RandomSystem system = random_system(n, 0.06, seed);
    std::vector<std::vector<char>> filled(n, std::vector<char>(n, 0));
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int* begin = system.pattern.column.data() + system.pattern.row_start[system.order.rows[k]];
        const int* end = system.pattern.column.data() + system.pattern.row_start[system.order.rows[k] + 1];
        filled[k][j] = std::find(begin, end, system.order.columns[j]) != end;
      }
    for (int k = 0; k < n; ++k)
      for (int i = k + 1; i < n; ++i)
        for (int j = k + 1; j < n; ++j) filled[i][j] = filled[i][j] || (filled[i][k] && filled[k][j]);
    const Elimination lu = eliminate(system.pattern, system.order);
    int entries = 0;
    for (int k = 0; k < n; ++k) {
      std::vector<int> lower, upper;
      for (int j = 0; j < n; ++j)
        if (filled[k][j] && j != k) (j < k ? lower : upper).push_back(j);
      CHECK(lower == std::vector<int>(lu.lower.begin() + lu.lower_start[k], lu.lower.begin() + lu.lower_start[k + 1]));
      CHECK(upper == std::vector<int>(lu.upper.begin() + lu.upper_start[k], lu.upper.begin() + lu.upper_start[k + 1]));
      entries += static_cast<int>(lower.size() + upper.size()) + 1;
    }
    CHECK(lu.fill == entries - system.pattern.entries());
  }
}

TEST_CASE("A full matrix costs what the textbook says") {
  for (long n : {1, 2, 5, 9}) {
    const RandomSystem system = random_system(static_cast<int>(n), 1.0, 1);
    const Plan plan = make_plan(system.pattern, system.order);
    // Golub & Van Loan, 3.2: n³/3 − n/3 products with the divisions, of which n are reciprocals here
    CHECK(plan.factor_flops() == Flops{(n * n * n - n) / 3, n * (n - 1) * (2 * n - 1) / 6, n});
    CHECK(plan.solve_flops() == Flops{n * n, n * n - n, 0});
    CHECK(plan.elimination.fill == 0);
  }
}

TEST_CASE("Orders that are not permutations are refused") {
  const Pattern pattern{2, 2, {0, 2, 3}, {0, 1, 0}};
  CHECK_NOTHROW(make_plan(pattern, {{1, 0}, {0, 1}}));
  CHECK_THROWS_AS(make_plan(pattern, {{0, 1}, {1}}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan(pattern, {{0, 0}, {0, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan(pattern, {{0, 1}, {0, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan(pattern, {{0, 1}, {-1, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan({2, 3, {0, 1, 2}, {0, 1}}, {{0, 1}, {0, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan(pattern, {{0, 1}, {1, 0}}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(make_plan(pattern, {{0, 1}, {1, 0}}, {}, {2}), std::invalid_argument);
}

TEST_CASE("A pivot that is zero at every state names its column") {
  const Pattern diagonal{2, 2, {0, 1, 2}, {0, 1}};
  try {
    eliminate(diagonal, {{0, 1}, {1, 0}});
    FAIL("accepted");
  } catch (const ZeroPivot& zero) {
    CHECK(zero.position == 0);
    CHECK(zero.column == 1);
  }
}
