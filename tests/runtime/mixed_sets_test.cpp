// Mixed sensor sets on real robots against the dense reference: every type of the catalogue, exact and noisy, in offset frames.
#include <algorithm>
#include <filesystem>
#include <set>

#include "batches.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/detail/sensor_type.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// Where the sets put their sensors: `$foot` in a set is this robot's foot.
struct Robot {
  const char* file;
  bool floating;
  const char *trunk, *hand, *foot, *weld, *joint, *other;
};

const Robot shipped[] = {
    {"arm", false, "link3", "tool_tip", "gripper", "flange", "joint2", "joint5"},
    {"quadruped", true, "trunk", "lf_foot", "rh_foot", "rh_load_cell", "rh_knee", "lf_knee"},
    {"humanoid", true, "pelvis", "l_hand", "l_sole", "l_load_cells", "l_knee", "r_elbow"},
};

const Robot shared[] = {
    {"hyq", true, "trunk", "lf_foot", "rh_foot", "rh_foot_joint", "rh_kfe_joint", "lf_kfe_joint"},
    {"panda", false, "panda_link3", "panda_leftfinger", "panda_hand", "panda_hand_joint", "panda_joint2", "panda_joint5"},
    {"atlas", true, "pelvis", "l_hand", "l_foot", "l_hand_force_torque_joint", "l_leg_kny", "r_arm_elx"},
    {"icub", true, "root_link", "l_hand", "l_sole", "l_foot_ft_sensor", "l_knee", "r_elbow"},
    {"nao", true, "torso", "l_wrist", "l_sole", "LLeg_effector_fixedjoint", "LKneePitch", "RElbowRoll"},
};

/// Humanoids take seconds: in builds without checks alone.
#ifdef NDEBUG
constexpr bool whole_robots = true;
#else
constexpr bool whole_robots = false;
#endif

/// What every set states: nothing touches the robot but at hand and foot, and a free base has no motor.
const char* const common = R"(
  {"name": "free", "type": "joint_torque", "joint": "base", "optional": true, "value": 0},
  {"name": "air", "type": "external_wrench", "link": "*", "except": ["$foot", "$hand"], "value": 0},
)";

const char* const motors = R"({"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},)";
const char* const encoders = R"({"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.05},
  {"name": "base", "type": "joint_acceleration", "joint": "base", "optional": true, "sigma": 0.2},)";
const char* const gripped =
    R"({"name": "grip", "type": "external_wrench", "link": "$hand", "sigma": [0.1, 0.1, 0.1, 2, 2, 2]},)";

struct Mixed {
  const char* title;
  std::vector<const char*> parts;
};

