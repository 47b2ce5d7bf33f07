// Logs that pass through states at which an insufficient set determines less than elsewhere.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;
using sparsedyn::CellState;
using sparsedyn::CsvReader;

namespace {

/// Three links of 0.5 m in a row along x, on axes along z, and a fourth beside them that no sensor sees.
std::string arm_beside() {
  const auto link = [](const std::string& name) {
    return "<link name=\"" + name + R"("><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>)";
  };
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child, const std::string& xyz) {
    return "<joint name=\"" + name + R"(" type="continuous"><parent link=")" + parent + "\"/><child link=\"" + child +
           "\"/><origin xyz=\"" + xyz + "\"/><axis xyz=\"0 0 1\"/></joint>";
  };
  return R"(<robot name="arm"><link name="stand"/>)" + link("l1") + link("l2") + link("l3") + link("other") +
         joint("j1", "stand", "l1", "0 0 0") + joint("j2", "l1", "l2", "0.5 0 0") + joint("j3", "l2", "l3", "0.5 0 0") +
         joint("jo", "stand", "other", "0 0 1") + "</robot>";
}

/// The force at the tip in the plane is unknown.
json set_with(const std::vector<std::string>& torques, double sigma) {
  json motors = {{"name", "motors"}, {"type", "joint_torque"}, {"joint", torques}};
  if (sigma > 0) motors["sigma"] = sigma;
  return {{"name", "force at the tip"},
          {"sensors",
           {{{"name", "motion"}, {"type", "joint_acceleration"}, {"joint", {"j1", "j2", "j3"}}},
            motors,
            {{"name", "air"}, {"type", "external_wrench"}, {"link", "*"}, {"except", {"l3"}}, {"value", 0}},
            {{"name", "tip"},
             {"type", "external_wrench"},
             {"link", "l3"},
             {"components", {"nx", "ny", "nz", "fz"}},
             {"value", 0}}}}};
}

/// At rest; the stretched arm feels 3 N across l3 at j3 (and whatever along it) as torques −3, −1.5, 0; bent by a quarter turn
/// at j2, (2, 3) N as −2.5, −1.5, 0.
const std::string log_text =
    "q.j1,q.j2,q.j3,q.jo,dq.j1,dq.j2,dq.j3,dq.jo,ddq.j1,ddq.j2,ddq.j3,tau.j1,tau.j2,tau.j3\n"
    "0.3,1.5707963267948966,0,1,0,0,0,0,0,0,0,-2.5,-1.5,0\n"
    "0.3,0,0,1,0,0,0,0,0,0,0,-3,-1.5,0\n"
    "0,0,0,0,0,0,0,0,0,0,0,-3,-1.5,0\n";

struct Cells {
  explicit Cells(const std::string& path) : path_(path) {}
  double at(const std::string& column, int row) const {
    CsvReader log(path_);
    const int slot = log.ask(column);
    REQUIRE(slot >= 0);
    for (int r = 0; r < row; ++r) REQUIRE(log.next());
    return log.state(slot) == CellState::number ? log.value(slot) : std::nan("");
  }
  std::string path_;
};

struct Files {
  explicit Files(const json& set, const std::string& log = log_text)
      : command("solve " + folder.file("arm.urdf", arm_beside()) + " --sensors " + folder.file("set.json", set.dump()) +
                " --log " + folder.file("log.csv", log) + " -o " + (folder / "out.csv") + " --json"),
        cells(folder / "out.csv") {}
  TemporaryFolder folder;
  std::string command;
  Cells cells;
};

}  // namespace

