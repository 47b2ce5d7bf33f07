// --mimic through the commands: one robot, each answer against another way to it.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// An arm with two jaws of which one follows the other, and a cover that turns against the wrist.
const std::string gripper = R"(<robot name="gripper">
<link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
<link name="left"><inertial><origin xyz="0 0 0.1"/><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
<link name="right"><inertial><origin xyz="0 0 0.1"/><mass value="0.4"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
<link name="cover"><inertial><origin xyz="0 0.1 0"/><mass value="0.3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="jaw" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="jaw2" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="jaw" multiplier="-1"/></joint>
<joint name="lid" type="continuous"><parent link="base"/><child link="cover"/><axis xyz="0.6 0 0.8"/><mimic joint="shoulder" multiplier="0.5" offset="0.3"/></joint>
</robot>
)";

}  // namespace

TEST_CASE("option --mimic: followers are no coordinates, and all commands agree on the rest") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("gripper.urdf", gripper), log = folder / "log.csv", out = folder / "out.csv";
  const Run info = run_program("info " + urdf + " --mimic --json");
  REQUIRE(info.code == 0);
  CHECK(info.err.empty());
  CHECK_THAT(info.out, Contains("\"nv\": 2"));
  const std::string mimic = urdf + " --mimic ";
  for (const std::string floating : {"", "--floating "}) {
    INFO(floating);
    const Run simulated = run_program("simulate " + mimic + floating + "--seconds 2 --rate 20 -o " + log);
    INFO(simulated.err);
    REQUIRE(simulated.code == 0);
    const auto differs = [&](const std::string& command) {
      const Run run = run_program(command + floating + " --log " + log + " -o " + out);
      INFO(command << run.err);
      REQUIRE(run.code == 0);
      return worst_difference(out, log);
    };
    CHECK(differs("compute rnea " + mimic) < 1e-10);
    CHECK(differs("compute aba " + mimic) < 1e-10);
    for (const std::string option : {"", "--compiled "}) {
      CHECK(differs("solve " + mimic + option + "--sensors inverse-dynamics --outputs tau.shoulder,tau.jaw ") < 1e-10);
      CHECK(differs("solve " + mimic + option + "--sensors forward-dynamics --outputs ddq ") < 1e-10);
    }
    for (const std::string formulation : {"canonical", "canonical+intermediate-frames", "joint-space", "best"}) {
      const std::string plan = folder / "plan.json", set = floating + " --sensors forward-dynamics ";
      REQUIRE(run_program("optimise " + mimic + set + "--outputs ddq --formulation " + formulation + " -o " + plan).code == 0);
      CHECK(differs("solve " + mimic + "--sensors forward-dynamics --outputs ddq --plan " + plan + " ") < 1e-10);
      CHECK(differs("solve " + mimic + "--compiled --sensors forward-dynamics --outputs ddq --plan " + plan + " ") < 1e-10);
    }
  }
}

TEST_CASE(
    "option --mimic: let go, its energy stays, held by springs and dampers it comes to rest, contacts and loops are known") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("gripper.urdf", gripper), out = folder / "out.csv", again = folder / "again.csv";
  const std::string go = "simulate " + urdf + " --mimic --forward --json -o " + out;
  for (const std::string floating : {" ", " --floating "}) {
    const Run run = run_program(go + floating + "--seconds 2 --rate 2000 --integrator runge-kutta");
    INFO(floating << run.err);
    REQUIRE(run.code == 0);
    CHECK(std::abs(nlohmann::json::parse(run.out)["energy"]["unexplained"].get<double>()) < 1e-7);
  }
  const std::string joints = folder.file(
      "joints.json", R"({"joints": {"shoulder": {"damping": 0.4}, "lid": {"damping": 0.7}, "jaw2": {"damping": 2}}})");
  const std::string damped = go + " --joints " + joints + " --seconds 1 --hold 20,3";
  REQUIRE(run_program(damped + " --rate 20000").code == 0);
  REQUIRE(run_program("simulate " + urdf + " --mimic --forward --joints " + joints +
                      " --seconds 1 --hold 20,3 --rate 20000 --integrator implicit-velocity -o " + again)
              .code == 0);
  CHECK(worst_difference(out, again) < 2e-2);  // both of first order
  const std::string set = folder.file("set.json", R"({"name": "s", "constraints": [
    {"name": "stop", "type": "limit", "joint": "jaw2"}, {"name": "rub", "type": "dry_friction", "joint": "lid", "loss": 0.2},
    {"name": "tip", "type": "contact", "link": "left", "points": [[0, 0, 0]], "radius": 2, "friction": 0.5}]})");
  const std::string log = folder / "log.csv", with = " --mimic --constraints " + set;
  REQUIRE(run_program("simulate " + urdf + " --mimic --seconds 2 --rate 20 -o " + log).code == 0);
  REQUIRE(run_program("compute contact-dynamics " + urdf + with + " --log " + log + " -o " + out).code == 0);
  CHECK_THAT(text_of(out), Contains("lambda.stop") && Contains("lambda.tip.0.x") && Contains("gap.tip.0"));
  for (const std::string algorithm : {"contact-dynamics", "contact-derivatives"}) {
    const Run code = run_program("generate " + urdf + with + " --algorithm " + algorithm + " --name g -o " + (folder / "g"));
    INFO(code.err);
    CHECK(code.code == 0);
    CHECK_THAT(text_of(folder / "g/g.json"), Contains("\"lambda.stop\"") && !Contains("dq.jaw2"));
  }
}

