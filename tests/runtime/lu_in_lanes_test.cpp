// Each lane beside a ZeroFillLU of its own: not nearly equal, but equal.
#include "sparsedyn/sparse/detail/lu_in_lanes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "random_systems.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::vector<VectorSet> all_vectors() {
  std::vector<VectorSet> all{VectorSet::portable};
  if (widest_vectors() >= VectorSet::avx2) all.push_back(VectorSet::avx2);
  if (widest_vectors() >= VectorSet::avx512) all.push_back(VectorSet::avx512);
  return all;
}

/// Matrices of one pattern, and right-hand sides.
struct Scaled {
  std::vector<std::vector<double>> values, right_sides;
};

/// The system's numbers, each sample's scaled by something of its own.
Scaled scaled_samples(const RandomSystem& system, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> factor(0.8, 1.25);
  Scaled samples{{Batch::lanes, system.values}, {Batch::lanes, system.right_side}};
  for (auto* part : {&samples.values, &samples.right_sides})
    for (std::vector<double>& sample : *part)
      for (double& x : sample) x *= factor(rng);
  return samples;
}

void load(const Scaled& samples, LUInLanes& lu) {
  for (int k = 0; k < Batch::lanes; ++k) {
    for (std::size_t e = 0; e < samples.values[k].size(); ++e) lu.values()[e].lane[k] = samples.values[k][e];
    for (std::size_t r = 0; r < samples.right_sides[k].size(); ++r) lu.right_side()[r].lane[k] = samples.right_sides[k][r];
  }
}

/// Lanes that are well say what a ZeroFillLU says; returns how many are.
int check_lanes(const Plan& plan, const Scaled& samples, VectorSet vectors) {
  LUInLanes lanes(plan, vectors);
  load(samples, lanes);
  lanes.factor();
  lanes.solve();
  const LaneHealth health = lanes.health();
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(plan.pattern.columns);
  int well = 0;
  for (int k = 0; k < Batch::lanes; ++k) {
    LUStatus status = lu.factor(samples.values[k].data());
    if (status.ok()) status = lu.solve(samples.right_sides[k].data(), x.data());
    CHECK(lanes.ok(k) == status.ok());
    if (!status.ok()) continue;
    ++well;
    bool equal = true;
    for (std::size_t j = 0; j < x.size(); ++j) equal = equal && lanes.solution()[j].lane[k] == x[j];
    CHECK(equal);
    CHECK(health.backward_error.lane[k] == lu.backward_error(x.data()));
    CHECK(health.componentwise_error.lane[k] == lu.errors(x.data()).componentwise);
    CHECK(health.least_pivot.lane[k] <= lu.smallest_pivot());
    CHECK(health.growth.lane[k] == lu.growth());
  }
  return well;
}

}  // namespace

TEST_CASE("Each lane has the results of ZeroFillLU to the last bit, for vectors of every width") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomSystem system = random_system(2 + 3 * static_cast<int>(seed), 0.05 * (seed % 7), seed);
    const Plan plan = make_plan(system.pattern, system.order);
    const Scaled samples = scaled_samples(system, seed);
    for (VectorSet vectors : all_vectors()) CHECK(check_lanes(plan, samples, vectors) == Batch::lanes);
  }
}

TEST_CASE("A failed lane is flagged, and the other lanes have the results of ZeroFillLU") {
  const RandomSystem system = random_system(30, 0.1, 3);
  const Plan plan = make_plan(system.pattern, system.order);
  Scaled samples = scaled_samples(system, 3);
  const int r = system.order.rows[0];
  for (int e = system.pattern.row_start[r]; e < system.pattern.row_start[r + 1]; ++e) samples.values[1][e] = 0;  // zero pivot
  samples.values[2][5] = std::numeric_limits<double>::quiet_NaN();
  samples.values[4][7] = -std::numeric_limits<double>::infinity();
  samples.right_sides[6][9] = std::numeric_limits<double>::infinity();
  for (VectorSet vectors : all_vectors()) CHECK(check_lanes(plan, samples, vectors) == Batch::lanes - 4);
}