TEST_CASE("at a stretched arm what is still determined is written, the rest empty and named") {
  const double sigma = GENERATE(0.0, 0.1);
  const Files files(set_with({"j1", "j2", "j3"}, 0.1 + sigma));
  const Run asked = run_program(files.command + " --outputs fx.l3,tau --sd");
  CHECK(asked.code == 1);  // tau.jo is open at every state
  const Run run = run_program(files.command + " --outputs fx.l3,tau.j1 --sd");
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("log.csv:3") && Contains("log.csv:4") && Contains("fx.l3.fx") && !Contains("fx.l3.fy"));
  const json summary = json::parse(run.out);
  CHECK(summary["rows_failed"] == 2);
  CHECK(summary["rows_partly_determined"] == 2);
  CHECK(files.cells.at("fx.l3.fx", 1) == Approx(2).epsilon(1e-10));
  CHECK(files.cells.at("fx.l3.fy", 1) == Approx(3).epsilon(1e-10));
  for (int row : {2, 3}) {
    CHECK(std::isnan(files.cells.at("fx.l3.fx", row)));
    CHECK(std::isnan(files.cells.at("sd.fx.l3.fx", row)));
    CHECK(files.cells.at("fx.l3.fy", row) == Approx(3).epsilon(1e-10));
    CHECK(files.cells.at("sd.fx.l3.fy", row) == Approx((0.1 + sigma) / std::sqrt(1 + 0.5 * 0.5)).epsilon(1e-10));
    CHECK(files.cells.at("tau.j1", row) == Approx(-3).epsilon(1e-10));
  }
}

TEST_CASE("a singular state is no failure if only determined outputs are asked for") {
  const Files files(set_with({"j1", "j2", "j3"}, 0.1));
  const Run run = run_program(files.command + " --outputs fx.l3.fy,tau.j2 --innovations");
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  CHECK(json::parse(run.out)["rows_partly_determined"] == 0);
  CHECK(json::parse(run.out)["rows_at_singular_states"].get<int>() >= 2);
  CHECK(std::abs(files.cells.at("chi2", 3)) < 1e-20);
}

TEST_CASE("without --outputs a state that leaves more open is a warning") {
  // a force along l3 loads j2 unless l3 continues l2, and then j1 alone, whose torque is not measured
  json set = set_with({"j2"}, 0.1);
  set["sensors"][3]["components"] = {"nx", "ny", "nz", "fy", "fz"};
  const std::string header = log_text.substr(0, log_text.find('\n') + 1);
  const Files files(set, header + "0.3,1.5707963267948966,0.5,1,0,0,0,0,0,0,0,0,-0.479425538604203,0\n" +
                             "0.3,1.5707963267948966,0,1,0,0,0,0,0,0,0,0,0,0\n");
  const Run run = run_program(files.command);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("warning") && Contains("log.csv:3") && Contains("tau.j1") && !Contains("log.csv:2"));
  const json summary = json::parse(run.out);
  CHECK(summary["rows_failed"] == 0);
  CHECK(summary["rows_partly_determined"] == 1);
  CHECK(files.cells.at("tau.j1", 1) == Approx(-std::sin(0.5) - std::cos(0.5)).epsilon(1e-10));
  CHECK(std::isnan(files.cells.at("tau.j1", 2)));
  CHECK(std::abs(files.cells.at("tau.j2", 2)) < 1e-10);
  CHECK(std::abs(files.cells.at("tau.j3", 2)) < 1e-10);
  CHECK(run_program(files.command + " --quiet").err.empty());
  CHECK(run_program(files.command + " --outputs tau.j1").code == 4);
}

TEST_CASE("exact rows that agree at a singular state are answered, those that contradict each other fail the row") {
  const Files files(set_with({"j1", "j2"}, 0), log_text + "0.3,0,0,1,0,0,0,0,0,0,0,-3,-1.6,0\n");
  const Run run = run_program(files.command + " --outputs fx.l3.fy,tau.j3");
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("log.csv:5") && Contains("contradict") && Contains("motors.j1") && !Contains("log.csv:3"));
  CHECK(json::parse(run.out)["rows_failed"] == 1);
  for (int row : {2, 3}) CHECK(files.cells.at("fx.l3.fy", row) == Approx(3).epsilon(1e-10));
  for (int row : {2, 3}) CHECK(std::abs(files.cells.at("tau.j3", row)) < 1e-10);
  CHECK(std::isnan(files.cells.at("fx.l3.fy", 4)));
}

