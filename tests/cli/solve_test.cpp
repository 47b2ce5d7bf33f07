#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("solve agrees with compute, fixed and floating, both ways") {
  TemporaryFolder folder;
  for (const std::string& model : {robot("arm"), robot("quadruped") + " --floating"}) {
    REQUIRE(run_program("simulate " + model + " --seconds 1 --rate 30 -o " + (folder / "log.csv")).code == 0);
    for (const auto& [set, algorithm, output] : {std::array<const char*, 3>{"inverse-dynamics", "rnea", "tau"},
                                                 std::array<const char*, 3>{"forward-dynamics", "aba", "ddq"}}) {
      INFO(model << " " << set);
      const std::string io = " --log " + (folder / "log.csv") + " -o ";
      REQUIRE(run_program("compute " + std::string(algorithm) + " " + model + io + (folder / "r.csv")).code == 0);
      REQUIRE(run_program("solve " + model + " --sensors " + set + " --outputs " + output + io + (folder / "s.csv")).code == 0);
      CHECK(worst_difference(folder / "s.csv", folder / "r.csv") < 1e-10);
      CHECK(worst_difference(folder / "s.csv", folder / "log.csv") < 1e-10);
    }
  }
}

TEST_CASE("a plan is made, fits and serves: another's is refused with exit 1, a malformed one with exit 3") {
  TemporaryFolder folder;
  const std::string arm = robot("arm"), log = robot_log("arm"), plan = folder / "plan.json";
  const Run made = run_program("optimise " + arm + " --sensors forward-dynamics --json -o " + plan);
  REQUIRE(made.code == 0);
  const json report = json::parse(made.out);
  CHECK(report["healthy"] == true);
  CHECK(report["strategies"].size() >= 2);
  for (const json& strategy : report["strategies"]) {
    CHECK(strategy["flops"]["mul"].get<long>() > 0);
    CHECK(strategy["fill"].get<int>() >= 0);
    CHECK(strategy["health"].contains("worst_growth"));
  }
  const std::string rest = " --plan " + plan + " --json --log " + log + " -o " + (folder / "ddq.csv");
  const Run solved = run_program("solve " + arm + " --sensors forward-dynamics" + rest);
  REQUIRE(solved.code == 0);
  const json summary = json::parse(solved.out);
  CHECK(summary["strategy"] == report["chosen"]);
  CHECK(summary["rows"] == 250);
  CHECK(summary["rows_failed"] == 0);
  CHECK(summary["rows_per_second"].get<double>() > 0);
  CHECK(summary["worst_backward_error"].get<double>() <= 1e-12);
  CHECK(summary["worst_growth"].get<double>() >= 1);
  CHECK(summary["compared"]["ddq.joint1"]["rms"].get<double>() < 1e-10);
  CHECK_FALSE(summary["compared"].contains("tau.joint1"));

  const std::string written = text_of(folder / "ddq.csv");
  const Run other_set = run_program("solve " + arm + " --sensors inverse-dynamics" + rest);
  CHECK(other_set.code == 1);
  CHECK(json::parse(other_set.out)["fits"] == false);
  CHECK(run_program("solve " + arm + " --lock joint1 --sensors forward-dynamics" + rest).code == 1);
  CHECK(text_of(folder / "ddq.csv") == written);
  folder.file("plan.json", "{\"format\": 3}");
  CHECK(run_program("solve " + arm + " --sensors forward-dynamics" + rest).code == 3);
}

TEST_CASE("the option --outputs takes kinds, kinds and names, and columns, in the order asked for") {
  const std::string start =
      "solve " + robot("arm") + " --sensors inverse-dynamics --log " + robot_log("arm") + " -o - --outputs ";
  const Run run = run_program(start + "f.joint7,acc.link1.vz,tau.joint2,fx.gripper");
  REQUIRE(run.code == 0);
  CHECK(run.out.substr(0, run.out.find('\n')) ==
        "time,f.joint7.nx,f.joint7.ny,f.joint7.nz,f.joint7.fx,f.joint7.fy,f.joint7.fz,acc.link1.vz,tau.joint2,"
        "fx.gripper.nx,fx.gripper.ny,fx.gripper.nz,fx.gripper.fx,fx.gripper.fy,fx.gripper.fz");
  const Run unknown = run_program(start + "tau.jiont2");
  CHECK(unknown.code == 2);
  CHECK(unknown.out.empty());
  CHECK_THAT(unknown.err, Contains("tau.joint2"));
  CHECK(run_program(start + "tau,,ddq").code == 2);
}

