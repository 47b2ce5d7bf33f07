// What rows determine at states where they determine less than elsewhere, beside singular values of the whole matrix.
#include "sparsedyn/runtime/estimate_at_state.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "arm_beside.hpp"
#include "dense_truth.hpp"
#include "reference.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double no_reading = std::numeric_limits<double>::quiet_NaN();

/// Returns how many unknowns are open. `exact`: the same system at the same state, in numbers without rounding.
int check(const System& system, const SampleState& s, const System& exact, const SampleState& exact_state) {
  const Outputs outputs(system, {});
  const std::vector<double> sigma = sigmas_of(system);
  const StateEstimate found = estimate_at_state(system, outputs, sigma, s.q.data(), s.v.data(), s.y.data());
  REQUIRE(found.contradicting.empty());
  const DenseTruth expected = truth(exact, exact_state, sigma);
  int open = 0;
  for (int j = 0; j < system.pattern().columns; ++j) {
    INFO(system.unknown_names()[j]);
    CHECK((found.determined[j] != 0) == expected.determined[j]);
    open += found.determined[j] == 0;
    if (!found.determined[j]) CHECK((std::isnan(found.outputs[j]) && std::isnan(found.deviations[j])));
    if (!found.determined[j]) continue;
    CHECK(std::abs(found.outputs[j] - expected.x[j]) <= 1e-10 * std::max(1.0, std::abs(expected.x[j])));
    CHECK(std::abs(found.deviations[j] - expected.deviation[j]) <= 1e-9 * std::max(1.0, expected.deviation[j]));
  }
  CHECK(std::abs(found.chi_square - expected.chi_square) <= 1e-9 * std::max(1.0, expected.chi_square));
  CHECK(found.backward_error <= 1e-15);
  return open;
}

int check(const System& system, const SampleState& s) { return check(system, s, system, s); }

SampleState sample(const System& system, const std::vector<double>& q, unsigned seed) {
  std::mt19937 rng(seed);
  SampleState s = random_sample(system, rng);
  if (!q.empty()) s.q = q;
  return s;
}

}  // namespace

TEST_CASE("at a stretched arm the force along it is open, the rest as singular values say") {
  for (const std::map<std::string, double>& prior : {std::map<std::string, double>{}, {{"ddq", 3.0}}}) {
    const System system = arm_beside({"j1", "j2", "j3"}, 0.1, prior);
    const int bent = check(system, sample(system, {}, 1));
    for (const std::vector<double>& q : {std::vector<double>{0, 0, 0, 0}, {0.4, 0, 0, 1}})
      CHECK(check(system, sample(system, q, 2)) > bent);
  }
}

TEST_CASE("an arm at quarter turns is estimated like the same arm mounted at quarter turns with exact zeros") {
  const double quarter = std::acos(-1.0) / 2;
  for (const std::map<std::string, double>& prior : {std::map<std::string, double>{}, {{"ddq", 3.0}}}) {
    const System system = arm_beside({"j1", "j2", "j3"}, 0.1, prior);
    const int bent = check(system, sample(system, {}, 1));
    for (const std::array<int, 4>& quarters : {std::array<int, 4>{1, 0, 0, 1},
                                               {0, 0, 0, 2},
                                               {0, 2, 0, 0},
                                               {1, 0, 2, 0},
                                               {3, 2, 2, 1},
                                               {0, -2, 0, 0},
                                               {-1, 0, -2, -2},
                                               {0, 6, 4, 0},
                                               {0, 0, 2002, 0},
                                               {0, 1, 0, 0},
                                               {2, -1, 2, 0},
                                               {0, 3, 1, 0},
                                               {1, 0, 1, 0}}) {
      INFO(quarters[0] << " " << quarters[1] << " " << quarters[2] << " " << quarters[3] << " quarter turns");
      const System exact = arm_beside({"j1", "j2", "j3"}, 0.1, prior, quarters);
      SampleState s = sample(system, {0.4, 0, 0, 1}, 2), still = s;
      if (quarters[0] != 0) s.q[0] = still.q[0] = 0;
      for (int k = 0; k < 4; ++k) s.q[k] += quarters[k] * quarter;
      const bool folded = quarters[1] % 2 == 0;  // the force acts at j3, wherever l3 points
      CHECK((check(system, s, exact, still) > bent) == folded);
    }
  }
}

