// sparsedyn identify: masses, inertias and friction from logs with torques.
#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/logs/identification_log.hpp"
#include "cli/logs/quick_findings.hpp"
#include "cli/reports/identification_page.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "identification/logs/cross_validation.hpp"
#include "identification/logs/fit_words.hpp"
#include "identification/logs/fitted_joints.hpp"
#include "identification/logs/fitted_links.hpp"
#include "identification/logs/fitted_parameters.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "io/text_file.hpp"
#include "program.hpp"
#include "requests/identification_report.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "urdf/changes/rewrite_dynamics.hpp"
#include "urdf/rewrite_inertials.hpp"

namespace sparsedyn::cli {
namespace {

struct IdentifyCommand {
  CommonOptions common;
  RobotOptions robot;
  std::vector<std::string> logs, holdout;
  std::string fit;
  std::string robust, sensors;
  double prior = 0.3;
  bool cross_validate = false;
  std::string output, urdf_out, joints_out, report;
};

/// The logs again, quietly, now that it is known what they say.
void write_report(const IdentificationLogs& logs, const IdentifyCommand& options, RowInformation& information,
                  const std::vector<double>& urdf, const Identification& x, const std::string& summary) {
  IdentificationPage page(information, urdf, x);
  logs.compare(options.logs, options.common, urdf, x, [&](const ComparedSample& sample) { page.add(sample); });
  write_file(options.report, page.html("identify: " + information.model().name, summary));
}

void check_options(const IdentifyCommand& options) {
  if (!(options.prior >= 1e-100 && options.prior <= 1e100))
    throw UsageError("--prior: expected a positive number, 1e-100 to 1e100");
  for (const auto& [option, path] :
       {std::pair("-o", options.output), {"--urdf-out", options.urdf_out}, {"--joints-out", options.joints_out}})
    if (options.common.json && path == "-")
      throw UsageError(std::string(option) + " - with --json: both would go to the standard output");
  if (!options.urdf_out.empty() && options.robot.urdf == "-")
    throw UsageError("--urdf-out: expected a robot from a file, not from the standard input");
  if (!options.robust.empty() && options.robust != "huber")
    throw UsageError("--robust " + options.robust + ": unknown" + suggestions_text(options.robust, {"huber"}) +
                     "; expected huber");
  for (const auto& [flag, given] : {std::pair<const char*, bool>{"--report", !options.report.empty()},
                                    {"--robust", !options.robust.empty()},
                                    {"--cross-validate", options.cross_validate},
                                    {"--fit smoothing", options.fit.find("smoothing") != std::string::npos},
                                    {"--fit stribeck", options.fit.find("stribeck") != std::string::npos}})
    if (given && (std::count(options.logs.begin(), options.logs.end(), "-") ||
                  std::count(options.holdout.begin(), options.holdout.end(), "-")))
      throw UsageError(std::string(flag) + " reads the logs more than once: expected files, not the standard input");
  if (options.cross_validate && options.logs.size() < 2) throw UsageError("--cross-validate: expected two logs or more");
  if (options.report == "-") throw UsageError("--report -: expected a file");
}

void check_rows(const IdentifyCommand& options, RowInformation& information) {
  if (const int i = row_with_too_few_samples(information); i >= 0) {
    const RowInformation::Factor& factor = information.factors()[static_cast<std::size_t>(i)];
    throw InputError(options.logs.front(), 0, "rows", std::to_string(factor.rows) + " that can be used",
                     "more than the " + std::to_string(factor.order()) + " parameters that one torque depends on");
  }
  long rows = 0;
  for (const RowInformation::Factor& factor : information.factors()) rows += factor.rows;
  if (rows == 0) throw InputError(options.logs.front(), 0, "rows", "0 that can be used", "some with torques");
}

CrossValidation validation(const IdentificationLogs& logs, const IdentifyCommand& options, const PassOptions& passes) {
  std::vector<SeparateLog> separate;
  for (const std::string& path : options.logs)
    separate.push_back({path, [&, path](RowInformation& to) { logs.read({path}, options.common, to, true); }});
  const CrossValidation x = cross_validate(
      separate, [&] { return logs.empty(); }, passes);
  for (const std::string& warning : x.warnings) warn(options.common, "identify: " + warning);
  return x;
}

/// The fit knows the body that locked joints make of their links, not the links.
void note_locked(const Model& model, const std::vector<std::string>& absent, const CommonOptions& common) {
  std::vector<std::string> names;
  for (const Link& link : model.links)
    if (link.body >= 0 && std::find(absent.begin(), absent.end(), link.joint) != absent.end()) names.push_back(link.joint);
  if (!names.empty())
    note(common, "identify: --urdf-out: links on both sides of locked joints (" + listing(names) +
                     ") share what was fitted to them together, each by its share of the mass; how it is divided is the "
                     "URDF's, not the log's");
}

ExitCode identify_command(const IdentifyCommand& options) {
  check_options(options);
  LoadReport loaded;
  const Model model =
      with_fitted_springs(load_robot(options.robot, options.common, &loaded), listed_if_given("--fit", options.fit));
  const PassOptions passes = pass_options(model, listed_if_given("--fit", options.fit), options.prior, !options.robust.empty());
  if (model.nv == 0) throw InputError(options.robot.urdf, 0, "robot", "no joint that moves", "parameters to identify");
  const IdentificationLogs logs(model, options.sensors);
  const auto gathered = logs.empty();
  RowInformation& information = *gathered;
  if (const auto* sensors = dynamic_cast<const SensorInformation*>(&information); sensors && !sensors->silent().empty())
    note(options.common,
         "identify: " + listing(sensors->silent()) + ": read the motion, which is given, and do not depend on parameters");
  for (const std::string& path : options.logs) warn_of_quick_findings(&model, path, options.common);
  const IdentificationLogs::Rows rows = logs.read(options.logs, options.common, information, false);
  check_rows(options, information);
  const ReadLogs read{information, [&] { logs.read(options.logs, options.common, information, true); }, options.logs.front()};
  std::unique_ptr<RowInformation> apart;
  std::optional<ReadLogs> held;
  if (!options.holdout.empty()) {
    apart = logs.empty();
    logs.read(options.holdout, options.common, *apart, false);
    held.emplace(ReadLogs{*apart, [&] { logs.read(options.holdout, options.common, *apart, true); }, options.holdout.front()});
  }
  const LogFit fit = fit_logs(read, held ? &*held : nullptr, passes);
  for (const std::string& warning : fit.warnings) warn(options.common, warning);
  const Identification& x = fit.found;
  const std::vector<double> urdf = parameters(model);
  Json found = identification_json(model, x, urdf, fit.rms, information.names());
  std::string text = identification_text(model, x, fit.rms, information.names());
  if (options.cross_validate) {
    const CrossValidation validated = validation(logs, options, passes);
    found["cross_validation"] = cross_validation_json(validated, information.names());
    text += cross_validation_text(validated, information.names());
  }
  const std::string json = json_text(found);
  write_file(options.output, json);
  if (!options.joints_out.empty())
    write_file(options.joints_out, json_text(fitted_joints_json(with_friction(model, x), x.value)));
  if (!options.urdf_out.empty()) {
    note_locked(model, loaded.absent, options.common);
    const std::string robot = read_text_file(options.robot.urdf, "a URDF file or a robot file");
    const auto links = fitted_links(model, x.value, loaded.absent);
    const auto joints = fitted_joints(with_friction(model, x), x);
    write_file(options.urdf_out, is_robot_text(robot) ? rewrite_robot_inertias(robot, options.robot.urdf, links, joints)
                                                      : rewrite_dynamics(rewrite_inertials(robot, links), joints));
  }
  if (!options.report.empty()) write_report(logs, options, information, urdf, x, text);
  tell(options.common.json ? json : text, options.output == "-" || options.urdf_out == "-" || options.joints_out == "-");
  return rows.failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_identify(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("identify", "Masses, inertias and friction from logs with torques");
  const auto options = std::make_shared<IdentifyCommand>();
  command.add_file("--log", options->logs, FileRole::input, "CSV log with q, dq, ddq, tau; repeatable").required();
  command.add_file("--holdout", options->holdout, FileRole::input, "A log that is not fitted, only compared with; repeatable");
  command.add_flag("--cross-validate", options->cross_validate,
                   "Leave out each log in turn and print the errors of the fit to the others");
  command
      .add_file("-o,--output", options->output, FileRole::output,
                "JSON: parameters, base parameters, torques' errors; - for the standard output")
      .required();
  Command fit = command.under("Fit");
  fit.add_option("--fit", options->fit,
                 "inertia, armature, damping, friction, offset, by commas; default: all these; and stiffness, a spring in "
                 "each joint; smoothing, friction's smoothing velocity, and stribeck, what sliding takes from friction "
                 "(alone: with all these)");
  fit.add_file("--sensors", options->sensors, FileRole::sensor_set,
               "A sensor set, file or name, whose readings are fitted; default: the torques");
  fit.add_option("--prior", options->prior, "Deviation of a body's parameters from the URDF's, relative to its own size")
      .capture_default_str();
  fit.add_option("--robust", options->robust, "huber: outlying rows weigh less; the logs are read several times");
  Command files = command.under("Other files");
  files.add_file("--urdf-out", options->urdf_out, FileRole::output,
                 "The URDF with the fitted inertias, damping and friction, all else as it was");
  files.add_file("--joints-out", options->joints_out, FileRole::output,
                 "JSON of the joints' armature, damping, friction, offset and stiffness");
  files.add_file("--report", options->report, FileRole::output,
                 "HTML page: torques (or readings) and errors, parameters with their deviations");
  add_options(command, options->robot);
  add_log_options(command, options->common);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn identify robots/arm.urdf --log log.csv -o parameters.json --urdf-out fitted.urdf");
  command.callback([=, &chosen] { chosen = [=] { return identify_command(*options); }; });
}

}  // namespace sparsedyn::cli
