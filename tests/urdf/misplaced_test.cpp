// What stands in a URDF where nobody reads it: a warning with its line and its place, and the numbers as without it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "error_of.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "urdf/rewrite_inertials.hpp"

using namespace sparsedyn;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string whole_inertial =
    R"(<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>)";

/// An arm with one joint: what is added to the link, to the joint and to the robot begins on lines of its own: 4, 9 and 12.
struct ArmText {
  std::string link = {}, joint = {}, robot = {}, link_attributes = {}, joint_attributes = {};
  std::string origin = "<origin xyz=\"0 0 0.5\"/>", axis = "<axis xyz=\"0 1 0\"/>";
  std::string text() const {
    return "<robot name=\"r\"><link name=\"base\"/>\n<link name=\"arm\" " + link_attributes + ">\n" + whole_inertial + "\n" +
           link + "\n</link>\n<joint name=\"j\" type=\"revolute\" " + joint_attributes +
           ">\n<parent link=\"base\"/><child link=\"arm\"/>\n" + origin + axis + "\n" + joint +
           "\n<limit lower=\"-2\" upper=\"2\" effort=\"5\" velocity=\"3\"/>\n</joint>\n" + robot + "\n</robot>\n";
  }
};

struct LoadedArm {
  LoadReport report;
  double tau;
};
LoadedArm loaded_arm(const std::string& text, const LoadOptions& options = {}) {
  LoadedArm found;
  const Model model = parse_urdf(text, "r.urdf", options, &found.report);
  Workspace<double> work(model);
  const double q = 0.4, v = 0.7, a = -1.1;
  rnea(model, work, &q, &v, &a, static_cast<const Force<double>*>(nullptr), &found.tau);
  return found;
}

struct Misplaced {
  ArmText arm;
  long line;
  std::string element, place;
};

std::vector<Misplaced> misplaced_elements() {
  const auto in_link = [](const std::string& text) {
    ArmText arm;
    arm.link = text;
    return arm;
  };
  const auto in_joint = [](const std::string& text) {
    ArmText arm;
    arm.joint = text;
    return arm;
  };
  const auto in_axis = [](const std::string& text) {
    ArmText arm;
    arm.axis = "<axis xyz=\"0 1 0\">\n" + text + "</axis>";
    return arm;
  };
  const auto in_origin = [](const std::string& text) {
    ArmText arm;
    arm.origin = "<origin xyz=\"0 0 0.5\">\n" + text + "</origin>";
    return arm;
  };
  const auto in_robot = [](const std::string& text) {
    ArmText arm;
    arm.robot = text;
    return arm;
  };
  const std::string limit = "<limit lower=\"-1\" upper=\"1\"/>";
  return {
      {in_link("<origin xyz=\"0 0 1\"/>"), 4, "link \"arm\" <origin>", "in <joint>, or in <inertial>"},
      {in_link("<mass value=\"5\"/>"), 4, "link \"arm\" <mass>", "in <inertial>"},
      {in_link("<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>"), 4, "link \"arm\" <inertia>",
       "in <inertial>"},
      {in_link("<pose>0 0 1 0 0 0</pose>"), 4, "link \"arm\" <pose>", "SDF"},
      {in_link("<visual>\n" + whole_inertial + "</visual>"), 5, "link \"arm\" <visual> <inertial>", "in <link>"},
      {in_link("<collision>\n" + whole_inertial + "</collision>"), 5, "link \"arm\" <collision> <inertial>", "in <link>"},
      {in_link("<visual><geometry>\n" + whole_inertial + "</geometry></visual>"), 5, "<geometry> <inertial>", "in <link>"},
      {in_link(limit), 4, "link \"arm\" <limit>", "in <joint>"},
      {in_link("<dynamics damping=\"1\"/>"), 4, "link \"arm\" <dynamics>", "in <joint>"},
      {in_link("<mimic joint=\"j\"/>"), 4, "link \"arm\" <mimic>", "in <joint>"},
      {in_link("<joint name=\"k\" type=\"fixed\"/>"), 4, "link \"arm\" <joint>", "in <robot> itself"},
      {in_joint(whole_inertial), 9, "joint \"j\" <inertial>", "in <link>"},
      {in_joint("<mass value=\"5\"/>"), 9, "joint \"j\" <mass>", "in <inertial>"},
      {in_joint("<pose>0 0 1 0 0 0</pose>"), 9, "joint \"j\" <pose>", "SDF"},
      {in_joint("<rpy>0 0 1</rpy>"), 9, "joint \"j\" <rpy>", "among the attributes of <origin>"},
      {in_joint("<xyz>0 0 1</xyz>"), 9, "joint \"j\" <xyz>", "among the attributes of <origin> or <axis>"},
      {in_joint("<link name=\"k\"/>"), 9, "joint \"j\" <link>", "in <robot> itself"},
      {in_joint("<motorInertia>1</motorInertia>"), 9, "joint \"j\" <motorInertia>", "<transmission>"},
      {in_joint("<springStiffness>1</springStiffness>"), 9, "joint \"j\" <springStiffness>", "<gazebo"},
      {in_axis(limit), 9, "joint \"j\" <axis> <limit>", "in <joint>"},
      {in_axis("<dynamics damping=\"1\"/>"), 9, "joint \"j\" <axis> <dynamics>", "in <joint>"},
      {in_origin("<rpy>0 0 1</rpy>"), 9, "joint \"j\" <origin> <rpy>", "among the attributes of <origin>"},
      {in_robot(whole_inertial), 12, "<inertial>", "in <link>"},
      {in_robot("<group>\n<link name=\"k\"/></group>"), 13, "<group> <link>", "in <robot> itself"},
      {in_robot("<gazebo reference=\"arm\">\n" + whole_inertial + "</gazebo>"), 13, "<gazebo> <inertial>", "in <link>"},
  };
}

}  // namespace

