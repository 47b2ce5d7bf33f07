// A leg that closes over rods without mass, beside the same with rods of a billionth of a kilogram, in every command that takes
// constraints; and what is said of loops that no posture closes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

std::string rod_link(const std::string& name, double mass, double length) {
  if (mass == 0) return "<link name=\"" + name + "\"/>\n";
  const auto text = [](double x) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return std::string(digits);
  };
  const double I = mass * length * length / 12;
  return "<link name=\"" + name + "\"><inertial><origin xyz=\"" + text(length / 2) + " 0 0\"/><mass value=\"" + text(mass) +
         "\"/><inertia ixx=\"" + text(I / 100) + "\" ixy=\"0\" ixz=\"0\" iyy=\"" + text(I) + "\" iyz=\"0\" izz=\"" + text(I) +
         "\"/></inertial></link>\n";
}

std::string hinge_of(const std::string& name, const std::string& parent, const std::string& child, const std::string& x) {
  return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + x + " 0 0\"/><axis xyz=\"0 1 0\"/></joint>\n";
}

/// A thigh and a shank, and from the thigh to the shank a crank and a rod of `mass`.
std::string closed_leg(double mass) {
  return "<robot name=\"leg\"><link name=\"trunk\"/>\n" + rod_link("thigh", 2, 0.4) + rod_link("shank", 1, 0.4) +
         rod_link("crank", mass, 0.1) + rod_link("rod", mass, 0.35) + hinge_of("hip", "trunk", "thigh", "0") +
         hinge_of("knee", "thigh", "shank", "0.4") + hinge_of("motor", "thigh", "crank", "0.05") +
         hinge_of("pin", "crank", "rod", "0.1") + "</robot>\n";
}

std::string connect_rod(const std::string& more, const std::string& on_rod = "0.35") {
  return "{\"name\": \"leg\", \"constraints\": [\n{\"name\": \"loop\", \"type\": \"connect\", \"links\": [\"rod\", \"shank\"], "
         "\"xyz\": [[" +
         on_rod + ", 0, 0], [0.06, 0, 0.08]]" + more + "}]}\n";
}

/// The numbers of the columns whose names begin as told, row by row; of forces of loops those in world axes (lambda.loop.x),
/// not those in a link's (lambda.loop.shank.x).
std::vector<std::vector<double>> numbers_of(const std::string& path, const std::string& prefix) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text_of(path));
  std::string line, cell;
  std::vector<char> wanted;
  for (bool header = true; std::getline(lines, line); header = false) {
    std::istringstream cells(line);
    if (!header) rows.emplace_back();
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) {
      if (header)
        wanted.push_back(cell.rfind(prefix, 0) == 0 && std::count(cell.begin(), cell.end(), '.') < 3);
      else if (wanted[k])
        rows.back().push_back(std::stod(cell));
    }
  }
  return rows;
}

void check_equal_columns(const std::string& one, const std::string& other, const std::string& prefix, double bound) {
  const auto a = numbers_of(one, prefix), b = numbers_of(other, prefix);
  REQUIRE((!a.empty() && a.size() == b.size() && !a[0].empty()));
  double size = 0, apart = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    REQUIRE(a[r].size() == b[r].size());
    for (std::size_t k = 0; k < a[r].size(); ++k)
      size = std::max(size, std::abs(b[r][k])), apart = std::max(apart, std::abs(a[r][k] - b[r][k]));
  }
  CHECK(size > 0);
  CHECK(apart <= bound * size);
}

}  // namespace

TEST_CASE("a leg closed over massless rods is checked, planned, solved, simulated and generated") {
  TemporaryFolder folder;
  const std::string none = folder.file("none.urdf", closed_leg(0)), little = folder.file("little.urdf", closed_leg(1e-9)),
                    loop = folder.file("loop.json", connect_rod(", \"hard\": true"));
  const std::string with = " --constraints " + loop, both = " --sensors forward-dynamics" + with;
  CHECK_THAT(run_program("check " + none + with).out, Contains("3 hard rows of rank 2: 2 freedoms left"));
  for (const std::string& robot : {little, none}) {  // the plans of the latter stay
    const Run check = run_program("check " + robot + both),
              order = run_program("optimise " + robot + with + " -o " + folder / "o");
    CHECK(check.code == 0);
    CHECK(order.code == 0);
    CHECK_THAT(order.err, !Contains("no order is healthy"));
    const Run plan = run_program("optimise " + robot + both + " -o " + folder / "p");
    CHECK(plan.code == 0);
    CHECK_THAT(plan.err, !Contains("no order is healthy"));
  }
  const std::string motion = folder / "none.csv", other = folder / "little.csv";
  const std::string start = folder / "start.csv";
  REQUIRE(run_program("simulate " + none + with + " --project --seconds 0.01 --rate 100 -o " + start).code == 0);
  const std::string how = with + " --from " + start + " --hold 5,1 --seconds 0.2 --rate 500 -o ";
  REQUIRE(run_program("simulate " + none + how + motion).code == 0);
  REQUIRE(run_program("simulate " + little + how + other).code == 0);
  check_equal_columns(motion, other, "q.", 1e-6);
  const std::string solved = folder / "solved.csv", computed = folder / "computed.csv";
  for (const std::string& plan : std::vector<std::string>{"", " --plan " + folder / "p"}) {
    REQUIRE(run_program("solve " + none + both + plan + " --outputs ddq,lambda --log " + motion + " -o " + solved).code == 0);
    check_equal_columns(solved, motion, "ddq.", 1e-8);
    check_equal_columns(solved, motion, "lambda.", 1e-7);
  }
  REQUIRE(run_program("compute contact-dynamics " + none + with + " --plan " + folder / "o" + " --log " + motion + " -o " +
                      computed)
              .code == 0);
  check_equal_columns(computed, motion, "ddq.", 1e-8);
  CHECK(run_program("generate " + none + both + " --name leg -o " + folder / "code").code == 0);
  CHECK(run_program("generate " + none + with + " --algorithm contact-dynamics --name leg -o " + folder / "code").code == 0);
}

TEST_CASE("a soft constraint on what moves no mass names its line and the joint") {
  TemporaryFolder folder;
  const std::string robot = folder.file("none.urdf", closed_leg(0)), loop = folder.file("loop.json", connect_rod(""));
  const Run run = run_program("simulate " + robot + " --constraints " + loop + " --seconds 0.1 --rate 100 -o " + folder / "x");
  CHECK(run.code == 3);
  CHECK_THAT(run.err, Contains("loop.json:2: constraint \"loop\": ") && Contains("link \"rod\"") &&
                          Contains("moves it and no mass; expected a mass that the joint moves, or \"hard\": true"));
  CHECK(run_program("simulate " + robot + " --forward --lock massless --seconds 0.1 --rate 100 -o " + folder / "x").code == 0);
}

TEST_CASE("optimise says which loops no posture closes") {
  TemporaryFolder folder;
  const std::string robot = folder.file("little.urdf", closed_leg(1e-9)),
                    loop = folder.file("far.json", connect_rod(", \"hard\": true", "3"));
  for (const std::string sensors : {"", " --sensors forward-dynamics"}) {
    const Run run = run_program("optimise " + robot + sensors + " --constraints " + loop + " -o " + folder / "p");
    CHECK(run.code == 0);
    CHECK_THAT(run.err,
               Contains("far.json: no regular posture was found that closes the loops") && Contains("\"loop\" stays open by "));
  }
}