TEST_CASE("Refinement of flagged lanes equals that of ZeroFillLU and does not change other lanes") {
  const RandomSystem system = random_system(25, 0.1, 4);
  const Plan plan = make_plan(system.pattern, system.order);
  const Scaled samples = scaled_samples(system, 4);
  for (VectorSet vectors : all_vectors()) {
    LUInLanes lanes(plan, vectors);
    load(samples, lanes);
    lanes.factor();
    lanes.solve();
    lanes.refine({true, false, true, true, false, false, true, false});
    const LaneHealth health = lanes.health();
    ZeroFillLU<double> lu(plan);
    std::vector<double> x(plan.pattern.columns);
    for (int k = 0; k < Batch::lanes; ++k) {
      REQUIRE((lu.factor(samples.values[k].data()).ok() && lu.solve(samples.right_sides[k].data(), x.data()).ok()));
      if (k == 0 || k == 2 || k == 3 || k == 6) REQUIRE(lu.refine(x.data()).ok());
      bool equal = true;
      for (std::size_t j = 0; j < x.size(); ++j) equal = equal && lanes.solution()[j].lane[k] == x[j];
      CHECK(equal);
      CHECK(health.componentwise_error.lane[k] == lu.errors(x.data()).componentwise);
    }
  }
}

TEST_CASE("A lane's pivot vanishes where that of ZeroFillLU is doubtful and vanishes") {
  const Plan plan = make_plan({2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {{0, 1}, {0, 1}});
  const double left[Batch::lanes] = {0.5, 1e-8, 1e-10, 1e-11, 1e-12, 1e-13, 1e-15, 0};  // of the last pivot
  Scaled samples{{}, {Batch::lanes, {1, 2}}};
  for (double pivot : left) samples.values.push_back({3, 0.7, 3, 0.7 + pivot});
  for (VectorSet vectors : all_vectors()) {
    LUInLanes lanes(plan, vectors);
    load(samples, lanes);
    lanes.factor();
    const std::array<bool, Batch::lanes> vanishing = lanes.vanishing_pivots();
    ZeroFillLU<double> lu(plan);
    int found = 0;
    for (int k = 0; k < Batch::lanes; ++k) {
      const std::vector<double>& values = samples.values[k];
      if (!lu.factor(values.data()).ok()) continue;  // a zero pivot
      const double norm = std::max(values[0] + values[1], values[2] + values[3]);
      const bool expected = lu.doubtful(norm) && lu.vanishing_pivot(values.data()) >= 0;
      CHECK(vanishing[k] == expected);
      found += expected;
    }
    CHECK((found >= 2 && found <= 4));
  }
}

TEST_CASE("Lanes take no heap once built") {
  const RandomSystem system = random_system(20, 0.2, 8);
  const Plan plan = make_plan(system.pattern, system.order);
  LUInLanes lu(plan);
  load(scaled_samples(system, 8), lu);
  const auto work = [&] {
    lu.factor();
    lu.solve();
    lu.refine({true});
    lu.vanishing_pivots();
    return lu.health();
  };
  CHECK(allocations_of(work) == 0);
}

TEST_CASE("Cells that 16 bits cannot number are replayed, alone and in lanes") {
  const int n = 12000, band = 2;
  RandomSystem system;
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  std::vector<double> solution(n);
  for (double& x : solution) x = normal(rng);
  system.pattern.rows = system.pattern.columns = n;
  system.pattern.row_start.push_back(0);
  for (int r = 0; r < n; ++r) {
    system.order.rows.push_back(r), system.order.columns.push_back(r);
    double b = 0;
    for (int c = std::max(0, r - band); c <= std::min(n - 1, r + band); ++c) {
      system.pattern.column.push_back(c);
      system.values.push_back(c == r ? 8 : normal(rng));
      b += system.values.back() * solution[c];
    }
    system.pattern.row_start.push_back(system.pattern.entries());
    system.right_side.push_back(b);
  }
  const Plan plan = make_plan(system.pattern, system.order);
  REQUIRE(plan.program.cells > 65536);
  CHECK(plan.program.factor.short_operands.empty());
  CHECK(plan.program.solve.short_operands.empty());
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(solution.size());
  REQUIRE(lu.factor(system.values.data()).ok());
  REQUIRE(lu.solve(system.right_side.data(), x.data()).ok());
  double worst = 0;
  for (std::size_t j = 0; j < x.size(); ++j) worst = std::max(worst, std::abs(x[j] - solution[j]));
  CHECK(worst < 1e-13);
  const Scaled samples = scaled_samples(system, 1);
  for (VectorSet vectors : all_vectors()) CHECK(check_lanes(plan, samples, vectors) == Batch::lanes);
}
