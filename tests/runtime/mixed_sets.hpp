// Sensor sets of every type of the catalogue, exact and noisy, in offset frames, and robots to put them on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::test {

/// Where the sets put their sensors: `$foot` in a set is this robot's foot.
struct EquippedRobot {
  const char* file;
  bool floating;
  const char *trunk, *hand, *foot, *weld, *joint, *other;
};

inline const EquippedRobot equipped_shipped[] = {
    {"arm", false, "link3", "tool_tip", "gripper", "flange", "joint2", "joint5"},
    {"quadruped", true, "trunk", "lf_foot", "rh_foot", "rh_load_cell", "rh_knee", "lf_knee"},
    {"humanoid", true, "pelvis", "l_hand", "l_sole", "l_load_cells", "l_knee", "r_elbow"},
};

inline const EquippedRobot equipped_shared[] = {
    {"hyq", true, "trunk", "lf_foot", "rh_foot", "rh_foot_joint", "rh_kfe_joint", "lf_kfe_joint"},
    {"panda", false, "panda_link3", "panda_leftfinger", "panda_hand", "panda_hand_joint", "panda_joint2", "panda_joint5"},
    {"atlas", true, "pelvis", "l_hand", "l_foot", "l_hand_force_torque_joint", "l_leg_kny", "r_arm_elx"},
    {"icub", true, "root_link", "l_hand", "l_sole", "l_foot_ft_sensor", "l_knee", "r_elbow"},
    {"nao", true, "torso", "l_wrist", "l_sole", "LLeg_effector_fixedjoint", "LKneePitch", "RElbowRoll"},
};

/// Humanoids take seconds: in builds without checks alone.
#ifdef NDEBUG
inline constexpr bool whole_robots = true;
#else
inline constexpr bool whole_robots = false;
#endif

/// What every set states: nothing touches the robot but at hand and foot, and a free base has no motor.
inline const char* const mixed_common = R"(
  {"name": "free", "type": "joint_torque", "joint": "base", "optional": true, "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["$foot", "$hand"], "value": 0},
)";

inline const char* const mixed_motors = R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},)";
inline const char* const mixed_encoders = R"({"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.05},
  {"name": "base", "type": "joint_acceleration", "joint": "base", "optional": true, "sigma": 0.2},)";
inline const char* const mixed_gripped =
    R"({"name": "grip", "type": "external_wrench", "link": "$hand", "sigma": [0.1, 0.1, 0.1, 2, 2, 2]},)";

struct MixedSet {
  const char* title;
  std::vector<const char*> parts;
};