TEST_CASE("option --mimic: tau.LEADER drives its followers, tau.FOLLOWER and f.FOLLOWER are the parts") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("gripper.urdf", gripper), out = folder / "out.csv";
  const std::string log =
      folder.file("log.csv", "q.shoulder,q.jaw,dq.shoulder,dq.jaw,ddq.shoulder,ddq.jaw,q.jaw2\n0.4,0.1,0.5,-0.3,1,2,9\n");
  const Run run =
      run_program("solve " + urdf + " --mimic --sensors inverse-dynamics --outputs tau,f.jaw2 --log " + log + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.err, Contains("q.jaw2"));
  sparsedyn::CsvReader read(out);
  const int jaw = read.ask("tau.jaw"), jaw2 = read.ask("tau.jaw2"), force = read.ask("f.jaw2.fy");
  REQUIRE(read.next());
  // along y nothing but the jaws' own masses: 0.5 · 2 and 0.4 · −2
  CHECK(read.value(jaw2) == Approx(-0.8));
  CHECK(read.value(force) == Approx(-0.8));
  CHECK(read.value(jaw) == Approx(1.0 + 0.8));
}

TEST_CASE("option --mimic: ddq.FOLLOWER and dq.FOLLOWER are multiples of their leaders', by each way to solve") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("gripper.urdf", gripper), log = folder / "log.csv", out = folder / "out.csv";
  REQUIRE(run_program("simulate " + urdf + " --mimic --seconds 1 --rate 20 -o " + log).code == 0);
  const std::string noisy = folder.file("noisy.json", R"({"name": "noisy", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.2},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const std::string outputs = " --outputs ddq.jaw2,dq.jaw2,ddq.jaw,ddq.lid,ddq.shoulder,dq.lid --log " + log + " -o " + out;
  for (const std::string options : {"--sensors forward-dynamics", "--sensors forward-dynamics --compiled",
                                    "--sensors inverse-dynamics", "--sensors NOISY --sd"}) {
    std::string with = options;
    if (const auto at = with.find("NOISY"); at != std::string::npos) with.replace(at, 5, noisy);
    const Run run = run_program("solve " + urdf + " --mimic " + with + outputs);
    INFO(with << run.err);
    REQUIRE(run.code == 0);
    sparsedyn::CsvReader read(out), truth(log);
    const bool noise = with.find("--sd") != std::string::npos;
    std::vector<int> at, of;
    for (const char* column : {"ddq.jaw2", "dq.jaw2", "ddq.jaw", "ddq.lid", "ddq.shoulder", "dq.lid"})
      at.push_back(read.ask(column));
    if (noise)
      for (const char* column : {"sd.ddq.jaw2", "sd.ddq.jaw", "sd.ddq.lid", "sd.ddq.shoulder", "sd.dq.lid"})
        at.push_back(read.ask(column));
    for (const char* column : {"ddq.jaw", "dq.jaw", "ddq.shoulder", "dq.shoulder"}) of.push_back(truth.ask(column));
    while (read.next()) {
      REQUIRE(truth.next());
      CHECK(read.value(at[0]) == Approx(-truth.value(of[0])).margin(1e-9));
      CHECK(read.value(at[1]) == -truth.value(of[1]));
      CHECK(read.value(at[2]) == Approx(truth.value(of[0])).margin(1e-9));
      CHECK(read.value(at[3]) == Approx(0.5 * truth.value(of[2])).margin(1e-9));
      CHECK(read.value(at[4]) == Approx(truth.value(of[2])).margin(1e-9));
      CHECK(read.value(at[5]) == Approx(0.5 * truth.value(of[3])).margin(1e-15));
      if (!noise) continue;
      CHECK(read.value(at[6]) == Approx(read.value(at[7])));
      CHECK(read.value(at[8]) == Approx(0.5 * read.value(at[9])));
      CHECK(read.value(at[10]) == 0);
    }
  }
  const Run wrong =
      run_program("solve " + urdf + " --mimic --sensors forward-dynamics --outputs ddq.jaw3 --log " + log + " -o " + out);
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("ddq.jaw2"));
}

