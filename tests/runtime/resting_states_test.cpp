// Robots at rest and other states full of zeros: there most equations hold no more than rounding, and each row that the
// recursion answers is answered.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "redundant_set.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/rest_cases.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Torques of every second joint are given, accelerations of the others.
SensorSet alternating_set(const Model& model) {
  SensorSet set = forward_dynamics_set();
  Sensor torques = set.sensors[0], accelerations = torques;
  torques.all = accelerations.all = false;
  accelerations.name = "driven", accelerations.type = "joint_acceleration";
  for (std::size_t j = model.joints[0].name == "base" ? 1 : 0; j < model.joints.size(); ++j)
    (j % 2 ? torques : accelerations).targets.push_back({model.joints[j].name, 0});
  set.sensors[0] = torques;
  if (!accelerations.targets.empty()) set.sensors.push_back(accelerations);
  return set;
}

/// answer(case, y, out): whether it could, and why not.
template <class Answer>
void check_rest(const System& system, bool free_base, Answer&& answer) {
  const Model& model = system.model();
  std::mt19937 rng(7);
  Workspace<double> work(model);
  for (const RestCase& c : rest_cases(model, free_base, rng)) {
    std::vector<double> exact(2 * model.nv), out(2 * model.nv), a(model.nv), tau(model.nv);
    if (!aba(model, work, c.q.data(), c.v.data(), c.tau.data(), no_wrenches, a.data()).ok()) continue;
    rnea(model, work, c.q.data(), c.v.data(), a.data(), no_wrenches, tau.data());
    std::copy(tau.begin(), tau.end(), exact.begin()), std::copy(a.begin(), a.end(), exact.begin() + model.nv);
    INFO(c.name);
    std::string why;
    const bool answered = answer(c, readings(system, c.tau, a), out.data(), why);
    INFO(why);
    REQUIRE(answered);
    double size = 9.81, error = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      size = std::max(size, std::abs(exact[i])), error = std::max(error, std::abs(out[i] - exact[i]));
    CHECK(error <= 1e-9 * size);
  }
}

void check_solver(Solver solver) {
  check_rest(solver.system(), false, [&](const RestCase& c, const std::vector<double>& y, double* out, std::string& why) {
    const SolverStatus status = solver.solve(c.q.data(), c.v.data(), y.data(), out);
    why = solver.describe(status);
    return status.ok();
  });
}

void check_estimator(const Model& model) {
  const auto system = std::make_shared<const System>(model, redundant_set(model.joints[0].name == "base"));
  OptimiseOptions quick;
  quick.health_states = 20, quick.umfpack_states = 1;
  EstimatorOptions options;
  options.outputs = {"tau", "ddq"};
  Estimator estimator(system, plan_estimator(*system, {}, quick), options);
  check_rest(*system, true, [&](const RestCase& c, const std::vector<double>& y, double* out, std::string& why) {
    const EstimateStatus status = estimator.estimate(c.q.data(), c.v.data(), y.data(), out);
    why = estimator.describe(status);
    return status.ok();
  });
}

void check_at_rest(const Model& model) {
  INFO(model.name);
  for (const SensorSet& set : {forward_dynamics_set(), inverse_dynamics_set(), alternating_set(model)}) {
    INFO(set.name << (set.sensors.size() > 2 ? ", alternating" : ""));
    check_solver(make_solver(model, set, {{"tau", "ddq"}}));
  }
  if (model.nv < 20) check_estimator(model);
}

void check_formulation(const Model& model, const char* name) {
  INFO(model.name << ", " << name);
  const auto system = std::make_shared<const System>(model, forward_dynamics_set(), formulation_named(name));
  OptimiseOptions quick;
  quick.health_states = 20, quick.umfpack_states = 1;
  check_solver(Solver(system, std::make_shared<const Plan>(optimise(*system, quick).plan), {{"tau", "ddq"}}));
}

/// Fixed and floating, with and without gravity, rotation entries of 1e-17 as they are or made exact.
std::vector<Model> variants(const std::string& urdf) {
  std::vector<Model> models;
  for (int k = 0; k < 8; ++k) {
    LoadOptions options;
    options.floating = k & 1, options.snap = k & 2 ? 1e-9 : 0;
    if (k & 4) options.gravity = {{0, 0, 0}};
    models.push_back(load_urdf(urdf, options));
  }
  return models;
}

}  // namespace

TEST_CASE("the solver gives the recursion's answer for robots at rest") {
  for (const std::string& path : all_robots())
    for (const Model& model : variants(path)) check_at_rest(model);
}

TEST_CASE("the solver gives the recursion's answer for trees of every joint type at rest") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    TreeOptions options;
    options.floating = seed % 2 != 0, options.kinds = every_joint_kind();
    check_at_rest(random_tree(3 + static_cast<int>(seed % 6), seed, options));
  }
}

TEST_CASE("systems that sum inertias give the recursion's answer at rest") {
  for (const std::string& path : shipped_robots())
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      for (const char* name : {"joint-space", "canonical", "canonical+shifted"})
        check_formulation(load_urdf(path, options), name);
    }
}

TEST_CASE("forward dynamics without torques takes one refinement at most states, and gives what the recursion gives") {
  for (const std::string& path : shipped_robots())
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      INFO(model.name << (floating ? ", floating" : ""));
      Solver solver = make_solver(model, forward_dynamics_set(), {{"ddq"}});
      Workspace<double> work(model);
      const std::vector<double> none(solver.system().inputs().size()), tau(model.nv);
      std::vector<double> found(model.nv), a(model.nv);
      std::mt19937 rng(3);
      for (int k = 0; k < 20; ++k) {
        const State s = random_state(model, rng);
        REQUIRE(solver.solve(s.q.data(), s.v.data(), none.data(), found.data()).ok());
        REQUIRE(aba(model, work, s.q.data(), s.v.data(), tau.data(), no_wrenches, a.data()).ok());
        double size = 1, error = 0;
        for (int i = 0; i < model.nv; ++i)
          size = std::max(size, std::abs(a[i])), error = std::max(error, std::abs(a[i] - found[i]));
        CHECK(error <= 1e-10 * size);
      }
      CHECK(solver.counts().refined <= 30);  // two where a joint's wrench is a sum of zeros
      CHECK(solver.counts().fallback_order == 0);
      CHECK(solver.counts().dense == 0);
    }
}
