// compute's algorithms on a pendulum, whose every figure is known.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <sstream>

#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;

namespace {

/// The row that `compute ALGORITHM` writes at q = 0, dq = 2, ddq = 3, by column.
std::map<std::string, double> row(const std::string& algorithm) {
  TemporaryFolder folder;
  const std::string urdf = folder.file("pendulum.urdf", pendulum);
  const std::string log = folder.file("log.csv", "q.hinge,dq.hinge,ddq.hinge\n0,2,3\n");
  REQUIRE(run_program("compute " + algorithm + " " + urdf + " --quiet --log " + log + " -o " + (folder / "out.csv")).code == 0);
  std::istringstream text(text_of(folder / "out.csv"));
  std::string names, values, name, value;
  std::getline(text, names);
  std::getline(text, values);
  std::istringstream name_list(names), value_list(values);
  std::map<std::string, double> cells;
  while (std::getline(name_list, name, ',') && std::getline(value_list, value, ',')) cells[name] = std::stod(value);
  return cells;
}

void check(const std::map<std::string, double>& cells, const std::map<std::string, double>& expected) {
  for (const auto& cell : expected) {
    INFO(cell.first);
    REQUIRE(cells.count(cell.first) == 1);
    CHECK(cells.at(cell.first) == Approx(cell.second).margin(1e-14));
  }
}

}  // namespace

TEST_CASE("compute crba and minverse") {
  CHECK(row("crba") == std::map<std::string, double>{{"M.0.0", 0.5}});
  CHECK(row("minverse") == std::map<std::string, double>{{"Minv.0.0", 2.0}});
}

TEST_CASE("compute energy and momentum") {
  check(row("energy"), {{"energy.kinetic", 1.0}, {"energy.potential", 0.0}});
  check(row("momentum"), {{"com.x", 0.5},
                          {"com.y", 0},
                          {"com.z", 0},
                          {"momentum.nx", 0},
                          {"momentum.ny", 0},
                          {"momentum.nz", 0},
                          {"momentum.fx", 0},
                          {"momentum.fy", 0},
                          {"momentum.fz", -2}});
}

TEST_CASE("compute kinematics writes every link, the fixed ones too") {
  const auto cells = row("kinematics");
  CHECK(cells.size() == 2 * 19);
  check(cells, {{"pose.rod.x", 0},
                {"pose.rod.qw", 1},
                {"pose.rod.qy", 0},
                {"vel.rod.wy", 2},
                {"vel.rod.vz", 0},
                {"acc.rod.wy", 3},
                {"acc.rod.vx", 0},
                {"acc.rod.vz", 9.81},
                {"pose.stand.qw", 1},
                {"vel.stand.wy", 0},
                {"acc.stand.vz", 9.81}});
}

TEST_CASE("compute minverse names the joint that nothing resists") {
  TemporaryFolder folder;
  const std::string urdf = folder.file("ghost.urdf", R"(<robot name="ghost"><link name="a"/><link name="b"/>
    <joint name="hinge" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)");
  const std::string log = folder.file("log.csv", "q.hinge\n0\n");
  const Run run = run_program("compute minverse " + urdf + " --quiet --log " + log + " -o /dev/null");
  CHECK(run.code == 4);
  CHECK(run.err == log + ":2: M is singular at ddq.hinge; hinge moves no mass and no inertia: --lock massless fixes it\n");
}
