// compute ik: the poses that compute kinematics writes, back to joints.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/csv_reader.hpp"
#include "program.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using sparsedyn::CsvReader;

namespace {

/// A log without some of its columns.
std::string without(const std::string& path, const std::string& prefix) {
  CsvReader log(path);
  std::string text;
  std::vector<int> kept;
  for (const std::string& name : log.columns())
    if (name.rfind(prefix, 0) != 0) kept.push_back(log.ask(name)), text += (text.empty() ? "" : ",") + name;
  text += '\n';
  while (log.next()) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      char number[40];
      std::snprintf(number, sizeof number, "%s%.17g", k ? "," : "", log.value(kept[k]));
      text += number;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("compute ik: poses of kinematics, and of the joints found, are the same, limits are kept") {
  TemporaryFolder folder;
  const std::string poses = folder / "poses.csv", found = folder / "q.csv", again = folder / "again.csv";
  REQUIRE(run_program("compute kinematics " + robot("arm") + " --log " + robot_log("arm") + " -o " + poses).code == 0);
  const Run run = run_program("compute ik " + robot("arm") + " --quiet --target link7 --log " + poses + " -o " + found);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Contains("ik: ") && Contains(" 0 failed"));
  const sparsedyn::Model model = sparsedyn::load_urdf(robot("arm"));
  CsvReader answer(found);
  const int residual = answer.ask("residual");
  std::vector<int> slots;
  for (const sparsedyn::Joint& joint : model.joints) slots.push_back(answer.ask("q." + joint.name));
  while (answer.next()) {
    CHECK(answer.value(residual) <= 1e-8);
    for (std::size_t j = 0; j < slots.size(); ++j) {
      const sparsedyn::JointLimits& limits = model.limits[static_cast<std::size_t>(model.joints[j].v)];
      CHECK((answer.value(slots[j]) >= limits.lower && answer.value(slots[j]) <= limits.upper));
    }
  }
  // kinematics reads dq and ddq too: at rest
  std::string at_rest, zeros;
  for (const sparsedyn::Joint& joint : model.joints) at_rest += ",dq." + joint.name + ",ddq." + joint.name, zeros += ",0,0";
  std::string text = without(found, "residual"), rest;
  for (std::size_t from = 0, line = 0; from < text.size(); ++line) {
    const std::size_t end = text.find('\n', from);
    rest += text.substr(from, end - from) + (line ? zeros : at_rest) + '\n';
    from = end + 1;
  }
  REQUIRE(run_program("compute kinematics " + robot("arm") + " --quiet --log " + folder.file("rest.csv", rest) + " -o " + again)
              .code == 0);
  CsvReader wished(poses), reached(again);
  std::vector<int> a, b;
  for (const char* part : {"x", "y", "z", "qx", "qy", "qz", "qw"})
    a.push_back(wished.ask(std::string("pose.link7.") + part)), b.push_back(reached.ask(std::string("pose.link7.") + part));
  int rows = 0;
  for (; wished.next() && reached.next(); ++rows) {
    double sign = 0;
    for (std::size_t k = 3; k < 7; ++k) sign += wished.value(a[k]) * reached.value(b[k]);
    for (std::size_t k = 0; k < 7; ++k)
      CHECK(std::abs(wished.value(a[k]) - (k < 3 || sign > 0 ? 1 : -1) * reached.value(b[k])) < 1e-8);
  }
  CHECK(rows > 100);
}

TEST_CASE("compute ik: a pose out of reach fails its row, and the best joints are written") {
  TemporaryFolder folder;
  const std::string log = folder.file("in.csv",
                                      "time,pose.link7.x,pose.link7.y,pose.link7.z,pose.link7.qx,pose.link7.qy,pose.link7.qz,"
                                      "pose.link7.qw\n0,9,0,0.5,0,0,0,2\n1,0,0,0,0,0,0,0\n");
  const std::string out = folder / "q.csv";
  const Run run = run_program("compute ik " + robot("arm") + " --target link7 --log " + log + " -o " + out);
  CHECK(run.code == 4);
  CHECK_THAT(run.err, Contains("in.csv:2: not reached") && Contains("in.csv:3: pose.link7: a quaternion of zero length"));
  CsvReader answer(out);
  const int residual = answer.ask("residual"), joint = answer.ask(answer.columns()[1]);
  REQUIRE(answer.next());
  CHECK(answer.value(residual) > 5);
  CHECK(std::isfinite(answer.value(joint)));
  REQUIRE(answer.next());
  CHECK(answer.state(joint) == sparsedyn::CellState::empty);
}

TEST_CASE("compute ik: several targets of a robot that floats, near the posture that is given") {
  TemporaryFolder folder;
  const std::string poses = folder / "poses.csv", found = folder / "q.csv", with = robot("quadruped") + " --floating --quiet";
  REQUIRE(run_program("compute kinematics " + with + " --log " + robot_log("quadruped") + " -o " + poses).code == 0);
  const sparsedyn::Model model = sparsedyn::load_urdf(robot("quadruped"));
  const std::string one = model.links.back().name, other = model.links[model.links.size() / 2].name;
  const Run run = run_program("compute ik " + with + " --target " + one + "," + other + " --log " + poses + " -o " + found);
  INFO(run.err);
  CHECK(run.code == 0);
}

TEST_CASE("compute ik refuses missing, unknown and repeated targets, and names missing columns") {
  TemporaryFolder folder;
  const std::string rest = " --log " + robot_log("arm") + " -o " + (folder / "out.csv"), ik = "compute ik " + robot("arm");
  const Run none = run_program(ik + rest);
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("--target LINK is required"));
  const Run unknown = run_program(ik + " --target link77" + rest);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("link77") && Contains("near: link7"));
  CHECK(run_program(ik + " --target link7,link7" + rest).code == 2);
  CHECK(run_program("compute rnea " + robot("arm") + " --target link7" + rest).code == 2);
  const Run missing = run_program(ik + " --target link7" + rest);
  CHECK(missing.code == 3);
  CHECK_THAT(missing.err, Contains("pose.link7.qw"));
}
