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
  CHECK_THAT(run.err,
             Contains("arm.urdf:5: joint \"wrist\": moves no mass") &&
                 Contains("in.csv:2: singular at ddq.wrist; wrist moves no mass and no inertia: --lock massless fixes it"));
  CHECK(text_of(out) == "ddq.shoulder,ddq.wrist\n,\n,\n");
  CHECK(run_program("compute aba " + robot + " --lock wrist --log " + in + " -o " + out).code == 0);
}

TEST_CASE("check and optimise say no and name ddq of the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), plan = folder / "plan.json";
  const Run check = run_program("check " + robot + " --json --sensors forward-dynamics");
  CHECK(check.code == 1);
  CHECK_THAT(check.out, Contains("--lock massless fixes it") && Contains("\"insufficient\"") && Contains("\"ddq.wrist\"") &&
                            !Contains("\"ddq.shoulder\""));
  const Run optimise = run_program("optimise " + robot + " --sensors forward-dynamics -o " + plan);
  CHECK(optimise.code == 1);
  CHECK_THAT(optimise.out + optimise.err, Contains("ddq.wrist") && Contains("--lock massless"));
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
  CHECK_THAT(run.err, Contains("in.csv:2: ") && Contains("in.csv:3: ") && Contains("ddq.wrist") && Contains("--lock massless"));
  CHECK(text_of(out) == "ddq.shoulder,ddq.wrist\n,\n,\n");
}

TEST_CASE("generate says no and names ddq of the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), rest = " --outputs ddq --name f -o " + (folder / "code");
  for (const char* what : {" --algorithm aba", " --sensors forward-dynamics"}) {
    const Run run = run_program("generate " + robot + what + rest);
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Contains("ddq.wrist") && Contains("--lock massless"));
  }
  CHECK(!std::filesystem::exists(folder / "code"));
  CHECK(run_program("generate " + robot + " --algorithm rnea --name int -o " + (folder / "code")).code == 2);
}

TEST_CASE("locking massless (--lock massless) locks what moves nothing, says which, and forward dynamics has an answer") {
  TemporaryFolder folder;
  const std::string robot = folder.file("arm.urdf", massless_arm), in = folder.file("in.csv", massless_rows),
                    out = folder / "out.csv", set = folder / "set.json";
  const std::string rest = " --lock massless --log " + in + " -o " + out;
  for (const char* what : {"compute aba ", "solve --sensors forward-dynamics "}) {
    const Run run = run_program(what + robot + rest);
    CHECK(run.code == 0);
    CHECK_THAT(run.err, Contains("arm.urdf:5: joint \"wrist\": moves no mass and no inertia; locked at 0"));
    CHECK(text_of(out).substr(0, 13) == "ddq.shoulder\n");
  }
  const Run info = run_program("info --json --lock massless " + robot);
  CHECK_THAT(info.out, Contains("\"locked_massless\": [\n    \"wrist\"\n  ]") && Contains("\"nv\": 1"));
  CHECK(run_program("check " + robot + " --sensors forward-dynamics --lock massless").code == 0);
  CHECK(run_program("optimise " + robot + " --sensors forward-dynamics --lock massless -o " + (folder / "plan.json")).code ==
        0);
  CHECK(run_program("generate " + robot + " --algorithm aba --lock massless --outputs ddq --name f -o " + (folder / "code"))
            .code == 0);
  CHECK(run_program("sensors " + robot + " --lock massless -o " + set).code == 0);
  CHECK(run_program("simulate " + robot + " --lock massless --sensors forward-dynamics --seconds 0.1 --rate 100 -o " + out)
            .code == 0);
  CHECK(run_program("flops " + robot + " --lock massless --sensors forward-dynamics").code == 0);
  // With other options: a joint is named, the link is cut off.
  CHECK(run_program("compute aba --lock wrist=0.3 " + robot + rest).code == 0);
  CHECK(run_program("compute aba --cut tip " + robot + rest).code == 0);
  CHECK(run_program("info --lock massless=1 " + robot).code == 2);  // a joint of that name, which there is not
}