TEST_CASE("a gap at a singular state leaves open what the other sensors do not see there") {
  std::string log = log_text + "0.3,0,0,1,0,0,0,0,0,0,0,-3,-1.5,\n0.3,0,0,1,0,0,0,0,0,0,0,,,0\n";
  for (const std::string torque : {"tau.j1", "tau.j2", "tau.j3"})
    log.replace(log.find(torque), 6, "y.motors" + torque.substr(3));
  const Files files(set_with({"j1", "j2", "j3"}, 0.1), log);
  const Run run = run_program(files.command + " --outputs fx.l3.fy,tau.j3");
  CHECK(run.code == 4);
  CHECK(json::parse(run.out)["rows_failed"] == 1);
  CHECK_THAT(run.err, Contains("log.csv:6") && Contains("fx.l3.fy") && !Contains("log.csv:5"));
  CHECK(json::parse(run.out)["rows_with_gaps"] == 2);
  CHECK(files.cells.at("fx.l3.fy", 4) == Approx(3).epsilon(1e-10));
  CHECK(std::isnan(files.cells.at("fx.l3.fy", 5)));
  CHECK(std::abs(files.cells.at("tau.j3", 5)) < 1e-10);
}

namespace {

/// The same force of (2, 3) N in the axes of l3, at rest: bent, folded at j2 (so that j3 lies on j1's axis), folded at j3, at
/// j2 the other way round, bent to the other side.
const std::string folded_rows =
    "0.3,1.5707963267948966,0,1,0,0,0,0,0,0,0,-2.5,-1.5,0\n"
    "0.3,3.141592653589793,0,1,0,0,0,0,0,0,0,0,-1.5,0\n"
    "0.3,0,3.141592653589793,1,0,0,0,0,0,0,0,3,1.5,0\n"
    "3.141592653589793,-3.141592653589793,0,1,0,0,0,0,0,0,0,0,-1.5,0\n"
    "0,4.71238898038469,0,1,0,0,0,0,0,0,0,-0.5,-1.5,0\n";
const std::string folded_log = log_text.substr(0, log_text.find('\n') + 1) + folded_rows;

}  // namespace

TEST_CASE("a folded arm, at the double next to π, determines no more than a stretched one") {
  const std::string compiled = GENERATE("", " --compiled");
  const Files files(set_with({"j1", "j2", "j3"}, 0.1), compiled.empty() ? folded_log : folded_log + folded_rows);
  const Run asked = run_program(files.command + " --outputs fx.l3,tau.j1 --sd" + compiled);
  CHECK(asked.code == 4);
  CHECK_THAT(asked.err, Contains("log.csv:3") && Contains("log.csv:4") && Contains("log.csv:5") && Contains("fx.l3.fx"));
  CHECK_THAT(asked.err, !Contains("fx.l3.fy") && !Contains("log.csv:2") && !Contains("log.csv:6"));
  CHECK(json::parse(asked.out)["rows_partly_determined"] == (compiled.empty() ? 3 : 6));
  const double one_arm = 0.1 / 0.5, both_arms = 0.1 / std::sqrt(1 + 0.5 * 0.5);
  for (int row = 1; row <= (compiled.empty() ? 5 : 10); ++row) {
    INFO("row " << row);
    const int pose = (row - 1) % 5;
    CHECK(files.cells.at("fx.l3.fy", row) == Approx(3).epsilon(1e-10));
    if (pose == 0 || pose == 4) {
      CHECK(files.cells.at("fx.l3.fx", row) == Approx(2).epsilon(1e-10));
      continue;
    }
    CHECK(std::isnan(files.cells.at("fx.l3.fx", row)));
    CHECK(std::isnan(files.cells.at("sd.fx.l3.fx", row)));
    CHECK(files.cells.at("sd.fx.l3.fy", row) == Approx(pose == 2 ? both_arms : one_arm).epsilon(1e-10));
    CHECK(std::abs(files.cells.at("tau.j1", row) - (pose == 2 ? 3 : 0)) <= 1e-10);
  }
}

