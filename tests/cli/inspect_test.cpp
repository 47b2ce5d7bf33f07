// `inspect`: its answer in words and JSON, its exit codes and page; and the warnings of commands that read logs.
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A log of the arm's motion of 10 s, in which one column is multiplied.
std::string faulty_log(TemporaryFolder& folder, const std::string& column, double factor) {
  const std::string clean = folder / "clean.csv";
  REQUIRE(run_program("excite --quiet " + robot("arm") + " --seconds 10 --rate 100 -o " + clean).code == 0);
  std::istringstream lines(text_of(clean));
  std::string line, cell, out, header;
  std::getline(lines, header);
  out = header + "\n";
  std::size_t at = 0, found = 0;
  for (std::istringstream names(header); std::getline(names, cell, ','); ++at)
    if (cell == column) found = at;
  REQUIRE(found > 0);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string row;
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k)
      row += (k ? "," : "") + (k == found ? std::to_string(std::stod(cell) * factor) : cell);
    out += row + "\n";
  }
  return folder.file("faulty.csv", out);
}

/// The log's columns that `as` gives a name, under that name.
template <class As>
std::string with_columns(TemporaryFolder& folder, const std::string& log, const As& as) {
  std::istringstream lines(text_of(log));
  std::string line, out;
  std::vector<std::string> names;
  for (bool header = true; std::getline(lines, line); header = false) {
    std::istringstream cells(line);
    std::string cell, row;
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) {
      if (header) names.push_back(as(cell));
      if (!names[k].empty()) row += (row.empty() ? "" : ",") + (header ? names[k] : cell);
    }
    out += row + "\n";
  }
  return folder.file("chosen.csv", out);
}

const std::string tracked_set = R"({"sensors": [{"name": "gyro", "type": "gyroscope", "link": "trunk", "sigma": 0.01},
    {"name": "weight", "type": "accelerometer", "link": "trunk", "sigma": 0.1},
    {"name": "angles", "type": "joint_position", "joint": "*", "sigma": 0.001}]})";

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("inspect of a clean log finds nothing, and exits with 0") {
  TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  REQUIRE(run_program("excite --quiet " + robot("arm") + " --seconds 10 --rate 100 -o " + log).code == 0);
  const Run run = run_program("inspect --strict " + robot("arm") + " --log " + log);
  CHECK(run.code == 0);
  CHECK(run.out == "1000 rows, 100 Hz, 9.99 s\nnothing found\n");
  CHECK(run.err.empty());
}

TEST_CASE("inspect names the torque of the other sign, with all that the JSON promises") {
  TemporaryFolder folder;
  const std::string log = faulty_log(folder, "tau.joint2", -1), page = folder / "page.html";
  const Run run = run_program("inspect --json " + robot("arm") + " --log " + log + " --report " + page);
  CHECK(run.code == 0);
  const json found = json::parse(run.out);
  CHECK(found["rows"] == 1000);
  CHECK(found["rate"].get<double>() == Approx(100));
  CHECK(found["duration"].get<double>() == Approx(9.99));
  REQUIRE(found["findings"].size() == 1);
  const json& finding = found["findings"][0];
  CHECK(keys_of(finding) ==
        std::vector<std::string>{"columns", "evidence", "from_line", "kind", "likely", "remedy", "severity", "to_line"});
  CHECK(finding["kind"] == "torque_sign");
  CHECK(finding["columns"] == json{"tau.joint2"});
  CHECK(finding["severity"] == "harm");
  CHECK(finding["from_line"] == 2);
  CHECK(finding["to_line"] == 1001);
  CHECK_THAT(text_of(page),
             Contains("1 finding: torque_sign of <b>tau.joint2</b>, from 0 s to 9.99 s: likely torques counted ") &&
                 Contains("Torques beside the model") && Contains("tau.joint2: torque_sign, 0 s to 9.99 s</figcaption>") &&
                 Contains("The other columns, as they are") && Contains("dq.joint3</figcaption>"));
  CHECK(text_of(page).find("Columns with findings") < text_of(page).find("Ranges, limits and gaps"));
  CHECK(run_program("inspect --strict " + robot("arm") + " --log " + log).code == 1);
}

