// A robot from a file whose axes lie near −z, as real ones do, beside 34 digits of another formulation.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "io/csv_reader.hpp"
#include "program.hpp"
#include "support/world_dynamics.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::string text(const Vec3<double>& a) {
  char line[100];
  std::snprintf(line, sizeof line, "\"%.17g %.17g %.17g\"", a[0], a[1], a[2]);
  return line;
}

AwkwardLink link(int parent, const Vec3<double>& axis) {
  const double i = parent + 2.0, half_turn = std::acos(-1.0);
  AwkwardLink link{};
  link.parent = parent;
  AwkwardPart part;
  part.joint.kind = JointKind::revolute;
  part.joint.axis = axis;
  part.xyz = {{0.3 - 0.1 * i, 0.2, 0.1 * i}};
  part.rpy = {{0.5 * half_turn * (parent + 1), 0.2 * i, -0.7}};
  link.parts = {part};
  link.mass = 1.5 / i;
  link.com = {{0.1, -0.05 * i, 0.2}};
  link.tensor = {0.02 * i, 0.001, -0.002, 0.03, 0.0015, 0.025};
  return link;
}

/// A chain of hinges about these axes, hanging on the world.
AwkwardRobot chain(const std::vector<Vec3<double>>& axes) {
  AwkwardRobot robot{};
  robot.floating = false;
  robot.gravity = {{0, 0, -9.81}};
  robot.links.push_back({-1, {}, 0, zero3<double>(), {}});
  for (std::size_t k = 0; k < axes.size(); ++k) robot.links.push_back(link(static_cast<int>(k), axes[k]));
  return robot;
}

std::string urdf(const AwkwardRobot& robot) {
  std::string file = "<robot name=\"chain\">\n<link name=\"l0\"/>\n";
  for (std::size_t i = 1; i < robot.links.size(); ++i) {
    const AwkwardLink& l = robot.links[i];
    const AwkwardPart& part = l.parts[0];
    char numbers[300];
    std::snprintf(numbers, sizeof numbers,
                  "<mass value=\"%.17g\"/><inertia ixx=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyy=\"%.17g\" iyz=\"%.17g\" "
                  "izz=\"%.17g\"/>",
                  l.mass, l.tensor.xx, l.tensor.xy, l.tensor.xz, l.tensor.yy, l.tensor.yz, l.tensor.zz);
    const std::string index = std::to_string(i);
    file += "<link name=\"l" + index + "\"><inertial><origin xyz=" + text(l.com) + "/>" + numbers + "</inertial></link>\n";
    file += "<joint name=\"j" + index + "\" type=\"continuous\"><parent link=\"l" + std::to_string(l.parent) +
            "\"/><child link=\"l" + index + "\"/><origin xyz=" + text(part.xyz) + " rpy=" + text(part.rpy) +
            "/><axis xyz=" + text(part.joint.axis) + "/></joint>\n";
  }
  return file + "</robot>\n";
}

/// Largest |τ − exact| beside the row's largest torque, over a log of twenty rows.
double worst_torque(const AwkwardRobot& robot, const TemporaryFolder& folder, const std::string& command) {
  const int n = static_cast<int>(robot.links.size()) - 1;
  std::string log;
  for (const char* kind : {"q", "dq", "ddq"})
    for (int j = 1; j <= n; ++j) log += (log.empty() ? "" : ",") + std::string(kind) + ".j" + std::to_string(j);
  std::vector<std::vector<Quad>> exact;
  WorldDynamics world(robot);
  for (int row = 0; row < 20; ++row) {
    std::vector<double> x[3];
    for (int kind = 0; kind < 3; ++kind)
      for (int j = 0; j < n; ++j) {
        char cell[40];
        x[kind].push_back(std::sin(1.0 + 7 * row + 3 * kind + j) * (kind + 1));
        std::snprintf(cell, sizeof cell, "%s%.17g", kind + j == 0 ? "\n" : ",", x[kind].back());
        log += cell;
      }
    world.pose(quads(x[0]));
    world.move(quads(x[1]), quads(x[2]));
    exact.push_back(world.torques({}));
  }
  const std::string out = folder / "tau.csv";
  const Run run = run_program(command + " --log " + folder.file("log.csv", log + "\n") + " -o " + out);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CsvReader reader(out);
  for (int j = 1; j <= n; ++j) REQUIRE(reader.ask("tau.j" + std::to_string(j)) == j - 1);
  double worst = 0;
  for (const std::vector<Quad>& tau : exact) {
    REQUIRE(reader.next());
    double largest = 0, off = 0;
    for (int j = 0; j < n; ++j) {
      largest = std::max(largest, static_cast<double>(abs(tau[j])));
      off = std::max(off, static_cast<double>(abs(Quad(reader.value(j)) - tau[j])));
    }
    worst = std::max(worst, off / largest);
  }
  return worst;
}

}  // namespace

TEST_CASE("torques of a robot with axes near −z, by compute and by solve") {
  const TemporaryFolder folder;
  const auto check = [&](const std::vector<Vec3<double>>& axes) {
    const AwkwardRobot robot = chain(axes);
    const std::string file = folder.file("robot.urdf", urdf(robot));
    CHECK(worst_torque(robot, folder, "compute rnea " + file) < 1e-14);
    CHECK(worst_torque(robot, folder, "solve " + file + " --sensors inverse-dynamics --outputs tau") < 1e-14);
  };
  check({{{0, 1.39e-4, -0.99999999}}, {{0, 1.39e-4, -0.99999999}}, {{-1.39e-4, 0, -0.99999999}}, {{0, 0, 1}}});
  for (int k = 1; k <= 8; ++k) {
    const double off = std::pow(10.0, -k);
    check({{{off, 0, -1}}, {{0, -off, -1}}, {{0.6 * off, 0.8 * off, -1}}, {{off, off, 1}}});
  }
}