TEST_CASE("without --outputs: the tau and ddq that are not given") {
  const std::string log = " --log " + robot_log("arm") + " -o - --sensors ";
  const Run inverse = run_program("solve " + robot("arm") + log + "inverse-dynamics");
  CHECK_THAT(inverse.out, Catch::StartsWith("time,tau.joint1,tau.joint2"));
  CHECK(inverse.out.find("ddq") == std::string::npos);
  const Run forward = run_program("solve " + robot("arm") + log + "forward-dynamics");
  CHECK_THAT(forward.out, Catch::StartsWith("time,ddq.joint1,ddq.joint2"));
}

TEST_CASE("info --log-header prints the columns that solve reads") {
  const Run run = run_program("info " + robot("arm") + " --lock joint2 --cut gripper --log-header forward-dynamics --json");
  REQUIRE(run.code == 0);
  const json columns = json::parse(run.out)["log_header"];
  CHECK(columns[0] == "q.joint1");
  CHECK(std::find(columns.begin(), columns.end(), "q.joint2") == columns.end());
}

TEST_CASE("a row with a NaN: the others are written, exit 4") {
  TemporaryFolder folder;
  std::string text = text_of(robot_log("arm"));
  const std::size_t fifth = [&] {
    std::size_t at = 0;
    for (int line = 1; line < 5; ++line) at = text.find('\n', at) + 1;
    return at;
  }();
  const std::size_t comma = text.find(',', fifth);
  text.replace(comma + 1, text.find(',', comma + 1) - comma - 1, "NaN");
  const std::string log = folder.file("log.csv", text);
  const Run run =
      run_program("solve " + robot("arm") + " --sensors inverse-dynamics --json --log " + log + " -o " + (folder / "o.csv"));
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains(log + ":5: q.joint1: not finite"));
  CHECK(json::parse(run.out)["rows_failed"] == 1);
  const std::string out = text_of(folder / "o.csv");
  CHECK(std::count(out.begin(), out.end(), '\n') == 251);
  CHECK_THAT(out, Contains("\n0.012,,,,,,,,,\n") || Contains(",,,,,,,,,\n"));
}

TEST_CASE("a massless leaf: check and optimise say no and name it: every row of solve and compute aba fails") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("leaf.urdf", R"(<robot name="leaf">
    <link name="stand"/>
    <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
    <link name="tip"/>
    <joint name="hinge" type="continuous"><parent link="stand"/><child link="rod"/><axis xyz="0 1 0"/></joint>
    <joint name="wrist" type="continuous"><parent link="rod"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>)");
  const std::string log =
      folder.file("log.csv", "q.hinge,q.wrist,dq.hinge,dq.wrist,tau.hinge,tau.wrist\n0,0,0,0,0,0\n1,1,0,0,0,0\n");
  const Run check = run_program("check " + urdf + " --sensors forward-dynamics --json");
  CHECK(check.code == 1);
  const json undetermined = json::parse(check.out)["undetermined"];
  CHECK(std::find(undetermined.begin(), undetermined.end(), "ddq.wrist") != undetermined.end());
  CHECK(std::find(undetermined.begin(), undetermined.end(), "ddq.hinge") == undetermined.end());

  const Run optimise = run_program("optimise " + urdf + " --sensors forward-dynamics --json -o " + (folder / "plan.json"));
  CHECK(optimise.code == 1);
  CHECK_THAT(optimise.err, Contains("ddq.wrist"));
  CHECK_FALSE(std::filesystem::exists(folder / "plan.json"));
  CHECK(json::parse(optimise.out)["verdict"] == "insufficient");

  for (const std::string& command : {"solve " + urdf + " --sensors forward-dynamics", "compute aba " + urdf}) {
    const Run run = run_program(command + " --log " + log + " -o -");
    INFO(command);
    CHECK(run.code == 4);
    CHECK_THAT(run.out, Contains("\n,\n,\n"));
    CHECK_THAT(run.err, Contains(log + ":2: ") && Contains("ddq.wrist"));
  }
}

