// sparsedyn generate: an algorithm or a sensor set as straight-line C.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/commands/over_time/generate_over_time.hpp"
#include "cli/reports/base_parameters.hpp"
#include "cli/support/command.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/output_names.hpp"
#include "cli/support/planning.hpp"
#include "codegen/casadi/acados_functions.hpp"
#include "codegen/casadi/casadi_derivatives.hpp"
#include "codegen/casadi/casadi_stage.hpp"
#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/ir/health_states.hpp"
#include "codegen/names/c_name.hpp"
#include "codegen/passes/deduplicate.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "codegen/programs/normal_equations.hpp"
#include "io/files/run_files.hpp"
#include "io/number.hpp"
#include "io/output_file.hpp"
#include "io/suggestions.hpp"
#include "program.hpp"
#include "requests/programs/requested_contacts.hpp"
#include "requests/programs/requested_parameters.hpp"
#include "requests/programs/requested_program.hpp"
#include "sparsedyn/algorithms/algorithm.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/plans.hpp"

namespace sparsedyn::cli {
namespace {

struct GenerateOptions {
  CommonOptions common;
  RobotOptions robot;
  ProgramRequest request;
  std::string plan, name, folder, outputs, languages, constraints, derivatives, parameters, forces, dtype = "double";
  bool header = false, health = false, distinct = false, single = false, unchecked = false, casadi = false, acados = false,
       base = false;
  bool over_time = false;
};

/// Those that are written in any case. Other languages have others, which are known when they are written.
std::vector<std::string> files_of(const GenerateOptions& options) {
  std::vector<std::string> files;
  for (const char* ending : {".c", ".h", ".json"}) files.push_back(options.folder + "/" + options.name + ending);
  return files;
}

/// C, and what else is asked for; each once.
std::vector<std::string> chosen_languages(const GenerateOptions& options) {
  std::vector<std::string> chosen{"c"}, asked;
  if (options.header) asked.push_back("cpp");
  if (!options.languages.empty())
    for (const std::string& l : listed("--language", options.languages)) asked.push_back(l);
  const std::vector<std::string> known = emitted_languages();
  for (const std::string& l : asked) {
    if (std::find(known.begin(), known.end(), l) == known.end())
      throw UsageError("--language " + l + ": unknown" + suggestions_text(l, known) + "; expected one of " +
                       listing(known, known.size()));
    if (std::find(chosen.begin(), chosen.end(), l) == chosen.end()) chosen.push_back(l);
  }
  return chosen;
}

/// What gcc -O2 takes on one core of 2023, rounded; it grows with the text.
double compile_seconds(long operations, bool both_forms, long derivatives) {
  const double seconds = static_cast<double>(operations) * (both_forms ? 8e-4 : 3e-4) + static_cast<double>(derivatives) * 3e-4;
  return seconds < 10 ? std::ceil(seconds) : 10 * std::round(seconds / 10);
}

/// --casadi-derivatives: of a whole program of rnea or aba, or of a stage's x_next.
void check_casadi(const GenerateOptions& options, const Model& model) {
  const std::string& stage = options.request.stage;
  const bool whole = options.outputs.empty() || (!stage.empty() && options.outputs == "x_next");
  if (!whole || options.request.all_inputs || options.health || options.distinct || !options.parameters.empty())
    throw UsageError(
        "--casadi-derivatives: of all outputs as they are; not with --outputs, --all-inputs, --health, --distinct, "
        "--parameters");
  if (!stage.empty()) {
    const std::string none = why_no_casadi_stage(model, stage);
    if (none.empty()) return;
    if (stage != "semi-implicit") throw UsageError("--casadi-derivatives: " + none);
    throw InputError(options.robot.urdf, 0, "robot " + model.name, none, "joints that move");
  }
  const std::string why = why_no_casadi_derivatives(model, options.request.algorithm);
  if (why.empty()) return;
  if (options.request.algorithm != "rnea" && options.request.algorithm != "aba")
    throw UsageError("--casadi-derivatives: expected --algorithm rnea, --algorithm aba or --stage semi-implicit");
  throw InputError(options.robot.urdf, 0, "robot " + model.name, why, "joints that move");
}

/// --acados: of a stage's value alone.
void check_acados(const GenerateOptions& options, const Model& model) {
  const std::string& stage = options.request.stage;
  if (stage != "rate" && stage != "semi-implicit")
    throw UsageError("--acados: expected --stage rate, for integrators of acados, or --stage semi-implicit, discrete dynamics");
  if (!options.outputs.empty() || options.health || options.distinct || options.casadi || options.dtype != "double" ||
      !options.forces.empty())
    throw UsageError("--acados: not with --outputs, --health, --distinct, --casadi-derivatives, --dtype float, --forces");
  if (const std::string none = why_no_acados_functions(model, stage); !none.empty())
    throw InputError(options.robot.urdf, 0, "robot " + model.name, none,
                     model.nv == 0 ? "joints that move" : "a robot on the ground, of joints of one freedom");
}

/// Hand-written C around straight lines, not in the table of programs: algorithms of constraints, and steps under them.
bool through_contacts(const GenerateOptions& options) {
  return reads_constraints(options.request.algorithm) || (!options.request.stage.empty() && !options.constraints.empty());
}

/// The option that code through contacts has no use for, or "".
std::string foreign_to_contacts(const GenerateOptions& options) {
  const ProgramRequest& request = options.request;
  const bool alone = request.algorithm.empty() && request.sensors.empty() && !options.over_time;
  const bool step = !request.stage.empty() && alone;
  const std::pair<bool, const char*> foreign[] = {{!request.sensors.empty(), "--sensors"},
                                                  {!request.stage.empty() && !step, "--stage"},
                                                  {step && request.all_inputs, "--all-inputs"},
                                                  {request.weights, "--weights"},
                                                  {request.deviations, "--sd"},
                                                  {!options.outputs.empty() && !step, "--outputs"},
                                                  {options.header, "--cpp"},
                                                  {!options.languages.empty(), "--language"},
                                                  {options.health, "--health"},
                                                  {options.distinct, "--distinct"},
                                                  {options.casadi, "--casadi-derivatives"},
                                                  {options.acados, "--acados"},
                                                  {!options.forces.empty(), "--forces"},
                                                  {!options.derivatives.empty(), "--derivatives"},
                                                  {options.base, "--base-parameters"},
                                                  {options.unchecked, "--unchecked"},
                                                  {options.dtype != "double", "--dtype float"}};
  for (const auto& [given, name] : foreign)
    if (given) return name;
  return "";
}

void check_contacts(const GenerateOptions& options) {
  const std::string& algorithm = options.request.algorithm;
  const bool contacts = through_contacts(options);
  if (reads_constraints(algorithm) && options.constraints.empty())
    throw UsageError(algorithm + ": --constraints FILE.json is required");
  if (!contacts && !options.constraints.empty() && options.request.sensors.empty())
    throw UsageError("--constraints: of --sensors, of --stage, or of --algorithm " + listing(contact_algorithms()));
  if (const std::string foreign = contacts ? foreign_to_contacts(options) : ""; !foreign.empty())
    throw UsageError(
        (algorithm.empty() ? "--stage with --constraints" : algorithm) + ": " + foreign +
        " does not go with it; of other options, " +
        (algorithm.empty() ? "--outputs, --plan and --no-batch do" : "--plan, --all-inputs, --parameters and --no-batch do"));
}

ExitCode generate_contacts(const GenerateOptions& options) {
  ProgramRequest request = options.request;
  if (!options.outputs.empty()) request.outputs = listed("--outputs", options.outputs);
  if (!options.parameters.empty()) request.parameters = listed("--parameters", options.parameters);
  check_contact_request(request);
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan, snap_of_code), options.common);
  const ConstraintSet set = load_constraint_set(options.constraints, model);
  freedom_order(model, set, plan);  // is it for these? From the tips to the base nothing fills in: none is cheaper
  const std::string what = request.stage.empty() ? request.algorithm : "stage, " + request.stage + ", under constraints";
  ContactCodeOptions emit;
  emit.description = model.name + ", " + what + "; written by sparsedyn " SPARSEDYN_VERSION;
  emit.batch = !options.single;
  emit.manifest_lists = {{"velocity_names", velocity_names(model)}};
  const ContactCode code = requested_contacts(model, set, request, options.name, emit);
  make_output_folder(options.folder);
  const std::string base = options.folder + "/" + options.name;
  write_file(base + ".c", code.files.source);
  write_file(base + ".h", code.files.header);
  write_file(base + ".json", code.files.manifest);
  const long slopes = code.derivatives.flops();
  const bool iterates = request.algorithm != "contact-inverse-dynamics";
  Json json{{"function", options.name},
            {"files", {base + ".c", base + ".h", base + ".json"}},
            {"formulation", what},
            {"flops", counts_json(code.once)},
            {"flops_of_a_step", counts_json(code.step)},
            {"compile_seconds", compile_seconds(code.once.flops() + code.step.flops(), emit.batch && !slopes, slopes)}};
  if (slopes) json["flops_of_derivatives"] = counts_json(code.derivatives);
  tell(options.common.json
           ? json_text(json)
           : base + ".c: " + std::to_string(code.once.flops()) + " flops once" +
                 (iterates ? " and " + std::to_string(code.step.flops()) + " each step" : "") + ", beside the cones" +
                 (slopes ? "; " + std::to_string(slopes) + " for derivatives, beside L^-1" : "") + "\n");
  return ExitCode::done;
}

