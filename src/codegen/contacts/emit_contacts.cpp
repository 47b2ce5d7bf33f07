#include "emit_contacts.hpp"

#include <optional>
#include <stdexcept>

#include "codegen/contacts/second/contact_curvature.hpp"
#include "codegen/contacts/second/curvature_text.hpp"
#include "codegen/contacts/second/loop_curvature.hpp"
#include "codegen/emit/emit_manifest.hpp"
#include "codegen/emit/lane_dialect.hpp"
#include "codegen/emit/usage_comment.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/programs/varying_robot.hpp"
#include "constraints/blocks.hpp"
#include "constraints/hard_row_factor.hpp"
#include "constraints/hard_row_ranks.hpp"
#include "contact_code_parts.hpp"
#include "contact_slopes.hpp"
#include "contact_stages.hpp"
#include "contact_text.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "stage_function.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

const char* const kCodes =
    R"(/* Returns 0, or 1 where an input or a result is not finite, 2 where a joint moves no mass, 3 where the forces do not settle,
   or hard rows contradict each other or lose rank: then `solver` alone is written. solver: Newton steps, the largest difference between
   forces that cones give and forces that move the robot, beside the largest; and with 2 the freedom, with 3 the constraint in
   NAME.json's list that is worst, or -1.
)";
const char* const kDefinitions =
    R"(   Compile with -D@_TOLERANCE=1e-8 for other than 1e-11, with -D@_ITERATIONS=20 for other than 100 steps at most. */
)";
const char* const kWarmStart =
    R"(   Warm start: hand `next` of the state before to the next call as `start`; zeros, or null, start cold. Both may be one array.
)";

const char* const kBatchesInLanes =
    R"(   Batches: as many samples at once as the processor's vectors have lanes, 8 with AVX-512; a lane that has settled waits for
   the others, and none depends on who stands beside it. Results of those with a code are NaN (but solver), and status[s] is
   the code. Without vectors one sample after the other.
)";
const char* const kBatchesOneByOne =
    R"(   Batches: one sample after the other. Results of those with a code are NaN (but solver), and status[s] is the code.
)";

/// What hands one state on to the next: whether there is any, then of each contact whether it counted and j, of each row too.
std::vector<std::string> start_names(const ContactLayout& layout, const std::string& port) {
  std::vector<std::string> names{port + ".given"};
  const auto add = [&](const std::string& name, int rows) {
    names.push_back(port + "." + name + ".counts");
    for (int k = 0; k < rows; ++k) names.push_back(port + "." + name + "." + std::to_string(k));
  };
  for (const RowBlock* contact : layout.contacts) add(contact->name, layout.directions);
  for (const JointRow& row : layout.joint_rows)
    add(row.block->name + (row.block->type == ConstraintType::dry_friction ? "" : row.sign > 0 ? ".lower" : ".upper"), 1);
  return names;
}

std::vector<std::string> matrix_names(const std::string& kind, std::size_t rows, int columns) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows; ++i)
    for (int k = 0; k < columns; ++k) names.push_back(kind + "." + std::to_string(i) + "." + std::to_string(k));
  return names;
}

/// The function's vectors, without what it does.
Program ports(const Model& model, const ContactLayout& layout, const ConstrainedDynamics& reference,
              const ContactStages& stages, const ContactCodeOptions& options) {
  Recorder recorder;
  recorder.coordinates(model);
  for (std::size_t k = 1; k < stages.prepare.inputs().size(); ++k)
    recorder.input(stages.prepare.inputs()[k].name, stages.prepare.inputs()[k].elements);
  if (options.second) recorder.input("multipliers", prefixed("multipliers.ddq.", velocity_names(model)));
  if (options.force_multipliers)
    recorder.input("force_multipliers", prefixed("multipliers.lambda.", reference.force_columns()));
  recorder.input("start", start_names(layout, "start"));
  const auto add = [&](const std::string& port, const std::vector<std::string>& names) {
    recorder.output(port, names, std::vector<Expr>(names.size(), Expr(0.0)));
  };
  add("ddq", prefixed("ddq.", velocity_names(model)));
  add("lambda", prefixed("lambda.", reference.force_columns()));
  add("gap", prefixed("gap.", reference.gap_columns()));
  add("next", start_names(layout, "next"));
  add("solver", {"iterations", "residual", "worst"});
  for (const char* kind : {"dddq_dq", "dddq_dv", "dddq_dtau", "dlambda_dq", "dlambda_dv", "dlambda_dtau"}) {
    const auto rows = kind[1] == 'd' ? static_cast<std::size_t>(model.nv) : reference.force_columns().size();
    if (options.derivatives) add(kind, matrix_names(kind, rows, model.nv));
  }
  if (options.second) add("H", triangle_names("H", 3 * static_cast<std::size_t>(model.nv)));
  return recorder.unfactored();
}

