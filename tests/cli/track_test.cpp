// track: a robot's base from its readings.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/csv_reader.hpp"
#include "program.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/report/page.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const char* const walker_set = R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "gyroscope", "type": "gyroscope", "link": "trunk", "xyz": [0.1, 0.02, 0.05], "rpy": [0.1, -0.2, 0.3], "sigma": 0.002,
   "bias": {"sigma": 0.01}},
  {"name": "accelerometer", "type": "accelerometer", "link": "trunk", "xyz": [0.1, 0.02, 0.05], "rpy": [0.1, -0.2, 0.3],
   "sigma": 0.05, "bias": {"sigma": 0.1}},
  {"name": "foot0", "type": "contact", "link": "foot0", "walk": 0.005}, {"name": "foot1", "type": "contact", "link": "foot1", "walk": 0.005},
  {"name": "foot2", "type": "contact", "link": "foot2", "walk": 0.005}, {"name": "foot3", "type": "contact", "link": "foot3", "walk": 0.005}]})";

const std::vector<std::string> base{"x", "y", "z", "qx", "qy", "qz", "qw"}, rates{"wx", "wy", "wz", "vx", "vy", "vz"};

/// A walk of 3 s as a log, with its truth. `time`: of row k, as it is written.
template <class Time>
std::string log_text(const Time& time) {
  const WalkLog walked = walk(750, 250, 3);
  std::ostringstream text;
  text.precision(17);
  text << "time";
  for (const std::string& column : walk_columns()) text << "," << column;
  for (const std::string& column : base) text << ",q.base." << column;
  for (const std::string& column : rates) text << ",dq.base." << column;
  for (std::size_t k = 0; k < walked.q.size(); ++k) {
    text << "\n" << time(k);
    for (double y : walked.readings[k]) text << "," << y;
    for (std::size_t c = 0; c < 7; ++c) text << "," << walked.q[k][c];
    for (std::size_t c = 0; c < 6; ++c) text << "," << walked.v[k][c];
  }
  text << "\n";
  return text.str();
}

struct Files {
  Files() {
    save_robot(walking_quadruped(), folder / "robot.json");
    set = folder.file("set.json", walker_set);
    log = folder.file("log.csv", log_text([](std::size_t k) { return std::to_string(0.004 * static_cast<double>(k)); }));
  }
  std::string line(const std::string& more = "") const {
    return "track " + (folder / "robot.json") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv") + " " +
           more;
  }
  TemporaryFolder folder;
  std::string set, log;
};

/// The page's first sentences.
std::string lead_of(const std::string& path) {
  const std::string html = text_of(path);
  const std::size_t from = html.find("<p class=\"lead\">");
  REQUIRE(from != std::string::npos);
  return html.substr(from, html.find("</p>", from) - from);
}

long rows_of(const std::string& path) {
  CsvReader log(path);
  long rows = 0;
  while (log.next()) ++rows;
  return rows;
}

}  // namespace

TEST_CASE("track finds a walking robot's base, says how well, and what nobody sees") {
  const Files files;
  const Run run = run_program(files.line("--json --sd"));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const json said = json::parse(run.out);
  CHECK(said["rows"] == 750);
  CHECK(said["rows_failed"] == 0);
  CHECK(said["states"] == 51);
  CHECK(said["unobservable"] == json{"base.x", "base.y", "base.z", "base.yaw"});
  CHECK(said["errors"]["position"] < 0.05);
  CHECK(said["errors"]["tilt"] < 0.02);
  CHECK(said["compared"]["dq.base.vx"]["rms"] < 0.03);
  CHECK(said["consistency"]["nis_mean"] > 0.5);
  CHECK(said["consistency"]["nis_mean"] < 1.5);
  CHECK(said["consistency"]["nees"] > 0.1);
  CHECK(said["consistency"]["nees"] < 3);
  CHECK(said["biases"].contains("bias.gyroscope.z"));
  CHECK(said["drift"]["over_1s"] < 0.05);
  CHECK(rows_of(files.folder / "out.csv") == 750);
  CsvReader out(files.folder / "out.csv");
  CHECK(out.has("sd.q.base.rz"));
  CHECK(out.has("dq.knee3"));
  CHECK_FALSE(out.has("sd.q.base.qw"));
}

TEST_CASE("track some rows late and by the whole log writes every row, and errs no more") {
  const Files files;
  const auto error = [&](const std::string& how) {
    const Run run = run_program(files.line("--json " + how));
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK(rows_of(files.folder / "out.csv") == 750);
    return json::parse(run.out)["compared"]["dq.base.vx"]["rms"].get<double>();
  };
  const double filter = error(""), late = error("--lag 20"), batch = error("--batch");
  CHECK(late < 1.05 * filter);
  CHECK(batch < filter);
}

