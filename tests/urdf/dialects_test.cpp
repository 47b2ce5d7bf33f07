// What Drake, ros2_control and Gazebo add to a URDF, beside the same robot with its joints' numbers set in C++.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Two links on two joints; what is added begins on line 8.
const std::string two_joints_text = R"(<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="world"/>
<link name="a"><inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j1" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="j2" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/><dynamics damping="3"/></joint>
<link name="c"/><link name="d"/><joint name="tip" type="fixed"><parent link="b"/><child link="c"/></joint>
<joint name="plane" type="planar"><parent link="c"/><child link="d"/><axis xyz="0 0 1"/></joint>
)";

struct ReadDialect {
  Model model;
  LoadReport report;
};
ReadDialect read_dialect(const std::string& added, bool dynamics = true, bool transmissions = true) {
  LoadOptions options;
  options.dynamics = dynamics, options.transmissions = transmissions, options.cut = {"d"};
  ReadDialect read;
  read.model = parse_urdf(two_joints_text + added + "\n</robot>", "r.urdf", options, &read.report);
  return read;
}

std::string refused_dialect(const std::string& added, bool cut = true) {
  LoadOptions options;
  options.dynamics = options.transmissions = true;
  if (cut) options.cut = {"d"};
  try {
    parse_urdf(two_joints_text + added + "\n</robot>", "r.urdf", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string actuator_text(const std::string& inside, const std::string& joint = "j1") {
  return "<transmission name=\"t\"><type>SimpleTransmission</type><joint name=\"" + joint + "\"/><actuator name=\"m\">\n" +
         inside + "</actuator></transmission>";
}

bool has_warning(const LoadReport& report, const std::string& start) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& w) { return w.compare(0, start.size(), start) == 0; });
}

/// The torques at one state.
std::vector<double> torques_at_state(const Model& model) {
  Workspace<double> work(model);
  const double q[] = {0.4, -0.9}, v[] = {0.3, 1.1}, a[] = {-2.0, 0.7};
  std::vector<double> tau(2);
  rnea(model, work, q, v, a, static_cast<const Force<double>*>(nullptr), tau.data());
  return tau;
}

void check_equal(const std::vector<double>& found, const std::vector<double>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) CHECK(found[k] == Approx(expected[k]).epsilon(1e-13));
}

}  // namespace

TEST_CASE("Drake's rotor_inertia and gear_ratio, and ros2_control's names, are armature as if set by hand") {
  Model by_hand = read_dialect("").model;
  JointPhysics rotor;
  rotor.armature = 0.9;
  set_joint_physics(by_hand, "j1", rotor);
  const std::string drake = "<drake:rotor_inertia value=\"1e-4\"/><drake:gear_ratio value=\"-94.868329805051381\"/>";
  const std::string snake =
      "<ros2_control name=\"s\" type=\"system\">\n<transmission name=\"t\"><joint "
      "name=\"j1\"><mechanical_reduction>30</mechanical_reduction>"
      "</joint><actuator name=\"m\"><motor_inertia>1e-3</motor_inertia></actuator></transmission></ros2_control>";
  for (const std::string& added : {actuator_text(drake), snake, actuator_text("<drake:rotor_inertia value=\"0.9\"/>")}) {
    INFO(added);
    const ReadDialect read = read_dialect(added);
    CHECK(read.model.physics[0].armature == Approx(0.9).epsilon(1e-14));
    CHECK(read.report.warnings.empty());
    check_equal(torques_at_state(read.model), torques_at_state(by_hand));
    CHECK(read_dialect(added, true, false).model.physics[0].armature == 0);
  }
  CHECK_THAT(refused_dialect(actuator_text(drake + "<motorInertia>1</motorInertia>")),
             StartsWith("r.urdf:9: ") && Contains("a second one"));
  CHECK_THAT(refused_dialect(actuator_text("<drake:rotor_inertia value=\"-1\"/>")),
             StartsWith("r.urdf:9: ") && Contains("-1; expected a number >= 0"));
  CHECK_THAT(refused_dialect(actuator_text("<drake:rotor_inertia value=\"x\"/>")),
             StartsWith("r.urdf:9: ") && Contains("a decimal number"));
  CHECK_THAT(refused_dialect("<transmission name=\"t\"><joint name=\"j1\"/><joint name=\"j2\"/>\n<actuator name=\"m\">" +
                             drake + "</actuator><actuator name=\"n\"/></transmission>"),
             StartsWith("r.urdf:8: transmission \"t\": a motorInertia between 2 actuators and 2 joints"));
}

