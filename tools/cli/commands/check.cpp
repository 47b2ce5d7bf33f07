// sparsedyn check: what a sensor set determines.
#include <memory>

#include "cli/reports/determinacy_report.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "command.hpp"
#include "program.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

struct CheckOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors;
};

ExitCode check(const CheckOptions& options) {
  if (options.robot.urdf == "-" && options.sensors == "-") throw UsageError("both the robot and the sensors are -");
  const Model model = load_robot(options.robot, options.common);
  const System system(model, load_sensor_set(options.sensors));
  const Determinacy found = determinacy(system);
  const RankOverStates ranks = rank_over_states(system, 20, 16);
  Json report = to_json(system, found);
  report["states"] = to_json(ranks);
  tell(options.common.json ? json_text(report) : in_words(system, found) + in_words(ranks));
  const bool fine = found.verdict() != Verdict::insufficient && found.redundant_exact.empty();
  return fine ? ExitCode::done : ExitCode::no;
}

}  // namespace

void add_check(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("check", "Whether a sensor set is determined, redundant or insufficient");
  const auto options = std::make_shared<CheckOptions>();
  add_options(command, options->robot);
  add_sensors_option(command, options->sensors);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn check robots/arm.urdf --sensors forward-dynamics");
  command.callback([=, &chosen] { chosen = [=] { return check(*options); }; });
}

}  // namespace sparsedyn::cli
