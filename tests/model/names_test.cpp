// Links and joints by name: found, or refused with near names.
#include <catch2/catch.hpp>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/kinematics/inverse_kinematics.hpp"
#include "sparsedyn/model/model.hpp"

using namespace sparsedyn;
using Catch::Contains;
using Catch::Equals;

namespace {

Model leg() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  const Inertia<double> rod = inertia_about_com(1.0, {{0, 0, -0.25}}, {0.021, 0, 0, 0.021, 0, 0.001});
  const Pose<double> below{identity3<double>(), {{0, 0, -0.5}}};
  return ModelBuilder("leg")
      .root("torso_1_link", rod, false)
      .link("l_thigh", rod, "torso_1_link", "left_hip_joint", hinge, below)
      .link("l_calf", rod, "l_thigh", "left_knee_joint", hinge, below)
      .link("l_sole", zero_inertia<double>(), "l_calf", "left_sole_fixed", JointSpec(), below)
      .build();
}

}  // namespace

TEST_CASE("link and joint give the index of a name that the robot has") {
  const Model model = leg();
  for (std::size_t i = 0; i < model.links.size(); ++i) CHECK(model.link(model.links[i].name) == static_cast<int>(i));
  for (std::size_t i = 0; i < model.joints.size(); ++i) CHECK(model.joint(model.joints[i].name) == static_cast<int>(i));
}

TEST_CASE("link and joint refuse other names, and say which are near") {
  const Model model = leg();
  CHECK_THROWS_AS(model.link("l_sol"), std::invalid_argument);
  CHECK_THROWS_AS(model.joint("knee"), std::invalid_argument);
  CHECK_THROWS_WITH(model.link("l_sol"), Equals("link l_sol: the robot has none of that name (near: l_sole)"));
  CHECK_THROWS_WITH(model.link("torso"), Equals("link torso: the robot has none of that name (near: torso_1_link)"));
  CHECK_THROWS_WITH(model.link("wheel"), Equals("link wheel: the robot has none of that name"));
  CHECK_THROWS_WITH(model.joint("knee"),
                    Equals("joint knee: the robot has no moving joint of that name (near: left_knee_joint)"));
  CHECK_THROWS_WITH(model.joint("left_sole_fixed"), Equals("joint left_sole_fixed: it is fixed; expected one that moves"));
  CHECK_THROWS_WITH(model.joint("world"), Contains("no moving joint"));
}

TEST_CASE("whatever takes names in C++ says which are near") {
  Model model = leg();
  CHECK_THROWS_WITH(set_joint_limits(model, "left_knee", {-1, 1, 1, 1}), Contains("near: left_knee_joint"));
  CHECK_THROWS_WITH(coupled(model, {{"left_hip_joint", "left_knee"}}), Contains("near: left_knee_joint"));
  CHECK_THROWS_WITH(InverseKinematics(model, {"sole"}), Contains("near: l_sole"));
  Constraint stop;
  stop.name = "stop", stop.type = ConstraintType::dry_friction, stop.joints = {"knee"}, stop.loss = 1;
  ConstraintSet set;
  set.constraints = {stop};
  CHECK_THROWS_WITH(ConstrainedDynamics(model, set), Contains("near: left_knee_joint"));
  set.constraints[0].type = ConstraintType::weld, set.constraints[0].links = {"world", "l_sol"};
  CHECK_THROWS_WITH(ConstrainedDynamics(model, set), Contains("near: l_sole"));
}