TEST_CASE("transmissions that add nothing are named by line where they are asked for") {
  const auto only = [](const std::string& added) {
    const ReadDialect read = read_dialect(added);
    REQUIRE(read.report.warnings.size() == 1);
    CHECK(read.model.physics[0].none());
    CHECK(read_dialect(added, true, false).report.warnings.empty());
    return read.report.warnings[0];
  };
  CHECK_THAT(only(actuator_text("<mechanicalReduction>50</mechanicalReduction>")),
             StartsWith("r.urdf:8: transmission \"t\": a reduction without a motorInertia: it adds nothing"));
  CHECK_THAT(only(actuator_text("<drake:gear_ratio value=\"50\"/>")), Contains("a reduction without a motorInertia"));
  CHECK_THAT(only(actuator_text("<hardwareInterface>EffortJointInterface</hardwareInterface>")),
             Contains("\"t\": no motorInertia"));
  CHECK_THAT(only(actuator_text("<rotorInertia>1</rotorInertia>")),
             StartsWith("r.urdf:9: transmission \"t\" <rotorInertia>: is not read"));
}

TEST_CASE("Gazebo's springs pull as their energy says, with the option that reads damping") {
  const double k = 20, q0 = 0.3;
  const std::string spring =
      "<gazebo reference=\"j1\">\n<springStiffness>20</springStiffness><springReference>0.3</springReference>"
      "<implicitSpringDamper>true</implicitSpringDamper></gazebo>";
  const ReadDialect with = read_dialect(spring), without = read_dialect("");
  CHECK(with.report.warnings.empty());
  // the torque is the slope of k (q − q0)² / 2, which vanishes at q0
  std::vector<double> expected = torques_at_state(without.model);
  expected[0] += k * (0.4 - q0);
  check_equal(torques_at_state(with.model), expected);
  CHECK(std::count(with.report.ignored.begin(), with.report.ignored.end(), "springStiffness") == 0);
  const ReadDialect unasked = read_dialect(spring, false);
  CHECK(unasked.model.physics.empty());
  CHECK(std::count(unasked.report.ignored.begin(), unasked.report.ignored.end(), "springStiffness") == 1);
  // beside damping
  const ReadDialect damped = read_dialect("<gazebo reference=\"j2\"><springStiffness>5</springStiffness></gazebo>");
  CHECK(damped.model.physics[1].damping == 3);
  CHECK(damped.model.physics[1].stiffness == 5.0);
  CHECK(damped.model.physics[1].offset == 0);
}

TEST_CASE("springs that make no sense are refused by line, and what adds nothing is named") {
  const auto block = [](const std::string& reference, const std::string& inside) {
    return "<gazebo reference=\"" + reference + "\">\n" + inside + "</gazebo>";
  };
  CHECK_THAT(refused_dialect(block("j1", "<springStiffness>-1</springStiffness>")),
             StartsWith("r.urdf:9: joint \"j1\" <springStiffness>: -1"));
  CHECK_THAT(refused_dialect(block("j1", "<springStiffness>stiff</springStiffness>")),
             StartsWith("r.urdf:9: ") && Contains("a decimal number"));
  CHECK_THAT(refused_dialect(block("j1", "<springStiffness>1</springStiffness>") +
                             block("j1", "<springStiffness>2</springStiffness>")),
             StartsWith("r.urdf:10: ") && Contains("a second spring of the joint"));
  CHECK_THAT(refused_dialect(block("plane", "<springStiffness>1</springStiffness>"), false),
             StartsWith("r.urdf:9: ") && Contains("3 freedoms"));
  for (const auto& [added, start] :
       {std::pair<std::string, std::string>{block("j1", "<springReference>1</springReference>"),
                                            "joint \"j1\" <springReference>: adds nothing"},
        {block("a", "<springStiffness>1</springStiffness>"), "<gazebo> <springStiffness>: adds nothing"},
        {block("tip", "<springStiffness>1</springStiffness>"), "joint \"tip\" <springStiffness>: the joint is fixed"},
        {block("j1", "<implicitSpringDamper>1</implicitSpringDamper>"), "joint \"j1\" <implicitSpringDamper>: adds nothing"},
        {block("j1", "<damping>1</damping>"), "joint \"j1\" <damping>: is not read in <gazebo>"}}) {
    INFO(added);
    const ReadDialect read = read_dialect(added);
    CHECK(has_warning(read.report, "r.urdf:9: " + start));
    CHECK(read.model.physics[0].none());
    CHECK(read_dialect(added, false).report.warnings.empty());
  }
}
