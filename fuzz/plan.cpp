// Plans: one that is taken replays without a fault, whatever order it holds.
#include <fstream>
#include <memory>
#include <optional>

#include "robots.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/system/system.hpp"

namespace {

const std::shared_ptr<const sparsedyn::System>& forward_dynamics() {
  using namespace sparsedyn;
  static const auto system = std::make_shared<const System>(fuzz::small_robot(), load_sensor_set("forward-dynamics"));
  return system;
}

}  // namespace

/// Writes a plan that fits to the file SPARSEDYN_SEED, where that is set: what the mutations begin with.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace sparsedyn;
  const char* path = std::getenv("SPARSEDYN_SEED");
  if (!path) return 0;
  const std::optional<Plan> plan = recursive_plan(*forward_dynamics());
  if (!plan) fuzz::fault("the small robot has no plan");
  std::ofstream(path) << plan_to_json(*plan, {"small", "forward-dynamics"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  const auto& system = forward_dynamics();
  return fuzz::attempt("plan.json", [&] {
    const json::Document document = json::Document::parse(fuzz::as_text(data, size), "plan.json");
    try {
      const Plan plan = plan_from_json(document, system->fingerprint(), system->pattern());
      Solver solver(system, std::make_shared<const Plan>(plan), {{"ddq"}});
      const std::vector<double> q(3, 0.3), v(3, 0.1), y(system->inputs().size(), 0.2);
      std::vector<double> a(3);
      solver.solve(q.data(), v.data(), y.data(), a.data());
    } catch (const PlanMismatch&) {  // one for another robot
    }
  });
}
