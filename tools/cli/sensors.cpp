// sparsedyn sensors: the sensor set that a URDF describes.
#include "sparsedyn/urdf/sensors.hpp"

#include <map>
#include <memory>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "sparsedyn/io/output_file.hpp"

namespace sparsedyn::cli {
namespace {

struct SensorsOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string output;
};

std::string summary_text(const UrdfSensorSet& set, const std::map<std::string, int>& counts) {
  std::string text = std::to_string(set.sensors.size()) + " sensors";
  const char* mark = ": ";
  for (const auto& [type, count] : counts) {
    text += mark + std::to_string(count) + " " + type;
    mark = ", ";
  }
  return text + "\n";
}

ExitCode sensors(const SensorsOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  refuse_output_over_input(options.output, {options.robot.urdf});
  LoadReport report;
  const UrdfSensorSet set = load_urdf_sensors(options.robot.urdf, load_options(options.robot), &report);
  for (const std::string& text : report.warnings) warn(options.common, text);
  if (set.sensors.empty()) warn(options.common, options.robot.urdf + ": no sensors; the set is empty");
  write_file(options.output, json_text(set));

  std::map<std::string, int> counts;
  for (const UrdfSensor& sensor : set.sensors) ++counts[sensor.type];
  const Json json{{"name", set.name}, {"sensors", set.sensors.size()}, {"types", counts}, {"warnings", report.warnings}};
  tell(options.common.json ? json_text(json) : summary_text(set, counts), options.output == "-");
  return ExitCode::done;
}

}  // namespace

void add_sensors(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("sensors", "The sensor set that a URDF's <sensor> elements describe");
  const auto options = std::make_shared<SensorsOptions>();
  add_options(command, options->robot);
  command.add_option("-o,--output", options->output, "JSON file, or - for the standard output").required();
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn sensors robot.urdf -o set.json");
  command.callback([=, &chosen] { chosen = [=] { return sensors(*options); }; });
}

}  // namespace sparsedyn::cli