TEST_CASE("insufficient sets and sets with redundant exact rows are refused with different messages") {
  TemporaryFolder folder;
  const std::string arm = robot("arm");
  const std::string poor = folder.file("poor.json", R"({"name": "poor", "sensors": [
    {"name": "m", "type": "joint_torque", "joint": "*", "except": ["joint3"]},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const Run check = run_program("check " + arm + " --json --sensors " + poor);
  CHECK(check.code == 1);
  const json report = json::parse(check.out);
  CHECK(report["verdict"] == "insufficient");
  CHECK(report["unknowns"].get<int>() == report["equations"].get<int>() + 1);
  CHECK(report["rank"] == report["equations"]);
  CHECK(report["structural_rank"] == report["equations"]);
  const json& undetermined = report["undetermined"];
  CHECK(std::find(undetermined.begin(), undetermined.end(), "tau.joint3") != undetermined.end());
  CHECK(std::find(undetermined.begin(), undetermined.end(), "tau.joint1") == undetermined.end());
  bool advised = false;
  for (const json& sensor : report["advice"])
    if (sensor["type"] == "joint_torque") advised = sensor["joint"] == "joint3" && sensor["removes"] == 1;
  CHECK(advised);

  const std::string doubled = folder.file("doubled.json", R"({"name": "doubled", "sensors": [
    {"name": "m", "type": "joint_torque", "joint": "*"}, {"name": "again", "type": "joint_torque", "joint": "joint3"},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const Run redundant = run_program("check " + arm + " --json --sensors " + doubled);
  CHECK(redundant.code == 1);
  const json twice = json::parse(redundant.out);
  CHECK(twice["verdict"] == "redundant");
  CHECK(twice["redundant_rows"] == 1);
  CHECK(twice["redundant_exact"] == json({"y.m.joint3", "y.again"}));
  CHECK(twice["undetermined"].empty());
  CHECK(run_program("check " + arm + " --sensors inverse-dynamics").code == 0);
  CHECK(run_program("check " + arm + " --sensors no-such-set").code == 3);
}

TEST_CASE("solve states the rms of the differences between its torques and those of the log") {
  TemporaryFolder folder;
  {
    sparsedyn::CsvReader in(robot_log("arm"));
    sparsedyn::CsvWriter out(folder / "off.csv");
    for (const std::string& name : in.columns()) in.ask(name);
    out.header(in.columns());
    long row = 0;
    for (; in.next(); ++row) {  // every other torque of joint2 is 0.5 N m too large
      for (std::size_t k = 0; k < in.columns().size(); ++k)
        out.number(in.value(static_cast<int>(k)) + (in.columns()[k] == "tau.joint2" && row % 2 == 0 ? 0.5 : 0.0));
      out.end_row();
    }
    out.commit();
    REQUIRE(row % 2 == 0);
  }
  const Run off = run_program("solve " + robot("arm") + " --sensors inverse-dynamics --json --outputs tau -o /dev/null --log " +
                              (folder / "off.csv"));
  REQUIRE(off.code == 0);
  const json of_arm = json::parse(off.out)["compared"];
  CHECK(of_arm["tau.joint1"]["rms"].get<double>() < 1e-6);
  CHECK(of_arm["tau.joint2"]["rms"].get<double>() == Approx(0.5 / std::sqrt(2.0)).epsilon(1e-6));
  CHECK(of_arm["tau.joint2"]["max"].get<double>() == Approx(0.5).epsilon(1e-6));
  if (shared_is_missing()) return;
  const Run run =
      run_program("solve " + shared("robots/panda.urdf") + " --cut panda_hand --sensors inverse-dynamics --json --log " +
                  shared("logs/panda_exciting.csv") + " --outputs tau -o /dev/null");
  REQUIRE(run.code == 0);
  const json compared = json::parse(run.out)["compared"];
  CHECK(compared["tau.panda_joint1"]["rms"].get<double>() == Approx(0.4603).margin(1e-4));
  CHECK(compared["tau.panda_joint2"]["rms"].get<double>() == Approx(0.7446).margin(1e-4));
}