TEST_CASE("inspect's page has the log's times, and leaves out what is lost") {
  TemporaryFolder folder;
  const std::string whole = faulty_log(folder, "tau.joint2", -1), page = folder / "page.html";
  std::istringstream rows(text_of(whole));
  std::string kept, row;
  for (int line = 1; std::getline(rows, row); ++line)
    if (line <= 402 || line > 502) kept += row + "\n";  // one second of ten
  const Run run = run_program("inspect " + robot("arm") + " --log " + folder.file("kept.csv", kept) + " --report " + page);
  CHECK(run.code == 0);
  CHECK_THAT(text_of(page), Contains("torque_sign of <b>tau.joint2</b>, from 0 s to 9.99 s") &&
                                Contains("gap of <b>time</b>, from 4 s to 5.01 s: likely rows that were lost") &&
                                Contains("Torques beside the model") && Contains("class=\"gap"));
  CHECK_THAT(text_of(page), Contains("tau.left_finger_slide</figcaption>"));
}

TEST_CASE("inspect's page tells times of rows by their lines, whatever lies between the lines") {
  TemporaryFolder folder;
  const std::string whole = faulty_log(folder, "tau.joint2", -1), page = folder / "page.html";
  std::istringstream rows(text_of(whole));
  std::string spread, row;
  for (int line = 1; std::getline(rows, row); ++line) {
    spread += (line < 3 ? "\n\n\n" : "") + row + "\n" + (line % 7 == 0 ? "\n" : "");
    if (line == 402)
      for (int lost = 0; lost < 100; ++lost, ++line) std::getline(rows, row);
  }
  const Run run = run_program("inspect " + robot("arm") + " --log " + folder.file("spread.csv", spread) + " --report " + page);
  CHECK(run.code == 0);
  CHECK_THAT(text_of(page), Contains("torque_sign of <b>tau.joint2</b>, from 0 s to 9.99 s") &&
                                Contains("gap of <b>time</b>, from 4 s to 5.01 s: likely rows that were lost"));
}

TEST_CASE("inspect's page keeps times that repeat, are missing, or are in ms, and says where it counts rows instead") {
  TemporaryFolder folder;
  const std::string whole = text_of(faulty_log(folder, "tau.joint2", -1)), page = folder / "page.html";
  const auto with_time = [&](const std::function<std::string(int row, const std::string& time)>& as) {
    std::istringstream rows(whole);
    std::string out, line;
    for (int row = -1; std::getline(rows, line); ++row) {
      const std::size_t comma = line.find(',');
      out += (row < 0 ? line : as(row, line.substr(0, comma)) + line.substr(comma)) + "\n";
    }
    const std::string log = folder.file("times.csv", out);
    CHECK(run_program("inspect " + robot("arm") + " --log " + log + " --report " + page).code == 0);
    return text_of(page);
  };
  REQUIRE(whole.rfind("time,", 0) == 0);
  const std::string own = "torque_sign of <b>tau.joint2</b>, from 0 s to 9.99 s", axis = ">time (s)<";
  CHECK_THAT(with_time([](int row, const std::string& time) { return row == 500 ? std::string("4.99") : time; }),
             Contains(own) && Contains(axis) && Contains("time_back of <b>time</b>, from 4.99 s to 4.99 s"));
  CHECK_THAT(with_time([](int row, const std::string& time) { return row == 500 ? std::string() : time; }),
             Contains(own) && Contains(axis));
  CHECK_THAT(with_time([](int, const std::string& time) { return std::to_string(1000 * std::stod(time)); }),
             Contains(own) && Contains(axis) && Contains("time_unit of <b>time</b>"));
  CHECK_THAT(with_time([](int row, const std::string& time) { return row < 500 ? time : std::to_string(std::stod(time) - 3); }),
             Contains("torque_sign of <b>tau.joint2</b>, from line 2 to line 1001") && !Contains(axis) &&
                 Contains("row / rate (s): the log's times go back"));
}

