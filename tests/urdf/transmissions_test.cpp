// Rotors of <transmission> as armature, and what is refused of them, by line.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using Catch::Contains;

namespace {

const std::string two_driven_links = R"(<robot name="r">
<link name="world"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"/>
<joint name="j1" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/><dynamics damping="3"/></joint>
<joint name="j2" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><mimic joint="j1" multiplier="2"/></joint>
<joint name="tip" type="fixed"><parent link="b"/><child link="c"/></joint>
)";

Model with_rotors(const std::string& transmissions, bool mimic = false, LoadReport* report = nullptr) {
  LoadOptions options;
  options.transmissions = options.dynamics = true, options.mimic = mimic;
  return parse_urdf(two_driven_links + transmissions + "\n</robot>", "r.urdf", options, report);
}

std::string motor(const std::string& joint, const std::string& inside) {
  return "<transmission name=\"t\"><joint name=\"" + joint + "\"/><actuator name=\"m\">" + inside +
         "</actuator></transmission>";
}

std::string refused_rotors(const std::string& transmissions) {
  try {
    with_rotors(transmissions);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string rotor = "<mechanicalReduction>-50</mechanicalReduction><motorInertia>1e-4</motorInertia>";

}  // namespace

TEST_CASE("rotors of transmissions are armature, reduction squared times inertia, beside what else the joint has") {
  const Model model = with_rotors(motor("j1", rotor) + motor("j2", "<motorInertia>0.5</motorInertia>"));
  CHECK(model.physics[0].armature == Approx(0.25).epsilon(1e-15));
  CHECK(model.physics[0].damping == 3);
  CHECK(model.physics[1].armature == 0.5);
  CHECK(with_rotors(motor("j1", rotor) + motor("j1", rotor)).physics[0].armature == Approx(0.5).epsilon(1e-15));
  // in the joint, or in the transmission itself
  const std::string elsewhere = R"(<transmission name="t"><joint name="j1"><mechanicalReduction>50</mechanicalReduction></joint>
    <motorInertia>1e-4</motorInertia></transmission>)";
  CHECK(with_rotors(elsewhere).physics[0].armature == Approx(0.25).epsilon(1e-15));
  // without an inertia there is nothing to add, even between several joints
  const std::string differential = R"(<transmission name="d"><joint name="j1"/><joint name="j2"/>
    <actuator name="m"><mechanicalReduction>3</mechanicalReduction></actuator></transmission>)";
  CHECK(with_rotors(differential).physics[0].armature == 0);
  CHECK(with_rotors(differential).physics[0].damping == 3);
}

TEST_CASE("rotors of transmissions enter the mass matrix, a follower's by its multiplier squared") {
  const double q = 0.3;
  const auto inertia = [&](const Model& model) {
    Workspace<double> ws(model);
    double M = 0;
    crba(model, ws, &q, &M);
    return M;
  };
  const double more = inertia(with_rotors(motor("j1", rotor) + motor("j2", "<motorInertia>0.5</motorInertia>"), true)) -
                      inertia(with_rotors("", true));
  CHECK(more == Approx(0.25 + 4 * 0.5).epsilon(1e-14));
}

TEST_CASE("transmissions without the option, of locked and of fixed joints") {
  LoadReport report;
  const Model plain = parse_urdf(two_driven_links + motor("j1", rotor) + "</robot>", "r.urdf", {}, &report);
  CHECK(plain.physics.empty());
  CHECK(std::count(report.ignored.begin(), report.ignored.end(), "transmission") == 1);
  LoadReport asked;
  CHECK(with_rotors(motor("tip", rotor), false, &asked).physics[0].armature == 0);
  CHECK(std::count(asked.ignored.begin(), asked.ignored.end(), "transmission") == 0);
  REQUIRE_FALSE(asked.warnings.empty());
  CHECK_THAT(asked.warnings.back(), Contains("r.urdf:9: transmission \"t\" <joint>: the joint is fixed"));
  LoadOptions locked;
  locked.transmissions = true, locked.lock = {{"j1", 0.0}};
  CHECK(parse_urdf(two_driven_links + motor("j1", rotor) + "</robot>", "r.urdf", locked).physics.empty());
}

TEST_CASE("transmissions that make no sense are refused by line") {
  CHECK_THAT(refused_rotors(motor("j3", rotor)), Contains("r.urdf:9: transmission \"t\" <joint>: no joint is called \"j3\""));
  CHECK_THAT(refused_rotors(motor("j1", "<motorInertia>-1</motorInertia>")),
             Contains("<motorInertia>: -1; expected a number >= 0"));
  CHECK_THAT(refused_rotors(motor("j1", "<motorInertia>heavy</motorInertia>")),
             Contains("r.urdf:9: transmission \"t\" <motorInertia>"));
  CHECK_THAT(refused_rotors(motor("j1", "<mechanicalReduction>0</mechanicalReduction><motorInertia>1</motorInertia>")),
             Contains("expected a reduction other than 0"));
  CHECK_THAT(refused_rotors(motor("j1", rotor + "\n<motorInertia>1</motorInertia>")), Contains("r.urdf:10:"));
  CHECK_THAT(refused_rotors(R"(<transmission name="t"><joint name="j1"><motorInertia>1</motorInertia></joint>
    <actuator name="m"><motorInertia>1</motorInertia></actuator></transmission>)"),
             Contains("expected it once; line 10 has it too"));
  CHECK_THAT(refused_rotors(R"(<transmission name="t"><joint name="j1"/><joint name="j2"/>
    <actuator name="m"><motorInertia>1</motorInertia></actuator></transmission>)"),
             Contains("r.urdf:9: transmission \"t\": a motorInertia between 1 actuators and 2 joints"));
  CHECK_THAT(refused_rotors(motor("j1", "<mechanicalReduction>1e200</mechanicalReduction><motorInertia>1</motorInertia>")),
             Contains("not finite"));
}
