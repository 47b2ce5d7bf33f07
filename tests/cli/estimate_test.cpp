// solve with sets that know more, or less, than the dynamics need.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;
using sparsedyn::CellState;
using sparsedyn::CsvReader;

namespace {

const std::string redundant_set = R"({"name": "both", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// The arm's log with measured torques `y.motors.*` for tau.*; `gap`: the row (from 1) whose first torque is left out, or 0.
std::string measured_log(int gap, double offset_of_joint1 = 0) {
  std::istringstream log(text_of(robot_log("arm")));
  std::string line, out;
  std::size_t torque = 0;
  for (int row = 0; std::getline(log, line) && row < 30; ++row) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (row == 0 && cells[c] == "tau.joint1") torque = c;
      if (row == 0 && cells[c].compare(0, 4, "tau.") == 0) cells[c] = "y.motors." + cells[c].substr(4);
      if (row > 0 && c == torque) cells[c] = row == gap ? "" : std::to_string(std::stod(cells[c]) + offset_of_joint1);
      out += cells[c] + (c + 1 < cells.size() ? "," : "\n");
    }
  }
  return out;
}

double value_at(const std::string& path, const std::string& column, int row) {
  CsvReader log(path);
  const int slot = log.ask(column);
  REQUIRE(slot >= 0);
  for (int r = 0; r < row; ++r) REQUIRE(log.next());
  return log.state(slot) == CellState::number ? log.value(slot) : std::nan("");
}

}  // namespace

TEST_CASE("a redundant set is estimated, with deviations and innovations") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set), log = folder.file("log.csv", measured_log(0));
  const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") +
                              " --sd --innovations --json --outputs tau,ddq");
  REQUIRE(run.code == 0);
  const json summary = json::parse(run.out);
  CHECK(summary["chi_square"]["expected"] == 29 * 9);
  CHECK(summary["chi_square"]["sum"].get<double>() < 1e-6);  // the log's torques are written with six digits
  CHECK(summary["worst_backward_error"].get<double>() < 1e-12);
  for (const std::string column : {"tau.joint2", "ddq.joint3"}) {
    const double from_log = value_at(robot_log("arm"), column, 5);
    CHECK(value_at(folder / "out.csv", column, 5) == Approx(from_log).margin(1e-6));
  }
  const double sd = value_at(folder / "out.csv", "sd.tau.joint1", 1);
  CHECK(sd > 0);
  CHECK(sd < 0.1);  // the accelerations add to what the motor says
  CHECK(std::abs(value_at(folder / "out.csv", "innovation.y.motors.joint1", 1)) < 1e-3);
}

TEST_CASE("the sensor with an offset has the largest innovations") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set), log = folder.file("log.csv", measured_log(0, 3.0));
  const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") +
                              " --innovations --json");
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out)["chi_square"]["sum"].get<double>() > 10 * 29 * 9);
  const double off = std::abs(value_at(folder / "out.csv", "innovation.y.motors.joint1", 1));
  CHECK(off > 5);
  CHECK(off >= std::abs(value_at(folder / "out.csv", "innovation.y.motors.joint4", 1)));
}

TEST_CASE("a constant offset is found over the whole log") {
  TemporaryFolder folder;
  json set = json::parse(redundant_set);
  set["sensors"][0]["bias"] = true;
  const std::string path = folder.file("set.json", set.dump()), log = folder.file("log.csv", measured_log(0, 3.0));
  const Run run =
      run_program("solve " + robot("arm") + " --sensors " + path + " --log " + log + " -o " + (folder / "out.csv") + " --json");
  REQUIRE(run.code == 0);
  const json biases = json::parse(run.out)["biases"];
  CHECK(biases.size() == 9);
  CHECK(biases["y.motors.joint1"]["value"].get<double>() == Approx(3.0).margin(1e-3));
  CHECK(biases["y.motors.joint1"]["sd"].get<double>() > 0);
  CHECK(std::abs(biases["y.motors.joint3"]["value"].get<double>()) < 1e-3);
}