TEST_CASE("inspect's page says how many columns were not judged") {
  TemporaryFolder folder;
  std::string log = "time,q.joint1,q.joint2,dq.joint1,dq.joint2\n";
  for (int row = 0; row < 200; ++row) log += std::to_string(0.01 * row) + ",0.1,0.2,0,0\n";
  const std::string page = folder / "page.html";
  REQUIRE(run_program("inspect " + robot("arm") + " --log " + folder.file("rest.csv", log) + " --report " + page).code == 0);
  CHECK_THAT(text_of(page),
             Contains("Nothing was found in 200 rows. 2 columns were not judged. The log lacks 14 columns of joints."));
}

TEST_CASE("commands that read logs warn in one line of what inspect would find") {
  TemporaryFolder folder;
  const std::string log = faulty_log(folder, "tau.joint2", 1000), out = folder / "out";
  const std::string warning =
      "warning: " + log + ": torque_scale: tau.joint2: torques in N mm? `sparsedyn inspect` shows the evidence\n";
  CHECK_THAT(run_program("identify " + robot("arm") + " --log " + log + " -o " + out).err, Contains(warning));
  CHECK_THAT(run_program("solve " + robot("arm") + " --sensors forward-dynamics --log " + log + " -o " + out).err,
             Contains(warning));
  CHECK_THAT(run_program("solve --quiet " + robot("arm") + " --sensors forward-dynamics --log " + log + " -o " + out).err,
             !Contains("inspect"));
  const std::string slow = faulty_log(folder, "q.joint2", 57.29577951308232);
  CHECK_THAT(run_program("differentiate " + slow + " -o " + out).err,
             Contains("angle_unit: q.joint2: positions in degrees? `sparsedyn inspect` shows the evidence"));
}

TEST_CASE("a log of another robot is called so by inspect and by every command that reads it") {
  TemporaryFolder folder;
  const std::string log = robot_log("quadruped"), out = folder / "out.csv", page = folder / "page.html";
  const Run run = run_program("inspect --strict " + robot("arm") + " --log " + log + " --report " + page);
  CHECK(run.code == 1);
  CHECK_THAT(run.out, Contains("harm: other_robot: q.") && Contains("none of them of arm: lf_hip_roll, ") &&
                          Contains("the robot's joints are joint1, ") && !Contains("nothing found"));
  CHECK_THAT(text_of(page), Contains("1 finding: <b>the log names 12 joints, none of them of arm"));
  const std::string missing = ":1: header: no column q.joint1, ",
                    named = "; the log names 12 joints, none of them of arm: lf_hip_roll, lf_hip_pitch, ";
  for (const std::string& command :
       {"solve " + robot("arm") + " --sensors inverse-dynamics -o " + out, "identify " + robot("arm") + " -o " + out,
        "compute rnea " + robot("arm") + " -o " + out}) {
    const Run read = run_program(command + " --log " + log);
    INFO(command);
    CHECK(read.code == 3);
    CHECK_THAT(read.err, Contains(missing) && Contains(named) && Contains("; expected a column for each input"));
  }
  const std::string set = folder.file("set.json", tracked_set);
  const Run tracked = run_program("track " + robot("quadruped") + " --floating --sensors " + set + " --log " +
                                  robot_log("humanoid") + " -o " + out);
  CHECK(tracked.code == 3);
  CHECK_THAT(tracked.err, Contains(":1: header: no column y.angles.lf_hip_roll, ") &&
                              Contains("; the log names 29 joints, none of them of quadruped: "));
}

