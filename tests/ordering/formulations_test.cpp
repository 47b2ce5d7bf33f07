#include <catch2/catch.hpp>
#include <limits>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("The cheapest healthy formulation comes first, those that do not serve last") {
  const Model model = random_tree(3, 3);
  OptimiseOptions options;
  options.outputs = {"ddq"};
  const auto results = compare_formulations(model, forward_dynamics_set(), all_formulations(), Cost::executed, options);
  REQUIRE(results.size() == all_formulations().size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const FormulationResult& result = results[k];
    INFO(formulation_name(result.formulation));
    CHECK(result.misfit.empty());
    CHECK(result.plan.health.healthy());
    CHECK(result.plan.fingerprint == result.system->fingerprint());
    CHECK(result.assembly.flops() + result.orders.front().order.flops().total() == result.orders.front().cost);
    if (k > 0) CHECK(results[k - 1].cost <= result.cost);
  }

  options.outputs = {"f"};
  const auto internal =
      compare_formulations(model, forward_dynamics_set(), {{}, formulation_named("joint-space")}, Cost::executed, options);
  CHECK(internal.front().misfit.empty());
  CHECK_THAT(internal.back().misfit, Catch::Contains("joint-space"));
}

TEST_CASE("Folded forward dynamics by sparse LU takes no more multiplications than the articulated-body algorithm") {
  for (int n : {2, 4}) {
    const Model model = general_chain(n);
    OptimiseOptions options;
    options.outputs = {"ddq"};
    const auto results = compare_formulations(
        model, forward_dynamics_set(),
        {formulation_named("canonical+intermediate-frames+shifted"), formulation_named("newton-euler")}, Cost::folded, options);
    long aba = 0;
    for (const AlgorithmCounts& counted : recursive_counts(model))
      if (counted.algorithm == "aba") aba = counted.folded->mul;
    CHECK(formulation_name(results.front().formulation) == "canonical+intermediate-frames+shifted");
    CHECK(results.front().plan.health.healthy());
    CHECK(results.front().orders.front().folded->mul <= aba);
    CHECK(results.back().orders.front().folded->mul > aba);  // as the equations stand, LU takes more
  }
}

namespace {

/// Multiplications of forward dynamics as one program: ABA's, and the least that sparse LU takes in an order of the recursions.
struct FoldedForward {
  long aba = 0, lu = std::numeric_limits<long>::max();
};

FoldedForward folded_forward(const Model& model) {
  FoldedForward mul;
  for (const AlgorithmCounts& counted : recursive_counts(model))
    if (counted.algorithm == "aba") mul.aba = counted.folded->mul;
  const System system(model, forward_dynamics_set(), formulation_named("canonical+intermediate-frames+shifted"));
  for (const std::optional<Order>& order : {recursive_order(system), substituted_order(system)}) {
    const Plan plan = make_plan(system.pattern(), order.value(), unit_entries(system));
    mul.lu = std::min(mul.lu, sensor_program(system, plan, {"ddq"}, required_inputs(system)).counts().mul);
  }
  return mul;
}

}  // namespace

TEST_CASE("Folded LU needs no more multiplications than the folded articulated-body algorithm on whole robots") {
  for (const std::string& file : all_robots()) {
    if (!is_one_of(file, {"arm.", "quadruped.", "humanoid.", "atlas.", "simple_humanoid."})) continue;
    LoadOptions options;
    options.floating = !is_one_of(file, {"arm."});
    const FoldedForward mul = folded_forward(load_urdf(file, options));
    INFO(file);
    CHECK(mul.lu <= mul.aba);
  }
}

TEST_CASE("A formulation that serves nothing else is named where none serves") {
  const Model model = random_tree(3, 1, {false, true, 0.4, {JointKind::spherical}});
  const auto results = compare_formulations(model, forward_dynamics_set(), {formulation_named("canonical")}, Cost::executed);
  CHECK_THAT(results.front().misfit, Catch::Contains("canonical") && Catch::Contains("revolute"));
}