TEST_CASE("deviations of a determined set beside the plan that solves it") {
  TemporaryFolder folder;
  json set = json::parse(redundant_set);
  set["sensors"].erase(1);
  const std::string path = folder.file("set.json", set.dump()), log = folder.file("log.csv", measured_log(0)),
                    plan = folder / "plan.json", out = folder / "out.csv";
  const std::string robot_and_set = robot("arm") + " --sensors " + path;
  REQUIRE(run_program("optimise " + robot_and_set + " -o " + plan).code == 0);
  const std::string solve = "solve " + robot_and_set + " --plan " + plan + " --log " + log + " -o " + out;
  CHECK(run_program(solve).err.empty());
  const Run deviations = run_program(solve + " --outputs tau.joint1 --sd");
  CHECK(deviations.code == 0);
  CHECK_THAT(deviations.err, Contains("plan.json"));
  CHECK(value_at(out, "sd.tau.joint1", 1) == Approx(0.1));
  REQUIRE(run_program("optimise " + robot("arm") + " --sensors forward-dynamics -o " + plan).code == 0);
  CHECK(run_program(solve + " --sd").code == 1);
}

TEST_CASE("an offset that nothing can tell is said to be undetermined - one without a sigma to be passed over") {
  TemporaryFolder folder;
  json set = json::parse(redundant_set);
  set["sensors"][0]["bias"] = true;
  set["sensors"].erase(1);  // torques alone: as many rows as unknowns
  const std::string path = folder.file("set.json", set.dump()), log = folder.file("log.csv", measured_log(0));
  const std::string solve =
      "solve " + robot("arm") + " --sensors " + path + " --log " + log + " -o " + (folder / "out.csv") + " --json";
  const Run square = run_program(solve);
  REQUIRE(square.code == 0);
  const json biases = json::parse(square.out)["biases"];
  CHECK((biases.size() == 9 && biases["y.motors.joint1"].is_null()));
  set["sensors"][0].erase("sigma");
  folder.file("set.json", set.dump());
  const Run exact = run_program(solve);
  REQUIRE(exact.code == 0);
  CHECK_THAT(exact.err, Contains("motors") && Contains("bias"));
}

TEST_CASE("an empty measurement is a gap where the rest still determines everything") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set), log = folder.file("log.csv", measured_log(7));
  const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") +
                              " --sd --json --outputs tau");
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out)["rows_with_gaps"] == 1);
  CHECK(value_at(folder / "out.csv", "tau.joint1", 7) == Approx(value_at(robot_log("arm"), "tau.joint1", 7)).margin(1e-5));
  CHECK(value_at(folder / "out.csv", "sd.tau.joint1", 7) > value_at(folder / "out.csv", "sd.tau.joint1", 6));
}

TEST_CASE("a gap that leaves something open empties that cell alone and is reported") {
  TemporaryFolder folder;
  json set = json::parse(redundant_set);
  set["sensors"].erase(1);
  const std::string path = folder.file("set.json", set.dump()), log = folder.file("log.csv", measured_log(7));
  const Run run = run_program("solve " + robot("arm") + " --sensors " + path + " --log " + log + " -o " + (folder / "out.csv") +
                              " --sd --outputs tau");
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("log.csv:8") && Contains("tau.joint1"));
  CHECK(std::isnan(value_at(folder / "out.csv", "tau.joint1", 7)));
  CHECK(value_at(folder / "out.csv", "tau.joint2", 7) == Approx(value_at(robot_log("arm"), "tau.joint2", 7)).margin(1e-6));
}

TEST_CASE("the estimate of a row does not depend on the other rows of the log") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set);
  const auto last_rows = [&](const std::vector<std::string>& lines) {
    std::string log;
    for (const std::string& line : lines) log += line + "\n";
    const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + folder.file("log.csv", log) +
                                " -o " + (folder / "out.csv") + " --sd --outputs tau,ddq");
    CHECK(run.code == 4);
    const std::string out = text_of(folder / "out.csv");
    std::size_t at = out.size() - 1;
    for (int k = 0; k < 20; ++k) at = out.rfind('\n', at - 1);
    return out.substr(at);
  };
  std::vector<std::string> lines;
  std::istringstream log(measured_log(14));
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  const std::size_t first = lines[18].find(','), second = lines[18].find(',', first + 1);
  lines[18].replace(first + 1, second - first - 1, "nan");
  const std::string whole = last_rows(lines);
  for (int left_out : {3, 6}) {
    INFO(left_out);
    lines.erase(lines.begin() + 1, lines.begin() + 4);
    CHECK(last_rows(lines) == whole);
  }
}

