#include "sparsedyn/system/sensor_type.hpp"
#include "system/sensor_rows.hpp"

namespace sparsedyn {
namespace {

template <class... Types>
std::vector<SensorType> types_of(const std::tuple<Types...>*) {
  return {Types::type()...};
}

}  // namespace

const std::vector<SensorType>& sensor_types() {
  static const std::vector<SensorType> types = types_of(static_cast<const SensorCatalogue*>(nullptr));
  return types;
}

const SensorType* find_sensor_type(const std::string& name) {
  for (const SensorType& type : sensor_types())
    if (type.name == name) return &type;
  return nullptr;
}

const SensorType& sensor_type(SensorKind kind) {
  for (const SensorType& type : sensor_types())
    if (type.kind == kind) return type;
  return sensor_types().front();
}

std::vector<std::string> sensor_type_names() {
  std::vector<std::string> names;
  for (const SensorType& type : sensor_types()) names.push_back(type.name);
  return names;
}

}  // namespace sparsedyn
