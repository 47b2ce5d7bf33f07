// Robots for the readers of what belongs to one, and what a robot that was read must be able to do.
#pragma once

#include <stdexcept>

#include "reading.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::fuzz {

/// Three links on joints of three kinds.
inline const Model& small_robot() {
  static const Model model = parse_urdf(R"(<robot name="small"><link name="root"/>
    <link name="link1"><inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="link2"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="link3"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="joint1" type="continuous"><parent link="root"/><child link="link1"/><axis xyz="0 1 0"/></joint>
    <joint name="joint2" type="prismatic"><parent link="link1"/><child link="link2"/><axis xyz="0 0.6 0.8"/>
      <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
    <joint name="joint3" type="revolute"><parent link="link2"/><child link="link3"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
      <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>)",
                                        "small.urdf");
  return model;
}

/// Its dynamics run at the neutral posture, and it is the same after it was written and read.
inline void require_use(const Model& model) {
  if (model.nv == 0 || model.nv > 60) return;
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> q(static_cast<std::size_t>(model.nq)), v(n, 0.5), tau(n), a(n);
  neutral(model, q.data());
  Workspace<double> work(model);
  const Force<double>* none = nullptr;
  rnea(model, work, q.data(), v.data(), v.data(), none, tau.data());
  aba(model, work, q.data(), v.data(), tau.data(), none, a.data());
  std::string written;
  try {
    written = robot_text(model);
  } catch (const std::invalid_argument&) {  // names that are no UTF-8, which a URDF may have
    return;
  }
  if (robot_text(parse_robot(written, "again.json").model) != written)
    fault("a robot that changes when it is written and read");
}

}  // namespace sparsedyn::fuzz