TEST_CASE("an insufficient set gives what is determined, and refuses the rest by name") {
  TemporaryFolder folder;
  json set = json::parse(redundant_set);
  set["sensors"].erase(0);
  set["sensors"][0]["except"] = {"left_finger_slide"};
  const std::string path = folder.file("set.json", set.dump()), log = folder.file("log.csv", measured_log(0));
  const std::string command = "solve " + robot("arm") + " --sensors " + path + " --log " + log + " -o " + (folder / "out.csv");
  const Run refused = run_program(command + " --outputs tau.left_finger_slide --json");
  CHECK(refused.code == 1);
  CHECK(json::parse(refused.out)["verdict"] == "insufficient");
  CHECK_THAT(refused.err, Contains("tau.left_finger_slide"));
  CHECK_FALSE(std::filesystem::exists(folder / "out.csv"));
  const Run rest = run_program(command);
  CHECK(rest.code == 0);
  CHECK_THAT(rest.err, Contains("left out") && Contains("tau.left_finger_slide"));
  CHECK(value_at(folder / "out.csv", "ddq.joint3", 4) == Approx(value_at(robot_log("arm"), "ddq.joint3", 4)).margin(1e-9));
}

TEST_CASE("a report draws estimates in their bands beside the truth") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set), log = folder / "log.csv", report = folder / "report.html";
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 20 --rate 100 -o " + log).code == 0);
  const std::string command = "solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv");
  REQUIRE(run_program(command + " --report " + report).code == 0);
  const std::string header = text_of(folder / "out.csv");
  CHECK(header.substr(0, header.find('\n')).find("sd.") == std::string::npos);  // drawn, and not written
  CHECK(header.substr(0, header.find('\n')).find("innovation") == std::string::npos);
  REQUIRE(run_program(command + " --sd --report " + report).code == 0);
  const std::string page = text_of(report);
  CHECK_THAT(page, Contains("<td>tau.joint1</td><td>2\u202f000</td><td>") && Contains("class=\"band\"") &&
                       Contains("<p class=\"lead\">") && Contains(">chi-square</figcaption>") && Contains(">time (s)</text>") &&
                       Contains("</html>"));
  CHECK_THAT(page, !Contains("src=") && !Contains("href=") && !Contains("nan,") && !Contains(" inf"));
  CHECK(page.size() < 1000000);  // extremes of a few hundred stretches are drawn, however long the log
  const std::size_t at = page.find("\u202f%", page.find("<td>tau.joint1</td><td>2\u202f000"));
  const double covered = std::stod(page.substr(page.rfind("<td>", at) + 4));
  CHECK(covered == Approx(95.45).margin(4 * 0.47));  // binomial: 0.47 % for 2000 rows
  CHECK(run_program(command + " --report -").code == 2);
  CHECK(run_program(command + " --report " + log).code == 2);
  CHECK(run_program(command + " --report " + (folder / "out.csv")).code == 2);
  CHECK(run_program(command + " --outputs ''").code == 2);
}

TEST_CASE("what the set says exactly is not judged by a deviation that is rounding") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
    {"name": "motion", "type": "joint_acceleration", "joint": "*", "sigma": 1},
    {"name": "base", "type": "joint_acceleration", "joint": "base", "sigma": 1},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  const std::string of = robot("quadruped") + " --floating --sensors " + set, log = folder / "log.csv";
  REQUIRE(run_program("simulate " + of + " --seconds 5 --rate 100 -o " + log).code == 0);
  const std::string report = folder / "report.html";
  REQUIRE(
      run_program("solve " + of + " --log " + log + " -o " + (folder / "out.csv") + " --outputs tau --sd --report " + report)
          .code == 0);
  const std::string page = text_of(report);
  const std::size_t exact = page.find("<td>tau.base.nx</td>");
  CHECK(page.substr(exact, page.find("</tr>", exact) - exact).find("<td>exact</td>") != std::string::npos);
  const std::size_t at = page.find("\u202f% of the errors lie within");
  REQUIRE(at != std::string::npos);
  CHECK(std::stod(page.substr(page.rfind("; ", at) + 2)) == Approx(95.45).margin(1.5));  // of 6000 errors, some of them alike
}

