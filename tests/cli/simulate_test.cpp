#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using sparsedyn::CsvReader;

namespace {

/// All values of a log, row by row.
std::vector<std::vector<double>> table(const std::string& path) {
  CsvReader log(path);
  for (const std::string& name : log.columns()) log.ask(name);
  std::vector<std::vector<double>> rows;
  while (log.next()) {
    rows.emplace_back();
    for (std::size_t k = 0; k < log.columns().size(); ++k) rows.back().push_back(log.value(static_cast<int>(k)));
  }
  return rows;
}

int column(const std::string& path, const std::string& name) {
  CsvReader log(path);
  for (std::size_t k = 0; k < log.columns().size(); ++k)
    if (log.columns()[k] == name) return static_cast<int>(k);
  return -1;
}

/// Largest difference between the central differences of one column and the values of another.
double worst_slope(const std::string& path, const std::string& of, const std::string& slope) {
  const auto rows = table(path);
  const int time = column(path, "time"), x = column(path, of), dx = column(path, slope);
  REQUIRE((time >= 0 && x >= 0 && dx >= 0));
  double worst = 0;
  for (std::size_t i = 1; i + 1 < rows.size(); ++i)
    worst =
        std::max(worst, std::abs((rows[i + 1][x] - rows[i - 1][x]) / (rows[i + 1][time] - rows[i - 1][time]) - rows[i][dx]));
  return worst;
}

}  // namespace

TEST_CASE("velocities are the slopes of positions, accelerations those of velocities") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  REQUIRE(run_program("simulate " + robot("humanoid") + " --floating --seconds 0.1 --rate 1000 -o " + log).code == 0);
  CsvReader reader(log);
  for (const std::string& name : reader.columns()) {
    if (name.rfind("dq.", 0) == 0) CHECK(worst_slope(log, name, "d" + name) < 1e-4);
    if (name.rfind("q.", 0) == 0 && name.rfind("q.base.", 0) != 0) CHECK(worst_slope(log, name, "d" + name) < 1e-4);
  }
}

TEST_CASE("the base's velocity turns its quaternion and carries its origin") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  REQUIRE(run_program("simulate " + robot("quadruped") + " --floating --seconds 0.1 --rate 1000 -o " + log).code == 0);
  const auto rows = table(log);
  const int q = column(log, "q.base.x"), v = column(log, "dq.base.wx");
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const double* p = &rows[i][q];
    const double *u = p + 3, *w = &rows[i][v];
    const auto slope = [&](int k) { return (rows[i + 1][q + k] - rows[i - 1][q + k]) / 0.002; };
    // 2 u-dot = u ∘ (ω, 0), ω in the body's axes
    CHECK(2 * slope(3) == Approx(u[3] * w[0] + u[1] * w[2] - u[2] * w[1]).margin(1e-4));
    CHECK(2 * slope(4) == Approx(u[3] * w[1] + u[2] * w[0] - u[0] * w[2]).margin(1e-4));
    CHECK(2 * slope(5) == Approx(u[3] * w[2] + u[0] * w[1] - u[1] * w[0]).margin(1e-4));
    CHECK(2 * slope(6) == Approx(-u[0] * w[0] - u[1] * w[1] - u[2] * w[2]).margin(1e-4));
    // |ṗ| does not depend on the axes
    const double speed = std::sqrt(slope(0) * slope(0) + slope(1) * slope(1) + slope(2) * slope(2));
    CHECK(speed == Approx(std::sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5])).margin(1e-4));
  }
}

TEST_CASE("the log's torques are those of compute rnea") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", computed = folder / "tau.csv";
  REQUIRE(run_program("simulate " + robot("quadruped") + " --floating --seconds 2 --rate 50 --seed 7 -o " + log).code == 0);
  REQUIRE(run_program("compute rnea " + robot("quadruped") + " --floating --log " + log + " -o " + computed).code == 0);
  const auto rows = table(log), taus = table(computed);
  REQUIRE(rows.size() == 100);
  REQUIRE(taus.size() == 100);
  const int first = column(log, "tau.base.nx");
  double worst = 0;  // the quaternion is normalised once more on reading
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 1; k < taus[i].size(); ++k) worst = std::max(worst, std::abs(taus[i][k] - rows[i][first + k - 1]));
  CHECK(worst < 1e-12);
}

