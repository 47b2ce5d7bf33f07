// sparsedyn identify: masses, inertias and friction from logs with torques.
#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/algorithms/algorithm_inputs.hpp"
#include "cli/reports/identification_page.hpp"
#include "cli/reports/identification_report.hpp"
#include "cli/support/fitted_links.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "command.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#include "program.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "urdf/rewrite_inertials.hpp"

namespace sparsedyn::cli {
namespace {

struct IdentifyCommand {
  CommonOptions common;
  RobotOptions robot;
  std::vector<std::string> logs, holdout;
  std::string fit;
  double prior = 0.3;
  std::string output, urdf_out, joints_out, report;
};

/// What `identify` reads of a row; nothing is computed with it.
const Algorithm torque_rows{"identify", "", {true, true, true, true}, nullptr, nullptr};

struct Rows {
  long rows = 0, failed = 0;
};

/// All rows of these logs that can be used.
Rows read_logs(const Model& model, const std::vector<std::string>& logs, const CommonOptions& common,
               TorqueInformation& information) {
  Rows all;
  for (const std::string& path : logs) {
    CsvReader log(path);
    AlgorithmInputs inputs(model, torque_rows, "", log, common);
    warn_of_unknown_columns(log, model, {}, common);
    FailedRows failed(log.path());
    Progress progress(common);
    for (; log.next(); ++all.rows, progress.row()) {
      if (!inputs.read()) {
        failed.add(log.line(), inputs.why());
        continue;
      }
      const State& s = inputs.state();
      information.add(s.q, s.v, s.a, s.tau, s.fx);
    }
    progress.clear();
    failed.tell_rest();
    all.failed += failed.count();
  }
  return all;
}

/// The logs again, quietly, now that it is known what they say.
void write_report(const Model& model, const IdentifyCommand& options, const std::vector<double>& urdf, const Identification& x,
                  const std::string& summary) {
  IdentificationPage page(model, urdf, x);
  CommonOptions quiet = options.common;
  quiet.quiet = true;
  for (const std::string& path : options.logs) {
    CsvReader log(path);
    const int time = log.ask("time");
    AlgorithmInputs inputs(model, torque_rows, "", log, quiet);
    page.next_log();
    for (long row = 0; log.next(); ++row) {
      if (!inputs.read()) continue;  // it was named when it was read first
      const bool timed = time >= 0 && log.state(time) == CellState::number;
      page.add(inputs.state(), timed ? log.value(time) : static_cast<double>(row));
    }
  }
  write_file(options.report, page.html("identify: " + model.name, summary));
}

void check_options(const IdentifyCommand& options) {
  if (!(options.prior > 0) || !std::isfinite(options.prior)) throw UsageError("--prior: expected a positive number");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (!options.urdf_out.empty() && options.robot.urdf == "-")
    throw UsageError("--urdf-out: expected a robot from a file, not from the standard input");
  std::vector<std::string> inputs{options.robot.urdf};
  for (const auto* files : {&options.logs, &options.holdout}) inputs.insert(inputs.end(), files->begin(), files->end());
  for (const std::string* output : {&options.output, &options.urdf_out, &options.joints_out, &options.report})
    if (!output->empty()) refuse_output_over_input(*output, inputs);
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) throw UsageError("two inputs are -");
  if (!options.report.empty() && std::count(options.logs.begin(), options.logs.end(), "-"))
    throw UsageError("--report reads the logs twice: expected files, not the standard input");
  if (options.report == "-") throw UsageError("--report -: expected a file");
}

ExitCode identify_command(const IdentifyCommand& options) {
  check_options(options);
  const Model model = load_robot(options.robot, options.common);
  IdentifyOptions fit;
  fit.fitted = fitted_parameters(model, options.fit.empty() ? std::vector<std::string>() : listed("--fit", options.fit));
  fit.prior = options.prior;
  if (model.nv == 0) throw InputError(options.robot.urdf, 0, "robot", "no joint that moves", "parameters to identify");
  TorqueInformation information(model);
  const Rows rows = read_logs(model, options.logs, options.common, information);
  for (const TorqueInformation::Factor& factor : information.factors())
    if (factor.rows <= factor.order())
      throw InputError(options.logs.front(), 0, "rows", std::to_string(factor.rows) + " that can be used",
                       "more than the " + std::to_string(factor.order()) + " parameters that one torque depends on");
  const Identification x = identify(information, fit);
  const std::vector<double> urdf = parameters(model);
  TorqueErrors rms{torque_rms(information, urdf), torque_rms(information, x.value), {}, {}};
  if (!options.holdout.empty()) {
    TorqueInformation held(model);
    read_logs(model, options.holdout, options.common, held);
    rms.holdout_before = torque_rms(held, urdf), rms.holdout_after = torque_rms(held, x.value);
  }
  const std::string json = json_text(identification_json(model, x, urdf, rms));
  write_file(options.output, json);
  if (!options.joints_out.empty()) write_file(options.joints_out, json_text(fitted_joints_json(model, x.value)));
  if (!options.urdf_out.empty())
    write_file(options.urdf_out, rewrite_inertials(read_text_file(options.robot.urdf, "a URDF"), fitted_links(model, x.value)));
  if (!options.report.empty()) write_report(model, options, urdf, x, identification_text(model, x, rms));
  tell(options.common.json ? json : identification_text(model, x, rms), options.output == "-");
  return rows.failed ? ExitCode::numerical : ExitCode::done;
}

}  // namespace

void add_identify(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("identify", "Masses, inertias and friction from logs with torques");
  const auto options = std::make_shared<IdentifyCommand>();
  add_options(command, options->robot);
  command.add_option("--log", options->logs, "CSV log with q, dq, ddq, tau; may be given again").required();
  command.add_option("--holdout", options->holdout, "A log that is not fitted to, only compared with; may be given again");
  command.add_option("--fit", options->fit, "inertia, armature, damping, friction, offset, by commas; default: all");
  command.add_option("--prior", options->prior, "Deviation of a body's parameters from the URDF's, relative to its own size")
      .capture_default_str();
  command
      .add_option("-o,--output", options->output,
                  "JSON: parameters, base parameters, torques' errors; - for the standard output")
      .required();
  command.add_option("--urdf-out", options->urdf_out, "The URDF with the fitted inertias, all else as it was");
  command.add_option("--report", options->report, "HTML page: torques and errors by joint, parameters with their deviations");
  command.add_option("--joints-out", options->joints_out, "JSON of the joints' armature, damping, friction and offset");
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn identify robots/arm.urdf --log log.csv -o parameters.json --urdf-out fitted.urdf");
  command.callback([=, &chosen] { chosen = [=] { return identify_command(*options); }; });
}

}  // namespace sparsedyn::cli
