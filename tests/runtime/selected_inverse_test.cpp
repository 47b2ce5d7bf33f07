// Entries of inverses by the sweep, beside the dense inverse in arithmetic of more digits.
#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "random_systems.hpp"
#include "redundant_set.hpp"
#include "reference.hpp"
#include "runtime/system_samples.hpp"
#include "sparse/inverse/cheapest_sweep.hpp"
#include "sparse/inverse/inverse_program.hpp"
#include "sparse/inverse/moved_entries.hpp"
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

Matrix dense_inverse(const Pattern& pattern, const double* values) {
  Matrix A = Matrix::Zero(pattern.rows, pattern.columns);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) A(r, pattern.column[e]) = values[e];
  return A.fullPivLu().inverse();
}

double entry(const InverseProgram& program, const double* cells, std::size_t k) {
  return program.at[k] < 0 ? 0.0 : cells[program.at[k]];
}

std::vector<InverseEntry> all_entries(int n) {
  std::vector<InverseEntry> entries;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) entries.push_back({c, r});
  return entries;
}

}  // namespace

TEST_CASE("every entry of the inverse of a random matrix follows by the sweep") {
  const int n = GENERATE(1, 2, 7, 30);
  const double density = GENERATE(0.0, 0.05, 0.3);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const test::RandomSystem system = test::random_system(n, density, seed);
    const Plan plan = make_plan(system.pattern, system.order);
    const std::vector<InverseEntry> wanted = all_entries(n);
    const InverseProgram program = inverse_program(plan, wanted);
    ZeroFillLU<double> lu(plan, program.cells);
    REQUIRE(lu.factor(system.values.data()).ok());
    run(program.sweep, lu.values());
    const Matrix inverse = dense_inverse(system.pattern, system.values.data());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const double expected = static_cast<double>(inverse(wanted[k].column, wanted[k].row));
      CHECK(std::abs(entry(program, lu.values(), k) - expected) <= 1e-13);
    }
  }
}

TEST_CASE("entries on the pattern's transpose cost about as much as the factorisation") {
  const test::RandomSystem system = test::random_system(60, 0.03, 4);
  const Plan plan = make_plan(system.pattern, system.order);
  std::vector<InverseEntry> wanted;
  for (int r = 0; r < system.pattern.rows; ++r)
    for (int e = system.pattern.row_start[r]; e < system.pattern.row_start[r + 1]; ++e)
      wanted.push_back({system.pattern.column[e], r});
  const InverseProgram program = inverse_program(plan, wanted);
  CHECK(program.sweep.flops.total() <= 3 * plan.factor_flops().total());
}

TEST_CASE("a sweep in lanes is that of each sample to the last bit, without the heap") {
  const test::RandomSystem system = test::random_system(40, 0.06, 8);
  const Plan plan = make_plan(system.pattern, system.order);
  const std::vector<InverseEntry> wanted = all_entries(40);
  const InverseProgram program = inverse_program(plan, wanted);
  LUInLanes lanes(plan, widest_vectors(), program.cells);
  std::vector<ZeroFillLU<double>> alone(Batch::lanes, ZeroFillLU<double>(plan, program.cells));
  for (int k = 0; k < Batch::lanes; ++k)
    for (int e = 0; e < system.pattern.entries(); ++e)
      lanes.values()[e].lane[k] = alone[k].values()[e] = system.values[e] * (1 + 0.01 * k * (e % 3));
  const long taken = test::allocations_of([&] {
    lanes.factor();
    lanes.replay(program.sweep);
    for (ZeroFillLU<double>& lu : alone) {
      lu.factor();
      run(program.sweep, lu.values());
    }
  });
  CHECK(taken == 0);
  for (int k = 0; k < Batch::lanes; ++k)
    for (std::size_t z = 0; z < wanted.size(); ++z)
      if (program.at[z] >= 0) CHECK(lanes.values()[program.at[z]].lane[k] == alone[k].values()[program.at[z]]);
}

TEST_CASE("entries of an augmented system are those of its dense inverse, and equal across the diagonal") {
  const bool floating = GENERATE(false, true);
  test::TreeOptions tree;
  tree.floating = floating;
  const System system(test::random_tree(5, 11, tree), test::redundant_set(floating));
  const auto plan = test::quick_plan(system);
  const Plan& of = plan->plan;
  const int m = plan->augmented.equations(), n = plan->augmented.unknowns();
  std::vector<InverseEntry> wanted;
  for (int u = 0; u < n; ++u) wanted.push_back({u, m + u});
  for (int r = 0; r < m; ++r) wanted.push_back({n + r, r});
  for (int u = 1; u < n; ++u) wanted.push_back({u, m + u - 1}), wanted.push_back({u - 1, m + u});
  const InverseProgram program = inverse_program(of, wanted);
  CHECK(10 * program.sweep.flops.total() < (m + n) * of.solve_flops().total());
  ZeroFillLU<double> lu(of, program.cells);
  const Samples samples = augmented_samples(system, *plan, 3);
  for (int s = 0; s < 6; ++s) {
    samples.fill(state_in_turn(samples, s), lu.values(), lu.right_side());
    REQUIRE(lu.factor().ok());
    if (program.needs_complete) run(of.program.complete, lu.values());
    run(program.sweep, lu.values());
    const Matrix inverse = dense_inverse(of.pattern, lu.values());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const double expected = static_cast<double>(inverse(wanted[k].column, wanted[k].row));
      CHECK(std::abs(entry(program, lu.values(), k) - expected) <= 1e-10 * std::max(1.0, std::abs(expected)));
    }
    for (std::size_t k = static_cast<std::size_t>(n + m); k < wanted.size(); k += 2) CHECK(program.at[k] == program.at[k + 1]);
  }
}