TEST_CASE("a seed gives the same log, another seed another") {
  const std::string arguments = "simulate " + robot("arm") + " --seconds 0.1 -o - --seed ";
  const std::string first = run_program(arguments + "3").out;
  CHECK(first == run_program(arguments + "3").out);
  CHECK(first != run_program(arguments + "4").out);
  CHECK(run_program("simulate " + robot("arm") + " --seconds 0 -o -").code == 2);
  for (const char* seed : {"-1", "1.5", "18446744073709551616"}) CHECK(run_program(arguments + seed).code == 2);
  CHECK(run_program(arguments + "18446744073709551615").code == 0);
}

TEST_CASE("with sensors: what is stated as a constant holds, and what was simulated is estimated back") {
  TemporaryFolder folder;
  const std::string model = robot("quadruped") + " --floating", log = folder / "log.csv", out = folder / "out.csv";
  const std::string set = folder.file("set.json", R"({"name": "pushed", "sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "motors", "type": "joint_torque", "joint": "*"},
    {"name": "push", "type": "external_wrench", "link": "trunk"},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["trunk"], "value": 0},
    {"name": "gyro", "type": "gyroscope", "link": "trunk"}]})");
  REQUIRE(run_program("simulate " + model + " --sensors " + set + " --seconds 1 --rate 50 -o " + log).code == 0);
  CHECK(column(log, "fx.trunk.nx") >= 0);
  const auto rows = table(log);
  const int base = column(log, "tau.base.nx");
  for (const auto& row : rows)
    for (int k = 0; k < 6; ++k) CHECK(std::abs(row[base + k]) < 1e-9);
  const Run solved = run_program("solve " + model + " --sensors " + set + " --log " + log + " --outputs ddq -o " + out);
  REQUIRE(solved.code == 0);
  const auto ddq = table(out);
  const int first = column(log, "ddq.base.wx");
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 1; k < ddq[i].size(); ++k)
      worst = std::max(worst, std::abs(ddq[i][k] - rows[i][first + k - 1]) / std::max(1.0, std::abs(ddq[i][k])));
  CHECK(worst < 1e-9);
}

TEST_CASE("noise is as large as the set says") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  const std::string set = folder.file("set.json", R"({"name": "noisy", "sensors": [
    {"name": "m", "type": "joint_torque", "joint": "*", "sigma": 0.25},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 20 --rate 100 -o " + log).code == 0);
  const auto rows = table(log);
  const int measured = column(log, "y.m.joint3"), truth = column(log, "tau.joint3");
  double squares = 0, mean = 0;
  for (const auto& row : rows) {
    const double noise = row[measured] - row[truth];
    squares += noise * noise, mean += noise;
  }
  const double n = static_cast<double>(rows.size());
  CHECK(std::sqrt(squares / n) == Approx(0.25).epsilon(0.06));  // 2000 samples: 1.6 % standard deviation
  CHECK(std::abs(mean / n) < 0.025);
}

TEST_CASE("gyroscopes are simulated with their noise and compared") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  const std::string set = folder.file("set.json", R"({"name": "gyro", "sensors": [
    {"name": "ddq", "type": "joint_acceleration", "joint": "*"},
    {"name": "gyro", "type": "gyroscope", "link": "link3", "sigma": 0.02},
    {"name": "exact", "type": "gyroscope", "link": "link3"},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})");
  REQUIRE(run_program("simulate " + robot("arm") + " --sensors " + set + " --seconds 10 --rate 100 -o " + log).code == 0);
  const auto rows = table(log);
  const int noisy = column(log, "y.gyro.y"), exact = column(log, "y.exact.y");
  REQUIRE((noisy >= 0 && exact >= 0));
  double squares = 0;
  for (const auto& row : rows) squares += (row[noisy] - row[exact]) * (row[noisy] - row[exact]);
  CHECK(std::sqrt(squares / static_cast<double>(rows.size())) == Approx(0.02).epsilon(0.1));
  const Run solved =
      run_program("solve " + robot("arm") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") + " --json");
  REQUIRE(solved.code == 0);
  const auto compared = nlohmann::json::parse(solved.out)["compared"];
  CHECK(compared["y.gyro.x"]["rms"].get<double>() == Approx(0.02).epsilon(0.1));
  CHECK(compared["y.exact.x"]["max"].get<double>() < 1e-12);
}

