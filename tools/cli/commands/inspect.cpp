// sparsedyn inspect: what a log is, and what is probably wrong with it.
#include "sparsedyn/inspection/inspect.hpp"

#include <memory>
#include <optional>

#include "cli/logs/inspection_page.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "inspection/recorded_log.hpp"
#include "io/output_file.hpp"
#include "io/text/how_many.hpp"
#include "program.hpp"

namespace sparsedyn::cli {
namespace {

struct InspectCommand {
  CommonOptions common;
  RobotOptions robot;
  std::string sensors, log, report;
};

std::string in_words(const Inspection& found) {
  char line[160];
  std::snprintf(line, sizeof line, found.rate > 0 ? "%s, %.6g Hz, %.6g s\n" : "%s without times\n",
                how_many(found.rows, "row", "rows").c_str(), found.rate, found.duration);
  std::string text = line;
  if (found.findings.empty()) text += "nothing found\n";
  for (const Finding& finding : found.findings) {
    text += std::string(severity_name(finding.severity)) + ": " + finding_name(finding.kind) + ": " + listing(finding.columns) +
            "\n";
    text += "  evidence: " + finding.evidence + "\n  likely:   " + finding.likely + "\n  remedy:   " + finding.remedy + "\n";
    text += "  lines " + std::to_string(finding.from_line) + " to " + std::to_string(finding.to_line) + "\n";
  }
  for (const Unjudged& unjudged : found.unjudged)
    text += "not judged: " + unjudged.why + (unjudged.columns.empty() ? "" : ": " + listing(unjudged.columns)) + "\n";
  if (!found.lacking.empty()) text += "not in the log, which has others of their kind: " + listing(found.lacking) + "\n";
  return text;
}

Json as_json(const Inspection& found) {
  Json findings = Json::array(), unjudged = Json::array();
  for (const Finding& finding : found.findings)
    findings.push_back({{"kind", finding_name(finding.kind)},
                        {"columns", finding.columns},
                        {"severity", severity_name(finding.severity)},
                        {"evidence", finding.evidence},
                        {"likely", finding.likely},
                        {"remedy", finding.remedy},
                        {"from_line", finding.from_line},
                        {"to_line", finding.to_line}});
  for (const Unjudged& one : found.unjudged) unjudged.push_back({{"columns", one.columns}, {"why", one.why}});
  Json json{{"rows", found.rows},   {"rate", nullptr},      {"duration", nullptr},
            {"findings", findings}, {"unjudged", unjudged}, {"lacking", found.lacking}};
  if (found.rate > 0) json["rate"] = found.rate, json["duration"] = found.duration;
  return json;
}

ExitCode inspect_log(const InspectCommand& options) {
  if (options.report == "-") throw UsageError("--report -: expected a file");
  const Model model = load_robot(options.robot, options.common);
  std::optional<System> system;
  if (!options.sensors.empty()) system.emplace(model, constrained_set(options.sensors, "", model, options.common));
  const RecordedLog log = recorded_log(options.log, options.log);
  const Inspection found = inspect(model, log, system ? &*system : nullptr);
  if (!options.report.empty())
    write_file(options.report,
               inspection_page("inspect: " + model.name + ", " + options.log, model, log, found, in_words(found)));
  tell(options.common.json ? json_text(as_json(found)) : in_words(found));
  return options.common.strict && found.harm() ? ExitCode::no : ExitCode::done;
}

}  // namespace

void add_inspect(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("inspect", "What a log is, and what is probably wrong with it");
  const auto options = std::make_shared<InspectCommand>();
  command.add_file("--log", options->log, FileRole::input, "CSV log, or - for the standard input").required();
  add_sensors_option(command, options->sensors);
  command.get_option("--sensors").required(false);
  command.add_file("--report", options->report, FileRole::output,
                   "HTML page: findings, ranges against limits, gaps, spectra, torques beside the model");
  add_options(command, options->robot);
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer(
      "Exit codes:\n  With --strict 1 where a finding is harm.\n\n"
      "Example:\n  sparsedyn inspect robots/arm.urdf --log robots/arm.csv");
  command.callback(
      [=, &chosen] { chosen = [=] { return answering(options->common, [=] { return inspect_log(*options); }); }; });
}

}  // namespace sparsedyn::cli
