// For robots and six sensor sets: what each strategy's order costs in each formulation, how healthy it is, what is chosen, and
// the chosen plan's worst backward error over many states, with the runtime's remedies counted.
//   plan_table [--states N] [--folded] [--json FILE] ROBOT.urdf[:floating] …
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/samples.hpp"
#include "six_sets.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using Json = nlohmann::ordered_json;

namespace {

struct Arguments {
  long states = 100000;
  Cost cost = Cost::executed;
  std::string json;
  std::vector<std::string> robots;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments a;
  for (int k = 1; k < argc; ++k) {
    if (!std::strcmp(argv[k], "--states") && k + 1 < argc)
      a.states = std::atol(argv[++k]);
    else if (!std::strcmp(argv[k], "--json") && k + 1 < argc)
      a.json = argv[++k];
    else if (!std::strcmp(argv[k], "--folded"))
      a.cost = Cost::folded;
    else
      a.robots.push_back(argv[k]);
  }
  return a;
}

Model load(const std::string& argument) {
  const std::string floating = ":floating";
  const bool floats =
      argument.size() > floating.size() && argument.compare(argument.size() - floating.size(), floating.size(), floating) == 0;
  LoadOptions options;
  options.floating = floats;
  return load_urdf(floats ? argument.substr(0, argument.size() - floating.size()) : argument, options);
}

/// The runtime at random states with random v and y.
struct Runtime {
  double worst_backward_error = 0;
  long failed = 0;
  SolverCounts counts;
};

Runtime run(const FormulationResult& chosen, long states) {
  Plan plan = chosen.plan;  // made for the outputs; a backward error takes all unknowns
  plan.program = make_plan(plan.pattern, plan.order, plan.unit).program;
  Solver solver(chosen.system, std::make_shared<const Plan>(std::move(plan)), {});
  const System& system = *chosen.system;
  std::mt19937 rng(7);
  std::normal_distribution<double> normal;
  std::vector<double> v(system.model().nv), y(system.inputs().size()), out(solver.output_columns().size());
  Runtime runtime;
  for (long k = 0; k < states; ++k) {
    const std::vector<double> q = normal_sample(system.model(), rng);
    for (auto* numbers : {&v, &y})
      for (double& x : *numbers) x = normal(rng);
    const SolverStatus status = solver.solve(q.data(), v.data(), y.data(), out.data());
    if (status.ok()) runtime.worst_backward_error = std::max(runtime.worst_backward_error, status.backward_error);
  }
  runtime.counts = solver.counts();
  return runtime;
}

void tell_formulation(const FormulationResult& result, bool chosen) {
  const std::string name = formulation_name(result.formulation);
  if (!result.misfit.empty()) {
    std::printf("    %-40s %s\n", name.c_str(), result.misfit.c_str());
    return;
  }
  for (const PricedOrder& p : result.orders) {
    const Health& h = p.order.health;
    std::printf("    %-40s %-22s cost %8ld  fill %6d  backward error %8.1e  growth %9.2e%s%s\n", name.c_str(),
                p.order.strategy.c_str(), p.cost, p.order.fill, h.worst_backward_error, h.worst_growth,
                h.healthy() ? "" : "  not healthy", chosen && p.order.strategy == result.plan.strategy ? "  CHOSEN" : "");
  }
}

Json to_json(const FormulationResult& result) {
  Json json{{"formulation", formulation_name(result.formulation)}};
  if (!result.misfit.empty()) json["misfit"] = result.misfit;
  for (const PricedOrder& p : result.orders)
    json["strategies"].push_back({{"name", p.order.strategy},
                                  {"cost", p.cost},
                                  {"fill", p.order.fill},
                                  {"healthy", p.order.health.healthy()},
                                  {"worst_backward_error", p.order.health.worst_backward_error},
                                  {"worst_growth", p.order.health.worst_growth}});
  return json;
}

Json table_of(const std::string& robot, const Model& model, const bench::KnownRobot& known, const Arguments& arguments) {
  Json json{{"robot", robot}, {"sensors", known.set.name}};
  std::printf("%s, %s\n", robot.c_str(), known.set.name.c_str());
  const System plain(model, known.set);
  const Verdict verdict = determinacy(plain).verdict();
  if (verdict != Verdict::determined) {
    std::printf("    %s: no plan\n", verdict_name(verdict));
    json["verdict"] = verdict_name(verdict);
    return json;
  }
  OptimiseOptions options;
  options.outputs = Outputs(plain, known.outputs).columns();
  const auto results = compare_formulations(model, known.set, all_formulations(), arguments.cost, options);
  for (const FormulationResult& result : results) {
    tell_formulation(result, &result == &results.front());
    json["formulations"].push_back(to_json(result));
  }
  const FormulationResult& chosen = results.front();
  const Runtime runtime = run(chosen, arguments.states);
  const SolverCounts& c = runtime.counts;
  std::printf(
      "  chosen %s, %s (fallback: %s): at %ld states worst backward error %.1e; %ld refined, %ld by the fallback order, "
      "%ld by dense LU, %ld failed\n\n",
      formulation_name(chosen.formulation).c_str(), chosen.plan.strategy.c_str(),
      chosen.plan.fallback ? chosen.plan.fallback_strategy.c_str() : "none", arguments.states, runtime.worst_backward_error,
      c.refined, c.fallback_order, c.dense, c.failed);
  std::fflush(stdout);
  json["chosen"] = {{"formulation", formulation_name(chosen.formulation)},
                    {"strategy", chosen.plan.strategy},
                    {"cost", chosen.cost},
                    {"second", chosen.plan.fallback ? Json(chosen.plan.fallback_strategy) : Json(nullptr)}};
  json["runtime"] = {{"states", arguments.states}, {"worst_backward_error", runtime.worst_backward_error},
                     {"refined", c.refined},       {"second_order", c.fallback_order},
                     {"dense", c.dense},           {"failed", c.failed}};
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  Json all = Json::array();
  for (const std::string& robot : arguments.robots) {
    const Model model = load(robot);
    for (const bench::KnownRobot& known : bench::six_sets(model)) try {
        all.push_back(table_of(robot, model, known, arguments));
      } catch (const SingularSystem& singular) {
        std::printf("    %s\n", singular.what());
        all.push_back({{"robot", robot}, {"sensors", known.set.name}, {"singular", singular.what()}});
      }
  }
  if (!arguments.json.empty()) std::ofstream(arguments.json) << all.dump(1) << "\n";
  return 0;
}
