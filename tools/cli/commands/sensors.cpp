// sparsedyn sensors: the sensor set that a URDF describes.
#include <algorithm>
#include <map>
#include <memory>

#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/number.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"
#include "io/text_file.hpp"
#include "program.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/system/sensor_type.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::cli {
namespace {

struct SensorsOptions {
  CommonOptions common;
  RobotOptions robot;
  std::string output;
  std::vector<std::string> sigma;  // TYPE=NUMBER
};

/// Standard deviations by type, of which a URDF describes four.
std::map<std::string, double> deviations(const std::vector<std::string>& texts) {
  static const std::vector<std::string> types{"accelerometer", "angular_accelerometer", "force_torque", "gyroscope"};
  std::map<std::string, double> sigma;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    const std::string type = text.substr(0, sign);
    if (std::find(types.begin(), types.end(), type) == types.end())
      throw UsageError("--sigma " + text + ": no type \"" + type + "\"" + suggestions_text(type, types) +
                       "; expected TYPE=NUMBER with one of " + listing(types));
    double value = 0;
    if (sign == std::string::npos || read_number(text.substr(sign + 1), value) != NumberText::number || !(value > 0))
      throw UsageError("--sigma " + text + ": expected TYPE=NUMBER, a standard deviation above 0");
    sigma[type] = value;
  }
  return sigma;
}

std::string summary_text(const UrdfSensorSet& set, const std::map<std::string, int>& counts) {
  std::string text = how_many(static_cast<long>(set.sensors.size()), "sensor", "sensors");
  const char* mark = ": ";
  for (const auto& [type, count] : counts) {
    text += mark + std::to_string(count) + " " + type;
    mark = ", ";
  }
  return text + "\n";
}

ExitCode sensors(const SensorsOptions& options) {
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  const std::map<std::string, double> sigma = deviations(options.sigma);
  LoadReport report;
  const std::string robot = read_text_file(options.robot.urdf, "a URDF file");
  if (is_robot_text(robot)) throw InputError(options.robot.urdf, 1, "", "a robot file, which has no sensors", "a URDF file");
  UrdfSensorSet set = parse_urdf_sensors(robot, options.robot.urdf, load_options(options.robot), &report);
  report_oddities(report.warnings, options.common);
  if (set.sensors.empty()) warn(options.common, options.robot.urdf + ": no sensors; the set is empty");
  for (UrdfSensor& sensor : set.sensors)
    if (const auto found = sigma.find(sensor.type); found != sigma.end() && sensor.sigma.empty())
      sensor.sigma = {found->second};
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
  command.add_file("-o,--output", options->output, FileRole::output, "JSON file, or - for the standard output").required();
  command
      .add_option("--sigma", options->sigma,
                  "TYPE=NUMBER: standard deviation of that type's sensors where the URDF states no noise; repeatable")
      .allow_extra_args(false);
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn sensors robot.urdf --sigma accelerometer=0.05 -o set.json");
  command.callback([=, &chosen] { chosen = [=] { return sensors(*options); }; });
}

}  // namespace sparsedyn::cli
