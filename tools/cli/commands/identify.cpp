// sparsedyn identify: masses, inertias and friction from logs with torques.
#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/algorithms/algorithm_inputs.hpp"
#include "cli/support/fitted_links.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "command.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
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
  std::string output, urdf_out, joints_out;
};

const std::vector<std::string> kinds{"inertia", "armature", "damping", "friction", "offset"};

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// A flag for each parameter: whether --fit names its kind.
std::vector<char> fitted_parameters(const Model& model, const std::string& names) {
  const std::vector<std::string> fit = names.empty() ? std::vector<std::string>() : listed("--fit", names);
  for (const std::string& kind : fit)
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      throw UsageError("--fit " + kind + ": unknown" + suggestions_text(kind, kinds) + "; expected " + listing(kinds));
  const auto named = [&](const std::string& kind) {
    return static_cast<char>(fit.empty() || std::find(fit.begin(), fit.end(), kind) != fit.end());
  };
  const ParameterIndex index(model);
  std::vector<char> fitted(static_cast<std::size_t>(index.count), named("inertia"));
  for (int own : index.of_joints)
    for (std::size_t k = 0; own >= 0 && k < 4; ++k) fitted[static_cast<std::size_t>(own) + k] = named(kinds[1 + k]);
  return fitted;
}

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

/// Root of the mean squared difference between the torques of the log and those that π gives, by freedom.
std::vector<double> torque_rms(TorqueInformation& information, const std::vector<double>& pi) {
  std::vector<double> rms;
  for (std::size_t i = 0; i < information.factors().size(); ++i)
    rms.push_back(std::sqrt(information.squares(static_cast<int>(i), pi) /
                            static_cast<double>(std::max(1L, information.factors()[i].rows))));
  return rms;
}

Json by_torque(const Model& model, const std::vector<double>& numbers) {
  Json json = Json::object();
  const std::vector<std::string> names = force_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) json[names[i]] = numbers[i];
  return json;
}

/// The four columns of torques' errors: of the robot's file and of the fit, in the logs and in those held out.
struct TorqueErrors {
  std::vector<double> before, after, holdout_before, holdout_after;
};

Json result_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms) {
  const std::vector<std::string> names = parameter_names(model);
  Json parameters = Json::array(), base = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k)
    parameters.push_back({{"name", names[k]},
                          {"urdf", urdf[k]},
                          {"value", x.value[k]},
                          {"sd", x.sd[k]},
                          {"determined", static_cast<bool>(x.determined[k])}});
  for (std::size_t k = 0; k < x.base_value.size(); ++k)
    base.push_back(
        {{"expression", x.base.expression(static_cast<int>(k), names)}, {"value", x.base_value[k]}, {"sd", x.base_sd[k]}});
  Json torques{{"before", by_torque(model, rms.before)}, {"after", by_torque(model, rms.after)}};
  if (!rms.holdout_after.empty()) {
    torques["holdout_before"] = by_torque(model, rms.holdout_before);
    torques["holdout_after"] = by_torque(model, rms.holdout_after);
  }
  return {{"parameters", parameters},           {"base_parameters", base}, {"rank", x.rank},
          {"condition", x.condition},           {"rows", x.rows},          {"chi_square", x.chi_square},
          {"noise", by_torque(model, x.sigma)}, {"torque_rms", torques}};
}

std::string result_text(const Model& model, const Identification& x, const TorqueErrors& rms) {
  const std::size_t determined = static_cast<std::size_t>(std::count(x.determined.begin(), x.determined.end(), 1));
  std::string text = "identify: " + std::to_string(determined) + " of " + std::to_string(x.value.size()) +
                     " parameters determined; rank " + std::to_string(x.rank) + " of " + std::to_string(x.base_value.size()) +
                     " base parameters, condition " + rounded(x.condition) + "\n\ntorques' rms error, before -> after" +
                     (rms.holdout_after.empty() ? "" : "; held out, before -> after") + "\n";
  const std::vector<std::string> names = force_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += "  " + names[i] + ": " + rounded(rms.before[i]) + " -> " + rounded(rms.after[i]);
    if (!rms.holdout_after.empty()) text += "; " + rounded(rms.holdout_before[i]) + " -> " + rounded(rms.holdout_after[i]);
    text += "\n";
  }
  return text;
}

Json joints_json(const Model& model, const std::vector<double>& value) {
  const ParameterIndex index(model);
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (index.of_joints[j] < 0) continue;
    Json& joint = joints[model.joints[j].name];
    for (std::size_t k = 0; k < 4; ++k) joint[kinds[1 + k]] = value[static_cast<std::size_t>(index.of_joints[j]) + k];
    joint["smoothing"] = smoothing_of(model, model.joints[j].v);
  }
  return {{"joints", joints}};
}

void check_options(const IdentifyCommand& options) {
  if (!(options.prior > 0) || !std::isfinite(options.prior)) throw UsageError("--prior: expected a positive number");
  if (options.common.json && options.output == "-") throw UsageError("-o - with --json: both would go to the standard output");
  if (!options.urdf_out.empty() && options.robot.urdf == "-")
    throw UsageError("--urdf-out: expected a robot from a file, not from the standard input");
  std::vector<std::string> inputs{options.robot.urdf};
  for (const auto* files : {&options.logs, &options.holdout}) inputs.insert(inputs.end(), files->begin(), files->end());
  for (const std::string* output : {&options.output, &options.urdf_out, &options.joints_out})
    if (!output->empty()) refuse_output_over_input(*output, inputs);
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) throw UsageError("two inputs are -");
}

ExitCode identify_command(const IdentifyCommand& options) {
  check_options(options);
  const Model model = load_robot(options.robot, options.common);
  IdentifyOptions fit;
  fit.fitted = fitted_parameters(model, options.fit);
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
  const std::string json = json_text(result_json(model, x, urdf, rms));
  write_file(options.output, json);
  if (!options.joints_out.empty()) write_file(options.joints_out, json_text(joints_json(model, x.value)));
  if (!options.urdf_out.empty())
    write_file(options.urdf_out, rewrite_inertials(read_text_file(options.robot.urdf, "a URDF"), fitted_links(model, x.value)));
  tell(options.common.json ? json : result_text(model, x, rms), options.output == "-");
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
  command.add_option("--joints-out", options->joints_out, "JSON of the joints' armature, damping, friction and offset");
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn identify robots/arm.urdf --log log.csv -o parameters.json --urdf-out fitted.urdf");
  command.callback([=, &chosen] { chosen = [=] { return identify_command(*options); }; });
}

}  // namespace sparsedyn::cli
