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
}

TEST_CASE("locks and cuts are offered for the fingers of a gripper that a log does not hold") {
  struct Gripper {
    std::string urdf, log, lock, cut;
  };
  TemporaryFolder folder;
  std::vector<Gripper> grippers{{robot("arm"), without(folder, robot_log("arm"), ".*finger_slide"),
                                 "--lock left_finger_slide --lock right_finger_slide", "--cut left_finger --cut right_finger"}};
  if (!shared_is_missing())
    grippers.push_back({shared("robots/panda.urdf"), shared("logs/panda_exciting.csv"),
                        "--lock panda_finger_joint1 --lock panda_finger_joint2",
                        "--cut panda_leftfinger --cut panda_rightfinger"});
  for (const Gripper& gripper : grippers) {
    INFO(gripper.urdf);
    const std::string solve = "solve " + gripper.urdf + " --sensors inverse-dynamics -o /dev/null --log " + gripper.log;
    const Run fingers = run_program(solve);
    CHECK(fingers.code == 3);
    CHECK_THAT(fingers.err,
               Contains("(" + gripper.lock + " holds what the log does not move, " + gripper.cut + " leaves it out)"));
    CHECK(run_program(solve + " " + gripper.lock).code == 0);
    CHECK(run_program(solve + " " + gripper.cut).code == 0);
  }
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
  CHECK_THAT(asked.err, Contains("expected dq.base.vx, dq.base.vy, dq.base.vz, or"));
  // Given as spatial accelerations, the base's say nothing of forces without its velocity.
  CHECK(
      run_program("solve --floating " + robot("quadruped") + " --sensors inverse-dynamics --log " + log + " -o " + less).code ==
      3);
}

TEST_CASE("a base's place and velocity are judged apart") {
  TemporaryFolder folder;
  const std::string command = "solve --floating " + robot("quadruped") + " --sensors forward-dynamics --outputs ddq.base",
                    whole = folder / "whole.csv", less = folder / "less.csv";
  REQUIRE(run_program(command + " --log " + robot_log("quadruped") + " -o " + whole).code == 0);
  for (const std::string columns : {"q.base.[xyz]", "q.base.y"}) {
    const std::string log = without(folder, robot_log("quadruped"), columns);
    const Run run = run_program(command + " --log " + log + " -o " + less);
    INFO(run.err);
    CHECK(run.code == 0);
    CHECK_THAT(run.err, Contains("taken as zero, which changes nothing that is written: q.base."));
    CHECK(worst_difference(less, whole) < 1e-10);
    CHECK(sparsedyn::CsvReader(less).has("ddq.base.vx"));
  }
  for (const std::string column : {"dq.base.vx", "dq.base.vz"}) {
    const Run run = run_program(command + " --log " + without(folder, robot_log("quadruped"), column) + " -o " + less);
    CHECK(run.code == 3);
    CHECK_THAT(run.err, Contains("no column " + column + ", on which depends: ddq.base.v"));
  }
}

namespace {

/// Exact accelerations, noisy torques.
const std::string exact_encoders = R"({"sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*"},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// The arm's log, read by these sensors; from the 20th row on joint3's acceleration is missing.
std::string log_with_gaps(const TemporaryFolder& folder) {
  const std::string out = folder / "gaps.csv";
  const std::string program =
      "NR == 1 { for (k = 1; k <= NF; ++k) { sub(/^tau[.]/, \"y.motors.\", $k); sub(/^ddq[.]/, \"y.encoders.\", $k);"
      " if ($k == \"y.encoders.joint3\") gap = k } } NR > 20 { $gap = \"nan\" } 1";
  REQUIRE(std::system(("awk -F, -v OFS=, '" + program + "' " + robot_log("arm") + " > " + out).c_str()) == 0);
  return out;
}

}  // namespace

