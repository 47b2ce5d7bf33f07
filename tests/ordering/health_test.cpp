#include "sparsedyn/sparse/detail/health.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

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
