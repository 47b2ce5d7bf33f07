// One sensor on one joint or link, resolved against a robot.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/spatial/spatial.hpp"
#include "sparsedyn/system/sensor_type.hpp"

namespace sparsedyn {

/// What it reads, where, and by which columns.
struct Measurement {
  int sensor;                            // index in the set
  SensorKind kind;                       // what it measures
  int link = -1, joint = -1, body = -1;  // what it sits on; -1 where the type has none (joint: a fixed one)
  Pose<double> frame;                    // of the sensor, in the link's frame
  Pose<double> in_leading;             // of the sensor, in the frame of the link that leads the body (the world's if body = -1)
  std::vector<int> components;         // chosen ones, in the type's order of components (joints: 0 … freedoms − 1)
  std::vector<std::string> columns;    // beside components: `y.SENSOR…`
  std::vector<std::string> stand_ins;  // beside components: the log column that may stand in, or ""
  std::vector<int> inputs;             // beside components: the entry of y, or -1
  std::vector<double> values;          // beside components: the constant that stands instead where inputs is -1
  std::vector<double> sigma;           // beside components: standard deviation, 0 = exact
  double sign = 1;                     // −1: force_torque, child on parent
  int rigid_group = -1;                // force_torque on a fixed joint: index in System::rigid_groups()
  std::vector<std::pair<int, double>> torques;  // torque_combination: index in v of the tree, coefficient
  Vec3<double> normal{{0, 0, 1}};               // normal_force: of unit length, in the world
  int first_row = -1;                           // of its equations; -1: it gives none

  /// Its equations.
  int rows() const { return first_row < 0 ? 0 : static_cast<int>(components.size()); }
  /// What the k-th chosen component reads.
  template <class S>
  S reading(int k, const S* y) const {
    return inputs[k] >= 0 ? y[inputs[k]] : S(values[k]);
  }
};

/// The wrench of the world on a lumped link (or on one fixed to the world) where it is no unknown: it moves to the
/// right-hand side of the (f) rows of the body that carries the link.
struct KnownWrench {
  int link;         // that it acts on
  int measurement;  // index in System::measurements()
};

/// That wrench (N m, N), in the link's frame.
template <class S>
Force<S> known_wrench(const Measurement& m, const S* y) {
  Force<S> x{zero3<S>(), zero3<S>()};
  for (std::size_t k = 0; k < m.components.size(); ++k) component(x, m.components[k]) = m.reading(static_cast<int>(k), y);
  return to_parent(cast<Constant<S>>(m.frame), x);
}

}  // namespace sparsedyn