std::string arguments(const Program& program, const std::string& inputs_are) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const Port& p : program.inputs()) {
    const bool outer = inputs_are == "outer" || (inputs_are == "slopes" && (p.name == "q" || p.name == "dq" || p.name == "fx"));
    add(outer ? "in_" + p.name : p.name == "w" ? "pressed" : p.name);
  }
  for (const Port& p : program.outputs()) add(inputs_are == "step" && p.name == "x" ? "reached" : p.name);
  return text;
}

/// The calls of the stages, on numbers or in lanes: the functions around them give their vectors the same names.
std::string calls(const std::string& prefix, const ContactStages& stages) {
  const std::string in_lanes = prefix.empty() ? "" : "LANES_", call = "@_" + prefix;
  return macro(in_lanes + "PREPARE", call + "prepare(" + arguments(stages.prepare, "outer") + ")") +
         macro(in_lanes + "STEP", call + "step_of(" + arguments(stages.step, "step") + ")") +
         macro(in_lanes + "FINISH", call + "finish(" + arguments(stages.finish, "finish") + ")");
}

/// Lengths of vectors, and the calls of the stages.
std::string definitions(const ContactStages& stages, const Program& whole) {
  return macro("LONGEST", longest_input(whole)) + macro("NQ", whole.inputs()[0].elements.size()) +
         macro("NX", elements_of(whole.inputs(), "fx")) + macro("PARAMETERS", elements_of(whole.inputs(), "pi")) +
         macro("START", whole.inputs().size() - 1) + macro("LEFT", whole.inputs().back().elements.size()) +
         macro("ENTRIES", elements_of(stages.prepare.outputs(), "M")) +
         macro("COLUMNS", elements_of(stages.prepare.outputs(), "S")) +
         macro("REST", elements_of(stages.prepare.outputs(), "rest")) + macro("FORCES", whole.outputs()[1].elements.size()) +
         calls("", stages) + calls("lanes_", stages);
}

HardRowMeasure hard_row_measure(const Model& model, const ConstraintSet& set, const std::vector<RowBlock>& blocks) {
  ConstraintRows rows(model, blocks);
  const HardRowFactor factor(model, rows, hard_row_postures(model, set));
  return {factor.sizes(), factor.firm_rows(), factor.rank()};
}

/// A call of the derivatives' stage, and what it needs.
std::string slopes_text(const Model& model, const ContactLayout& layout, const Program& stage,
                        const ContactCodeOptions& options) {
  return stage_function(stage, "slopes_of", options.largest_part) +
         macro("SLOPES_OF(in_dq, ddq)", "@_slopes_of(" + arguments(stage, "slopes") + ")") +
         macro("SLOPES", "@_SLOPES_OF(in_dq, ddq)") + contact_slopes_text(model, layout, options);
}

/// The stages of second derivatives, their calls, and what is around them.
struct SecondStages {
  SecondStages(const Model& model, const ContactLayout& layout, const ContactCodeOptions& options)
      : curvature(touch_curvature(model, layout, options.wrenches)) {
    if (!layout.contacts.empty()) slopes = touch_slopes(model, layout);
    if (!layout.loops.empty()) turns = loop_turns(model, layout);
    if (options.force_multipliers && welds_of(layout) > 0) moments = moment_multipliers(model, layout);
  }
  OperationCounts counts() const { return curvature.counts() + slopes.counts() + turns.counts() + moments.counts(); }
  std::string text(const ContactLayout& layout, const ContactCodeOptions& options) const {
    std::string made = stage_function(curvature, "curvature_of", options.largest_part) +
                       macro("CURVATURE", "@_curvature_of(" + arguments(curvature, "slopes") + ")");
    if (!layout.contacts.empty())
      made += stage_function(slopes, "touch_slopes_of", options.largest_part) +
              macro("TOUCH_SLOPES", "@_touch_slopes_of(" + arguments(slopes, "slopes") + ")");
    if (!layout.loops.empty())
      made += stage_function(turns, "loop_turns_of", options.largest_part) +
              macro("LOOP_TURNS", "@_loop_turns_of(" + arguments(turns, "slopes") + ")") +
              macro("LOOP_BENDS", elements_of(curvature.inputs(), "loop_bends"));
    if (!moments.outputs().empty())
      made += stage_function(moments, "moments_of", options.largest_part) +
              macro("MOMENTS", "@_moments_of(" + arguments(moments, "slopes") + ")") +
              macro("ETA_TURNS", elements_of(moments.outputs(), "eta_turns"));
    std::string begins;
    int directions = 0;
    for (const RowBlock* contact : layout.contacts)
      begins += std::to_string(directions) + ", ", directions += contact->directions();
    if (directions > 0) made += "static const int @_directions[] = {" + begins + "};\n";
    return made + macro("DIRECTIONS", static_cast<std::size_t>(directions));
  }
  Program curvature, slopes, turns, moments;
};

