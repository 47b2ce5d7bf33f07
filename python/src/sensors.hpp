// sd.SensorSet, sd.check, sd.simulate.
#pragma once

#include <string>

#include "model.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn::python {

/// A sensor set, and the text that it was read from.
struct Sensors {
  SensorSet set;
  std::string text, file;
};

/// A set as users give it: a SensorSet, a built-in set's name, a path, or a dict.
Sensors sensors_of(nb::handle source);

void bind_sensors(nb::module_& m);

}  // namespace sparsedyn::python
