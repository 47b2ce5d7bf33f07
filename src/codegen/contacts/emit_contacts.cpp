#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

#include "codegen/emit/emit_manifest.hpp"
#include "codegen/emit/lane_dialect.hpp"
#include "codegen/emit/usage_comment.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/programs/varying_robot.hpp"
#include "constraints/blocks.hpp"
#include "constraints/hard_row_factor.hpp"
#include "constraints/hard_row_ranks.hpp"
#include "contact_slopes.hpp"
#include "contact_stages.hpp"
#include "contact_text.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "stage_function.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

const char* const kUsage =
    R"(/* Returns 0, or 1 where an input or a result is not finite, 2 where a joint moves no mass, 3 where the forces do not settle,
   or hard rows contradict each other or lose rank: then `solver` alone is written. solver: Newton steps, the largest difference between
   forces that cones give and forces that move the robot, beside the largest; and with 2 the freedom, with 3 the constraint in
   NAME.json's list that is worst, or -1.
   Warm start: hand `next` of the state before to the next call as `start`; zeros, or null, start cold. Both may be one array.
@BATCHES   Compile with -D@_TOLERANCE=1e-8 for other than 1e-11, with -D@_ITERATIONS=20 for other than 100 steps at most. */
)";

const char* const kBatchesInLanes =
    R"(   Batches: as many samples at once as the processor's vectors have lanes, 8 with AVX-512; a lane that has settled waits for
   the others, and none depends on who stands beside it. Results of those with a code are NaN (but solver), and status[s] is
   the code. Without vectors one sample after the other.
)";
const char* const kBatchesOneByOne =
    R"(   Batches: one sample after the other. Results of those with a code are NaN (but solver), and status[s] is the code.
)";

/// For the header.
std::string usage(bool lanes) {
  std::string text = kUsage;
  const std::string mark = "@BATCHES";
  return text.replace(text.find(mark), mark.size(), lanes ? kBatchesInLanes : kBatchesOneByOne);
}

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
              const ContactStages& stages, bool slopes) {
  Recorder recorder;
  recorder.coordinates(model);
  for (std::size_t k = 1; k < stages.prepare.inputs().size(); ++k)
    recorder.input(stages.prepare.inputs()[k].name, stages.prepare.inputs()[k].elements);
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
    if (slopes) add(kind, matrix_names(kind, rows, model.nv));
  }
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

std::string define(const std::string& name, const std::string& value) { return "#define @_" + name + " " + value + "\n"; }
std::string define(const std::string& name, std::size_t value) { return define(name, std::to_string(value)); }

/// The calls of the stages, on numbers or in lanes: the functions around them give their vectors the same names.
std::string calls(const std::string& prefix, const ContactStages& stages) {
  const std::string macro = prefix.empty() ? "" : "LANES_", call = "@_" + prefix;
  return define(macro + "PREPARE", call + "prepare(" + arguments(stages.prepare, "outer") + ")") +
         define(macro + "STEP", call + "step_of(" + arguments(stages.step, "step") + ")") +
         define(macro + "FINISH", call + "finish(" + arguments(stages.finish, "finish") + ")");
}

std::size_t length(const std::vector<Port>& all, const std::string& name) {
  for (const Port& p : all)
    if (p.name == name) return p.elements.size();
  return 0;
}

/// Lengths of vectors, and the calls of the stages.
std::string definitions(const ContactStages& stages, const Program& whole) {
  std::size_t longest = 1;
  for (const Port& p : whole.inputs()) longest = std::max(longest, p.elements.size());
  return define("LONGEST", longest) + define("NQ", whole.inputs()[0].elements.size()) +
         define("NX", length(whole.inputs(), "fx")) + define("PARAMETERS", length(whole.inputs(), "pi")) +
         define("START", whole.inputs().size() - 1) + define("LEFT", whole.inputs().back().elements.size()) +
         define("ENTRIES", length(stages.prepare.outputs(), "M")) + define("COLUMNS", length(stages.prepare.outputs(), "S")) +
         define("REST", length(stages.prepare.outputs(), "rest")) + define("FORCES", whole.outputs()[1].elements.size()) +
         calls("", stages) + calls("lanes_", stages);
}

