// What the rows and columns of a System stand for.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// As the names of unknowns begin; net: the net force fB of the formulation net-forces.
enum class VariableKind { acc, f, tau, fx, ddq, net, lambda };

/// One unknown.
struct Variable {
  VariableKind kind;  // what it is
  int owner;          // link (acc, fx, net), joint (f, tau, ddq) or closure (lambda)
  int body;           // the body it belongs to
  int component;      // 0 … 5 of a spatial vector; the index in v (of Model::tree) for tau and ddq
};

/// kinematics (a), wrench (f), torque (τ), a sensor's, net: fB = I a + p, a hard constraint's, or world_force: the force of a
/// hard constraint in world axes, from that in the axes of a link (closure.hpp).
enum class EquationKind { kinematics, wrench, torque, sensor, net, constraint, world_force };
/// Whether it is said beside the laws of motion.
constexpr bool is_added(EquationKind kind) { return kind == EquationKind::sensor || kind == EquationKind::constraint; }

/// One equation.
struct Equation {
  EquationKind kind;  // which law, or a sensor
  int body;           // -1 for sensors
  int component;      // as in Variable; the component in the sensor's list
  int measurement;    // index in System::measurements(), or -1
};

/// One entry of the input vector y.
struct Input {
  std::vector<std::string>
      columns;      // of the log, best first: `y.SENSOR…`, then `tau.*`, `ddq.*` or `fx.*` where they may stand in
  bool required;    // where no column is in the log: an error, or
  double fallback;  // this number
  int measurement;  // index in System::measurements()
  int component;    // in that measurement's list
};

}  // namespace sparsedyn