TEST_CASE("check says where a force/torque sensor has nothing unknown behind it") {
  TemporaryFolder folder;
  const std::string air = R"({"name": "air", "type": "external_wrench", "link": "*", "value": 0)";
  const std::string sensors = R"("sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*"},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "cell", "type": "force_torque", "joint": "lf_load_cell", "sigma": 1}, )" +
                              air;
  const std::string check = "check " + robot("quadruped") + " --floating --sensors ";
  const Run silent = run_program(check + folder.file("a.json", "{" + sensors + "}]}"));
  CHECK(silent.code == 0);
  CHECK_THAT(silent.out, Contains("no wrench behind cell unknown") &&
                             Contains("\"unknown\": [\"fx.lf_foot\"], and \"except\": [\"lf_foot\"] in air"));
  const Run open =
      run_program(check + folder.file("b.json", "{" + sensors + R"(, "except": ["lf_foot"]}], "unknown": ["fx.lf_foot"]})"));
  CHECK(open.code == 0);
  CHECK_THAT(open.out, Contains("determined") && !Contains("no wrench behind"));
}

TEST_CASE("optimise plans a redundant set, and solve replays that plan") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", redundant_set), log = folder.file("log.csv", measured_log(7)),
                    plan = folder / "p.json";
  const Run optimised = run_program("optimise " + robot("arm") + " --sensors " + set + " -o " + plan + " --json");
  REQUIRE(optimised.code == 0);
  CHECK(json::parse(optimised.out)["healthy"] == true);
  CHECK(json::parse(optimised.out)["strategies"].size() > 1);
  const std::string command = "solve " + robot("arm") + " --sensors " + set + " --log " + log + " --outputs tau --sd -o ";
  REQUIRE(run_program(command + (folder / "with.csv") + " --plan " + plan).code == 0);
  REQUIRE(run_program(command + (folder / "without.csv")).code == 0);
  CHECK(text_of(folder / "with.csv") == text_of(folder / "without.csv"));  // the gap's row too

  json other = json::parse(redundant_set);
  other["sensors"][0]["sigma"] = 0.7;  // another number: the plan still fits
  const std::string louder = folder.file("louder.json", other.dump());
  const std::string start = "solve " + robot("arm") + " --log " + log + " -o " + (folder / "x.csv") + " --plan " + plan;
  CHECK(run_program(start + " --sensors " + louder).code == 0);
  other["sensors"][0]["sigma"] = 0;  // an exact row: another structure
  const Run exact = run_program(start + " --sensors " + folder.file("exact.json", other.dump()));
  CHECK(exact.code == 1);
  CHECK_THAT(exact.err, Contains("whose structure is another"));
  CHECK(run_program(start + " --sensors inverse-dynamics").code == 1);
}

namespace {

/// A wrench sensor in the wrist beside motors and joint accelerations.
const std::string wrist_set = R"({"name": "wrist", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
  {"name": "wrist", "type": "force_torque", "joint": "flange", "sigma": [0.05, 0.05, 0.05, 0.3, 0.3, 0.3], "bias": true}]})";