TEST_CASE("elements that stand where they do not enter: a warning with line and place, and the numbers as without them") {
  const LoadedArm without = loaded_arm(ArmText().text());
  CHECK(without.report.warnings.empty());
  for (const Misplaced& x : misplaced_elements()) {
    INFO(x.arm.text());
    const LoadedArm with = loaded_arm(x.arm.text());
    REQUIRE(with.report.warnings.size() == 1);
    CHECK_THAT(with.report.warnings[0], StartsWith("r.urdf:" + std::to_string(x.line) + ": "));
    CHECK_THAT(with.report.warnings[0], Contains(x.element + ": does not enter here; it belongs ") && Contains(x.place));
    CHECK(with.tau == without.tau);
    for (const std::string& kind : with.report.ignored)  // said once, where it stands
      CHECK((kind == "limit" || kind == "gazebo" || kind == "group"));
  }
}

TEST_CASE("attributes and texts where nobody reads them, and elements that are repeated") {
  const auto only_warning = [](const ArmText& arm) {
    const LoadedArm with = loaded_arm(arm.text());
    INFO(arm.text());
    REQUIRE(with.report.warnings.size() == 1);
    CHECK(with.tau == loaded_arm(ArmText().text()).tau);
    return with.report.warnings[0];
  };
  ArmText arm;
  arm.link_attributes = "mass=\"3\"";
  CHECK_THAT(only_warning(arm), StartsWith("r.urdf:2: link \"arm\": attribute mass does not enter here; it belongs in <mass"));
  arm = {};
  arm.joint_attributes = "rpy=\"0 0 1\"";
  CHECK_THAT(only_warning(arm), StartsWith("r.urdf:6: joint \"j\": attribute rpy does not enter here; it belongs in <origin>"));
  arm = {};
  arm.origin = "<origin xyz=\"0 0 0.5\">0 0 1</origin>";
  CHECK_THAT(only_warning(arm), StartsWith("r.urdf:8: joint \"j\" <origin>: its text does not enter"));
  arm = {};
  arm.axis = "<axis xyz=\"0 1 0\"/>\n<axis xyz=\"0 1 0\"/>";
  CHECK_THAT(only_warning(arm), StartsWith("r.urdf:9: joint \"j\" <axis>: a second one is passed over; that of line 8 counts"));
  arm = {};
  arm.link = "<inertial><mass value=\"7\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
  CHECK_THAT(only_warning(arm),
             StartsWith("r.urdf:4: link \"arm\" <inertial>: a second one is passed over; that of line 3 counts"));
  for (const char* kind : {"limit", "dynamics", "mimic"}) {
    const std::string element = "<" + std::string(kind) + " joint=\"j\" lower=\"-1\" upper=\"1\"/>";
    arm = {};
    arm.joint = element + "\n" + element;
    const LoadedArm twice = loaded_arm(arm.text());
    CHECK(std::any_of(twice.report.warnings.begin(), twice.report.warnings.end(), [&](const std::string& w) {
      return w.find("r.urdf:10: joint \"j\" <" + std::string(kind) + ">: a second one is passed over; that of line 9 counts") ==
             0;
    }));
  }
}

