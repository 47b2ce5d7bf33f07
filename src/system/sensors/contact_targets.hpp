// The links that a contact of a sensor set is on, and the columns of their flags.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::sensors {

struct ContactTarget {
  std::string name;  // SENSOR, or SENSOR.LINK of a list
  int link;
  std::string flag;  // the column that says whether it stands: the one that the set states, else y.NAME.on
};

/// Of `sensor`, a contact of the system's set.
std::vector<ContactTarget> contact_targets(const System& system, const Sensor& sensor);

}  // namespace sparsedyn::sensors