TEST_CASE("a plan for gaps that was searched is kept for the user's next log") {
  TemporaryFolder folder;
  const std::string log = log_with_gaps(folder), set = folder.file("set.json", exact_encoders),
                    cache = "XDG_CACHE_HOME=" + (folder / "cache") + " ";
  const auto solve = [&](const std::string& out, const std::string& more = "") {
    const Run run = run_program("solve --json " + robot("arm") + " --sensors " + set + " --outputs tau,ddq --sd --log " + log +
                                    " -o " + (folder / out) + more,
                                cache);
    REQUIRE(run.code == 0);
    return nlohmann::json::parse(run.out);
  };
  const nlohmann::json first = solve("first.csv");
  CHECK(first["remedies"]["searched"] == 1);
  CHECK(first["rows_at_singular_states"] == 149);
  const nlohmann::json second = solve("second.csv");
  CHECK(second["remedies"]["searched"] == 0);
  CHECK(second["rows_at_singular_states"] == 0);
  CHECK(worst_difference(folder / "first.csv", folder / "second.csv") < 1e-10);

  // broken and foreign files are passed over, and written anew
  const std::string files = folder / "cache/sparsedyn/plans";
  for (const std::string spoil :
       {"for f in *.plan; do head -c 100 $f > x; mv x $f; done", "set -- *.plan; cat $1 > x; cat $2 > $1; cat x > $2; rm x",
        "for f in *.plan; do echo '{}' > $f; done"}) {
    REQUIRE(std::system(("cd " + files + " && " + spoil).c_str()) == 0);
    CHECK(solve("third.csv")["remedies"]["searched"] == 1);
    CHECK(worst_difference(folder / "first.csv", folder / "third.csv") < 1e-10);
    CHECK(solve("third.csv")["remedies"]["searched"] == 0);
  }

  // a plan made for this log's gaps needs neither cache nor search
  const Run optimised = run_program(
      "optimise --json " + robot("arm") + " --sensors " + set + " --gaps " + log + " -o " + (folder / "plan.json"), cache);
  REQUIRE(optimised.code == 0);
  CHECK(nlohmann::json::parse(optimised.out)["gaps"] ==
        nlohmann::json({{"patterns", 1}, {"served", 0}, {"planned", 1}, {"unserved", 0}}));
  REQUIRE(std::system(("rm -r " + files).c_str()) == 0);
  const nlohmann::json planned = solve("planned.csv", " --plan " + (folder / "plan.json"));
  CHECK(planned["remedies"]["searched"] == 0);
  CHECK(planned["remedies"]["replanned"] == 0);
  CHECK(planned["rows_at_singular_states"] == 0);
  CHECK(worst_difference(folder / "first.csv", folder / "planned.csv") < 1e-10);
}

TEST_CASE("optimise --gaps is refused where it says nothing, and its plan where it is spoilt") {
  TemporaryFolder folder;
  const std::string log = log_with_gaps(folder), set = folder.file("set.json", exact_encoders), plan = folder / "plan.json";
  const Run solved_set =
      run_program("optimise " + robot("arm") + " --sensors inverse-dynamics --gaps " + robot_log("arm") + " -o " + plan);
  CHECK(solved_set.code == 1);
  CHECK_THAT(solved_set.err, Contains("--gaps is for sets that are estimated"));
  CHECK(run_program("optimise " + robot("arm") + " --sensors " + set + " --gaps " + log + " -o " + log).code == 2);
  REQUIRE(run_program("optimise " + robot("arm") + " --sensors " + set + " --gaps " + log + " -o " + plan).code == 0);
  const std::string text = text_of(plan), list = "\"missing\":[";
  const std::size_t at = text.find(list);
  REQUIRE(at != std::string::npos);
  for (const std::string wrong : {"0,", "-1,", "99999,", "\"a\","}) {
    std::string spoilt = text;
    spoilt.insert(at + list.size(), wrong);
    const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --plan " +
                                folder.file("spoilt.json", spoilt) + " --log " + log + " -o /dev/null");
    CHECK(run.code == 3);
    CHECK_THAT(run.err, Contains("spoilt.json") && Contains("expected"));
  }
}

TEST_CASE("optimise --gaps reads logs parted by semicolons") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum), set = folder.file("set.json", weighed);
  const std::string comma = folder.file("comma.csv", "q.hinge,dq.hinge,y.motor,y.encoder\n0.3,0,1,\n0.3,0.5,1,2\n");
  const std::string semicolon = folder.file("semicolon.csv", "q.hinge;dq.hinge;y.motor;y.encoder\n0,3;0;1;\n0,3;0,5;1;2\n");
  const std::string command = "optimise --json " + urdf + " --sensors " + set + " -o " + (folder / "plan.json") + " --gaps ";
  const Run by_comma = run_program(command + comma),
            by_semicolon = run_program(command + semicolon + " --separator semicolon --decimal-comma");
  REQUIRE(by_comma.code == 0);
  REQUIRE(by_semicolon.code == 0);
  const nlohmann::json gaps = nlohmann::json::parse(by_semicolon.out)["gaps"];
  CHECK(gaps["patterns"] == 1);
  CHECK(gaps == nlohmann::json::parse(by_comma.out)["gaps"]);
  CHECK(run_program(command + semicolon).code == 3);
}