namespace {

/// A pendulum on a root without mass, about an axis that is none of the frame's.
const char* const massless_root =
    "<robot name=\"r\"><link name=\"stand\"/>\n<link name=\"rod\"><inertial><origin xyz=\"0.5 0 0.1\"/><mass value=\"2\"/>\n"
    "<inertia ixx=\"0.1\" ixy=\"0.01\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" izz=\"0.2\"/></inertial></link>\n"
    "<joint name=\"hinge\" type=\"continuous\"><parent link=\"stand\"/><child link=\"rod\"/><origin xyz=\"0.1 0.2 0.3\" "
    "rpy=\"0.3 0.2 0.1\"/><axis xyz=\"AXIS\"/></joint></robot>";

const char* const floating_rows =
    "q.hinge,dq.hinge,ddq.hinge,tau.hinge,q.base.x,q.base.y,q.base.z,q.base.qx,q.base.qy,q.base.qz,q.base.qw,dq.base.wx,dq."
    "base.wy,"
    "dq.base.wz,dq.base.vx,dq.base.vy,dq.base.vz,ddq.base.wx,ddq.base.wy,ddq.base.wz,ddq.base.vx,ddq.base.vy,ddq.base.vz\n"
    "0.1,0.2,0,0.3,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0\n0.7,0.2,0,0.3,1,2,3,0.1,0.2,0.3,0.9,1,0,0,0,2,0,0,0,0,0,0,0\n";

std::string with_axis(const std::string& axis) {
  std::string text = massless_root;
  return text.replace(text.find("AXIS"), 4, axis);
}

}  // namespace

TEST_CASE("a floating root without mass that leaves motion undetermined: every row fails, the joint is named") {
  TemporaryFolder folder;
  const std::string in = folder.file("in.csv", floating_rows), out = folder / "out.csv";
  for (const char* axis : {"0 1 0", "1 2 3", "0 0 -1", "1e-4 0 1"}) {
    INFO(axis);
    const std::string robot = folder.file("r.urdf", with_axis(axis)) + " --floating";
    for (const char* what : {"compute aba ", "compute minverse ", "compute aba-derivatives ",
                             "compute aba-second-derivatives --contract dq ", "solve --sensors forward-dynamics "}) {
      const Run run = run_program(what + robot + " --json --log " + in + " -o " + out);
      INFO(run.err);
      CHECK(run.code == 4);
      CHECK_THAT(run.out, Contains("\"rows_failed\": 2"));
      CHECK_THAT(run.err, Contains("in.csv:2: ") && Contains("ddq.base."));
      if (text_of(out).rfind("ddq.base.wx,", 0) == 0) CHECK_THAT(text_of(out), Contains("\n,,,,,,\n,,,,,,\n"));
    }
    CHECK(run_program("check " + robot + " --sensors forward-dynamics").code == 1);
    const Run generate = run_program("generate " + robot + " --algorithm aba --name f -o " + (folder / "code"));
    CHECK(generate.code == 1);
    CHECK(run_program("compute rnea " + robot + " --log " + in + " -o " + out).code == 0);
    CHECK(run_program("solve " + robot + " --sensors inverse-dynamics --log " + in + " -o " + out).code == 0);
  }
}

TEST_CASE("momentum where no mass moves: no centre of mass, and the momentum of the inertia") {
  TemporaryFolder folder;
  const std::string wheel =
      "<robot name=\"w\"><link name=\"root\"/><link name=\"wheel\"><inertial><mass value=\"0\"/><inertia ixx=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"0.5\"/></inertial></link><joint name=\"spin\" type=\"continuous\"><parent "
      "link=\"root\"/><child link=\"wheel\"/><axis xyz=\"0 0 1\"/></joint></robot>";
  const std::string robot = folder.file("w.urdf", wheel), in = folder.file("in.csv", "q.spin,dq.spin\n0,3\n"),
                    out = folder / "out.csv";
  const Run run = run_program("compute momentum " + robot + " --log " + in + " -o " + out);
  CHECK(run.code == 4);  // though the others are right
  CHECK_THAT(run.err, Contains("in.csv:2: com.x, com.y, com.z: left empty; no mass moves"));
  CHECK_THAT(run.out, Contains("1 row, 1 failed"));
  CHECK(run_program("compute momentum " + robot + " --quiet --log " + in + " -o " + out).err.find("com.x") !=
        std::string::npos);
  CHECK_THAT(text_of(out), Contains("\n,,,0,0,1.5,0,0,0\n"));
  const std::string set =
      folder.file("set.json", "{\"name\": \"s\", \"sensors\": [{\"name\": \"com\", \"type\": \"com_acceleration\"}]}");
  const Run check = run_program("check " + robot + " --sensors " + set);
  CHECK(check.code == 3);
  CHECK_THAT(check.err, Contains("sensor com: com_acceleration of a robot that moves no mass"));
}