TEST_CASE("a log of the robot that lacks a column is refused for this column, whatever else it holds") {
  TemporaryFolder folder;
  const std::string set = folder.file("set.json", tracked_set), log = folder / "log.csv", out = folder / "out.csv";
  const std::string track = "track " + robot("quadruped") + " --floating --sensors " + set + " -o " + out + " --log ";
  REQUIRE(run_program("simulate --quiet " + robot("quadruped") + " --floating --sensors " + set +
                      " --seconds 0.5 --rate 100 --seed 1 -o " + log)
              .code == 0);
  // Readings alone, but one, and a torque of no joint.
  const Run lacking = run_program(track + with_columns(folder, log, [](const std::string& name) {
                                    return name == "time" || (name.compare(0, 2, "y.") == 0 && name != "y.gyro.z") ? name
                                           : name == "tau.lf_knee" ? std::string("tau.total")
                                                                   : std::string();
                                  }));
  CHECK(lacking.code == 3);
  CHECK_THAT(lacking.err, Contains(":1: header: no column y.gyro.z") && !Contains("total"));
}

TEST_CASE("inspect says --floating of a base's columns, and --lock of those of a joint that is held") {
  TemporaryFolder folder;
  const std::string log = robot_log("quadruped");
  const std::string base = with_columns(folder, log, [](const std::string& name) {
    return name == "time" || name.find(".base.") != std::string::npos ? name : std::string();
  });
  const Run fixed = run_program("inspect --strict " + robot("quadruped") + " --log " + base);
  CHECK(fixed.code == 0);
  CHECK_THAT(fixed.out,
             Contains("nothing found\nnot judged: of a floating base, which the robot has with --floating: q.base.x, "));
  CHECK_THAT(run_program("inspect --strict --floating " + robot("quadruped") + " --log " + base).out, !Contains("--floating"));
  const std::string faulty = faulty_log(folder, "tau.joint2", -1);
  const Run held = run_program("inspect " + robot("arm") + " --lock joint7 --log " + faulty);
  CHECK_THAT(held.out, Contains("harm: torque_sign: tau.joint2\n") && !Contains("unknown_name") &&
                           Contains("not judged: of joints that are fixed, or held by --lock: q.joint7, dq.joint7, "));
  CHECK_THAT(run_program("inspect " + robot("arm") + " --cut link6 --log " + faulty).out, !Contains("unknown_name"));
}

TEST_CASE("inspect tells columns that the log lacks apart from those that it could not judge") {
  TemporaryFolder folder;
  const std::string log = with_columns(folder, robot_log("arm"), [](const std::string& name) {
    return name == "time" || name.find("finger") != std::string::npos ? std::string() : name;
  });
  const json found = json::parse(run_program("inspect --json " + robot("arm") + " --log " + log).out);
  CHECK(found["lacking"] == json{"q.left_finger_slide", "q.right_finger_slide", "dq.left_finger_slide", "dq.right_finger_slide",
                                 "tau.left_finger_slide", "tau.right_finger_slide"});
  REQUIRE(!found["unjudged"].empty());
  CHECK(found["unjudged"][0] ==
        json{{"columns", json::array()}, {"why", "no times in the log: velocities are not compared with positions"}});
  const Run words = run_program("inspect " + robot("arm") + " --log " + log);
  CHECK_THAT(words.out, Contains("not judged: no times in the log: velocities are not compared with positions\n") &&
                            Contains("not in the log, which has others of their kind: q.left_finger_slide, "));
}

TEST_CASE("inspect says that a log has no column of the robot, and names its columns") {
  TemporaryFolder folder;
  const Run run = run_program("inspect " + robot("arm") + " --log " + folder.file("log.csv", "t,pos_1\n0,1\n1,2\n"));
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("harm: other_robot: t, pos_1\n") && Contains("2 rows without times"));
}

TEST_CASE("inspect's usage and bad files") {
  TemporaryFolder folder;
  const std::string log = folder.file("log.csv", "time,q.joint1\n0,one\n");
  CHECK(run_program("inspect " + robot("arm") + " --log " + log).code == 3);
  CHECK(run_program("inspect " + robot("arm") + " --log " + folder / "none.csv").code == 3);
  CHECK(run_program("inspect " + robot("arm")).code == 2);
  CHECK(run_program("inspect " + robot("arm") + " --log " + robot_log("arm") + " --report -").code == 2);
  CHECK(run_program("inspect " + robot("arm") + " --log " + robot_log("arm") + " --report " + robot_log("arm")).code == 2);
}
