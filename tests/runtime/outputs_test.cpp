// Outputs that are no unknowns, against a model in which they are: the same robot with its fixed joints made movable.
#include "sparsedyn/runtime/outputs.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// root – pad (fixed) – arm (hinge) – tool (fixed) – tip (fixed), finger (hinge) on tool. With `opened`, the fixed joints are
/// hinges, to be held still.
Model robot(bool floating, bool opened) {
  std::mt19937 rng(3);
  ModelBuilder builder("robot");
  JointSpec hinge, weld;
  hinge.kind = JointKind::revolute;
  hinge.axis = {{0, 0.6, 0.8}};
  if (opened) weld = hinge;
  builder.root("root", random_inertia(rng), floating);
  const auto link = [&](const char* name, const char* parent, const char* joint, const JointSpec& spec) {
    const Inertia<double> inertia = random_inertia(rng);
    builder.link(name, inertia, parent, joint, spec, random_pose(rng));
  };
  link("pad", "root", "weld_pad", weld);
  link("arm", "pad", "shoulder", hinge);
  link("tool", "arm", "weld_tool", weld);
  link("tip", "tool", "weld_tip", weld);
  link("finger", "tool", "knuckle", hinge);
  return builder.build();
}

/// Inverse dynamics at q, v of the named joints (others 0), with wrenches on named links: outputs by column name.
std::map<std::string, double> solve(const Model& model, const std::vector<std::string>& requests, unsigned seed) {
  const auto system = std::make_shared<const System>(model, inverse_dynamics_set());
  Solver solver(system, std::make_shared<const Plan>(recursive_plan(*system).value()), {requests});
  // one number for a name, whatever the model's order
  const auto number = [&](const std::string& name) {
    std::mt19937 rng(seed + static_cast<unsigned>(std::hash<std::string>{}(name)));
    return std::normal_distribution<double>()(rng);
  };
  std::vector<double> q(model.nq), v(model.nv), y(system->inputs().size());
  const auto still = [](const std::string& name) { return name.find("weld") != std::string::npos; };
  std::vector<std::string> coordinates = coordinate_names(model), velocities = velocity_names(model);
  for (int k = 0; k < model.nq; ++k) q[k] = still(coordinates[k]) ? 0 : number("q" + coordinates[k]);
  if (model.floating()) {
    double norm = 0;
    for (int k = 3; k < 7; ++k) norm += q[k] * q[k];
    for (int k = 3; k < 7; ++k) q[k] /= std::sqrt(norm);
  }
  for (int k = 0; k < model.nv; ++k) v[k] = still(velocities[k]) ? 0 : number("v" + velocities[k]);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::string& column = system->inputs()[i].columns.back();
    y[i] = still(column) ? 0 : number(column);
  }
  std::vector<double> out(solver.output_columns().size());
  REQUIRE(solver.solve(q.data(), v.data(), y.data(), out.data()).ok());
  std::map<std::string, double> named;
  for (std::size_t k = 0; k < out.size(); ++k) named[solver.output_columns()[k]] = out[k];
  return named;
}

}  // namespace

TEST_CASE("Wrenches through fixed joints, accelerations and wrenches of lumped links are those of the opened robot") {
  const std::vector<std::string> requests{"f.weld_pad", "f.weld_tool", "f.weld_tip", "acc.pad", "acc.tool",     "acc.tip",
                                          "fx.pad",     "fx.tip",      "f.shoulder", "tau",     "acc.finger.vz"};
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const auto lumped = solve(robot(floating, false), requests, seed), opened = solve(robot(floating, true), requests, seed);
      CHECK(lumped.size() >= 6u * 9u + 2u + 1u);
      for (const auto& [name, value] : lumped) {
        INFO(name);
        REQUIRE(opened.count(name) == 1);
        CHECK(value == Approx(opened.at(name)).epsilon(1e-10).margin(1e-10));
      }
    }
}

TEST_CASE("f.world carries the fixed root: weight, wrenches, and what the joints pass on") {
  std::mt19937 rng(3);
  const auto found = solve(robot(false, false), {"f.world", "f.weld_pad", "acc.root"}, 1);
  CHECK(found.at("acc.root.vz") == Approx(9.81));
  CHECK(found.at("acc.root.vx") == Approx(0).margin(1e-12));
  // the opened robot's root is fixed as well; f.world must agree with it
  const auto opened = solve(robot(false, true), {"f.world"}, 1);
  for (const auto& [name, value] : opened) CHECK(found.at(name) == Approx(value).epsilon(1e-10));
}

TEST_CASE("Requests: kinds, owners, whole columns, in the order asked") {
  const System system(robot(false, false), inverse_dynamics_set());
  using Names = std::vector<std::string>;
  CHECK(Outputs(system, {"tau"}).columns() == Names{"tau.shoulder", "tau.knuckle"});
  CHECK(Outputs(system, {"tau.knuckle", "acc.arm.vx"}).columns() == Names{"tau.knuckle", "acc.arm.vx"});
  CHECK(Outputs(system, {"tau.knuckle", "acc.pad.vx", "tau.knuckle", "acc.pad"}).columns() ==
        Names{"tau.knuckle", "acc.pad.vx", "acc.pad.wx", "acc.pad.wy", "acc.pad.wz", "acc.pad.vy", "acc.pad.vz"});
  CHECK(Outputs(system, {"f.weld_tip.ny"}).columns() == Names{"f.weld_tip.ny"});
  CHECK(Outputs(system, {"fx.tip"}).columns().size() == 6);
  CHECK(Outputs(system, {}).columns() == system.unknown_names());
  CHECK_THROWS_AS(Outputs(system, {"tau.knuckle.x"}), UnknownOutput);
  CHECK_THROWS_AS(Outputs(system, {"f.world.nx.ny"}), UnknownOutput);
  CHECK_THROWS_AS(Outputs(system, {"acc."}), UnknownOutput);
}

TEST_CASE("outputs that are asked for by a piece of their name: near names, of a robot without freedoms: that it has none") {
  const System system(robot(false, false), inverse_dynamics_set());
  CHECK_THROWS_WITH(Outputs(system, {"tau.knuc"}), Catch::Equals("no output is called \"tau.knuc\" (near: tau.knuckle)"));
  CHECK_THROWS_WITH(Outputs(system, {"shoulder"}), Catch::Contains("(near: ") && Catch::Contains("tau.shoulder"));
  const Model block = ModelBuilder("block").root("block", zero_inertia<double>(), false).build();
  const System still(block, inverse_dynamics_set());
  CHECK_THROWS_WITH(Outputs(still, {"tau"}), Catch::Equals("no output is called \"tau\": no joint of the robot moves"));
  CHECK_THROWS_WITH(Outputs(still, {"tau.elbow"}), Catch::Contains("no joint of the robot moves"));
  CHECK(Outputs(still, {"f.world"}).columns().size() == 6);
}