/// Where each contact and each row of a joint stands among the constraints' names.
std::string name_tables(const ContactLayout& layout, const ConstrainedDynamics& reference) {
  const std::vector<std::string>& names = reference.constraint_names();
  const auto of_blocks = [&](const std::string& name, const std::vector<const RowBlock*>& blocks) {
    std::string text = "static const int @_" + name + "[] = {";
    for (const RowBlock* block : blocks)
      text += std::to_string(std::find(names.begin(), names.end(), block->name) - names.begin()) + ", ";
    return blocks.empty() ? "" : text + "};\n";
  };
  std::vector<const RowBlock*> rows;
  for (const JointRow& row : layout.joint_rows) rows.push_back(row.block);
  return of_blocks("CONTACT_NAMES", layout.contacts) + of_blocks("JOINT_NAMES", rows);
}

HardRowMeasure hard_row_measure(const Model& model, const ConstraintSet& set, const std::vector<RowBlock>& blocks) {
  ConstraintRows rows(model, blocks);
  const HardRowFactor factor(model, rows, hard_row_postures(model, set));
  return {factor.sizes(), factor.firm_rows(), factor.rank()};
}

/// Rows of loops and couplings, where there are some.
std::string loops_text(const ContactLayout& layout, const ConstrainedDynamics& reference, const HardRowMeasure& measure) {
  if (layout.loops.empty()) return "";
  const std::vector<std::string>& names = reference.constraint_names();
  std::vector<int> places;
  for (const RowBlock* loop : layout.loops)
    places.push_back(static_cast<int>(std::find(names.begin(), names.end(), loop->name) - names.begin()));
  return contact_loops_text(layout, places, measure);
}

/// A call of the derivatives' stage, and what it needs.
std::string slopes_text(const Model& model, const ContactLayout& layout, const Program& stage,
                        const ContactCodeOptions& options) {
  return stage_function(stage, "slopes_of", options.largest_part) +
         define("SLOPES", "@_slopes_of(" + arguments(stage, "slopes") + ")") +
         contact_slopes_text(model, layout, options.wrenches);
}

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

/// NAME_batch, NAME_batch_status: samples in lanes; each by itself where the compiler has no vectors.
std::string batch_text(const Program& whole, bool lanes) {
  std::string inputs, outputs, arrays, arg, res;
  const auto line = [](const Port& port, std::size_t k, const char* vector, const std::string& loop) {
    return "    if (" + std::string(vector) + "[" + std::to_string(k) + "])\n      for (long e = 0; e < " +
           std::to_string(port.elements.size()) + "; ++e) " + loop + ";\n";
  };
  for (std::size_t k = 0; k < whole.inputs().size(); ++k) {
    const Port& port = whole.inputs()[k];
    const std::string name = "in_" + port.name, at = "[" + std::to_string(k) + "]";
    arrays += "  double " + name + "[@_ROOM(" + std::to_string(port.elements.size()) + ")];\n";
    arg += (arg.empty() ? "arg" : ", arg") + at + " ? " + name + " : 0";
    inputs += line(port, k, "arg", name + "[e] = arg" + at + "[e * n + s]");
  }
  for (std::size_t k = 0; k < whole.outputs().size(); ++k) {
    const Port& port = whole.outputs()[k];
    const std::string name = "out_" + port.name, at = "[" + std::to_string(k) + "]";
    arrays += "  double " + name + "[@_ROOM(" + std::to_string(port.elements.size()) + ")];\n";
    res += (res.empty() ? "" : ", ") + (k < 5 ? name : "res" + at + " ? " + name + " : 0");  // what is not asked for takes time
    outputs += line(port, k, "res",
                    "res" + at + "[e * n + s] = " + (port.name == "solver" ? "" : "code ? 0.0 / zero : ") + name + "[e]");
  }
  return "\nlong @_batch_status(const double *const *arg, double *const *res, long n, int *status) {\n  long failed = 0;\n" +
         std::string(lanes ? "#if defined(@_VECTORS)\n  for (long s = 0; s < n; s += @_LANES) failed += @_lanes(arg, res, n, "
                             "s, status);\n#else\n"
                           : "") +
         arrays + "  volatile double zero = 0;\n  for (long s = 0; s < n; ++s) {\n" + inputs + "    const double *from[] = {" +
         arg + "};\n    double *to[] = {" + res +
         "};\n    out_solver[0] = out_solver[1] = 0, out_solver[2] = -1;\n    const int code = @(from, to, 0, 0, 0);\n" +
         outputs + "    if (status) status[s] = code;\n    failed += code != 0;\n  }\n" + (lanes ? "#endif\n" : "") +
         "  return failed;\n}\n\n"
         "void @_batch(const double *const *arg, double *const *res, long n) { (void)@_batch_status(arg, res, n, 0); }\n";
}

