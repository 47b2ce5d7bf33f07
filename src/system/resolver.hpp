// A sensor set against one robot: what it names, and which components. Everything it refuses carries the set's file and line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/system/sensor_set.hpp"
#include "sparsedyn/system/sensor_type.hpp"

namespace sparsedyn {

class Resolver {
 public:
  Resolver(const Model& model, const SensorSet& set);

  [[noreturn]] void refuse(const Sensor& s, long line, const std::string& found, const std::string& expected) const;

  const SensorType& type(const Sensor& s) const;
  /// Joints (joint), child links (any_joint) or links (link) that the sensor is on: in its own order, or in the robot's for
  /// "*" and patterns. {-1} for a sensor of the whole robot.
  std::vector<int> targets(const Sensor& s, const SensorType& type) const;
  /// Those of that name, or of the names that match it. None only where the sensor is optional, and "base" beside "*".
  std::vector<int> named(const Sensor& s, const SensorType& type, const NameAt& n) const;
  /// Whether the sensor's columns name the target too: it is on "*", on a list or on a pattern.
  bool in_list(const Sensor& s, const SensorType& type) const;
  /// Names of the components that the sensor has on that target; "" for the only one.
  std::vector<std::string> components(const SensorType& type, int target) const;
  /// Indices of the chosen ones.
  std::vector<int> chosen(const Sensor& s, const std::vector<std::string>& all) const;
  /// A number for each of n components from none, one or n.
  std::vector<double> spread(const Sensor& s, const std::vector<double>& given, std::size_t n, const char* what) const;
  /// A torque_combination's terms: index in v of Model::tree, coefficient.
  std::vector<std::pair<int, double>> torques(const Sensor& s) const;
  /// The name of a target.
  const std::string& name_of(const SensorType& type, int target) const { return names_of(type)[target]; }

 private:
  const std::vector<std::string>& names_of(const SensorType& type) const;
  bool in_star(const SensorType& type, int target) const;
  bool in_patterns(const SensorType& type, int target) const;
  bool is_pattern(const SensorType& type, const NameAt& n) const;

  const Model& model_;
  const SensorSet& set_;
  std::vector<std::string> links_, joints_, link_joints_;
};

}  // namespace sparsedyn