TEST_CASE("without --outputs a folded arm is a warning") {
  // as for the stretched arm: the force along l3 loads j2 unless l3 lies along l2
  json set = set_with({"j2"}, 0.1);
  set["sensors"][3]["components"] = {"nx", "ny", "nz", "fy", "fz"};
  const std::string header = log_text.substr(0, log_text.find('\n') + 1);
  const Files files(set, header + "0.3,1.5707963267948966,0.5,1,0,0,0,0,0,0,0,0,-0.479425538604203,0\n" +
                             "0.3,1.5707963267948966,3.141592653589793,1,0,0,0,0,0,0,0,0,0,0\n");
  const Run run = run_program(files.command);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("warning") && Contains("log.csv:3") && Contains("tau.j1") && !Contains("log.csv:2"));
  CHECK(json::parse(run.out)["rows_partly_determined"] == 1);
  CHECK(std::isnan(files.cells.at("tau.j1", 2)));
  CHECK(std::abs(files.cells.at("tau.j2", 2)) < 1e-10);
  CHECK(run_program(files.command + " --outputs tau.j1").code == 4);
  CHECK(run_program(files.command + " --outputs tau.j2").code == 0);
}

/// Three torques for the two forces at the tip: no direction is open where the arm is bent, but at l3 across l2 or along it the
/// plan's order may divide by a sine that is rounding.
TEST_CASE("a redundant set at quarter turns is answered where it determines all, and fails where it does not") {
  json set = set_with({"j1", "j2", "j3"}, 0.1);
  set["sensors"][0]["joint"] = {"j1", "j2", "j3", "jo"};
  const std::string log =
      "q.j1,q.j2,q.j3,q.jo,dq.j1,dq.j2,dq.j3,dq.jo,ddq.j1,ddq.j2,ddq.j3,ddq.jo,tau.j1,tau.j2,tau.j3\n"
      "0.3,1.5707963267948966,0,1,0,0,0,0,0,0,0,0,-2.5,-1.5,0\n"
      "0.3,1.5707963267948966,1.5707963267948966,1,0,0,0,0,0,0,0,0,0.5,-1,0\n"
      "0.3,1.5707963267948966,-1.5707963267948966,1,0,0,0,0,0,0,0,0,-0.5,1,0\n"
      "0.3,1.5707963267948966,3.141592653589793,1,0,0,0,0,0,0,0,0,2.5,1.5,0\n"
      "0.3,3.141592653589793,0,1,0,0,0,0,0,0,0,0,0,-1.5,0\n";
  const Files files(set, log);
  const Run run = run_program(files.command + " --outputs fx.l3.fx,fx.l3.fy --sd");
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("log.csv:6") && !Contains("log.csv:2") && !Contains("log.csv:5"));
  CHECK(json::parse(run.out)["rows_failed"] == 1);
  // at j2 = π/2: τ₂ = F₁/2, τ₁ = (F₁ − F₂)/2 of the forces along l1 and l2
  for (int row = 1; row <= 4; ++row) {
    INFO("row " << row);
    CHECK(files.cells.at("fx.l3.fx", row) == Approx(2).epsilon(1e-10));
    CHECK(files.cells.at("fx.l3.fy", row) == Approx(3).epsilon(1e-10));
    const double along_l1 = 0.2, along_l2 = 0.2 * std::sqrt(2.0);
    CHECK(files.cells.at("sd.fx.l3.fx", row) == Approx(row == 1 || row == 4 ? along_l2 : along_l1).epsilon(1e-10));
    CHECK(files.cells.at("sd.fx.l3.fy", row) == Approx(row == 1 || row == 4 ? along_l1 : along_l2).epsilon(1e-10));
  }
  CHECK(std::isnan(files.cells.at("fx.l3.fy", 5)));
}

TEST_CASE("a gap at a folded arm leaves open what the other sensors do not see there") {
  std::string log = folded_log.substr(0, folded_log.find('\n') + 1) + "0.3,3.141592653589793,0,1,0,0,0,0,0,0,0,0,,0\n" +
                    "0.3,0,3.141592653589793,1,0,0,0,0,0,0,0,3,1.5,\n";
  for (const std::string torque : {"tau.j1", "tau.j2", "tau.j3"})
    log.replace(log.find(torque), 6, "y.motors" + torque.substr(3));
  const Files files(set_with({"j1", "j2", "j3"}, 0.1), log);
  const Run run = run_program(files.command + " --outputs fx.l3.fy --sd");
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("log.csv:2") && Contains("fx.l3.fy") && !Contains("log.csv:3"));
  CHECK(std::isnan(files.cells.at("fx.l3.fy", 1)));
  CHECK(std::isnan(files.cells.at("sd.fx.l3.fy", 1)));
  CHECK(files.cells.at("fx.l3.fy", 2) == Approx(3).epsilon(1e-10));
  CHECK(files.cells.at("sd.fx.l3.fy", 2) == Approx(0.1 / std::sqrt(1 + 0.5 * 0.5)).epsilon(1e-10));
}

