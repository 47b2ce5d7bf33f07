// A planar four-bar linkage: an open chain crank–coupler beside a rocker, and the loop that ties their ends.
#pragma once

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

/// Hinges a, b, c about y; ground 0.5 m, crank 0.3 m.
inline Model four_bar() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("four-bar")
      .root("ground", zero_inertia<double>(), false)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .build();
}

/// "rod", hard: coupler 0.6 m, rocker 0.4 m.
inline Constraint four_bar_loop() {
  Constraint loop;
  loop.name = "rod", loop.type = ConstraintType::connect, loop.links = {"coupler", "rocker"}, loop.hard = true;
  loop.frames[0].d = {{0.6, 0, 0}}, loop.frames[1].d = {{0.4, 0, 0}};
  return loop;
}

}  // namespace sparsedyn::test
