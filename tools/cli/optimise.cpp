// sparsedyn optimise: strategies for the order of elimination compared, the best healthy one kept as a plan.
#include "sparsedyn/ordering/optimise.hpp"

#include <memory>

#include "cli/command.hpp"
#include "cli/determinacy_report.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "sparsedyn/io/output_file.hpp"
#include "sparsedyn/json/plan_file.hpp"
#include "sparsedyn/json/sensor_set.hpp"

namespace sparsedyn::cli {
namespace {

struct OptimiseCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, output;
  double budget = 0;
};

Json result_json(const OptimiseResult& result) {
  Json strategies = Json::array();
  for (const StrategyResult& s : result.strategies)
    strategies.push_back(
        {{"name", s.strategy},
         {"flops", {{"mul", s.flops().mul}, {"add", s.flops().add}, {"div", s.flops().div}}},
         {"fill", s.fill},
         {"health", {{"worst_backward_error", s.health.worst_backward_error}, {"worst_growth", s.health.worst_growth}}}});
  return {{"strategies", strategies}, {"chosen", result.plan.strategy}, {"healthy", result.healthy()}};
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

OptimiseResult search(const System& system, const OptimiseCommand& options) {
  require_determined(system, determinacy(system));
  OptimiseOptions search;
  search.budget = options.budget;
  try {
    return optimise(system, search);
  } catch (const SingularSystem& singular) {
    throw AnswerIsNo(singular.what(), json_text({{"reason", singular.what()}}));
  }
}

ExitCode run_optimise(const OptimiseCommand& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (options.robot.urdf == "-" && options.sensors == "-") throw UsageError("both the robot and the sensors are -");
  if (!(options.budget >= 0 && options.budget <= 1e6)) throw UsageError("--budget: expected seconds, 0 to 1e6");
  refuse_output_over_input(options.output, {options.robot.urdf, options.sensors});
  const Model model = load_robot(options.robot, options.common);
  const SensorSet sensors = load_sensor_set(options.sensors);
  const System system(model, sensors);
  OutputFile file(options.output);
  const OptimiseResult result = search(system, options);
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
  command.add_option("--budget", options->budget, "Seconds of local search from the best order").capture_default_str();
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn optimise robots/arm.urdf --sensors forward-dynamics -o plan.json");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return run_optimise(*options); }); }; });
}

}  // namespace sparsedyn::cli
