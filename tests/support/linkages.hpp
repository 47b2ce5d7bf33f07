// Linkages in a plane, on a line and about a point, on any body of a robot.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/model/model.hpp"
#include "support/states.hpp"

namespace sparsedyn::test {

/// A trunk, and a limb that turns, shifts and turns, whose last link is "hand"; its joints turn about other axes than those of
/// any link.
ModelBuilder trunk_with_limb(bool floating);

/// A crank with a coupler, and a rocker, in the plane across y of a frame turned by rpy; joined where the rod ends.
Constraint add_four_bar(ModelBuilder& robot, const std::string& name, const std::string& on, const Vec3<double>& rpy);
Constraint add_four_bar(ModelBuilder& robot, const std::string& name, const std::string& on, const Vec3<double>& rpy,
                        const Inertia<double>& coupler);

struct Linkage {
  Model model;
  ConstraintSet loops;
};

/// `where`: "hand" or "trunk"; `how`: what the linkage is.
Linkage linkage_on(const std::string& where, const std::string& how, bool floating);

/// At rest and moving, at home and turned; the loops closed.
std::vector<State> states_on_loops(const Linkage& robot);

}  // namespace sparsedyn::test
