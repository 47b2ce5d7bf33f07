// Assembly runs without the heap.
#include "support/heap.hpp"

#include <catch2/catch.hpp>

#include "dense.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("assemble allocates nothing, with every sensor type in the set") {
  TreeOptions options;
  options.floating = true;
  const Model model = random_tree(5, 2, options);
  SensorSet set;
  for (const SensorType& type : sensor_types()) {
    Sensor s = sensor(type.name, {}, type.name);
    if (type.target == SensorTarget::robot) s.all = false;
    if (type.kind == SensorKind::torque_combination) s.coefficients = {{{"joint1"}, 1.0}, {{"joint2"}, -1.0}};
    set.sensors.push_back(std::move(s));
  }
  const System system(model, set);
  std::mt19937 rng(1);
  const State state = random_state(model, rng);
  std::vector<double> y(system.inputs().size(), 0.5);
  std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
  SystemWorkspace<double> work(system);
  CHECK(allocations_of(
            [&] { system.assemble(state.q.data(), state.v.data(), y.data(), values.data(), right_side.data(), work); }) == 0);
}
