// sparsedyn check: what a sensor set determines.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/json_text.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/planning.hpp"
#include "cli/program.hpp"
#include "sparsedyn/json/sensor_set.hpp"

namespace sparsedyn::cli {
namespace {

struct CheckOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors;
};

std::vector<std::string> pick(const std::vector<int>& which, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (int k : which) out.push_back(names[k]);
  return out;
}

Json check_json(const System& system, const Determinacy& found) {
  Json advice = Json::array();
  for (const SensorAdvice& sensor : found.advice)
    advice.push_back({{"type", sensor.type}, {sensor.on_joint ? "joint" : "link", sensor.target}, {"removes", sensor.removes}});
  return {{"verdict", verdict_name(found.verdict())},
          {"unknowns", found.unknowns},
          {"equations", found.equations},
          {"rank", found.rank},
          {"structural_rank", found.structural_rank},
          {"redundant_rows", found.redundant_rows()},
          {"undetermined", pick(found.undetermined, system.unknown_names())},
          {"redundant_exact", pick(found.redundant_exact, system.equation_names())},
          {"advice", advice},
          {"determined_with_priors", found.determined_with_priors}};
}

std::string check_text(const System& system, const Determinacy& found) {
  std::string text = in_words(system, found) + "\n";
  if (found.redundant_rows() > 0) text += "redundant rows: " + std::to_string(found.redundant_rows()) + "\n";
  if (found.advice.empty()) return text;
  constexpr std::size_t most = 10;
  text += "sensors that would help, alone:\n";
  for (std::size_t i = 0; i < found.advice.size() && i < most; ++i)
    text += "  " + found.advice[i].type + " on " + found.advice[i].target + ": removes " +
            std::to_string(found.advice[i].removes) + " of " + std::to_string(found.unknowns - found.rank) +
            " undetermined directions\n";
  return text;
}

ExitCode check(const CheckOptions& options) {
  if (options.robot.urdf == "-" && options.sensors == "-") throw UsageError("both the robot and the sensors are -");
  const Model model = load_robot(options.robot, options.common);
  const System system(model, load_sensor_set(options.sensors));
  const Determinacy found = determinacy(system);
  tell(options.common.json ? json_text(check_json(system, found)) : check_text(system, found));
  const bool fine = found.verdict() != Verdict::insufficient && found.redundant_exact.empty();
  return fine ? ExitCode::done : ExitCode::no;
}

}  // namespace

void add_check(CLI::App& program, Chosen& chosen) {
  CLI::App& command = *program.add_subcommand("check", "Whether a sensor set is determined, redundant or insufficient");
  const auto options = std::make_shared<CheckOptions>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn check robots/arm.urdf --sensors forward-dynamics");
  command.callback([=, &chosen] { chosen = [=] { return check(*options); }; });
}

}  // namespace sparsedyn::cli