TEST_CASE("track names rows whose time does not go on, and goes on") {
  Files files;
  files.log = files.folder.file("log.csv", log_text([](std::size_t k) {
                                  return k == 400 ? "" : std::to_string(k == 300 ? 0.0 : 0.004 * static_cast<double>(k));
                                }));
  for (const std::string how : {"", "--lag 5", "--batch"}) {
    const Run run = run_program(files.line("--json " + how));
    INFO(how << run.err);
    CHECK(run.code == 4);
    CHECK_THAT(run.err, Contains("log.csv:302: time does not go on") && Contains("log.csv:402: time is no number"));
    const json said = json::parse(run.out);
    CHECK(said["rows_failed"] == 2);
    CHECK(said["errors"]["tilt"] < 0.02);
    CHECK(rows_of(files.folder / "out.csv") == 750);
  }
}

TEST_CASE("track by an even clock, where stamps jitter") {
  Files files;
  const auto stamp = [](std::size_t k) {
    return std::to_string(0.004 * static_cast<double>(k) + 0.0015 * std::sin(7.0 * static_cast<double>(k)));
  };
  files.log = files.folder.file("log.csv", log_text(stamp));
  const Run jittering = run_program(files.line("--json"));
  CHECK_THAT(jittering.err, Contains("--uniform-time"));
  const Run even = run_program(files.line("--json --uniform-time"));
  CHECK(even.code == 0);
  CHECK_THAT(even.err, !Contains("--uniform-time"));
  const json a = json::parse(jittering.out), b = json::parse(even.out);
  CHECK(b["compared"]["dq.base.vx"]["rms"] < a["compared"]["dq.base.vx"]["rms"]);
  CHECK(a["time_jitter"] > 5e-4);
}

TEST_CASE("track draws a page: the CSV stays as it is, words and figures say what its columns do") {
  const Files files;
  const std::string page = files.folder / "page.html", out = files.folder / "out.csv";
  for (const std::string how : {"", "--lag 5 ", "--batch "}) {
    INFO(how);
    REQUIRE(run_program(files.line(how + "--outputs q.base,contact.foot1")).code == 0);
    const std::string before = text_of(out);
    const Run run = run_program(files.line(how + "--json --outputs q.base,contact.foot1 --report " + page));
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK(text_of(out) == before);
    const std::string html = text_of(page);
    const json said = json::parse(run.out);
    CHECK(said["compared"].size() == 7);  // q.base alone
    const std::string lead = lead_of(page);
    CHECK_THAT(lead, Contains("the base's place is " + report::number(said["errors"]["position"], 3) + " m off"));
    CHECK_THAT(lead, Contains("No sensor sees base.x, base.y, base.z, base.yaw: they drift; at the end"));
    for (const char* title : {"From above", "place, x", "turn about z", "Feet that stand", "bias.gyroscope.z", "dq.base.vx",
                              "q.knee0", "Innovations beside their variance"})
      CHECK_THAT(html, Contains("<figcaption>" + std::string(title)));
    // feet: by their columns
    REQUIRE(run_program(files.line(how + "--outputs foot,contact")).code == 0);
    CsvReader rows(out);
    int slots[4][4];
    double landed[4][3] = {}, farthest = 0;
    bool stood[4] = {};
    long standing[4] = {}, count = 0;
    for (int f = 0; f < 4; ++f) {
      const std::string name = "foot" + std::to_string(f);
      slots[f][3] = rows.ask("contact." + name);
      for (int k = 0; k < 3; ++k) slots[f][k] = rows.ask("foot." + name + "." + "xyz"[k]);
    }
    for (; rows.next(); ++count)
      for (int f = 0; f < 4; ++f) {
        const bool stands = rows.value(slots[f][3]) > 0.5;
        double square = 0;
        for (int k = 0; k < 3; ++k) {
          if (stands && !stood[f]) landed[f][k] = rows.value(slots[f][k]);
          square += std::pow(rows.value(slots[f][k]) - landed[f][k], 2);
        }
        if (stands) farthest = std::max(farthest, std::sqrt(square)), ++standing[f];
        stood[f] = stands;
      }
    CHECK_THAT(lead, Contains("crept furthest while it stood: " + report::number(1000 * farthest, 3) + " mm"));
    for (int f = 0; f < 4; ++f)
      CHECK_THAT(html, Contains("foot" + std::to_string(f) + " " +
                                report::number(100.0 * static_cast<double>(standing[f]) / static_cast<double>(count), 3) +
                                " % of the time"));
  }
  CHECK(run_program(files.line("--report -")).code == 2);
}