TEST_CASE("what other programs read of a URDF is no misplaced element") {
  ArmText arm;
  arm.link = R"(<visual name="v"><origin xyz="0 0 1" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry></visual>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="1"/></geometry></collision>
    <contact><lateral_friction value="1"/><damping value="3"/><stiffness value="2"/></contact>
    <self_filter><origin xyz="0 0 1"/><geometry/></self_filter>)";
  arm.joint = R"(<calibration rising="0.1"/><safety_controller k_velocity="1" soft_lower_limit="-1"/>)";
  arm.robot = R"(<gazebo reference="j"><kp>1</kp><sensor name="s" type="imu"><pose>0 0 1 0 0 0</pose></sensor></gazebo>
    <gazebo><plugin name="p"><joint>j</joint><mass>1</mass><origin/><axis>x</axis></plugin></gazebo>
    <transmission name="t"><joint name="j"><hardwareInterface>e</hardwareInterface></joint><actuator name="a"/></transmission>
    <ros2_control name="s" type="system"><joint name="j"><param name="x">1</param><limit/></joint></ros2_control>
    <sensor name="imu" type="imu"><parent link="arm"/><origin xyz="0 0 1"/></sensor>
    <drake:proximity_properties/><frame name="f" link="arm" xyz="0 0 1" rpy="0 0 0"/><material name="m"><color rgba="1 1 1 1"/></material>)";
  CHECK(loaded_arm(arm.text()).report.warnings.empty());
}

TEST_CASE("macros that xacro left behind are refused by line, and passed over with a warning where the user is lenient") {
  ArmText arm;
  arm.joint = "<xacro:limits/>";
  arm.robot = "<xacro:hand side=\"l\"/>";
  CHECK_THAT(error_of(arm.text()), StartsWith("r.urdf:9: joint \"j\" <xacro:limits>: a macro; expected "));
  LoadOptions lenient;
  lenient.lenient = true;
  const LoadedArm with = loaded_arm(arm.text(), lenient);
  REQUIRE(with.report.warnings.size() == 2);
  CHECK_THAT(with.report.warnings[0], StartsWith("r.urdf:9: joint \"j\" <xacro:limits>: a macro that xacro has not expanded"));
  CHECK_THAT(with.report.warnings[1], StartsWith("r.urdf:12: <xacro:hand>: a macro that xacro has not expanded"));
  CHECK(with.tau == loaded_arm(ArmText().text()).tau);
  ArmText old;
  old.robot = "<include filename=\"hand.xacro\"/>";
  REQUIRE(loaded_arm(old.text()).report.warnings.size() == 1);
  CHECK_THAT(loaded_arm(old.text()).report.warnings[0], StartsWith("r.urdf:12: <include>: xacro's"));
}

TEST_CASE("loops that simulators close are warned of") {
  ArmText arm;
  arm.robot =
      "<gazebo>\n<joint name=\"rod\" type=\"revolute\"><parent>arm</parent><child>base</child></joint></gazebo>\n<loop_joint "
      "name=\"l\"/>";
  const LoadedArm with = loaded_arm(arm.text());
  REQUIRE(with.report.warnings.size() == 2);
  CHECK_THAT(with.report.warnings[0], StartsWith("r.urdf:13: <gazebo> <joint> \"rod\": holds links together beside the tree"));
  CHECK_THAT(with.report.warnings[1], StartsWith("r.urdf:14: <loop_joint> \"l\": "));
}

TEST_CASE("of two inertials the first is rewritten, and read again") {
  ArmText arm;
  arm.link = whole_inertial;
  const Model before = parse_urdf(arm.text(), "r.urdf");
  const Inertia<double>& I = before.links[1].inertia;
  const Sym3<double>& s = I.moments;
  const Inertia<double> twice{2 * I.m, 2.0 * I.h, {2 * s.xx, 2 * s.xy, 2 * s.xz, 2 * s.yy, 2 * s.yz, 2 * s.zz}};
  const std::string after = rewrite_inertials(arm.text(), {{"arm", twice}});
  CHECK(parse_urdf(after, "r.urdf").links[1].inertia.m == Approx(4).epsilon(1e-14));
}
