// The keys of a sensor set that only estimates over time use.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/json/document.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/sensor_type.hpp"

namespace sparsedyn {

/// Adds the keys that a sensor of this type may have for them.
void add_keys_over_time(const SensorType& type, std::vector<std::string>& keys);
/// bias, delay, sampling; of a contact when it stands and how firmly. Throws InputError.
void read_over_time(const json::Node& node, const SensorType& type, Sensor& sensor);
/// Of the set's top level: model_wrench, start. Throws InputError.
void read_over_time(const json::Node& root, SensorSet& set);

}  // namespace sparsedyn