TEST_CASE("track's page names rows without an answer, and that deviations are too small") {
  Files files;
  files.log = files.folder.file(
      "log.csv", log_text([](std::size_t k) { return std::to_string(k == 300 ? 0.0 : 0.004 * static_cast<double>(k)); }));
  const std::string page = files.folder / "page.html";
  CHECK(run_program(files.line("--report " + page)).code == 4);
  CHECK_THAT(lead_of(page), Contains("<b>1 row has no answer</b>, the first is line 302.") && !Contains("nan"));
  CHECK(json::parse(run_program(files.line("--json --outputs dq")).out)["errors"].is_object());
  std::string narrow = walker_set;
  for (std::size_t at; (at = narrow.find("\"walk\": 0.005")) != std::string::npos;) narrow.replace(at, 13, "\"walk\": 1e-6");
  files.set = files.folder.file("set.json", narrow);
  for (const std::string how : {"", "--lag 5 "}) {  // the second one by errors within ± 2σ: rows told late have no nees
    CHECK(run_program(files.line(how + "--robust none --report " + page)).code == 4);
    CHECK_THAT(lead_of(page), Contains("<b>The deviations are not to be trusted</b>: the errors are larger than they say" +
                                       std::string(how.empty() ? " (nees " : ". ")));
  }
}

TEST_CASE("track refuses what it cannot do, and says what it leaves out") {
  const Files files;
  CHECK(run_program(files.line("--lag 3 --batch")).code == 2);
  CHECK(run_program(files.line("--lag 1.5")).code == 2);
  CHECK_THAT(run_program(files.line("--outputs q.bose")).err, Contains("q.bose") && Contains("q.base"));
  CHECK(run_program(files.line("--outputs q.bose")).code == 2);
  CHECK(run_program(files.line("--rows whole")).code == 2);
  const Run none = run_program("track " + (files.folder / "robot.json") + " --sensors inverse-dynamics --log " + files.log +
                               " -o " + (files.folder / "none.csv"));
  CHECK(none.code == 1);
  const std::string late = files.folder.file("late.json", R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001, "delay": 0.01},
    {"name": "foot", "type": "contact", "link": ["foot0", "foot1"]}]})");
  const Run run = run_program("track " + (files.folder / "robot.json") + " --sensors " + late + " --log " + files.log + " -o " +
                              (files.folder / "out.csv"));
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("\"delay\" is not used") && Contains("these feet always stand"));
}

TEST_CASE("track on a walking iCub beside motion capture") {
  if (shared_is_missing()) {
    WARN("skipped: ../shared is not there");
    return;
  }
  const std::string walking = shared("logs/icub_walk/");
  TemporaryFolder folder;
  std::string locks, joints;
  CsvReader log(walking + "walk.csv");
  for (const std::string& column : log.columns())
    if (column.rfind("y.encoders.", 0) == 0) joints += (joints.empty() ? "\"" : ", \"") + column.substr(11) + "\"";
  for (const char* side : {"l_wrist_", "r_wrist_"})
    for (const char* way : {"prosup", "pitch", "yaw"}) locks += std::string(" --lock ") + side + way;
  const std::string imu =
      R"("link": "root_link", "xyz": [0.085155, -0.011, -0.112309], "rpy": [-2.09439521059, 0, -1.57079632679])";
  const auto sole = [](const std::string& name, const std::string& letter) {
    return R"({"name": ")" + name + R"(", "type": "contact", "link": ")" + letter + R"(_sole", "flag": "y.)" + letter +
           R"(_foot.fz", "above": 150, "below": 120, "walk": 0.01, "points": [[0.06, 0.03, 0], [0.06, -0.03, 0], [-0.04, 0, 0]]})";
  };
  const std::string set =
      folder.file("set.json", R"({"sensors": [{"name": "encoders", "type": "joint_position", "joint": [)" + joints +
                                  R"(], "sigma": 1.7e-3}, {"name": "gyro", "type": "gyroscope", )" + imu +
                                  R"(, "sigma": 0.01, "bias": {"sigma": 0.01, "walk": 1e-3}},
    {"name": "acc", "type": "accelerometer", )" +
                                  imu + R"(, "sigma": 0.15, "bias": {"sigma": 0.3, "walk": 1e-2}}, )" + sole("left", "l") +
                                  ", " + sole("right", "r") + "]}");
  for (const std::string how : {"", "--batch"}) {
    const Run run = run_program("track " + walking + "robot.urdf --floating" + locks + " --sensors " + set + " --log " +
                                walking + "walk.csv --uniform-time --json -o " + (folder / "out.csv") + " " + how);
    INFO(run.err);
    REQUIRE(run.code == 0);
    const json errors = json::parse(run.out)["errors"];
    constexpr double degree = 3.14159265358979 / 180;
    CHECK(errors["position"] < 0.025);
    CHECK(errors["tilt"] < 0.75 * degree);
    CHECK(errors["yaw"] < 2.5 * degree);
    CHECK(errors["yaw_end"] < 2.5 * degree);
  }
}