/// The log with something added to a column, by row.
std::string with_added(const std::string& log, const std::string& column, const std::function<double(int)>& what) {
  std::istringstream lines(text_of(log));
  std::string line, out;
  std::size_t place = 0;
  for (int row = 0; std::getline(lines, line); ++row) {
    std::istringstream rest(line);
    std::size_t c = 0;
    for (std::string cell; std::getline(rest, cell, ','); ++c) {
      if (row == 0 && cell == column) place = c;
      if (row > 0 && c == place) cell = std::to_string(std::stod(cell) + what(row));
      out += (c ? "," : "") + cell;
    }
    out += "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("a wrench sensor that warms up is said to drift, and its offset's deviation not to be trusted") {
  const TemporaryFolder folder;
  const std::string set = folder.file("set.json", wrist_set), still = folder / "still.csv";
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 8 --rate 200 --seed 3 -o " + still).code ==
          0);
  const std::string warm =
      folder.file("warm.csv", with_added(still, "y.wrist.fz", [](int row) { return 10 + 5 * (1 - std::exp(-row / 600.0)); }));
  const auto solve = [&](const std::string& log, const std::string& rest) {
    const Run run = run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " +
                                (folder / "out.csv") + " " + rest);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return run.out;
  };
  const json sound = json::parse(solve(still, "--sd --json"));
  CHECK(sound["trusted"] == true);
  CHECK(sound["sensors"]["wrist"]["trusted"] == true);
  CHECK(sound["biases"]["y.wrist.fz"]["trusted"] == true);
  CHECK(sound["outliers"]["sensors"].empty());
  CHECK_FALSE(sound.contains("sd_scale"));

  const json summary = json::parse(solve(warm, "--sd --json"));
  CHECK(summary["trusted"] == false);
  CHECK(summary["sensors"]["wrist"]["trusted"] == false);
  CHECK(summary["sensors"]["motors"]["trusted"] == true);
  CHECK(summary["biases"]["y.wrist.fz"]["trusted"] == false);
  REQUIRE(summary["outliers"]["sensors"].size() == 1);
  CHECK(summary["outliers"]["sensors"][0]["sensor"] == "y.wrist.fz");
  CHECK(summary["outliers"]["sensors"][0]["fault"] == "drift");
  CHECK(summary["outliers"]["sensors"][0]["change"].get<double>() == Approx(5 * (1 - std::exp(-1600 / 600.0))).margin(0.7));
  const double sd = value_at(folder / "out.csv", "sd.tau.joint2", 7), tau = value_at(folder / "out.csv", "tau.joint2", 7);

  const json scaled = json::parse(solve(warm, "--sd-scaled --json --report " + (folder / "page.html")));
  const double factor = std::sqrt(summary["chi_square"]["sum"].get<double>() / summary["chi_square"]["expected"].get<double>());
  REQUIRE(factor > 1.1);
  CHECK(scaled["sd_scale"].get<double>() == Approx(factor));
  CHECK(scaled["trusted"] == false);
  CHECK(value_at(folder / "out.csv", "sd.tau.joint2", 7) == Approx(factor * sd));
  CHECK(value_at(folder / "out.csv", "tau.joint2", 7) == Approx(tau));
  CHECK(scaled["biases"]["y.wrist.fz"]["sd"].get<double>() ==
        Approx(factor * summary["biases"]["y.wrist.fz"]["sd"].get<double>()));
  CHECK_THAT(text_of(folder / "page.html"),
             Contains("not to be trusted: <b>wrist</b>") && Contains("deviations are multiplied by"));
  CHECK_THAT(solve(warm, "--sd"), Contains("y.wrist.fz: drifts") && Contains("the deviations are not to be trusted"));
  CHECK_THAT(run_program("solve " + robot("arm") + " --sensors " + set + " --log - -o - --sd-scaled --quiet < " + warm).out,
             Contains("sd.tau.joint1"));
}

TEST_CASE("without redundancy nothing is said of the deviations, and they are not scaled") {
  const TemporaryFolder folder;
  for (const char* rest : {"", " --sd", " --sd-scaled"}) {
    const Run run = run_program("solve " + robot("arm") + " --sensors inverse-dynamics --log " + robot_log("arm") + " -o " +
                                (folder / "out.csv") + " --json" + rest);
    REQUIRE(run.code == 0);
    CHECK(json::parse(run.out)["trusted"].is_null());
  }
  const Run run = run_program("solve " + robot("arm") + " --sensors inverse-dynamics --log " + robot_log("arm") + " -o " +
                              (folder / "out.csv") + " --sd-scaled");
  CHECK_THAT(run.out, Contains("no reading is redundant, so the deviations are as stated"));
}