const Mixed sets[] = {
    {"load cells in an offset frame",
     {motors, encoders, gripped,
      R"({"name": "cells", "type": "load_cell", "link": "$foot", "xyz": [0.02, -0.03, -0.05], "rpy": [0.3, -0.2, 1.1],
          "sigma": [1, 0.05, 0.05]})"}},
    {"centre of pressure, normal force, and an exact torque",
     {encoders, gripped,
      R"({"name": "pressure", "type": "centre_of_pressure", "link": "$foot", "xyz": [0, 0, -0.02], "sigma": 0.4},
         {"name": "normal", "type": "external_wrench", "link": "$foot", "components": ["fz"], "sigma": 2},
         {"name": "gauge", "type": "joint_torque", "joint": "$joint"},
         {"name": "motors", "type": "joint_torque", "joint": "*", "except": "$joint", "sigma": 0.3})"}},
    {"force/torque sensors on moving and on fixed joints, both directions",
     {encoders, gripped,
      R"({"name": "wrist", "type": "force_torque", "joint": "$other", "rpy": [0.5, 0, 0.2], "sigma": 0.5},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "direction": "child_to_parent", "xyz": [0.01, 0, 0.03],
          "sigma": 0.2},
         {"name": "knee", "type": "force_torque", "joint": "$joint", "components": ["fx", "ny"], "sigma": 0.7})"}},
    {"accelerometers, gyroscopes, angular accelerometers",
     {motors, gripped,
      R"({"name": "imu", "type": "accelerometer", "link": ["$trunk", "$hand"], "xyz": [0.1, 0.05, -0.02], "rpy": [0.1, 0.2, 0.3],
          "sigma": 0.1},
         {"name": "gyro", "type": "gyroscope", "link": "$trunk", "sigma": 0.01},
         {"name": "spin", "type": "angular_accelerometer", "link": "$trunk", "rpy": [1, 0, 0], "sigma": 0.5},
         {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.4},
         {"name": "sole", "type": "external_wrench", "link": "$foot", "sigma": 1})"}},
    {"a foot that cannot slide, and the trunk's acceleration",
     {motors, gripped,
      R"({"name": "stance", "type": "contact", "link": "$foot", "xyz": [0.03, 0, -0.02], "dof": 3},
         {"name": "trunk", "type": "link_acceleration", "link": "$trunk", "xyz": [0, 0.1, 0], "sigma": 0.2},
         {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.1})"}},
    {"a foot that cannot move, beside force/torque sensors",
     {motors, encoders, gripped,
      R"({"name": "stance", "type": "contact", "link": "$foot", "dof": 6},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "sigma": 0.2})"}},
    {"the centre of mass and the momentum",
     {encoders, gripped, motors,
      R"({"name": "com", "type": "com_acceleration", "sigma": 0.05},
         {"name": "momentum", "type": "momentum_rate", "components": ["nz", "fx", "fy", "fz"], "sigma": 3})"}},
    {"tendons, constants, one force exactly known",
     {encoders, gripped,
      R"({"name": "tendon", "type": "torque_combination", "coefficients": {"$joint": 0.02, "$other": -0.03}, "sigma": 0.01},
         {"name": "load", "type": "external_wrench", "link": "$foot", "components": ["fx", "fy", "fz"], "value": [1, 0, -4]},
         {"name": "motors", "type": "joint_torque", "joint": "*", "except": "$joint", "sigma": 0.3})"}},
    {"priors where little is measured",
     {R"({"name": "gauge", "type": "joint_torque", "joint": ["$joint", "$other"], "sigma": 0.1},
         {"name": "imu", "type": "accelerometer", "link": "$trunk", "sigma": 0.1},
         {"name": "cells", "type": "load_cell", "link": "$foot", "sigma": 1}], "prior": {"ddq": 5, "fx": 20},
         "unknown": [)"}},
    {"everything at once",
     {motors, encoders, gripped,
      R"({"name": "cells", "type": "load_cell", "link": "$foot", "sigma": [1, 0.05, 0.05]},
         {"name": "imu", "type": "accelerometer", "link": "$trunk", "xyz": [0.1, 0, 0], "sigma": 0.1},
         {"name": "spin", "type": "angular_accelerometer", "link": "$hand", "sigma": 0.5},
         {"name": "weld", "type": "force_torque", "joint": "$weld", "sigma": 0.2},
         {"name": "tendon", "type": "torque_combination", "coefficients": {"$joint": 1, "$other": 1}, "sigma": 0.1},
         {"name": "com", "type": "com_acceleration", "sigma": 0.05}], "prior": {"tau": 50}, "unknown": [)"}},
};

std::string set_text(const Mixed& mixed, const Robot& robot) {
  std::string text = std::string("{\"sensors\": [") + common;
  for (const char* part : mixed.parts) text += part;
  text += "]}";
  const std::pair<const char*, const char*> places[] = {{"$trunk", robot.trunk}, {"$hand", robot.hand},
                                                        {"$foot", robot.foot},   {"$weld", robot.weld},
                                                        {"$joint", robot.joint}, {"$other", robot.other}};
  for (const auto& [place, name] : places)
    for (std::size_t at; (at = text.find(place)) != std::string::npos;) text.replace(at, std::string(place).size(), name);
  return text;
}

void check_set(const std::string& path, const Robot& robot, const Mixed& mixed) {
  INFO(robot.file << ": " << mixed.title);
  LoadOptions options;
  options.floating = robot.floating;
  const auto system = std::make_shared<const System>(load_urdf(path, options), parse_sensor_set(set_text(mixed, robot), "set"));
  const auto plan = test::quick_plan(*system);
  Estimator estimator(system, plan, test::with_deviations());
  std::mt19937 rng(11);
  for (int k = 0; k < 2; ++k) test::check_against_reference(estimator, test::random_sample(*system, rng));
  std::vector<test::SampleState> samples;
  for (int k = 0; k < Batch::lanes; ++k) samples.push_back(test::random_sample(*system, rng));
  test::check_batch(system, plan, {}, samples);
}

}  // namespace

TEST_CASE("mixed sets on robots that ship give the dense estimate") {
  for (std::size_t k = 0; k < std::size(sets); ++k) {
    const Robot& robot = shipped[k == 0 && whole_robots ? 2 : k % 2];
    check_set(test::source_folder() + "/robots/" + robot.file + ".urdf", robot, sets[k]);
  }
}

TEST_CASE("mixed sets on shared robots give the dense estimate") {
  const std::vector<std::string> paths = test::shared_robots();
  if (paths.empty()) WARN("skipped: no shared robots");
  for (std::size_t k = 0; k < std::size(sets); ++k) {
    const Robot& robot = shared[k % (whole_robots ? std::size(shared) : 2)];
    const std::string file = "/" + std::string(robot.file) + ".urdf";
    for (const std::string& path : paths)
      if (path.size() > file.size() && path.compare(path.size() - file.size(), file.size(), file) == 0)
        check_set(path, robot, sets[k]);
  }
}

TEST_CASE("the mixed sets hold every type of sensor") {
  std::set<std::string> types;
  for (const Mixed& mixed : sets)
    for (const Sensor& s : parse_sensor_set(set_text(mixed, shipped[0]), "set").sensors) types.insert(s.type);
  for (const std::string& type : sensor_type_names()) {
    INFO(type);
    CHECK(types.count(type) == 1);
  }
}