/// What batches in lanes stand on.
std::string lanes_text(const ContactStages& stages, const ContactCodeOptions& options) {
  const bool tanh = uses(stages.prepare, Op::tanh);
  const auto stage = [&](const Program& program, const char* name) {
    return lanes_stage_function(program, name, options.largest_part);
  };
  return "#if defined(@_VECTORS)\n" + std::string(tanh ? tanh_in_lanes : "") + stage(stages.prepare, "prepare") +
         stage(stages.step, "step_of") + stage(stages.finish, "finish") +
         contact_lanes(options.wrenches, !options.parameters.empty()) + "#endif\n";
}

}  // namespace

std::string contact_usage(const std::string& how) { return kCodes + how + kDefinitions; }

std::string contact_text_begins(const std::string& description) {
  return "/* " + comment(description) + " */\n#define @_KERNEL\n#include \"@.h\"\n" + compiler_macros + finiteness_check;
}

ContactDynamicsText contact_dynamics_text(const Model& model, const ConstraintSet& set, const std::string& function,
                                          const ContactCodeOptions& options, bool lanes) {
  const ConstrainedDynamics reference(model, set);
  const std::vector<RowBlock> blocks = resolved(model, set, inverse_weights(model));
  const ContactLayout layout = contact_layout(model, blocks);
  const std::string tables = contact_tables(model, layout);
  if (options.second && !options.derivatives) throw std::invalid_argument("second derivatives go with first ones");
  if (options.force_multipliers && !options.second)
    throw std::invalid_argument("multipliers of forces go with second derivatives");
  if (!options.parameters.empty() && options.derivatives)
    throw std::invalid_argument("parameters are constants in derivatives through contacts");
  std::optional<VaryingRobot> varying;
  if (!options.parameters.empty()) varying.emplace(model, options.parameters);
  const ContactStages stages = contact_stages(model, layout, options.wrenches, varying ? &*varying : nullptr);
  const Program slopes = options.derivatives ? contact_slopes(model, layout, options.wrenches) : Program();
  ContactDynamicsText made;
  std::optional<SecondStages> second;
  if (options.second) second.emplace(model, layout, options);
  made.ports = ports(model, layout, reference, stages, options);
  made.once = stages.prepare.counts() + stages.finish.counts(), made.step = stages.step.counts();
  made.derivatives = slopes.counts();
  if (second) made.derivatives = made.derivatives + second->counts();
  made.constraint_names = reference.constraint_names(), made.loops = !layout.loops.empty();
  const auto stage = [&](const Program& program, const char* name) {
    return stage_function(program, name, options.largest_part);
  };
  made.text = contact_text_begins(options.description) + definitions(stages, made.ports) + tables + freedom_tables(layout) +
              name_tables(layout, reference) + contact_helpers() + stage(stages.prepare, "prepare") +
              stage(stages.step, "step_of") + stage(stages.finish, "finish");
  if (made.loops) made.text += contact_loops_text(layout, loop_names(layout, reference), hard_row_measure(model, set, blocks));
  if (second) made.text += second->text(layout, options);
  if (options.derivatives) made.text += slopes_text(model, layout, slopes, options);
  made.text += contact_function(function, options, made.loops);
  if (lanes && !made.loops) made.text += lanes_text(stages, options);
  return made;
}

ContactCode contact_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                  const ContactCodeOptions& options) {
  check_function_name(name);
  const bool lanes = options.batch && !options.derivatives;
  const ContactDynamicsText made = contact_dynamics_text(model, set, "int @", options, lanes);
  ContactCode code;
  code.inputs = made.ports.inputs(), code.outputs = made.ports.outputs();
  code.once = made.once, code.step = made.step, code.derivatives = made.derivatives;
  EmitOptions emit;
  emit.description = options.description, emit.batch = emit.vectors = options.batch;
  emit.manifest_lists = options.manifest_lists;
  if (!options.parameters.empty()) emit.nominal = {{"pi", options.parameters.nominal}};
  emit.manifest_lists.push_back({"constraints", made.constraint_names});
  code.files.source = named(made.text + (options.batch ? batch_text(made.ports, lanes && !made.loops) : "") +
                                emit_casadi_interface(made.ports, false),
                            name);
  const bool in_lanes = !made.loops && !options.derivatives;
  code.files.header =
      emit_header(name,
                  usage_comment(made.ports, name, "double") +
                      named(contact_usage(kWarmStart + std::string(in_lanes ? kBatchesInLanes : kBatchesOneByOne)), name),
                  emit);
  code.files.manifest = emit_manifest(made.ports, name, code.once + code.step + code.derivatives, nullptr, emit);
  return code;
}

}  // namespace sparsedyn
