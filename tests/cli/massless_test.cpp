// A joint that moves no mass: forward dynamics has no answer for it, and says so by its name.
#include <catch2/catch.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// An arm whose last joint, "wrist", carries a link without mass.
const char* const massless_arm =
    "<robot name=\"arm\"><link name=\"root\"/><link name=\"tip\"/>\n"
    "<link name=\"upper\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/>\n"
    "<inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>\n"
    "<joint name=\"shoulder\" type=\"revolute\"><parent link=\"root\"/><child link=\"upper\"/><axis xyz=\"0 1 0\"/></joint>\n"
    "<joint name=\"wrist\" type=\"revolute\"><parent link=\"upper\"/><child link=\"tip\"/><origin xyz=\"0.3 0 "
    "0\"/></joint></robot>";

const char* const massless_rows =
    "q.shoulder,q.wrist,dq.shoulder,dq.wrist,tau.shoulder,tau.wrist\n0.1,0.2,0,0,1,0\n0.3,0.2,0,0.1,1,0\n";

}  // namespace

TEST_CASE("compute aba fails each row and names the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), in = folder.file("in.csv", massless_rows),
                    out = folder / "out.csv";
  const Run run = run_program("compute aba " + robot + " --json --log " + in + " -o " + out);
  CHECK(run.code == 4);
  CHECK_THAT(run.out, Contains("\"rows_failed\": 2"));
  CHECK_THAT(run.err, Contains("arm.urdf:5: joint \"wrist\": moves no mass") && Contains("in.csv:2: singular at ddq.wrist"));
  CHECK(text_of(out) == "ddq.shoulder,ddq.wrist\n,\n,\n");
  CHECK(run_program("compute aba " + robot + " --lock wrist --log " + in + " -o " + out).code == 0);
}

TEST_CASE("check and optimise say no and name ddq of the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), plan = folder / "plan.json";
  const Run check = run_program("check " + robot + " --json --sensors forward-dynamics");
  CHECK(check.code == 1);
  CHECK_THAT(check.out, Contains("\"insufficient\"") && Contains("\"ddq.wrist\"") && !Contains("\"ddq.shoulder\""));
  const Run optimise = run_program("optimise " + robot + " --sensors forward-dynamics -o " + plan);
  CHECK(optimise.code == 1);
  CHECK_THAT(optimise.out + optimise.err, Contains("ddq.wrist"));
  CHECK(!std::filesystem::exists(plan));
  CHECK(run_program("check " + robot + " --sensors inverse-dynamics").code == 0);
}

TEST_CASE("solve fails each row and names the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), in = folder.file("in.csv", massless_rows),
                    out = folder / "out.csv";
  const Run run = run_program("solve " + robot + " --json --sensors forward-dynamics --log " + in + " -o " + out);
  CHECK(run.code == 4);
  CHECK_THAT(run.out, Contains("\"rows_failed\": 2"));
  CHECK_THAT(run.err, Contains("in.csv:2: ") && Contains("in.csv:3: ") && Contains("ddq.wrist"));
  CHECK(text_of(out) == "ddq.shoulder,ddq.wrist\n,\n,\n");
}

TEST_CASE("generate says no and names ddq of the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), rest = " --outputs ddq --name f -o " + (folder / "code");
  for (const char* what : {" --algorithm aba", " --sensors forward-dynamics"}) {
    const Run run = run_program("generate " + robot + what + rest);
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Contains("ddq.wrist"));
  }
  CHECK(!std::filesystem::exists(folder / "code"));
  CHECK(run_program("generate " + robot + " --algorithm rnea --name int -o " + (folder / "code")).code == 2);
}
