// A URDF whose damping and friction are replaced, and nothing else.
#include "urdf/changes/rewrite_dynamics.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

const std::string damped_robot = R"(<?xml version="1.0"?>
<!-- <joint name="j"><dynamics damping="9"/></joint> a comment -->
<robot name="r">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="end"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <transmission name="t"><joint name="j"><dynamics damping="8"/></joint></transmission>
  <joint name="j" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <dynamics friction='0.5' mu_viscous="3" damping="0.25" />  <!-- worn -->
  </joint>
  <joint name="k" type="continuous">
    <parent link="arm"/>
    <child link="tip"/>
  </joint>
  <joint name="l" type="continuous"><parent link="tip"/><child link="end"/></joint>
</robot>
)";

JointPhysics rubbing(double damping, double friction) {
  JointPhysics physics;
  physics.damping = damping, physics.friction = friction, physics.armature = 7;
  return physics;
}

}  // namespace

TEST_CASE("rewrite_dynamics: replaced, added to a joint on several lines and to one on a line of its own") {
  const std::string changed =
      rewrite_dynamics(damped_robot, {{"j", rubbing(1.0 / 3, 0)}, {"k", rubbing(2, 3)}, {"l", rubbing(4e-20, 5)}});
  LoadOptions options;
  options.dynamics = true;
  const Model model = parse_urdf(changed, "changed", options);
  const double expected[][2] = {{1.0 / 3, 0}, {2, 3}, {4e-20, 5}};
  for (int v = 0; v < 3; ++v) {
    const JointPhysics p = model.physics[static_cast<std::size_t>(v)];
    CHECK(p.damping == expected[v][0]);
    CHECK(p.friction == expected[v][1]);
    CHECK(p.armature == 0);
  }
  CHECK(changed.find("mu_viscous=\"3\"") != std::string::npos);
  CHECK(changed.find("  <!-- worn -->") != std::string::npos);
  CHECK(changed.find("<joint name=\"j\"><dynamics damping=\"8\"/></joint></transmission>") != std::string::npos);
  CHECK(changed.find("    <child link=\"tip\"/>\n    <dynamics damping=\"2\" friction=\"3\"/>\n  </joint>\n") !=
        std::string::npos);
  CHECK(rewrite_dynamics(changed, {{"j", rubbing(0.25, 0.5)}, {"k", rubbing(0, 0)}}).find("damping=\"0\" friction=\"0\"") !=
        std::string::npos);
}

TEST_CASE("rewrite_dynamics: what is not named stays, to the byte") {
  CHECK(rewrite_dynamics(damped_robot, {}) == damped_robot);
  CHECK(rewrite_dynamics(damped_robot, {{"nobody", rubbing(1, 1)}}) == damped_robot);
  std::string back = rewrite_dynamics(damped_robot, {{"j", rubbing(0.125, 0.75)}});
  const std::size_t element = back.find("<dynamics friction");
  CHECK(back.substr(element, 61) == "<dynamics friction='0.75' mu_viscous=\"3\" damping=\"0.125\" />  ");
  back.replace(back.find("0.75"), 4, "0.5").replace(back.find("0.125"), 5, "0.25");
  CHECK(back == damped_robot);
}
