#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/ordering/states.hpp"
#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/solve/zero_fill_lu.hpp"
#include "sparsedyn/system/assemble.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("LU of forward dynamics in recursive order performs the articulated-body algorithm: its pivots are D_i") {
  for (int n : {2, 7, 15, 30}) {
    const Model model = random_tree(n, 40u + static_cast<unsigned>(n));
    const System system(model, forward_dynamics_set());
    const std::optional<Plan> plan = recursive_plan(system);
    REQUIRE(plan);
    ZeroFillLU<double> lu(*plan);
    SystemWorkspace<double> system_work(system);
    Workspace<double> work(model);
    std::mt19937 rng(5);
    for (int s = 0; s < 20; ++s) {
      const std::vector<double> q = random_state(model, rng), zero(model.nv, 0.0), y(system.inputs().size(), 0.0);
      std::vector<double> ddq(model.nv);
      REQUIRE(aba<double>(model, work, q.data(), zero.data(), zero.data(), nullptr, ddq.data()).ok());
      system.assemble(q.data(), zero.data(), y.data(), lu.values(), lu.right_side(), system_work);
      REQUIRE(lu.factor().ok());
      const std::vector<LUProgram::Pivot>& pivots = plan->program.pivots;
      REQUIRE(static_cast<int>(pivots.size()) == model.nv);
      for (int k = 0; k < model.nv; ++k) {
        const Variable& variable = system.unknowns()[pivots[k].column];
        REQUIRE(variable.kind == VariableKind::ddq);
        CHECK(std::abs(lu.pivot(k)) * work.freedom[variable.component].inverse == Approx(1.0).epsilon(1e-12));
      }
    }
  }
}
