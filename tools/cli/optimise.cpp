// sparsedyn optimise: strategies for the order of elimination compared, the best healthy one kept as a plan.
#include "sparsedyn/ordering/optimise.hpp"

#include <memory>

#include "cli/command.hpp"
#include "cli/determinacy_report.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/program.hpp"
#include "sparsedyn/io/output_file.hpp"
#include "sparsedyn/json/plan_file.hpp"
#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/solve/outputs.hpp"

namespace sparsedyn::cli {
namespace {

struct OptimiseCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, output, outputs;
  std::string formulation = formulation_name({});
  double budget = 0;
  unsigned seed = 1;
};

Json result_json(const OptimiseResult& result) {
  Json strategies = Json::array();
  for (const StrategyResult& s : result.strategies)
    strategies.push_back(
        {{"name", s.strategy},
         {"flops", {{"mul", s.flops().mul}, {"add", s.flops().add}, {"div", s.flops().div}}},
         {"fill", s.fill},
         {"health", {{"worst_backward_error", s.health.worst_backward_error}, {"worst_growth", s.health.worst_growth}}}});
  return {{"strategies", strategies},
          {"chosen", result.plan.strategy},
          {"formulation", result.plan.formulation.empty() ? formulation_name({}) : result.plan.formulation},
          {"healthy", result.healthy()}};
}

std::string result_text(const OptimiseResult& result) {
  std::string text = "strategy                  flops     fill  worst backward error  worst growth\n";
  for (const StrategyResult& s : result.strategies) {
    char line[160];
    std::snprintf(line, sizeof line, "%-22s %8ld %8d  %20.1e  %12.3g%s\n", s.strategy.c_str(), s.flops().total(), s.fill,
                  s.health.worst_backward_error, s.health.worst_growth, s.strategy == result.plan.strategy ? "  chosen" : "");
    text += line;
  }
  return text;
}

[[noreturn]] void refuse(const std::string& reason) { throw AnswerIsNo(reason, json_text({{"reason", reason}})); }

Formulation chosen_formulation(const OptimiseCommand& options) {
  try {
    return formulation_named(options.formulation);
  } catch (const std::invalid_argument& unknown) {
    throw UsageError(std::string("--formulation: ") + unknown.what());
  }
}

OptimiseResult search(const Model& model, const SensorSet& sensors, const Formulation& formulation,
                      const OptimiseCommand& options) {
  const System system(model, sensors);
  OptimiseOptions search;
  search.budget = options.budget;
  search.seed = options.seed;
  if (!options.outputs.empty()) search.outputs = Outputs(system, listed("--outputs", options.outputs)).columns();
  require_determined(system, determinacy(system));
  try {
    return optimise(System(model, sensors, formulation), search);
  } catch (const SingularSystem& singular) {
    refuse(singular.what());
  } catch (const FormulationMisfit& misfit) {
    refuse(misfit.what());
  } catch (const UnknownOutput& output) {  // all are outputs of the robot, but not in every formulation
    refuse(output.what());
  }
}

ExitCode run_optimise(const OptimiseCommand& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (options.robot.urdf == "-" && options.sensors == "-") throw UsageError("both the robot and the sensors are -");
  if (!(options.budget >= 0 && options.budget <= 1e6)) throw UsageError("--budget: expected seconds, 0 to 1e6");
  refuse_output_over_input(options.output, {options.robot.urdf, options.sensors});
  const Formulation formulation = chosen_formulation(options);
  const Model model = load_robot(options.robot, options.common);
  const SensorSet sensors = load_sensor_set(options.sensors);
  OutputFile file(options.output);
  const OptimiseResult result = search(model, sensors, formulation, options);
  if (!result.healthy()) warn(options.common, "no order is healthy at every sampled state; the best is kept");
  file.write(plan_to_json(result.plan, {model.name, sensors.name}));
  file.commit();
  tell(options.common.json ? json_text(result_json(result)) : result_text(result), options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_optimise(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("optimise", "Chooses an order of elimination and writes it as a plan");
  command.alias("optimize");
  const auto options = std::make_shared<OptimiseCommand>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  command.add_option("-o,--output", options->output, "Plan (JSON), or - for the standard output").required();
  command.add_option("--formulation", options->formulation, "How the equations are written down; parts joined by +")
      .capture_default_str();
  command.add_option("--outputs", options->outputs, "What cost is counted for, as in `solve`; default: every unknown");
  command.add_option("--seed", options->seed, "Of the local search").capture_default_str();
  command.add_option("--budget", options->budget, "Seconds of local search from the best order").capture_default_str();
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn optimise robots/arm.urdf --sensors forward-dynamics -o plan.json");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return run_optimise(*options); }); }; });
}

}  // namespace sparsedyn::cli
