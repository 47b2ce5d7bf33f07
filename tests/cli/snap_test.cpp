// A quarter turn that a file rounds to 10 digits: taken as it stands, but where exact zeros make cheaper programs.
#include <catch2/catch.hpp>
#include <cmath>
#include <regex>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// A point of 1 kg and 1 kg m² at 1 m from a hinge that would be vertical after an exact quarter turn, and a second like it.
const std::string tilted = R"(<robot name="tilted"><link name="world"/>
<link name="a"><inertial><origin xyz="1 0 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="a"/><origin rpy="1.570796326 0 0"/>
<axis xyz="0 1 0"/></joint></robot>
)";

/// τ = m g l cos 1.570796326 about it, through m l² + 1 kg m².
const double falls = 9.81 * std::cos(1.570796326) / 2;

struct Tilted {
  TemporaryFolder folder;
  std::string urdf = folder.file("tilted.urdf", tilted);
  std::string log = folder.file("log.csv", "time,q.hinge,dq.hinge,tau.hinge\n0,0,0,0\n");

  Run solve(const std::string& more) const {
    return run_program("solve " + urdf + " --sensors forward-dynamics --log " + log + " -o - --outputs ddq " + more);
  }
  static double last_number(const Run& run) { return std::stod(run.out.substr(run.out.rfind(',') + 1)); }

  /// The tolerance that the plan of `optimise` with these options records.
  double recorded(const std::string& more) const {
    const std::string plan = folder / "plan.json";
    const Run run = run_program("optimise " + urdf + " --sensors forward-dynamics -o " + plan + " " + more);
    REQUIRE(run.code == 0);
    const std::string text = text_of(plan);
    std::smatch found;
    REQUIRE(std::regex_search(text, found, std::regex("\"snap\": ([0-9.e-]+)")));
    return std::stod(found[1]);
  }
};

}  // namespace

TEST_CASE("a rounded quarter turn is taken as it stands, unless --snap says otherwise") {
  const Tilted t;
  CHECK(std::abs(Tilted::last_number(t.solve("")) - falls) < 1e-14);
  CHECK(std::abs(falls) > 1e-9);
  CHECK(std::abs(Tilted::last_number(t.solve("--snap 1e-9"))) < 1e-14);
  const Run aba = run_program("compute aba " + t.urdf + " --log " + t.log + " -o -");
  CHECK(std::abs(Tilted::last_number(aba) - falls) < 1e-14);
  CHECK_THAT(run_program("info " + t.urdf).out, Contains("rotation entries made exact: 0"));
}

TEST_CASE("generated code, counts and other formulations take it for exact, and plans say so") {
  const Tilted t;
  CHECK(t.recorded("") == 0);
  CHECK(t.recorded("--snap 1e-10") == 1e-10);
  CHECK(t.recorded("--cost folded") == 1e-9);
  CHECK(t.recorded("--formulation canonical --snap 0") == 0);
  CHECK(t.recorded("--formulation canonical") == 1e-9);
  const auto flops = [&](const std::string& command) {
    const Run run = run_program(command + " --json");
    REQUIRE(run.code == 0);
    return run.out;
  };
  const std::string code = "generate " + t.urdf + " --algorithm rnea --name f -o " + t.folder / "code";
  CHECK(flops(code) == flops(code + " --snap 1e-9"));
  CHECK(flops(code) != flops(code + " --snap 0"));
}

TEST_CASE("a plan's robot is read as it was when the plan was made") {
  const Tilted t;
  REQUIRE(t.recorded("--formulation canonical") == 1e-9);
  const std::string plan = t.folder / "plan.json";
  CHECK(std::abs(Tilted::last_number(t.solve("--plan " + plan))) < 1e-14);
  CHECK(t.solve("--plan - < " + plan).code == 0);
  const std::string text = text_of(plan);
  const auto without = std::regex_replace(text, std::regex("  \"snap\": [0-9.e-]+,\n"), "");
  REQUIRE(without != text);
  CHECK(t.solve("--plan " + t.folder.file("old.json", without)).code == 0);
  const auto negative = std::regex_replace(text, std::regex("\"snap\": [0-9.e-]+"), "\"snap\": -1");
  const Run bad = t.solve("--plan " + t.folder.file("bad.json", negative));
  CHECK(bad.code == 3);
  CHECK_THAT(bad.err, Contains("bad.json:8: snap: -1; expected a number"));
}

TEST_CASE("a plan of exact quarter turns is for no robot that has them rounded") {
  const TemporaryFolder folder;
  const std::string joint = "<origin rpy=\"1.570796326 0 0\" xyz=\"0 0 1\"/><axis xyz=\"0 0 1\"/></joint>\n",
                    body =
                        "<inertial><origin xyz=\"1 2 3\"/><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" "
                        "iyz=\"0\" izz=\"1\"/></inertial></link>\n";
  std::string text = "<robot name=\"arm\"><link name=\"l0\"/>\n";
  for (const char* k : {"1", "2", "3"})
    text += std::string("<link name=\"l") + k + "\">" + body + "<joint name=\"j" + k +
            "\" type=\"continuous\"><parent link=\"l" + std::to_string(std::stoi(k) - 1) + "\"/><child link=\"l" + k + "\"/>" +
            joint;
  const std::string urdf = folder.file("arm.urdf", text + "</robot>\n"), plan = folder / "plan.json",
                    log = folder.file("log.csv", "q.j1,q.j2,q.j3,dq.j1,dq.j2,dq.j3,tau.j1,tau.j2,tau.j3\n1,2,3,4,5,6,7,8,9\n"),
                    set = " --sensors forward-dynamics";
  REQUIRE(run_program("optimise " + urdf + set + " --snap 1e-9 -o " + plan).code == 0);
  const std::string solve = "solve " + urdf + set + " --log " + log + " --plan " + plan + " -o " + folder / "out.csv";
  CHECK(run_program(solve).code == 0);
  const Run other = run_program(solve + " --snap 0");
  CHECK(other.code == 1);
  CHECK_THAT(other.err, Contains("whose structure is another"));
}