TEST_CASE("few entries are left to solves where these take fewer operations") {
  const test::RandomSystem system = test::random_system(80, 0.02, 3);
  const Plan plan = make_plan(system.pattern, system.order);
  std::vector<EntryGroup> groups;
  for (int k = 0; k < 80; ++k) groups.push_back({{system.order.columns[k], system.order.rows[k]}});
  const std::vector<char> all = worth_sweeping(plan, groups);
  CHECK(std::count(all.begin(), all.end(), char(1)) > 70);
  EntryGroup column;
  for (int c = 0; c < 80; ++c) column.push_back({c, system.order.rows[0]});
  const std::vector<InverseEntry> wanted(column.begin(), column.end());
  const bool is_cheaper = 2 * static_cast<long>(selected_entries(plan.pattern, plan.order, plan.elimination,
                                                                 plan.program.factors.divides_upper, wanted)
                                                    .terms.size()) <=
                          plan.solve_flops().total();
  CHECK((worth_sweeping(plan, {column})[0] != 0) == is_cheaper);
}

TEST_CASE("entries are moved by roundings and into other units alike across the diagonal") {
  const System system(test::random_tree(3, 2), test::redundant_set(false));
  const auto plan = test::quick_plan(system);
  const Pattern& pattern = plan->plan.pattern;
  const MovedEntries moved = moved_entries(pattern, plan->plan.unit, GENERATE(17u, 23u));
  Matrix A = Matrix::Zero(pattern.rows, pattern.columns);
  std::vector<int> index(static_cast<std::size_t>(pattern.columns));
  for (int r = 0; r < pattern.rows; ++r) index[static_cast<std::size_t>(pattern.partner[r])] = r;
  int kept = 0, changed = 0;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      const auto other = static_cast<std::size_t>(index[static_cast<std::size_t>(pattern.column[e])]);
      A(r, static_cast<Eigen::Index>(other)) = moved.factor[e];
      const double unit = moved.unit[static_cast<std::size_t>(r)] * moved.unit[other];
      CHECK(std::abs(moved.factor[e] / unit - 1) <= 2e-15);
      CHECK(std::abs(moved.factor[e] / unit - 1) >= 2e-16);
      const bool is_unit = plan->plan.unit[static_cast<std::size_t>(e)] != 0;
      if (is_unit) CHECK(std::abs(moved.factor[e] - 1) <= 1e-15);
      kept += is_unit, changed += std::abs(unit - 1) > 0.01;
    }
  CHECK(A == A.transpose());
  CHECK((kept > 0 && changed > pattern.entries() / 10));
  for (double unit : moved.unit) CHECK((unit > 0.5 && unit < 2));
}

TEST_CASE("each row that shares no unit with another one is moved into a unit of its own") {
  Pattern diagonal;
  diagonal.rows = diagonal.columns = 4;
  diagonal.row_start = {0, 1, 2, 3, 4}, diagonal.column = diagonal.partner = {0, 1, 2, 3};
  std::vector<double> units = moved_entries(diagonal, {}, 17).unit;
  for (double unit : units) CHECK((unit > 1.05 && unit < 2));
  std::sort(units.begin(), units.end());
  CHECK(std::adjacent_find(units.begin(), units.end()) == units.end());
}

TEST_CASE("deviations keep their digits where sigmas span many decades") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> decade(-4, 4);
  SensorSet set = test::redundant_set(false);
  for (Sensor& s : set.sensors)
    for (double& sigma : s.sigma) sigma = std::pow(10.0, decade(rng));
  const auto system = std::make_shared<const System>(test::random_tree(4, seed), set);
  const auto plan = test::quick_plan(*system);
  EstimatorOptions options;
  options.standard_deviations = options.innovations = true;
  Estimator estimator(system, plan, options);
  const int m = plan->augmented.equations(), n = plan->augmented.unknowns();
  const Samples samples = augmented_samples(*system, *plan, 6);
  std::vector<double> values(plan->plan.pattern.column.size()), right(static_cast<std::size_t>(m + n)),
      out(estimator.output_columns().size());
  const std::vector<double> v(static_cast<std::size_t>(system->model().nv), 0.0), y(system->inputs().size(), 0.5);
  constexpr double rounding = 1e-10;  // of the dense inverse, where exact rows fix an unknown
  int answered = 0;
  for (int s = 0; s < 6; ++s) {
    const std::vector<double> q = samples.state(s);
    if (!estimator.estimate(q.data(), v.data(), y.data(), out.data()).ok()) continue;
    ++answered;
    samples.fill(s, values.data(), right.data());
    const Matrix inverse = dense_inverse(plan->plan.pattern, values.data());
    for (int u = 0; u < n; ++u) {
      const double expected = std::sqrt(static_cast<double>(std::max(0.0L, -inverse(u, m + u))));
      const double found = estimator.standard_deviations()[static_cast<std::size_t>(u)];
      CHECK(std::abs(found - expected) <= (found == 0 ? rounding : 1e-8 * expected));
    }
  }
  CHECK(answered > 0);
}
