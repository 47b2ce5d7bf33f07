// What robots write where a value is missing, and columns that no robot has.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

const std::string weighed = R"({"sensors": [
  {"name": "motor", "type": "joint_torque", "joint": "hinge", "sigma": 0.1},
  {"name": "encoder", "type": "joint_acceleration", "joint": "hinge", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

Run solved(const TemporaryFolder& folder, const std::string& log) {
  return run_program("solve --json " + folder.file("pendulum.urdf", pendulum) + " --sensors " +
                     folder.file("set.json", weighed) + " --outputs tau --sd --log " + folder.file("log.csv", log) + " -o " +
                     (folder / "out.csv"));
}

/// The quadruped's log without some columns, all of whose names begin so.
std::string without(const TemporaryFolder& folder, const std::string& log, const std::string& prefixes) {
  const std::string out = folder / "without.csv";
  const std::string program =
      "NR == 1 { for (k = 1; k <= NF; ++k) if ($k !~ /^(" + prefixes +
      ")$/) keep[++n] = k } { for (k = 1; k <= n; ++k) printf \"%s%s\", $keep[k], k < n ? OFS : \"\\n\" }";
  REQUIRE(std::system(("awk -F, -v OFS=, '" + program + "' " + log + " > " + out).c_str()) == 0);
  return out;
}

}  // namespace

TEST_CASE("words for a missing value are gaps as an empty cell is") {
  for (const std::string columns : {"y.motor,y.encoder", "tau.hinge,ddq.hinge"}) {
    TemporaryFolder folder;
    const Run empty = solved(folder, "q.hinge,dq.hinge," + columns + "\n0.3,0,1,\n0.3,0,1,2\n");
    REQUIRE(empty.code == 0);
    CHECK(nlohmann::json::parse(empty.out)["rows_with_gaps"] == 1);
    const std::string expected = text_of(folder / "out.csv");
    for (const std::string word : {"nan", "NaN", "-nan", "NA", "null", "\" nan \""}) {
      const Run run = solved(folder, "q.hinge,dq.hinge," + columns + "\n0.3,0,1," + word + "\n0.3,0,1,2\n");
      CHECK(run.code == 0);
      CHECK(text_of(folder / "out.csv") == expected);
    }
  }
}

TEST_CASE("elsewhere nan fails its row, and other text the file") {
  TemporaryFolder folder;
  const Run state = solved(folder, "q.hinge,dq.hinge,y.motor,y.encoder\n0.3,nan,1,2\n0.3,0,1,2\n");
  CHECK(state.code == 4);
  CHECK_THAT(state.err, Contains("log.csv:2: dq.hinge: not finite"));
  CHECK(solved(folder, "q.hinge,dq.hinge,y.motor,y.encoder\nNA,0,1,2\n").code == 3);
  CHECK(solved(folder, "q.hinge,dq.hinge,y.motor,y.encoder\n0,0,1,none\n").code == 3);
  const std::string urdf = folder / "pendulum.urdf";
  const std::string exact = folder.file("exact.csv", "q.hinge,dq.hinge,ddq.hinge\n0,0,nan\n0,0,1\n");
  CHECK(run_program("solve " + urdf + " --sensors inverse-dynamics --log " + exact + " -o /dev/null").code == 4);
}

TEST_CASE("all missing columns are named at once, with what would do and what would help") {
  TemporaryFolder folder;
  const std::string log = without(folder, robot_log("arm"), ".*joint3");
  for (const char* command : {"solve --sensors inverse-dynamics ", "compute rnea "}) {
    const Run run = run_program(command + robot("arm") + " --log " + log + " -o /dev/null");
    CHECK(run.code == 3);
    CHECK_THAT(run.err, Contains(":1: header: no column q.joint3, dq.joint3, ddq.joint3") &&
                            Contains("--lock joint3 holds what the log does not move)"));
  }
  const Run run = run_program("solve " + robot("arm") + " --sensors inverse-dynamics --log " + log + " -o /dev/null");
  CHECK_THAT(run.err, Contains("ddq.joint3 (or y.ddq.joint3)"));
  CHECK(
      run_program("solve " + robot("arm") + " --sensors inverse-dynamics --lock joint3 --log " + log + " -o /dev/null").code ==
      0);
  const std::string panda = "solve " + shared("robots/panda.urdf") + " --sensors inverse-dynamics -o /dev/null --log " +
                            shared("logs/panda_exciting.csv");
  if (shared_is_missing()) return;
  const Run fingers = run_program(panda);
  CHECK(fingers.code == 3);
  const std::string lock = "--lock panda_finger_joint1 --lock panda_finger_joint2",
                    cut = "--cut panda_leftfinger --cut panda_rightfinger";
  CHECK_THAT(fingers.err, Contains("(" + lock + " holds what the log does not move, " + cut + " leaves it out)"));
  CHECK(run_program(panda + " " + lock).code == 0);
  CHECK(run_program(panda + " " + cut).code == 0);
}

TEST_CASE("a base's position and velocity may be missing where nothing that is asked for depends on them") {
  TemporaryFolder folder;
  const std::string log = without(folder, robot_log("quadruped"), "q.base.[xyz]|dq.base.v[xyz]"),
                    command = "solve --floating " + robot("quadruped") + " --sensors forward-dynamics";
  const std::string whole = folder / "whole.csv", less = folder / "less.csv";
  REQUIRE(run_program(command + " --log " + robot_log("quadruped") + " -o " + whole).code == 0);
  const Run run = run_program(command + " --log " + log + " -o " + less);
  CHECK(run.code == 0);
  CHECK_THAT(run.err,
             Contains("taken as zero, which changes nothing that is written: q.base.x, q.base.y, q.base.z, dq.base.vx") &&
                 Contains("left out, for they depend on these: ddq.base.vx, ddq.base.vy, ddq.base.vz"));
  CHECK(worst_difference(less, whole) < 1e-10);
  sparsedyn::CsvReader out(less);
  CHECK(out.has("ddq.base.wx"));
  CHECK_FALSE(out.has("ddq.base.vx"));
  const Run asked = run_program(command + " --outputs ddq.base --log " + log + " -o " + less);
  CHECK(asked.code == 3);
  CHECK_THAT(asked.err, Contains(":1: header: no column q.base.x") && Contains("on which depends: ddq.base.vx"));
  // Given as spatial accelerations, the base's say nothing of forces without its velocity.
  CHECK(
      run_program("solve --floating " + robot("quadruped") + " --sensors inverse-dynamics --log " + log + " -o " + less).code ==
      3);
}
