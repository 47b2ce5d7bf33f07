// Plans replayed on robots against the recursive algorithms.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// What a difference is measured by: the component itself, the largest component, or, for accelerations of random trees, which
/// can be ill-conditioned (1e5 beside 1, lost to ABA as well), the torques that these accelerations take.
enum class Bound { component, largest, torques };

double scale(Bound bound, const std::vector<double>& reference, int k) {
  double size = 1;
  for (std::size_t i = 0; i < reference.size(); ++i)
    if (bound == Bound::largest || static_cast<int>(i) == k) size = std::max(size, std::abs(reference[i]));
  return size;
}

bool close(double x, double reference, double size) { return std::abs(x - reference) <= 1e-10 * size; }

/// y of a log row in which every wrench is random; wrenches[link] gets what was drawn.
struct Row {
  std::vector<double> y;
  std::vector<Force<double>> wrenches;
};

Row random_row(const System& system, const std::vector<double>& joints, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Row row{std::vector<double>(system.inputs().size()), {}};
  row.wrenches.assign(system.model().links.size(), {zero3<double>(), zero3<double>()});
  for (std::size_t i = 0; i < row.y.size(); ++i) {
    const Input& input = system.inputs()[i];
    const Measurement& m = system.measurements()[input.measurement];
    const int c = m.components[input.component];
    if (m.kind == SensorKind::external_wrench) {
      row.y[i] = normal(rng);
      component(row.wrenches[m.link], c) = row.y[i];
    } else {
      row.y[i] = joints[system.model().joints[m.joint].v + c];
    }
  }
  return row;
}

std::vector<std::vector<double>> states_of(const Model& model, int random, std::mt19937& rng) {
  std::vector<std::vector<double>> states = special_configurations(model, 200, rng);
  for (int k = 0; k < random; ++k) states.push_back(normal_sample(model, rng));
  return states;
}

/// Solves for the torques (inverse) or accelerations (forward) at every state and compares with RNEA or ABA.
void agrees_with_recursion(const Model& model, bool inverse, int random_states, Bound bound) {
  const auto system = std::make_shared<const System>(model, inverse ? inverse_dynamics_set() : forward_dynamics_set());
  const std::optional<Plan> plan = recursive_plan(*system);
  REQUIRE(plan);
  CHECK(plan->health.healthy());
  SolverOptions options;
  options.outputs = {inverse ? "tau" : "ddq"};
  Solver solver(system, std::make_shared<const Plan>(*plan), options);
  REQUIRE(static_cast<int>(solver.output_columns().size()) == model.nv);

  std::mt19937 rng(17);
  std::normal_distribution<double> normal;
  Workspace<double> work(model);
  std::vector<Force<double>> bodies(model.bodies.size());
  std::vector<double> v(model.nv), given(model.nv), found(model.nv), expected(model.nv);
  int wrong = 0;
  for (const std::vector<double>& q : states_of(model, random_states, rng)) {
    for (double& x : v) x = normal(rng);
    for (double& x : given) x = normal(rng);
    const Row row = random_row(*system, given, rng);
    link_wrenches_to_bodies(model, row.wrenches.data(), bodies.data());
    if (inverse)
      rnea(model, work, q.data(), v.data(), given.data(), bodies.data(), expected.data());
    else
      REQUIRE(aba(model, work, q.data(), v.data(), given.data(), bodies.data(), expected.data()).ok());
    const SolverStatus status = solver.solve(q.data(), v.data(), row.y.data(), found.data());
    REQUIRE(status.ok());
    if (bound == Bound::torques) {  // what the accelerations found take, by RNEA, are the torques given
      rnea(model, work, q.data(), v.data(), found.data(), bodies.data(), expected.data());
      const double largest = scale(Bound::largest, found, 0);
      for (int k = 0; k < model.nv; ++k) wrong += !close(expected[k], given[k], largest);
      continue;
    }
    for (int k = 0; k < model.nv; ++k) wrong += !close(found[k], expected[k], scale(bound, expected, k));
  }
  CHECK(wrong == 0);
  CHECK(solver.counts().fallback_order == 0);
  CHECK(solver.counts().dense == 0);
}

}  // namespace

TEST_CASE("Inverse and forward dynamics of whole robots, fixed and floating, are RNEA's and ABA's") {
  for (const std::string& path : all_robots())
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      for (bool inverse : {true, false}) {
        INFO(path << (floating ? ", floating" : ", fixed") << (inverse ? ", inverse" : ", forward"));
        agrees_with_recursion(model, inverse, 1000, Bound::component);
      }
    }
}

TEST_CASE("Every joint type in random trees: inverse and forward dynamics are RNEA's and ABA's") {
  for (JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::helical, JointKind::universal,
                         JointKind::spherical, JointKind::planar, JointKind::composite})
    for (bool floating : {false, true}) {
      TreeOptions options;
      options.floating = floating;
      options.kinds = {kind, JointKind::revolute};
      const Model model = random_tree(8, static_cast<unsigned>(kind) + 1u, options);
      agrees_with_recursion(model, true, 100, Bound::largest);
      agrees_with_recursion(model, false, 100, Bound::torques);
      agrees_with_recursion(with_joint_physics(model, 1), true, 100, Bound::largest);
      agrees_with_recursion(with_joint_physics(model, 1), false, 100, Bound::torques);
    }
}