TEST_CASE(
    "identify --mimic --fit smoothing: of the joint that moves alone, leaders and followers keep theirs, in all outputs") {
  TemporaryFolder folder;
  std::string robot = gripper;
  robot.replace(
      robot.find("</robot>"), 8,
      R"(<link name="flag"><inertial><origin xyz="0 0.1 0.1"/><mass value="0.3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
<joint name="wave" type="continuous"><parent link="arm"/><child link="flag"/><axis xyz="1 0 0"/></joint>
</robot>)");
  const std::string urdf = folder.file("flag.urdf", robot), clean = folder / "clean.csv", out = folder / "out.json",
                    found = folder / "joints.json";
  const std::string truth = folder.file("truth.json", R"({"joints": {"lid": {"friction": 0.3, "smoothing": 0.05},
    "shoulder": {"damping": 0.3}, "wave": {"damping": 0.2, "friction": 0.4, "smoothing": 0.08}}})");
  // nothing but how a follower's friction is smoothed is known
  const std::string known = folder.file("known.json", R"({"joints": {"lid": {"smoothing": 0.05}}})");
  REQUIRE(run_program("simulate " + urdf + " --mimic --joints " + truth + " --seconds 20 --rate 100 -o " + clean).code == 0);
  sparsedyn::CsvReader read(clean);
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  const std::vector<std::string> columns{"q.shoulder",   "q.jaw",   "q.wave",   "dq.shoulder",  "dq.jaw",  "dq.wave",
                                         "ddq.shoulder", "ddq.jaw", "ddq.wave", "tau.shoulder", "tau.jaw", "tau.wave"};
  std::vector<int> at;
  std::string text;
  for (const std::string& column : columns) at.push_back(read.ask(column)), text += (text.empty() ? "" : ",") + column;
  while (read.next())
    for (std::size_t k = 0; k < at.size(); ++k) {
      char number[32];
      std::snprintf(number, sizeof number, "%.17g", read.value(at[k]) + (k < 9 ? 0 : 0.01 * normal(rng)));
      text += (k ? "," : "\n") + std::string(number);
    }
  const Run run =
      run_program("identify " + urdf + " --mimic --joints " + known + " --log " + folder.file("log.csv", text + "\n") +
                  " --fit smoothing -o " + out + " --joints-out " + found + " --report " + (folder / "page.html"));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto json = nlohmann::json::parse(text_of(out)), joints = nlohmann::json::parse(text_of(found))["joints"];
  CHECK(json["settled"] == true);
  for (const char* freedom : {"shoulder", "jaw", "wave"}) {
    CHECK(json["noise"][freedom] == Approx(0.01).epsilon(0.05));
    CHECK(json["torque_rms"]["after"][freedom] == Approx(0.01).epsilon(0.05));
  }
  int smooth = 0;
  for (const auto& p : json["parameters"]) {
    if (p["name"].get<std::string>().find(".smoothing") == std::string::npos) continue;
    INFO(p);
    ++smooth;
    const bool alone = p["name"] == "wave.smoothing";
    CHECK(p["urdf"] == 0.01);
    CHECK(p["determined"] == alone);
    if (alone)
      CHECK(std::abs(p["value"].get<double>() - 0.08) < 4 * p["sd"].get<double>());
    else
      CHECK((p["value"] == p["urdf"] && p["sd"] == 0));
    const std::string joint = p["name"].get<std::string>().substr(0, p["name"].get<std::string>().find('.'));
    CHECK(joints[joint]["smoothing"] == p["value"]);
  }
  CHECK(smooth == 3);
  CHECK(joints["lid"]["smoothing"] == 0.05);
  CHECK(joints["jaw2"]["smoothing"] == 0.01);
  const auto& last = json["base_parameters"].back();
  CHECK(last["expression"] == "wave.smoothing");
  CHECK(last["value"] == joints["wave"]["smoothing"]);
  CHECK_THAT(text_of(folder / "page.html"), Contains("wave.smoothing<"));
  // --joints takes it back
  const Run again = run_program("info " + urdf + " --mimic --joints " + found);
  CHECK(again.code == 0);
}

TEST_CASE("option --mimic: errors have the exit codes of their kinds") {
  TemporaryFolder folder;
  std::string circle = gripper;
  circle.replace(circle.find("joint=\"jaw\""), 11, "joint=\"jaw2\"");
  const std::string good = folder.file("good.urdf", gripper), bad = folder.file("bad.urdf", circle);
  CHECK(run_program("info " + bad).code == 0);
  const Run refused = run_program("info " + bad + " --mimic");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("bad.urdf:9: joint \"jaw2\" <mimic>: the joint itself"));
  CHECK(run_program("info " + good + " --mimic --lock lid").code == 2);
  CHECK(run_program("info " + good + " --mimic --cut left").code == 2);
  CHECK(run_program("info " + good + " --mimic --cut left --cut right").code == 0);
  CHECK(run_program("info " + good + " --mimic --lock shoulder=0.2").code == 0);
}