TEST_CASE("what the set lacks for tracking is named with the set's file and line") {
  Files files;
  const auto refusal = [&](const char* sensors) {
    files.set = files.folder.file("lacking.json", "{\"name\": \"lacking\",\n \"sensors\": [\n" + std::string(sensors) + "]}");
    const Run run = run_program(files.line());
    CHECK(run.code == 1);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string encoders = R"({"name": "e", "type": "joint_position", "joint": "*", "sigma": 0.001})";
  CHECK_THAT(refusal(encoders.c_str()), Contains("lacking.json:3: sensors: no gyroscope, accelerometer, contact or link_pose; "
                                                 "expected a sensor of the base's motion"));
  CHECK_THAT(refusal((encoders + ",\n" + R"({"name": "g", "type": "gyroscope", "link": "trunk"})").c_str()),
             Contains("lacking.json:4: sensor g: gyroscope without sigma; expected its noise"));
  CHECK_THAT(refusal(R"({"name": "foot", "type": "contact", "link": "foot0"})"),
             Contains("lacking.json:3: sensors: undetermined: q.") && Contains("expected a joint_position of each joint"));
}

TEST_CASE("track finds an arm's accelerations and the wrench at its tip from torques, and leaves torques out where asked") {
  const TemporaryFolder folder;
  const Model arm = arm_like_ur5();
  const std::string& tip = arm.links.back().name;
  save_robot(arm, folder / "arm.json");
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-4},
    {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.3, "share": 0.001},
    {"name": "nothing", "type": "external_wrench", "link": "*", "except": [")" +
                                                      tip + R"("], "value": 0}],
    "external_wrench": {"sigma": [10, 100], "walk": [3, 30]}, "prior": {"ddq": {"sigma": 300}}})");
  const ArmLog pushed = push_arm(arm, tip, 400, 1000, 2);
  std::ostringstream text;
  text.precision(17);
  text << "time";
  const std::vector<std::string> names = velocity_names(arm);
  for (const char* kind : {"y.encoders.", "y.torques.", "q.", "dq.", "ddq."})
    for (const std::string& name : names) text << "," << kind << name;
  for (std::size_t k = 0; k < pushed.q.size(); ++k) {
    text << "\n" << 0.001 * static_cast<double>(k);
    for (const std::vector<double>* row : {&pushed.readings[k], &pushed.q[k], &pushed.v[k], &pushed.ddq[k]})
      for (double x : *row) text << "," << x;
  }
  const std::string log = folder.file("log.csv", text.str() + "\n");
  const std::string line =
      "track " + (folder / "arm.json") + " --sensors " + set + " --log " + log + " -o " + (folder / "out.csv");
  const Run run = run_program(line + " --json --sd --outputs dq,ddq,fx." + tip);
  INFO(run.err);
  REQUIRE(run.code == 0);
  const json said = json::parse(run.out);
  CHECK(said["rows_taken"] == "whole-body");
  CHECK(said["states"] == 24);
  CHECK(said["unobservable"].empty());
  CHECK(said["consistency"]["nees"].get<double>() > 0.5);
  CHECK(said["consistency"]["nees"].get<double>() < 1.7);
  CHECK(said["compared"]["ddq." + names[0]]["rms"].get<double>() < 30);
  CHECK(rows_of(folder / "out.csv") == 400);
  const Run kinematic = run_program(line + " --json --rows kinematic");
  REQUIRE(kinematic.code == 0);
  CHECK(json::parse(kinematic.out)["rows_taken"] == "kinematic");
  CHECK(json::parse(kinematic.out)["compared"]["dq." + names[0]]["rms"].get<double>() >
        said["compared"]["dq." + names[0]]["rms"].get<double>());
  const Run batch = run_program(line + " --json --batch --outputs dq");
  REQUIRE(batch.code == 0);
  CHECK(json::parse(batch.out)["compared"]["dq." + names[0]]["rms"].get<double>() <
        said["compared"]["dq." + names[0]]["rms"].get<double>());
  const Run unknown = run_program(line + " --outputs ddq.bose");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("ddq.bose"));
}
