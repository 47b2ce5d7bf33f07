#include "sparsedyn/sparse/detail/health.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "sparse/bounded_health.hpp"

using namespace sparsedyn;

namespace {

/// [a 1, 1 0] at ten states, a pivot a = s − failing eliminated first.
struct Pivot {
  std::set<int> visited;
  Plan plan;
  Samples samples;

  explicit Pivot(int failing) {
    plan = make_plan({2, 2, {0, 2, 3}, {0, 1, 0}}, {{0, 1}, {0, 1}});
    samples.count = 10, samples.random = 5;
    samples.fill = [this, failing](int s, double* values, double* right_side) {
      visited.insert(s);
      values[0] = s - failing, values[1] = values[2] = 1;
      right_side[0] = right_side[1] = 1;
    };
    samples.state = [](int s) { return std::vector<double>{double(s)}; };
  }
};

}  // namespace

TEST_CASE("health is sampled at every state where none fails") {
  Pivot pivot(20);
  const Health health = measure_health(pivot.plan, pivot.samples);
  CHECK(pivot.visited.size() == 10);
  CHECK(health.states == 10);
  CHECK(health.healthy());
}

TEST_CASE("a state that fails is named, and found soon among random and special ones alike") {
  for (int failing : {1, 8}) {
    Pivot pivot(failing);
    const Health health = measure_health(pivot.plan, pivot.samples);
    CHECK(std::isinf(health.worst_backward_error));
    CHECK(health.worst_state == std::vector<double>{double(failing)});
    CHECK(pivot.visited.size() <= 4);
  }
}

TEST_CASE("health over many states is the worst of each state alone, with solutions that are refined among them") {
  Pivot pivot(1000000);
  pivot.samples.count = 45, pivot.samples.random = 20;
  pivot.samples.fill = [](int s, double* values, double* right_side) {
    values[0] = s % 7 ? 1e-9 * (s + 1) : 1 + s, values[1] = 1 + 0.1 * s, values[2] = 1;  // small pivots lose digits
    right_side[0] = 0.3 + s, right_side[1] = 1e-3 * s;
  };
  Health worst;
  for (int s = 0; s < pivot.samples.count; ++s) {
    Samples alone = pivot.samples;
    alone.count = 1, alone.random = 1;
    alone.fill = [&, s](int, double* values, double* right_side) { pivot.samples.fill(s, values, right_side); };
    const Health one = measure_health(pivot.plan, alone);
    if (one.worst_backward_error > worst.worst_backward_error)
      worst.worst_backward_error = one.worst_backward_error, worst.worst_state = {double(s)};
    worst.worst_growth = std::max(worst.worst_growth, one.worst_growth);
    worst.worst_componentwise_error = std::max(worst.worst_componentwise_error, one.worst_componentwise_error);
  }
  const Health all = measure_health(pivot.plan, pivot.samples);
  CHECK(all.worst_backward_error == worst.worst_backward_error);
  CHECK(all.worst_growth == worst.worst_growth);
  CHECK(all.worst_componentwise_error == worst.worst_componentwise_error);
  CHECK(all.worst_state == worst.worst_state);
  CHECK(all.worst_growth > 1e5);
}

TEST_CASE("states side by side are refused where a pivot vanishes, as each alone is") {
  // [3 .7, 3 .7 + d]: beside d = 1e-12 the second pivot is rounding; its numbers, moved by roundings, move it by as much
  Pivot pivot(1000000);
  pivot.plan = make_plan({2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {{0, 1}, {0, 1}});
  pivot.samples.count = 30, pivot.samples.random = 15;
  pivot.samples.fill = [](int s, double* values, double* right_side) {
    const bool vanishes = s % 9 == 4;
    values[0] = values[2] = 3, values[1] = 0.7, values[3] = 0.7 + (vanishes ? 1e-12 : 1 + 0.1 * s);
    right_side[0] = 1, right_side[1] = 1 + values[3] - values[1];  // x = (0.1, 1), where none fails
    if (s % 2) values[0] *= 1e-9;                                  // others need refinement
  };
  std::vector<char> refused;
  for (int s = 0; s < pivot.samples.count; ++s) {
    Samples alone = pivot.samples;
    alone.count = 1, alone.random = 1;
    alone.fill = [&, s](int, double* values, double* right_side) { pivot.samples.fill(s, values, right_side); };
    refused.push_back(!std::isfinite(measure_health(pivot.plan, alone).worst_backward_error));
  }
  CHECK(std::count(refused.begin(), refused.end(), 1) >= 2);
  CHECK(states_in_need(pivot.plan, pivot.samples) == refused);
}