TEST_CASE("gaps leave more open, at a singular state too") {
  const System system = arm_beside({"j1", "j2", "j3"}, 0.1);
  SampleState s = sample(system, {0.4, 0, 0, 1}, 3);
  const int whole = check(system, s);
  for (const Measurement& m : system.measurements())
    if (m.sigma[0] > 0) s.y[m.inputs[0]] = no_reading;
  CHECK(check(system, s) > whole);
}

TEST_CASE("a tree with unknown wrenches at special states") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    TreeOptions tree;
    tree.lumped = false;
    const Model model = random_tree(4, seed, tree);
    SensorSet set;
    set.name = "half";
    set.sensors = {sensor_on("joint_acceleration", {"joint1", "joint2"}, 0), sensor_on("joint_torque", {}, 0.2),
                   sensor_on("external_wrench", {model.links[1].name, model.links[2].name}, 0),
                   sensor_on("external_wrench", {model.links[3].name}, 0.5, {"nx", "fy", "fz"})};
    const System system(model, set);
    std::mt19937 rng(seed);
    for (const std::vector<double>& q : special_configurations(model, 4, rng))
      CHECK(check(system, sample(system, q, seed)) > 0);
  }
}

TEST_CASE("exact rows that agree at a singular state are answered, those that do not are named") {
  const System system = arm_beside({"j1", "j2"}, 0);
  const Outputs outputs(system, {});
  const std::vector<double> sigma = sigmas_of(system);
  SampleState s = sample(system, {0.4, 0, 0, 1}, 5);
  const StateEstimate apart = estimate_at_state(system, outputs, sigma, s.q.data(), s.v.data(), s.y.data());
  REQUIRE_FALSE(apart.contradicting.empty());
  CHECK(apart.outputs.empty());
  bool torque_named = false;
  for (int r : apart.contradicting)
    torque_named = torque_named || system.equation_names()[r].find("torque") != std::string::npos;
  CHECK(torque_named);
  // at rest, a force (0, 3) at the stretched tip: τ = Σ arm · force + what weight and inertia ask for, which the same rows tell
  // with the force known
  const System known = [&] {
    SensorSet set = system.sensors();
    set.sensors.erase(set.sensors.begin() + 1);
    set.sensors.back().components.clear();
    set.sensors.push_back(sensor_on("joint_acceleration", {"jb"}, 0));
    return System(system.model(), set);
  }();
  SampleState k = sample(known, s.q, 5);
  k.v = s.v;
  const auto index = [](const System& of, const std::string& column) {
    for (std::size_t i = 0; i < of.inputs().size(); ++i)
      if (of.inputs()[i].columns.front().find(column) != std::string::npos) return i;
    FAIL("no input " << column);
    return std::size_t(0);
  };
  for (std::size_t i = 0; i < k.y.size(); ++i) {
    const std::string& column = known.inputs()[i].columns.front();
    for (std::size_t other = 0; other < s.y.size(); ++other)
      if (system.inputs()[other].columns.front() == column) k.y[i] = s.y[other];
  }
  k.y[index(known, "tip.fx")] = 0.7, k.y[index(known, "tip.fy")] = 3;
  const Outputs torques(known, {"tau"});
  const StateEstimate made = estimate_at_state(known, torques, sigmas_of(known), k.q.data(), k.v.data(), k.y.data());
  REQUIRE(made.contradicting.empty());
  for (std::size_t j = 0; j < 2; ++j) s.y[index(system, "joint_torquej1.j" + std::to_string(j + 1))] = made.outputs[j];
  const StateEstimate together = estimate_at_state(system, outputs, sigma, s.q.data(), s.v.data(), s.y.data());
  REQUIRE(together.contradicting.empty());
  for (std::size_t j = 0; j < outputs.columns().size(); ++j) {
    if (outputs.columns()[j] == "fx.l3.fx") CHECK_FALSE(together.determined[j]);
    if (outputs.columns()[j] == "fx.l3.fy") CHECK(together.outputs[j] == Approx(3).epsilon(1e-10));
    if (outputs.columns()[j] == "tau.j3") CHECK(together.outputs[j] == Approx(made.outputs[2]).epsilon(1e-10));
  }
}