void check_name(const std::string& name) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::all_of(name.begin(), name.end(), good))
    throw std::invalid_argument("'" + name + "' is not a name in C; expected letters, digits and _");
}

}  // namespace

ContactCode contact_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                  const ContactCodeOptions& options) {
  check_name(name);
  const ConstrainedDynamics reference(model, set);
  const std::vector<RowBlock> blocks = resolved(model, set, inverse_weights(model));
  const ContactLayout layout = contact_layout(model, blocks);
  const std::string tables = contact_tables(model, layout);
  if (!options.parameters.empty() && options.derivatives)
    throw std::invalid_argument("parameters are constants in derivatives through contacts");
  std::optional<VaryingRobot> varying;
  if (!options.parameters.empty()) varying.emplace(model, options.parameters);
  const ContactStages stages = contact_stages(model, layout, options.wrenches, varying ? &*varying : nullptr);
  const Program whole = ports(model, layout, reference, stages, options.derivatives);
  const Program slopes = options.derivatives ? contact_slopes(model, layout, options.wrenches) : Program();
  const bool loops = !layout.loops.empty(), lanes = options.batch && !options.derivatives && !loops;
  ContactCode code;
  code.once = stages.prepare.counts() + stages.finish.counts(), code.step = stages.step.counts();
  code.derivatives = slopes.counts();

  EmitOptions emit;
  emit.description = options.description, emit.batch = emit.vectors = options.batch,
  emit.manifest_lists = options.manifest_lists;
  if (varying) emit.nominal = {{"pi", options.parameters.nominal}};
  emit.manifest_lists.push_back({"constraints", reference.constraint_names()});
  std::string text = "/* " + comment(options.description) + " */\n#define @_KERNEL\n#include \"@.h\"\n";
  text += std::string(compiler_macros) + finiteness_check + definitions(stages, whole) + tables +
          name_tables(layout, reference) + contact_helpers();
  text += stage_function(stages.prepare, "prepare", options.largest_part) +
          stage_function(stages.step, "step_of", options.largest_part) +
          stage_function(stages.finish, "finish", options.largest_part) +
          loops_text(layout, reference, hard_row_measure(model, set, blocks)) +
          (options.derivatives ? slopes_text(model, layout, slopes, options) : "") +
          contact_function(options.wrenches, options.derivatives, loops, varying.has_value()) +
          (lanes ? lanes_text(stages, options) : "") + (options.batch ? batch_text(whole, lanes) : "") +
          emit_casadi_interface(whole, false);
  code.files.source = named(text, name);
  code.files.header =
      emit_header(name, usage_comment(whole, name, "double") + named(usage(!loops && !options.derivatives), name), emit);
  code.files.manifest = emit_manifest(whole, name, code.once + code.step + code.derivatives, nullptr, emit);
  return code;
}

}  // namespace sparsedyn