TEST_CASE("a robot of kinematics alone: what needs masses says no and names the joints, the rest works") {
  TemporaryFolder folder;
  const std::string robot =
      folder.file("arm.urdf",
                  "<robot name=\"arm\"><link name=\"root\"/><link name=\"upper\"/><link name=\"tip\"/>\n"
                  "<joint name=\"shoulder\" type=\"revolute\"><parent link=\"root\"/><child link=\"upper\"/>"
                  "<limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/></joint>\n"
                  "<joint name=\"wrist\" type=\"revolute\"><parent link=\"upper\"/><child link=\"tip\"/>"
                  "<origin xyz=\"0.3 0 0\"/><axis xyz=\"0 1 0\"/>"
                  "<limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/></joint></robot>");
  const std::string in = folder / "in.csv", out = folder / "out.csv", forward = " --sensors forward-dynamics";
  for (const std::string base : {"", " --floating"}) {
    CAPTURE(base);
    const std::string on = " " + robot + base, log = " --log " + in + " -o " + out;
    REQUIRE(run_program("simulate" + on + " --seconds 0.1 --rate 50 -o " + in).code == 0);
    const Run check = run_program("check" + on + forward), plan = run_program("optimise" + on + forward + " -o " + out);
    CHECK((check.code == 1 && plan.code == 1));
    CHECK_THAT(check.out, Contains("ddq.wrist") && Contains("ddq.shoulder"));
    CHECK_THAT(plan.out + plan.err, Contains("ddq.wrist"));
    const Run solved = run_program("solve" + on + forward + log), flops = run_program("flops" + on + forward);
    CHECK(solved.code == 4);
    CHECK_THAT(solved.err, Contains("in.csv:2: ") && Contains("ddq.wrist"));
    CHECK_THAT(flops.err, !Contains("com_acceleration"));
    for (const std::string algorithm : {"aba", "minverse", "aba-derivatives"}) {
      const Run run = run_program("compute " + algorithm + on + log);
      CAPTURE(algorithm, run.err);
      CHECK(run.code == 4);
      CHECK_THAT(run.err, Contains("in.csv:2: ") && Contains("ddq."));
    }
    const Run dropped = run_program("simulate" + on + " --forward --seconds 0.1 --rate 50 -o " + folder / "x.csv");
    CHECK(dropped.code == 4);
    CHECK_THAT(dropped.err, Contains("nothing determines ddq."));
    for (const std::string algorithm : {"rnea", "kinematics", "crba", "coriolis", "rnea-derivatives", "energy", "regressor"}) {
      const Run run = run_program("compute " + algorithm + on + log);
      CAPTURE(algorithm, run.err);
      CHECK(run.code == 0);
    }
    REQUIRE(run_program("compute rnea" + on + log).code == 0);
    CHECK_THAT(text_of(out), Contains(base.empty() ? "\n0,0\n" : "\n0,0,0,0,0,0,0,0\n") || Contains(",0,0\n"));
    CHECK(run_program("solve" + on + " --sensors inverse-dynamics" + log).code == 0);
    CHECK(run_program("check" + on + " --sensors inverse-dynamics").code == 0);
  }
  const std::string pose = folder.file("pose.csv",
                                       "pose.tip.x,pose.tip.y,pose.tip.z,pose.tip.qx,pose.tip.qy,pose.tip.qz,pose.tip.qw\n"
                                       "0.3,0,0,0,0,0,1\n");
  CHECK(run_program("compute ik " + robot + " --target tip --log " + pose + " -o " + out).code == 0);
}

TEST_CASE("leniency (--lenient) takes a moving body with a negative moment in every command") {
  TemporaryFolder folder;
  std::string text = massless_arm;
  text.replace(text.find("ixx=\"0.01\""), 10, "ixx=\"-0.01\"");
  const std::string robot = folder.file("arm.urdf", text), in = folder.file("in.csv", massless_rows), out = folder / "out.csv";
  const Run strict = run_program("info " + robot);
  CHECK(strict.code == 3);
  CHECK(strict.err.find(
            "arm.urdf:3: link \"upper\" <inertia>: principal moments -0.01, 0.01, 0.01; expected none that is negative") !=
        std::string::npos);
  const std::string rest = " --lenient --lock massless " + robot;
  const Run info = run_program("info" + rest);
  CHECK(info.code == 0);
  CHECK_THAT(info.err, Contains("negative where it moves; used as it stands"));
  CHECK(run_program("compute aba" + rest + " --log " + in + " -o " + out).code == 0);
  CHECK(run_program("solve --sensors forward-dynamics" + rest + " --log " + in + " -o " + out).code == 0);
  CHECK(run_program("check --sensors forward-dynamics" + rest).code == 0);
  CHECK(run_program("info --cut upper " + robot).code == 0);
}
