// Generated inverse dynamics under contacts: λ is a function of the acceleration, so nothing iterates.
#include <algorithm>
#include <stdexcept>

#include "codegen/contacts/contact_code_parts.hpp"
#include "codegen/contacts/contact_text.hpp"
#include "codegen/contacts/emit_contacts.hpp"
#include "codegen/contacts/stage_function.hpp"
#include "codegen/emit/emit_manifest.hpp"
#include "codegen/emit/lane_dialect.hpp"
#include "codegen/emit/usage_comment.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "constraints/blocks.hpp"
#include "inverse_stages.hpp"
#include "inverse_text.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

const char* const kUsage =
    R"(/* Returns 0, or 1 where an input or a result is not finite: then nothing is written. In batches results of such samples are
   NaN, and status[s] is the code. */
)";

void refuse_hard_rows(const std::vector<RowBlock>& blocks) {
  for (const RowBlock& block : blocks)
    if (block.hard)
      throw std::invalid_argument("constraint \"" + block.name +
                                  "\" is hard: its force is no function of the accelerations; expected soft constraints");
}

/// The function's vectors, without what it does.
Program inverse_ports(const Model& model, const ConstrainedDynamics& reference, const Program& prepare) {
  Recorder recorder;
  recorder.coordinates(model);
  for (std::size_t k = 1; k < prepare.inputs().size(); ++k)
    recorder.input(prepare.inputs()[k].name, prepare.inputs()[k].elements);
  const auto add = [&](const std::string& port, const std::vector<std::string>& names) {
    recorder.output(port, names, std::vector<Expr>(names.size(), Expr(0.0)));
  };
  add("tau", prefixed("tau.", force_names(model)));
  add("lambda", prefixed("lambda.", reference.force_columns()));
  add("gap", prefixed("gap.", reference.gap_columns()));
  return recorder.unfactored();
}

std::string call(const std::string& function, const Program& stage, bool first) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const Port& p : stage.inputs()) add(first ? "in_" + p.name : p.name == "w" ? "pressed" : p.name);
  for (const Port& p : stage.outputs()) add(p.name);
  return function + "(" + text + ")";
}

/// Lengths of vectors, and the calls of the stages, on numbers and in lanes.
std::string inverse_definitions(const InverseStages& stages, const ContactLayout& layout, const Program& whole) {
  const std::size_t start = 1 + layout.contacts.size() * static_cast<std::size_t>(1 + layout.directions) +
                            2 * layout.joint_rows.size();  // what rows begin from, cold
  return macro("LONGEST", std::max(longest_input(whole), start)) + macro("LEFT", start) +
         macro("NQ", whole.inputs()[0].elements.size()) + macro("NX", elements_of(whole.inputs(), "fx")) +
         macro("COLUMNS", elements_of(stages.prepare.outputs(), "S")) + macro("FORCES", whole.outputs()[1].elements.size()) +
         macro("PREPARE", call("@_prepare", stages.prepare, true)) + macro("FINISH", call("@_finish", stages.finish, false)) +
         macro("LANES_PREPARE", call("@_lanes_prepare", stages.prepare, true)) +
         macro("LANES_FINISH", call("@_lanes_finish", stages.finish, false));
}

std::string inverse_in_lanes(const InverseStages& stages, const ContactCodeOptions& options) {
  return "#if defined(@_VECTORS)\n" + std::string(uses(stages.prepare, Op::tanh) ? tanh_in_lanes : "") +
         lanes_stage_function(stages.prepare, "prepare", options.largest_part) +
         lanes_stage_function(stages.finish, "finish", options.largest_part) + contact_lanes_helpers() +
         inverse_lanes(options.wrenches) + "#endif\n";
}

}  // namespace

ContactCode contact_inverse_dynamics_code(const Model& model, const ConstraintSet& set, const std::string& name,
                                          const ContactCodeOptions& options) {
  check_function_name(name);
  if (!options.parameters.empty()) throw std::invalid_argument("parameters are constants in inverse dynamics under contacts");
  const ConstrainedDynamics reference(model, set);
  const std::vector<RowBlock> blocks = resolved(model, set, inverse_weights(model));
  refuse_hard_rows(blocks);
  const ContactLayout layout = contact_layout(model, blocks);
  const std::string tables = contact_tables(model, layout) + freedom_table(layout);
  const InverseStages stages = inverse_stages(model, layout, options.wrenches);
  const Program whole = inverse_ports(model, reference, stages.prepare);
  const bool loops = !layout.loops.empty(), lanes = options.batch && !loops;
  ContactCode code;
  code.inputs = whole.inputs(), code.outputs = whole.outputs();
  code.once = stages.prepare.counts() + stages.finish.counts();
  EmitOptions emit;
  emit.description = options.description, emit.batch = emit.vectors = options.batch;
  emit.manifest_lists = options.manifest_lists;
  emit.manifest_lists.push_back({"constraints", reference.constraint_names()});
  const std::string text = contact_text_begins(options.description) + inverse_definitions(stages, layout, whole) + tables +
                           name_tables(layout, reference) + contact_law_helpers() +
                           stage_function(stages.prepare, "prepare", options.largest_part) +
                           stage_function(stages.finish, "finish", options.largest_part) +
                           (loops ? soft_loops_text(layout, loop_names(layout, reference)) : "") +
                           inverse_function(options.wrenches, loops) + (lanes ? inverse_in_lanes(stages, options) : "") +
                           (options.batch ? batch_text(whole, lanes) : "") + emit_casadi_interface(whole, false);
  code.files.source = named(text, name);
  code.files.header = emit_header(name, usage_comment(whole, name, "double") + kUsage, emit);
  code.files.manifest = emit_manifest(whole, name, code.once, nullptr, emit);
  return code;
}

}  // namespace sparsedyn