inline const MixedSet mixed_sets[] = {
    {"load cells in an offset frame",
     {mixed_motors, mixed_encoders, mixed_gripped,
      R"({"name": "cells", "type": "load_cell", "link": "$foot", "xyz": [0.02, -0.03, -0.05], "rpy": [0.3, -0.2, 1.1],
          "sigma": [1, 0.05, 0.05]})"}},
    {"centre of pressure, normal force, and an exact torque",
     {mixed_encoders, mixed_gripped,
      R"({"name": "pressure", "type": "centre_of_pressure", "link": "$foot", "xyz": [0, 0, -0.02], "sigma": 0.4},
         {"name": "normal", "type": "external_wrench", "link": "$foot", "components": ["fz"], "sigma": 2},
         {"name": "gauge", "type": "joint_torque", "joint": "$joint"},
         {"name": "motors", "type": "joint_torque", "joint": "*", "except": "$joint", "sigma": 0.3})"}},
    {"force/torque sensors on moving and on fixed joints, both directions",
     {mixed_encoders, mixed_gripped,
      R"({"name": "wrist", "type": "force_torque", "joint": "$other", "rpy": [0.5, 0, 0.2], "sigma": 0.5},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "direction": "child_to_parent", "xyz": [0.01, 0, 0.03],
          "sigma": 0.2},
         {"name": "knee", "type": "force_torque", "joint": "$joint", "components": ["fx", "ny"], "sigma": 0.7})"}},
    {"accelerometers, gyroscopes, angular accelerometers",
     {mixed_motors, mixed_gripped,
      R"({"name": "imu", "type": "accelerometer", "link": ["$trunk", "$hand"], "xyz": [0.1, 0.05, -0.02], "rpy": [0.1, 0.2, 0.3],
          "sigma": 0.1},
         {"name": "module", "type": "imu", "link": "$foot", "rpy": [0.2, 0.1, -0.4], "sigma": [0.01, 0.01, 0.01, 0.2, 0.2, 0.2]},
         {"name": "gyro", "type": "gyroscope", "link": "$trunk", "sigma": 0.01},
         {"name": "angle", "type": "joint_position", "joint": "$joint", "sigma": 0.001},
         {"name": "rate", "type": "joint_velocity", "joint": "$joint", "sigma": 0.01},
         {"name": "camera", "type": "link_pose", "link": "$hand", "sigma": 0.01},
         {"name": "spin", "type": "angular_accelerometer", "link": "$trunk", "rpy": [1, 0, 0], "sigma": 0.5},
         {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.4},
         {"name": "sole", "type": "external_wrench", "link": "$foot", "sigma": 1})"}},
    {"a foot that cannot slide, and the trunk's acceleration",
     {mixed_motors, mixed_gripped,
      R"({"name": "stance", "type": "contact", "link": "$foot", "xyz": [0.03, 0, -0.02], "dof": 3},
         {"name": "trunk", "type": "link_acceleration", "link": "$trunk", "xyz": [0, 0.1, 0], "sigma": 0.2},
         {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.1})"}},
    {"a foot that cannot move, beside force/torque sensors",
     {mixed_motors, mixed_encoders, mixed_gripped,
      R"({"name": "stance", "type": "contact", "link": "$foot", "dof": 6},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "sigma": 0.2})"}},
    {"the centre of mass and the momentum",
     {mixed_encoders, mixed_gripped, mixed_motors,
      R"({"name": "com", "type": "com_acceleration", "sigma": 0.05},
         {"name": "momentum", "type": "momentum_rate", "components": ["nz", "fx", "fy", "fz"], "sigma": 3})"}},
    {"tendons, constants, one force exactly known",
     {mixed_encoders, mixed_gripped,
      R"({"name": "tendon", "type": "torque_combination", "coefficients": {"$joint": 0.02, "$other": -0.03}, "sigma": 0.01},
         {"name": "load", "type": "external_wrench", "link": "$foot", "components": ["fx", "fy", "fz"], "value": [1, 0, -4]},
         {"name": "motors", "type": "joint_torque", "joint": "*", "except": "$joint", "sigma": 0.3})"}},
    {"priors where little is measured",
     {R"({"name": "gauge", "type": "joint_torque", "joint": ["$joint", "$other"], "sigma": 0.1},
         {"name": "imu", "type": "accelerometer", "link": "$trunk", "sigma": 0.1},
         {"name": "cells", "type": "load_cell", "link": "$foot", "sigma": 1}], "prior": {"ddq": 5, "fx": 20},
         "unknown": [)"}},
    {"everything at once",
     {mixed_motors, mixed_encoders, mixed_gripped,
      R"({"name": "cells", "type": "load_cell", "link": "$foot", "sigma": [1, 0.05, 0.05]},
         {"name": "imu", "type": "accelerometer", "link": "$trunk", "xyz": [0.1, 0, 0], "sigma": 0.1},
         {"name": "spin", "type": "angular_accelerometer", "link": "$hand", "sigma": 0.5},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "sigma": 0.2},
         {"name": "tendon", "type": "torque_combination", "coefficients": {"$joint": 1, "$other": 1}, "sigma": 0.1},
         {"name": "com", "type": "com_acceleration", "sigma": 0.05}], "prior": {"tau": 50}, "unknown": [)"}},
    {"a foot on a slope, by its normal force",
     {mixed_encoders, mixed_motors, mixed_gripped,
      R"({"name": "touch", "type": "normal_force", "link": "$foot", "normal": [0.3, -0.2, 1.5], "sigma": 2},
         {"name": "sole", "type": "external_wrench", "link": "$foot", "sigma": [0.1, 0.1, 0.1, 3, 3, 3]},
         {"name": "speed", "type": "link_velocity", "link": "$hand", "xyz": [0.1, 0, 0.2], "rpy": [0.1, 0.2, 0.3], "sigma": 0.01})"}},
};

inline std::string set_text(const MixedSet& mixed, const EquippedRobot& robot) {
  std::string text = std::string("{\"sensors\": [") + mixed_common;
  for (const char* part : mixed.parts) text += part;
  text += "]}";
  const std::pair<const char*, const char*> places[] = {{"$trunk", robot.trunk}, {"$hand", robot.hand},
                                                        {"$foot", robot.foot},   {"$weld", robot.weld},
                                                        {"$joint", robot.joint}, {"$other", robot.other}};
  for (const auto& [place, name] : places)
    for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.replace(at, std::string(place).size(), name);
  return text;
}

}  // namespace sparsedyn::test