TEST_CASE("links on fixed joints that nothing touches: what sensors above them read") {
  TemporaryFolder folder;
  const std::string model = robot("quadruped") + " --floating", log = folder / "log.csv", out = folder / "out.csv";
  const std::string sensors = R"([
    {"name": "ddq", "type": "joint_acceleration", "joint": "*"},
    {"name": "base", "type": "joint_acceleration", "joint": "base"},
    {"name": "foot", "type": "force_torque", "joint": "rf_load_cell", "sigma": 1e-6},
    {"name": "air", "type": "external_wrench", "link": "*")";
  for (const char* frame : {"", R"(, "xyz": [0, 0, 0.1])"}) {
    const std::string set = folder.file("set.json", R"({"sensors": )" + sensors + frame + "}]}");
    REQUIRE(run_program("simulate " + model + " --sensors " + set + " --seconds 1 --rate 100 -o " + log).code == 0);
    const Run solved = run_program("solve " + model + " --sensors " + set + " --log " + log +
                                   " --outputs f.rf_load_cell --innovations --json -o " + out);
    REQUIRE(solved.code == 0);
    // 600 innovations of the stated noise: their root mean square is 1 within 3 %, or a misread foot's is 1e5
    CHECK(nlohmann::json::parse(solved.out)["innovations"]["foot"].get<double>() == Approx(1).epsilon(0.12));
  }
}

TEST_CASE("without pressure there is no centre of pressure - its cells are empty") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv", out = folder / "out.csv", model = robot("arm");
  const std::string set = folder.file("set.json", R"({"name": "untouched", "sensors": [
    {"name": "ddq", "type": "joint_acceleration", "joint": "*"},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    {"name": "cop", "type": "centre_of_pressure", "link": "link3", "sigma": 0.1}]})");
  REQUIRE(run_program("simulate " + model + " --sensors " + set + " --seconds 0.02 -o " + log).code == 0);
  const auto rows = table(log);
  REQUIRE(rows.size() == 5);
  const int cop = column(log, "y.cop.x");
  REQUIRE(cop >= 0);
  for (const auto& row : rows) CHECK((std::isnan(row[cop]) && std::isnan(row[cop + 1])));  // as empty cells are read
  const Run solved = run_program("solve " + model + " --sensors " + set + " --log " + log + " -o " + out + " --json");
  REQUIRE(solved.code == 0);
  CHECK(nlohmann::json::parse(solved.out)["rows_with_gaps"] == 5);
}

TEST_CASE("a wrench on a lumped foot is simulated where the set names it") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  const std::string set = folder.file("set.json", R"({"name": "sole", "sensors": [
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["l_sole", "r_sole"], "value": 0},
    {"name": "left", "type": "force_torque", "joint": "l_load_cells"},
    {"name": "right", "type": "force_torque", "joint": "r_load_cells", "sigma": 0.5}],
    "unknown": ["fx.l_sole", "fx.r_sole"]})");
  REQUIRE(run_program("simulate " + robot("humanoid") + " --floating --sensors " + set + " --seconds 0.2 -o " + log).code == 0);
  const auto rows = table(log);
  const int left = column(log, "fx.l_sole.fz"), right = column(log, "fx.r_sole.fz");
  REQUIRE((left >= 0 && right >= 0));
  for (const auto& row : rows) {
    CHECK(std::abs(row[left]) + std::abs(row[right]) > 50);  // the feet carry the robot
    CHECK(std::abs(row[column(log, "tau.base.fz")]) < 1e-6);
  }
}