TEST_CASE("compiled rows leave singular states to the solver") {
  const Files files(set_with({"j1", "j2", "j3"}, 0.1), log_text + log_text.substr(log_text.find('\n') + 1));
  const Run run = run_program(files.command + " --outputs fx.l3 --compiled");
  CHECK(run.code == 4);
  for (int row : {2, 3, 5, 6}) {
    CHECK(std::isnan(files.cells.at("fx.l3.fx", row)));
    CHECK(files.cells.at("fx.l3.fy", row) == Approx(3).epsilon(1e-10));
  }
}

namespace {

/// Motors and encoders of every joint of the arm, all of its sensors in all; `biased`: which have offsets.
json redundant_set(bool motors, bool encoders) {
  json set = {{"name", "both"},
              {"sensors",
               {{{"name", "motors"}, {"type", "joint_torque"}, {"joint", "*"}, {"sigma", 0.1}},
                {{"name", "encoders"}, {"type", "joint_acceleration"}, {"joint", "*"}, {"sigma", 0.05}},
                {{"name", "air"}, {"type", "external_wrench"}, {"link", "*"}, {"value", 0}}}}};
  if (motors) set["sensors"][0]["bias"] = true;
  if (encoders) set["sensors"][1]["bias"] = true;
  return set;
}

/// At rest, stretched out; gravity lies along the axes. `offset`: of the first motor.
std::string at_rest(int rows, double offset) {
  const std::vector<std::string> joints{"j1", "j2", "j3", "jo"};
  std::string header, row;
  for (const std::string kind : {"q.", "dq.", "y.motors.", "y.encoders."})
    for (const std::string& joint : joints) {
      header += (header.empty() ? "" : ",") + kind + joint;
      row += (row.empty() ? "" : ",") + (kind == "y.motors." && joint == "j1" ? std::to_string(offset) : std::string("0"));
    }
  std::string text = header + "\n";
  for (int k = 0; k < rows; ++k) text += row + "\n";
  return text;
}

}  // namespace

TEST_CASE("at rest, with offsets that nothing tells, what depends on them is not written, however many rows there are") {
  for (const int rows : {1, 2, 3, 10, 100, 1000}) {
    INFO(rows << " rows");
    const Files files(redundant_set(true, true), at_rest(rows, 0));
    const Run run = run_program(files.command + " --outputs ddq --sd");
    CHECK(run.code == 4);
    CHECK_THAT(run.err, Contains("offsets that the log does not determine leave undetermined: ddq.j1"));
    CHECK(std::isnan(files.cells.at("ddq.j1", 1)));
    CHECK(std::isnan(files.cells.at("sd.ddq.j1", 1)));
  }
}

TEST_CASE("at rest the motors' offsets are told by the encoders, with deviations that hold the offsets' own") {
  for (const std::string robust : {"", " --robust huber"})
    for (const int rows : {2, 300, 400, 500, 700, 1000}) {
      INFO(rows << " rows" << robust);
      const Files files(redundant_set(true, false), at_rest(rows, 0.25));
      const Run run = run_program(files.command + " --outputs ddq,tau --sd" + robust);
      const json summary = json::parse(run.out);
      INFO(run.err);
      CHECK(summary["rows_not_learnt"] == 0);
      CHECK(run.code == 0);
      CHECK(summary["rows_failed"] == 0);
      CHECK(summary["biases"]["y.motors.j1"]["value"] == Approx(0.25).epsilon(1e-9));
      CHECK(std::abs(files.cells.at("ddq.j1", 1)) < 1e-10);
      // each joint's encoder tells its acceleration; the motors, whose offsets come from the encoders, average it over the rows
      const double all = 0.05 / std::sqrt(rows);
      CHECK(files.cells.at("sd.ddq.j1", 1) > all);
      CHECK(files.cells.at("sd.ddq.j1", 1) < 0.0500001);
    }
}