/// --base-parameters: the regressor's columns that no others make up, and what multiplies them.
void keep_base_columns(const Model& model, RequestedProgram& requested, EmitOptions& emit) {
  const BaseParameterText base = base_parameter_text(model);
  const std::vector<std::string> parameters = parameter_names(model);
  std::vector<std::string> elements, columns;
  for (const std::string& name : requested.program.program.outputs().at(0).elements)  // Y.ROW.COLUMN
    if (std::count(base.independent.begin(), base.independent.end(), std::stoi(name.substr(name.find('.', 2) + 1))))
      elements.push_back(name);
  for (int k : base.independent) columns.push_back(parameters[static_cast<std::size_t>(k)]);
  requested.program = requested.program.only(elements);
  emit.manifest_lists.emplace_back("base_columns", columns);
  emit.manifest_lists.emplace_back("base_parameters", base.expressions);
}

/// Refuses a robot for which the algorithm has no meaning, as `compute` does.
void require_fit(const Model& model, const std::string& algorithm, const std::string& file) {
  const AlgorithmMisfit misfit = misfit_of(model, algorithm);
  if (!misfit.found.empty()) throw InputError(file, 0, misfit.element, misfit.found, misfit.expected);
}

/// The step's own options are --sensors, --name and -o.
void check_over_time_alone(const GenerateOptions& options) {
  if (options.request.sensors.empty() || !options.request.algorithm.empty())
    throw UsageError("--over-time: expected --sensors, without --algorithm");
  const std::string foreign = !options.constraints.empty()  ? "--constraints"
                              : !options.plan.empty()       ? "--plan"
                              : !options.parameters.empty() ? "--parameters"
                                                            : "";
  GenerateOptions others = options;
  others.request.sensors.clear();
  for (const std::string& option : {foreign, foreign_to_contacts(others)})
    if (!option.empty()) throw UsageError("--over-time: " + option + " does not go with it");
}

