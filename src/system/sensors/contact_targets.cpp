#include "system/sensors/contact_targets.hpp"

#include "system/resolver.hpp"

namespace sparsedyn::sensors {

std::vector<ContactTarget> contact_targets(const System& system, const Sensor& sensor) {
  const Resolver resolver(system.model(), system.sensors());
  const SensorType& type = resolver.type(sensor);
  const std::string& stated = sensor.over_time.contact.flag;
  std::vector<ContactTarget> found;
  for (int link : resolver.targets(sensor, type)) {
    const std::string name = resolver.in_list(sensor, type)
                                 ? sensor.name + "." + system.model().links[static_cast<std::size_t>(link)].name
                                 : sensor.name;
    found.push_back({name, link, stated.empty() ? "y." + name + ".on" : stated});
  }
  return found;
}

}  // namespace sparsedyn::sensors
