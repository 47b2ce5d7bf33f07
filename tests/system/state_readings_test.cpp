// What sensors of the state should read, from the world's frames and the names of the coordinates.
#include "determinacy/state_readings.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/coupled.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "truth.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Sensor on(const std::string& type, const std::string& name) {
  Sensor s;
  s.name = name, s.type = type, s.all = true;
  return s;
}

}  // namespace

TEST_CASE("joint positions and velocities are the coordinates of their names, link poses those of the world") {
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 0; seed < 10; ++seed) {
    options.floating = seed % 2 == 0;
    const Model model = random_tree(7, seed, options);
    SensorSet set;
    set.sensors = {on("joint_position", "at"), on("joint_velocity", "rate"), on("link_pose", "pose"),
                   on("link_velocity", "motion")};
    set.sensors[2].framed = true;
    set.sensors[2].frame = {rotation_from_rpy({{0.3, -0.4, 1.2}}), {{0.1, 0.2, -0.3}}};
    set.sensors[3].framed = true, set.sensors[3].frame = set.sensors[2].frame;
    const System system(model, set);
    StateReadings readings(system);
    std::mt19937 rng(seed);
    const Truth truth(model, rng, true);
    const State& state = truth.state;
    const double* read = readings.predict(state.q.data(), state.v.data());
    CHECK(system.inputs().empty());
    CHECK(readings.what() == "sensors of the state");
    const std::vector<std::string> q = coordinate_names(model), v = velocity_names(model);
    std::size_t compared = 0;
    for (std::size_t k = 0; k < readings.columns().size(); ++k) {
      const std::string& column = readings.columns()[k];
      INFO("seed " << seed << " " << column);
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (column != "y.at." + q[i]) continue;
        CHECK(read[k] == state.q[i]);
        ++compared;
      }
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (column != "y.rate." + v[i]) continue;
        CHECK(read[k] == state.v[i]);
        ++compared;
      }
      for (std::size_t l = 0; l < model.links.size(); ++l) {
        if (column != "y.pose." + model.links[l].name + ".x") continue;
        const MovingFrame frame = truth.link(static_cast<int>(l)).at(set.sensors[2].frame);
        const double* u = read + k + 3;
        CHECK(u[3] >= 0);
        const Mat3<double> R = rotation_from_quaternion(u);
        for (int i = 0; i < 3; ++i) {
          CHECK(std::abs(read[k + static_cast<std::size_t>(i)] - frame.p[i]) < 1e-12);
          for (int j = 0; j < 3; ++j) CHECK(std::abs(R(i, j) - frame.R(i, j)) < 1e-12);
        }
        compared += 7;
      }
      for (std::size_t l = 0; l < model.links.size(); ++l) {
        if (column != "y.motion." + model.links[l].name + ".wx") continue;
        const MovingFrame frame = truth.link(static_cast<int>(l)).at(set.sensors[3].frame);
        const Vector3d turn = frame.R.transpose() * frame.w, shift = frame.R.transpose() * frame.v;
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(std::abs(read[k + i] - turn[static_cast<int>(i)]) < 1e-12 * std::max(1.0, turn.norm()));
          CHECK(std::abs(read[k + 3 + i] - shift[static_cast<int>(i)]) < 1e-12 * std::max(1.0, shift.norm()));
        }
        compared += 6;
      }
    }
    CHECK(compared == readings.columns().size());
  }
}

TEST_CASE("a joint that follows another is read at its own position and speed") {
  const CoupledRobot robot = random_coupled_robot(random_tree(8, 4), 4);
  SensorSet set;
  for (const Joint& joint : robot.model.joints) {
    set.sensors.push_back(on("joint_position", "at_" + joint.name));
    set.sensors.push_back(on("joint_velocity", "rate_" + joint.name));
    for (std::size_t k = set.sensors.size() - 2; k < set.sensors.size(); ++k)
      set.sensors[k].all = false, set.sensors[k].targets = {{joint.name}};
  }
  const System system(robot.model, set);
  StateReadings readings(system);
  std::mt19937 rng(1);
  const State state = random_state(robot.model, rng);
  const double* read = readings.predict(state.q.data(), state.v.data());
  const std::vector<double> q = robot.positions(state.q), v = robot.rates(state.v);
  REQUIRE(readings.columns().size() == 2 * robot.tree.joints.size());
  for (std::size_t j = 0; j < robot.tree.joints.size(); ++j) {
    CHECK(std::abs(read[2 * j] - q[static_cast<std::size_t>(robot.tree.joints[j].q)]) < 1e-12);
    CHECK(std::abs(read[2 * j + 1] - v[static_cast<std::size_t>(robot.tree.joints[j].v)]) < 1e-12);
  }
}
