// A robot whose dynamics are known in closed form.
#pragma once

namespace sparsedyn::test {

/// One joint about the world's y axis; 2 kg at 0.5 m along x: τ = 0.5 q̈ − 9.81 cos q.
inline const char* const pendulum = R"(<robot name="pendulum">
  <link name="stand"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="stand"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>)";

}  // namespace sparsedyn::test
