// Sensor sets, and the systems that they make with a robot.
#include <memory>

#include "robots.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  return fuzz::attempt("set.json", [&] {
    const SensorSet set = parse_sensor_set(fuzz::as_text(data, size), "set.json");
    const System system(fuzz::small_robot(), set);
    SystemWorkspace<double> work(system);
    std::vector<double> values(system.pattern().entries()), right(static_cast<std::size_t>(system.pattern().rows));
    const std::vector<double> q(3, 0.3), v(3, 0.1), y(system.inputs().size(), 0.2);
    system.assemble(q.data(), v.data(), y.data(), values.data(), right.data(), work);
  });
}
