// Files in tests/json/written, each written by the version that its name states: they load, and what is made of them has the
// numbers of the recursions. A file is added with each change of a format, by the program that writes it; none is ever changed.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <random>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

std::string written(const std::string& name) { return source_folder() + "/tests/json/written/" + name; }
Model shipped(const std::string& name) { return load_urdf(source_folder() + "/robots/" + name + ".urdf"); }

/// Accelerations by the plan of forward dynamics in `path`, beside the articulated-body algorithm's.
void check_forward_dynamics(const Model& model, const std::string& path) {
  const SensorSet set = load_sensor_set("forward-dynamics");
  const Plan plan = load_plan(path, System(model, set));
  Solver solver = make_solver(model, set, plan, {{"ddq"}});
  std::mt19937 rng(7);
  for (int k = 0; k < 10; ++k) {
    const State s = random_state(model, rng);
    std::vector<double> y = s.tau, a(model.nv), reference(model.nv);
    y.resize(solver.system().inputs().size());  // then no wrenches
    REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), a.data()).ok());
    Workspace<double> workspace(model);
    REQUIRE(aba<double>(model, workspace, s.q.data(), s.v.data(), s.tau.data(), nullptr, reference.data()).ok());
    CHECK(worst_error(a, reference) < 1e-10);
  }
}

/// The set that plan-0.2-gaps.json estimates: joint3's exact encoder is missing in some rows of its log.
const char* const weighed = R"({"name": "weighed", "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "encoders", "type": "joint_acceleration", "joint": "*"},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]})";

/// Torques by the estimator's plan in `path`, from exact accelerations and the torques of these, beside the recursion's.
void check_gaps(const std::string& path) {
  const Model model = shipped("arm");
  const SensorSet set = parse_sensor_set(weighed, "weighed.json");
  const Plan plan = load_plan(path, System(model, set));
  REQUIRE(plan.open_gaps.has_value());
  REQUIRE(plan.fallback.has_value());
  REQUIRE(plan.gaps.size() == 1);
  EstimatorOptions options;
  options.outputs = {"tau", "ddq"};
  Estimator estimator = make_estimator(model, set, plan, options);
  std::mt19937 rng(8);
  const State s = random_state(model, rng);
  std::vector<double> tau(model.nv), both(2 * model.nv);
  Workspace<double> workspace(model);
  rnea<double>(model, workspace, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
  std::vector<double> y = tau, expected = tau;
  y.insert(y.end(), s.a.begin(), s.a.end());
  y.resize(estimator.system().inputs().size());
  expected.insert(expected.end(), s.a.begin(), s.a.end());
  REQUIRE(estimator.estimate(s.q.data(), s.v.data(), y.data(), both.data()).ok());
  CHECK(worst_error(both, expected) < 1e-9);
}

/// Torques of the robot in the file beside those of the one that it was written from.
void check_robot(const std::string& path, const Model& from) {
  const Model model = load_robot(path);
  REQUIRE(model.nv == from.nv);
  std::mt19937 rng(9);
  for (int k = 0; k < 10; ++k) {
    const State s = random_state(from, rng);
    std::vector<double> tau(model.nv), reference(model.nv);
    Workspace<double> workspace(model), of_reference(from);
    rnea<double>(model, workspace, s.q.data(), s.v.data(), s.a.data(), nullptr, tau.data());
    rnea<double>(from, of_reference, s.q.data(), s.v.data(), s.a.data(), nullptr, reference.data());
    CHECK(worst_error(tau, reference) < 1e-10);
  }
}

}  // namespace

TEST_CASE("files that earlier versions wrote load, and give the recursions' numbers") {
  const std::map<std::string, std::function<void(const std::string&)>> checks{
      {"plan-0.1-first.json", [](const std::string& path) { check_forward_dynamics(shipped("arm"), path); }},
      {"plan-0.1-numbers.json", [](const std::string& path) { check_forward_dynamics(shipped("arm"), path); }},
      {"plan-0.2-formulation.json", [](const std::string& path) { check_forward_dynamics(shipped("four-bar"), path); }},
      {"plan-0.2-gaps.json", check_gaps},
      {"robot-0.2-arm.json", [](const std::string& path) { check_robot(path, shipped("arm")); }},
      {"robot-0.2-every-key.json",
       [](const std::string& path) { check_robot(path, load_robot(source_folder() + "/fuzz/seeds/robot_file/all.json")); }}};
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(written(""))) {
    const std::string name = entry.path().filename();
    INFO(name);
    REQUIRE(checks.count(name) == 1);  // each file there has its check
    checks.at(name)(entry.path());
    ++found;
  }
  CHECK(found == static_cast<int>(checks.size()));
}

TEST_CASE("a plan that does not say which numbers it was made for is not said to be made for others") {
  const Model model = shipped("arm");
  const Plan plan = load_plan(written("plan-0.1-first.json"), System(model, load_sensor_set("forward-dynamics")));
  CHECK(plan.numbers.empty());
  CHECK(load_plan(written("plan-0.1-numbers.json"), System(model, load_sensor_set("forward-dynamics"))).numbers ==
        "9b698f1276962963");
}

TEST_CASE("files of a version to come are refused by the version that they state") {
  const TemporaryFolder folder;
  for (const std::string name : {"plan-0.2-formulation.json", "robot-0.2-arm.json"}) {
    std::string text = text_of(written(name));
    const std::size_t at = text.find("\"version\": 1");
    REQUIRE(at != std::string::npos);
    text.replace(at, 12, "\"version\": 2");
    const std::string path = folder.file(name, text);
    const Model model = shipped("four-bar");
    const auto load = [&] {
      if (name[0] == 'r')
        load_robot(path);
      else
        load_plan(path, System(model, load_sensor_set("forward-dynamics")));
    };
    CHECK_THROWS_WITH(load(), Contains(name) && Contains("2; expected version 1"));
  }
}
