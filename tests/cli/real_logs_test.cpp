// solve on logs with offsets, spikes and pipes; differentiate.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Torque by two sensors, and the acceleration: each reading is predicted by the others.
std::string gauged(const std::string& motor_and_more, const std::string& top = "") {
  return R"({)" + top + R"("sensors": [
  {"name": "motor", "type": "joint_torque", "joint": "hinge", "sigma": 0.1)" +
         motor_and_more + R"(},
  {"name": "gauge", "type": "joint_torque", "joint": "hinge", "sigma": 0.1},
  {"name": "encoder", "type": "joint_acceleration", "joint": "hinge", "sigma": 0.05},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";
}

/// τ = 0.5 q̈ − 9.81 cos q, with small errors that are no noise but do as such; the motor reads 2 too much.
std::string recorded(int spike_row) {
  std::string log = "time,q.hinge,dq.hinge,y.motor,y.gauge,y.encoder,note\n";
  for (int i = 0; i < 120; ++i) {
    const double q = 0.9 * std::sin(0.05 * i), tau = 0.5 * 0.3 * std::cos(0.05 * i) - 9.81 * std::cos(q);
    const double a = 0.1 * std::sin(1.7 * i), b = 0.1 * std::cos(2.9 * i), c = 0.05 * std::sin(4.1 * i + 1);
    log += std::to_string(0.01 * i) + "," + std::to_string(q) + ",0.1," + std::to_string(tau + 2 + a) + "," +
           std::to_string(tau + b + (i == spike_row ? 40 : 0)) + "," + std::to_string(0.3 * std::cos(0.05 * i) + c) +
           ",\"a, b\"\n";
  }
  return log;
}

struct LogFiles {
  TemporaryFolder folder;
  std::string urdf = folder.file("pendulum.urdf", pendulum), out = folder / "out.csv";
  Run solve(const std::string& set, const std::string& log, const std::string& options = "") {
    return run_program("solve --json " + urdf + " --sensors " + folder.file("set.json", set) + " --outputs tau --sd --log " +
                       log + " -o " + out + " " + options);
  }
};

double cell(const std::string& path, const std::string& column, int row) {
  sparsedyn::CsvReader log(path);
  const int slot = log.ask(column);
  REQUIRE(slot >= 0);
  for (int r = 0; r < row; ++r) REQUIRE(log.next());
  return log.value(slot);
}

}  // namespace

TEST_CASE("offsets are taken off, written to a file, and read back from it") {
  LogFiles files;
  const std::string log = files.folder.file("log.csv", recorded(-1)), offsets = files.folder / "offsets.json";
  const Run learnt = files.solve(gauged(", \"bias\": true"), log, "--offsets " + offsets);
  REQUIRE(learnt.code == 0);
  const json found = json::parse(text_of(offsets));
  CHECK(found["offsets"]["y.motor"]["value"].get<double>() == Approx(2).margin(0.03));
  CHECK(found["columns"] == json{"y.motor"});
  const double sd = found["offsets"]["y.motor"]["sd"].get<double>();
  CHECK(found["covariance"][0][0].get<double>() == Approx(sd * sd));
  CHECK(json::parse(learnt.out)["chi_square"]["expected"] == 2 * 120 - 1);
  const double estimate = cell(files.out, "tau.hinge", 50);
  const Run piped = run_program("solve --json " + files.urdf + " --sensors " + (files.folder / "set.json") +
                                    " --outputs tau --sd --log - -o " + files.out,
                                "cat " + log + " | ");
  CHECK(piped.code == 0);
  CHECK_THAT(piped.err, Contains("temporary file"));
  CHECK(cell(files.out, "tau.hinge", 50) == estimate);
  const Run known = files.solve(gauged("", "\"offsets\": \"offsets.json\", "), log);
  CHECK(known.code == 0);
  CHECK(cell(files.out, "tau.hinge", 50) == Approx(estimate).epsilon(1e-12));
  CHECK(files.solve(gauged(", \"bias\": true", "\"offsets\": \"offsets.json\", "), log).code == 3);
  files.folder.file("offsets.json", R"({"offsets": {"y.moter": {"value": 1, "sd": 0.1}}})");
  const Run mistyped = files.solve(gauged("", "\"offsets\": \"offsets.json\", "), log);
  CHECK(mistyped.code == 3);
  CHECK_THAT(mistyped.err, Contains("offsets.json:1: offsets y.moter: no such measurement (near: y.motor)"));
}

TEST_CASE("a spike is named and bounded, and mended in the corrected log") {
  LogFiles files;
  const std::string log = files.folder.file("log.csv", recorded(60)), mended = files.folder / "mended.csv";
  const Run run = files.solve(gauged(", \"bias\": true"), log, "--robust huber --corrected " + mended);
  REQUIRE(run.code == 0);
  const json outliers = json::parse(run.out)["outliers"];
  CHECK(outliers["rows"] == 1);
  CHECK((outliers["worst"][0]["line"] == 62 && outliers["worst"][0]["sensor"] == "y.gauge"));
  CHECK(outliers["sensors"] == json{{{"sensor", "y.gauge"}, {"fault", "spikes"}, {"from_line", 62}}});
  const double truth = 0.5 * 0.3 * std::cos(3.0) - 9.81 * std::cos(0.9 * std::sin(3.0));
  CHECK(cell(files.out, "tau.hinge", 61) == Approx(truth).margin(0.4));
  CHECK(cell(mended, "y.gauge", 61) == Approx(truth).margin(0.2));
  CHECK(cell(mended, "y.motor", 11) == Approx(cell(log, "y.motor", 11) - 2).margin(0.03));
  CHECK(cell(mended, "y.gauge", 11) == cell(log, "y.gauge", 11));
  CHECK_THAT(text_of(mended), Contains("note,outlier\n") && Contains("\"a, b\",y.gauge\n") && Contains("\"a, b\",\n"));
  files.solve(gauged(", \"bias\": true"), log);
  CHECK(std::abs(cell(files.out, "tau.hinge", 61) - truth) > 2);
}

