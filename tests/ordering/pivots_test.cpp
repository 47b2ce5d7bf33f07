#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"
#include "system/assemble.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// At random states the plan divides once for each joint of one freedom, by ±D_i. Returns what kinds of unknowns stand there.
std::vector<VariableKind> pivots_of_aba(const Model& model, const System& system, const Plan& plan) {
  ZeroFillLU<double> lu(plan);
  SystemWorkspace<double> system_work(system);
  Workspace<double> work(model);
  std::vector<VariableKind> kinds;
  std::mt19937 rng(5);
  const std::vector<LUProgram::Pivot>& pivots = plan.program.pivots;
  REQUIRE(static_cast<int>(pivots.size()) == model.nv);
  for (int s = 0; s < 20; ++s) {
    const std::vector<double> q = normal_sample(model, rng), zero(model.nv, 0.0), y(system.inputs().size(), 0.0);
    std::vector<double> ddq(model.nv);
    REQUIRE(aba<double>(model, work, q.data(), zero.data(), zero.data(), nullptr, ddq.data()).ok());
    system.assemble(q.data(), zero.data(), y.data(), lu.values(), lu.right_side(), system_work);
    REQUIRE(lu.factor().ok());
    for (int k = 0; k < model.nv; ++k) {
      const Variable& variable = system.unknowns()[pivots[k].column];
      const int freedom = system.model().bodies[variable.body].v;
      CHECK(std::abs(lu.pivot(k)) * work.freedom[freedom].inverse == Approx(1.0).epsilon(1e-12));
      kinds.push_back(variable.kind);
    }
  }
  return kinds;
}

bool all_are(const std::vector<VariableKind>& kinds, VariableKind kind) {
  return std::all_of(kinds.begin(), kinds.end(), [&](VariableKind k) { return k == kind; });
}

}  // namespace

TEST_CASE("LU of forward dynamics in recursive order performs the articulated-body algorithm: its pivots are D_i") {
  for (int n : {2, 7, 15, 30}) {
    const Model model = random_tree(n, 40u + static_cast<unsigned>(n));
    const System system(model, forward_dynamics_set());
    const std::optional<Plan> plan = recursive_plan(system);
    REQUIRE(plan);
    CHECK(all_are(pivots_of_aba(model, system, *plan), VariableKind::ddq));
  }
}

TEST_CASE("In frames along the joints' axes substitution leaves the same pivots, each before its body's wrench") {
  for (const char* formulation : {"canonical", "canonical+intermediate-frames+shifted"})
    for (int n : {2, 7, 15, 30}) {
      const Model model = random_tree(n, 40u + static_cast<unsigned>(n));
      const System system(model, forward_dynamics_set(), formulation_named(formulation));
      const std::optional<Order> order = substituted_order(system);
      REQUIRE(order);
      const Plan plan = make_plan(system.pattern(), *order, unit_entries(system));
      CHECK(all_are(pivots_of_aba(model, system, plan), VariableKind::acc));
      const Plan after = make_plan(system.pattern(), recursive_order(system).value(), unit_entries(system));
      CHECK(plan.flops().total() < after.flops().total());
    }
}