ExitCode generate(const GenerateOptions& options) {
  if (const std::string fault = c_name_fault(options.name); !fault.empty())
    throw UsageError("--name " + options.name + ": " + fault);
  if (options.folder == "-") throw UsageError("-o -: expected a folder");
  if (options.over_time) {
    check_over_time_alone(options);
    return generate_over_time(options.robot, options.request.sensors, options.name, options.folder, options.common);
  }
  check_contacts(options);
  if (through_contacts(options)) return generate_contacts(options);
  const std::vector<std::string> in = chosen_languages(options);
  if (options.dtype != "double" && options.dtype != "float")
    throw UsageError("--dtype " + options.dtype + suggestions_text(options.dtype, {"double", "float"}) +
                     ": expected double or float");
  if (options.casadi && options.dtype == "float")
    throw UsageError("--casadi-derivatives: CasADi hands doubles; not with --dtype float");
  ProgramRequest request = options.request;
  if (!options.outputs.empty()) request.outputs = listed("--outputs", options.outputs);
  if (!options.derivatives.empty())
    request.derivatives = derivatives_by("--derivatives", listed("--derivatives", options.derivatives));
  if (!options.parameters.empty()) request.parameters = listed("--parameters", options.parameters);
  if (!options.forces.empty()) request.forces = listed("--forces", options.forces);
  if (!options.plan.empty() && request.sensors.empty() && !request.algorithm.empty())
    throw UsageError("--plan goes with --sensors");
  request.single_precision = options.dtype == "float";
  check_request(request);
  if (options.base && (request.algorithm != "regressor" || !request.outputs.empty()))
    throw UsageError("--base-parameters: of --algorithm regressor, without --outputs");
  const PlanFile plan = plan_file(options.plan);
  const Model model = load_robot(with_snap(options.robot, plan, snap_of_code), options.common);
  require_fit(model, request.algorithm, options.robot.urdf);
  if (plan) request.plan = plan_in_document(plan);
  if (options.casadi) check_casadi(options, model);
  if (options.acados) check_acados(options, model);
  if (const std::string none = why_no_stage(model, request.stage); !none.empty())
    throw InputError(options.robot.urdf, 0, "robot " + model.name, none, "a robot on the ground, of joints of one freedom");
  if ((options.casadi || options.acados) && !request.stage.empty())
    request.outputs = {request.stage == "rate" ? "xdot" : "x_next"};
  if (!options.constraints.empty())
    request.set = std::make_shared<SensorSet>(constrained_set(request.sensors, options.constraints, model, options.common));
  RequestedProgram requested =
      warned(options.common, [&](std::vector<std::string>& warnings) { return requested_program(model, request, warnings); });
  EmitOptions emit;
  emit.description = model.name + ", " + requested.what + "; written by sparsedyn " SPARSEDYN_VERSION;
  emit.manifest_lists = {{"velocity_names", velocity_names(model)}};
  if (!requested.refined.empty()) emit.manifest_lists.emplace_back("refined", requested.refined);
  if (!requested.loses_digits.empty()) emit.manifest_lists.emplace_back("loses_digits", requested.loses_digits);
  if (!requested.parameters.empty()) emit.nominal = {{"pi", requested.parameters.nominal}};
  if (options.base) keep_base_columns(model, requested, emit);
  if (options.casadi && !has_additive_coordinates(model)) {  // the function whose derivatives these are
    requested.program = {with_normalised_quaternions(requested.program.program, model), nullptr};
    emit.quaternions = quaternion_places(model);
  }
  if (options.distinct) {
    DeduplicatedProgram once = deduplicated(requested.program.program);
    requested.program = {std::move(once.program), nullptr};
    emit.manifest_lists.push_back({"equal", std::move(once.equal)});
  }
  const Program& program = requested.program.program;
  emit.batch = emit.vectors = !options.single, emit.checked = !options.unchecked;
  emit.single_precision = options.dtype == "float";
  if (options.health) requested.program = {with_health(program, health_states(model, program, emit.nominal)), nullptr};
  std::vector<CodeFile> code;
  for (const std::string& language : in)
    for (CodeFile& file : emit_files(requested.program, language, options.name, emit)) code.push_back(std::move(file));
  if (request.algorithm == "regressor" && request.outputs.empty() && !options.distinct && !options.health &&
      !emit.single_precision)
    add(normal_equations(program, ParameterIndex(model), model.nv, options.name), code);
  CasadiDerivatives derivatives;
  if (options.casadi)
    derivatives = request.stage.empty() ? casadi_derivatives(model, request.algorithm, options.name)
                                        : casadi_stage(model, request.stage, options.name, request.forces);
  if (options.acados) derivatives = acados_functions(model, request.stage, options.name, requested.parameters);
  for (CodeFile& file : code) {
    if (file.ending == ".c") file.text += derivatives.text;
    if (file.ending == ".h" && options.acados) file.text.insert(0, acados_integers());
  }

  make_output_folder(options.folder);
  const std::string base = options.folder + "/" + options.name;
  std::vector<std::string> files;
  for (const CodeFile& file : code) {
    files.push_back(base + file.ending);
    write_file(files.back(), file.text);
  }
  const OperationCounts counts = program.counts();
  const bool both_forms = emit.batch && code.front().text.find("#undef " + options.name + "_VECTORS") == std::string::npos;
  const double seconds = compile_seconds(counts.flops(), both_forms, derivatives.operations);
  const Json json{{"function", options.name},
                  {"files", files},
                  {"formulation", requested.what},
                  {"flops", counts_json(counts)},
                  {"compile_seconds", seconds}};
  tell(options.common.json
           ? json_text(json)
           : base + ".c: " + std::to_string(counts.flops()) + " flops, " + std::to_string(counts.trig) + " sines and cosines" +
                 (seconds < 5 ? "" : "; about " + number_text(seconds) + " s of gcc -O2") + "\n");
  return ExitCode::done;
}

}  // namespace