TEST_CASE("options of robust estimates are checked") {
  LogFiles files;
  const std::string log = files.folder.file("log.csv", recorded(-1));
  CHECK(files.solve(gauged(""), log, "--robust hubert").code == 2);
  CHECK(files.solve(gauged(""), log, "--robust huber --robust-threshold 0").code == 2);
  CHECK(files.solve(gauged(""), log, "--corrected " + log).code == 2);
  CHECK(files.solve(gauged(""), log, "--offsets " + files.out).code == 2);
  const Run plain = files.solve(gauged(""), log, "--robust none");
  CHECK(plain.code == 0);
  CHECK(json::parse(plain.out)["outliers"].contains("rows"));
}

TEST_CASE("differentiate adds what the log lacks, and says how good it is") {
  TemporaryFolder folder;
  std::string text = "time,q.hinge,dq.hinge,name\n", uneven = "time,q.hinge\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(0.01 * i) + "," + std::to_string(std::sin(0.02 * i)) + ",7,x\n";
    uneven += std::to_string(0.01 * i + (i == 50 ? 0.001 : 0)) + ",0\n";
  }
  const std::string out = folder / "out.csv";
  const Run run = run_program("differentiate --json " + folder.file("log.csv", text) + " --window 0.2 -o " + out);
  REQUIRE(run.code == 0);
  const json summary = json::parse(run.out);
  CHECK(summary["rows"] == 200);
  CHECK(summary["deviation"].contains("ddq.hinge"));
  CHECK_THAT(text_of(out), Catch::StartsWith("time,q.hinge,dq.hinge,name,ddq.hinge\n"));
  CHECK(cell(out, "dq.hinge", 10) == 7);
  CHECK(cell(out, "ddq.hinge", 100) == Approx(-4 * std::sin(0.02 * 99)).margin(1e-2));
  const Run faulty = run_program("differentiate " + folder.file("uneven.csv", uneven) + " -o " + out);
  CHECK(faulty.code == 3);
  CHECK_THAT(faulty.err, Contains("uneven.csv:52: column time"));
  CHECK(run_program("differentiate " + folder.file("none.csv", "q.hinge\n1\n2\n") + " -o " + out).code == 3);
  CHECK(run_program("differentiate " + (folder / "log.csv") + " --cutoff 3 --window 1 -o " + out).code == 2);
}

namespace {

/// A base that turns about z, and a joint that moves evenly; each `gap`-th position of the joint is missing.
std::string turning(int rows, double rate, int gap) {
  std::string text = "time,q.base.x,q.base.y,q.base.z,q.base.qx,q.base.qy,q.base.qz,q.base.qw,q.hinge\n";
  char line[200];
  for (int i = 0; i < rows; ++i) {
    const double t = 0.01 * i, half = 0.5 * rate * t;
    std::snprintf(line, sizeof line, "%.17g,0,0,1,0,0,%.17g,%.17g,%s\n", t, std::sin(half), std::cos(half),
                  gap > 0 && i % gap == 0 ? "" : std::to_string(0.25 * t).c_str());
    text += line;
  }
  return text;
}

}  // namespace

TEST_CASE("differentiate refuses a log of fewer rows than its smallest window, and names columns that stay empty") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv";
  const Run few = run_program("differentiate " + folder.file("few.csv", turning(6, 1, 0)) + " -o " + out);
  CHECK(few.code == 3);
  CHECK_THAT(few.err, Contains("6 rows; expected at least 7"));
  CHECK(run_program("differentiate " + folder.file("enough.csv", turning(7, 1, 0)) + " -o " + out).code == 0);
  const Run gaps = run_program("differentiate --json " + folder.file("gaps.csv", turning(60, 1, 5)) + " -o " + out);
  CHECK(gaps.code == 0);
  CHECK_THAT(gaps.err, Contains("left empty") && Contains("dq.hinge, ddq.hinge"));
  CHECK(json::parse(gaps.out)["deviation"]["dq.hinge"].is_null());
  CHECK(json::parse(gaps.out)["deviation"]["dq.base.wz"] > 0);
  CHECK_THAT(run_program("differentiate " + (folder / "gaps.csv") + " -o " + out).out, Contains("  dq.hinge:    left empty\n"));
}

TEST_CASE("differentiate says whose window is shorter than stated, for it turns far in that") {
  TemporaryFolder folder;
  const std::string out = folder / "out.csv", log = folder.file("log.csv", turning(400, 5, 0));
  const Run run = run_program("differentiate --json " + log + " --window 3 -o " + out);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("shorter there: base\n"));
  CHECK(json::parse(run.out)["windows"]["dq.base.wz"] < 0.7);
  CHECK(json::parse(run.out)["windows"]["dq.hinge"] > 2.9);
  for (const int row : {1, 100, 400}) CHECK(cell(out, "dq.base.wz", row) == Approx(5).epsilon(1e-12));
}
