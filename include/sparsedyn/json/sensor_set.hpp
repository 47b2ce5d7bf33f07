// Sensor sets as JSON (sensors/sensor-set.schema.json).
#pragma once

#include <map>
#include <string>

#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

/// A built-in set by its name, or else the set in the file at that path. Throws InputError, with line and element, where the
/// file does not keep to the schema. Names of joints and links are for System to judge, which knows the robot. What the sets
/// hold that it includes comes first; they are found from the including file's folder.
SensorSet load_sensor_set(const std::string& name_or_path);
/// The set in `text`; messages call it `file`.
SensorSet parse_sensor_set(const std::string& text, const std::string& file);

/// Texts of the sets in sensors/ by name.
const std::map<std::string, std::string>& builtin_sensor_sets();

}  // namespace sparsedyn