void add_generate(Command program, Chosen& chosen) {
  Command command = program.add_subcommand("generate", "Straight-line C for an algorithm or a sensor set");
  const auto options = std::make_shared<GenerateOptions>();
  const std::vector<std::string> known = program_algorithms();
  command.add_option("--algorithm", options->request.algorithm,
                     listing(known, known.size()) + ",\n" + comma_list(contact_algorithms()));
  command.add_file("--sensors", options->request.sensors, FileRole::sensor_set,
                   "A sensor set: a file or the name of a built-in one");
  command.add_option(
      "--stage", options->request.stage,
      "A step of time, x, u, dt -> x_next, A, B, by this integrator: semi-implicit, rk4; with --outputs also T,\n"
      "the derivative by dt, and g and H, first and second ones times an input lambda;\n"
      "with --constraints by semi-implicit, under contacts and loops; then also force and gap. Or\n"
      "rate: x, u -> xdot, A, B, for integrators of others");
  command.add_file("--constraints", options->constraints, FileRole::input,
                   "With " + comma_list(contact_algorithms()) +
                       " and --stage: contacts, loops, stops,\ndry friction (JSON); with --sensors: hard rows alone, which "
                       "join the set");
  command.add_file("--plan", options->plan, FileRole::input,
                   "JSON of `optimise`: with --sensors the code follows its formulation and order");
  command.add_option("--name", options->name, "Name of the function and of the files").required();
  command
      .add_folder(
          "-o,--output", options->folder, [options] { return files_of(*options); }, "Folder for NAME.c, NAME.h, NAME.json")
      .required();
  command.add_flag("--over-time", options->over_time,
                   "With --sensors: a step of `track` by kinematic rows; what goes from step to step is handed on");
  Command ends = command.under("Inputs and outputs");
  ends.add_option("--outputs", options->outputs,
                  "Kinds (tau), kinds and names (f.JOINT), or columns, by commas; default: all that is not given");
  ends.add_flag("--all-inputs", options->request.all_inputs,
                "Read the columns that a log may leave out, too (external wrenches, tau.base)");
  ends.add_flag("--sd", options->request.deviations, "With --sensors: an output `sd`, posterior standard deviations");
  ends.add_option(
      "--derivatives", options->derivatives,
      "With --sensors: also dx_dq, dx_dv, dx_dy, dx_dp of all outputs: which of q, v, y, p, by commas; with second, "
      "in place\nof those by q, v and y, g and H: gradient and Hessian of all outputs times an input `lambda`");
  ends.add_flag("--weights", options->request.weights,
                "With --sensors: an input `weight`, 1/sigma of each noisy row, instead of the set's numbers");
  ends.add_option("--parameters", options->parameters,
                  "An input `pi`: these parameters of the robot instead of constants: inertial, joints, base,\nnames of "
                  "links, joints or parameters, by commas; derivatives by pi join those by q and dq");
  ends.add_option("--forces", options->forces,
                  "With --stage semi-implicit: links, by commas; forces on their origins, in the world's axes,\nstand behind "
                  "the torques in u");
  ends.add_flag(
      "--base-parameters", options->base,
      "With regressor: only the columns of the base parameters; NAME.json lists their combinations of all parameters");
  ends.add_flag("--distinct", options->distinct,
                "Write equal results (up to the sign) once; `equal` in NAME.json lists those left out");
  ends.add_flag("--health", options->health,
                "Add an output `health`: the smallest reciprocal growth of the pivots, 1 without cancellation");
  Command text = command.under("Text");
  text.add_option("--dtype", options->dtype, "double, or float: C in single precision, in its arguments too")
      .capture_default_str();
  text.add_flag("--no-batch", options->single,
                "Leave out NAME_batch and NAME_batch_status, and vectors: compiles in less than half the time");
  text.add_flag("--unchecked", options->unchecked, "No test for inputs that are not finite: results may be NaN");
  text.add_flag("--cpp", options->header, "Also NAME.hpp, templated on the scalar: --language cpp");
  text.add_option("--language", options->languages, "Write these languages too, by commas (an unknown name lists all)");
  text.add_flag("--casadi-derivatives", options->casadi,
                "With rnea, aba, --stage: also jac_NAME, adj1_NAME, jac_adj1_NAME, exact Jacobians and Hessians for CasADi");
  text.add_flag(
      "--acados", options->acados,
      "With --stage: also the functions that acados calls, NAME_expl_ode_fun, NAME_expl_vde_forw, NAME_expl_vde_adj,\n"
      "NAME_expl_ode_hess of a rate, NAME_dyn_disc_phi_fun, _jac, _jac_hess of a semi-implicit step");
  add_options(command, options->robot);
  add_options(command, options->common);
  command.footer("Example:\n  sparsedyn generate robots/arm.urdf --algorithm rnea --name arm_id -o build/generated");
  command.callback([=, &chosen] { chosen = [=] { return answering(options->common, [=] { return generate(*options); }); }; });
}

}  // namespace sparsedyn::cli
