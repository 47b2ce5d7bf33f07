// A step of time under contacts: generated contact dynamics inside, the joints' own steps behind.
#include <algorithm>
#include <stdexcept>

#include "codegen/contacts/contact_code_parts.hpp"
#include "codegen/contacts/emit_contacts.hpp"
#include "codegen/contacts/stage_function.hpp"
#include "codegen/emit/emit_manifest.hpp"
#include "codegen/emit/usage_comment.hpp"
#include "codegen/kernel/emit_kernel.hpp"
#include "codegen/stage/stage_ports.hpp"
#include "joint_steps.hpp"
#include "stage_text.hpp"

namespace sparsedyn {
namespace {

using Names = std::vector<std::string>;

const char* const kUsage =
    R"(   Warm start: hand `next` to the next call as `start`; zeros, or null, start cold. Both may be one array. What is null in res
   takes no time: without A, B, T, g and H no derivatives are computed.
)";

bool asks(const Names& outputs, const std::string& name) {
  return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

/// The function's vectors, without what it does. `inner`: those of the contact dynamics.
Program contact_stage_ports(const Model& model, const Program& inner, const Names& outputs) {
  Recorder recorder;
  const bool multiplied = asks(outputs, "g") || asks(outputs, "H");
  const StageInputs in(recorder, model, multiplied ? Multipliers::tangent : Multipliers::none);
  const Port& start = inner.inputs().back();
  recorder.input(start.name, start.elements);
  if (asks(outputs, "x_next")) output_next(recorder, model, ExprVector(in.q.size() + in.n()));
  output_jacobians(recorder, model, in, outputs, ExprMatrix(2 * in.n(), ExprVector(in.size())));
  if (asks(outputs, "g")) output_gradient(recorder, ExprVector(in.size()));
  if (asks(outputs, "H")) recorder.output("H", triangle_names("H", in.size()), ExprVector(in.size() * (in.size() + 1) / 2));
  const auto add = [&](const std::string& name, const Port& port) {
    recorder.output(name, port.elements, ExprVector(port.elements.size()));
  };
  if (asks(outputs, "force")) add("force", inner.outputs()[1]);
  if (asks(outputs, "gap")) add("gap", inner.outputs()[2]);
  add("next", inner.outputs()[3]), add("solver", inner.outputs()[4]);
  return recorder.unfactored();
}

}  // namespace

const std::vector<std::string>& contact_stage_outputs() {
  static const Names names{"x_next", "A", "B", "T", "g", "H", "force", "gap"};
  return names;
}

ContactCode contact_stage_code(const Model& model, const ConstraintSet& set, const std::vector<std::string>& outputs,
                               const std::string& name, const ContactCodeOptions& options) {
  check_function_name(name);
  if (model.nv == 0) throw std::invalid_argument("a robot without joints that move has no steps under constraints");
  if (!options.parameters.empty()) throw std::invalid_argument("parameters are constants in a step under contacts");
  for (const std::string& output : outputs)
    if (!asks(contact_stage_outputs(), output)) throw std::invalid_argument("a step under contacts has no output " + output);
  ContactCodeOptions inner = options;
  inner.wrenches = false;
  inner.second = asks(outputs, "H");
  inner.derivatives = inner.second || asks(outputs, "A") || asks(outputs, "B") || asks(outputs, "T") || asks(outputs, "g");
  const ContactDynamicsText dynamics = contact_dynamics_text(model, set, "static int @_dynamics", inner, false);
  const Program whole = contact_stage_ports(model, dynamics.ports, outputs),
                steps = joint_steps(model, inner.second        ? StepDerivatives::second
                                           : inner.derivatives ? StepDerivatives::first
                                                               : StepDerivatives::none);
  ContactCode code;
  code.inputs = whole.inputs(), code.outputs = whole.outputs();
  code.once = dynamics.once + steps.counts(), code.step = dynamics.step, code.derivatives = dynamics.derivatives;
  EmitOptions emit;
  emit.description = options.description, emit.batch = emit.vectors = options.batch;
  emit.manifest_lists = options.manifest_lists;
  emit.manifest_lists.push_back({"constraints", dynamics.constraint_names});
  const std::string text =
      dynamics.text + stage_function(steps, "advance", options.largest_part) +
      macro("ADVANCE", std::string("@_advance(in_x, in_x + @_NQ, ddq, in_dt, ") + (inner.second ? "in_lambda, " : "") +
                           "x_next" + (inner.derivatives ? ", slopes" : "") + (inner.second ? ", curvatures)" : ")")) +
      macro("STAGE_LONGEST", longest_input(whole)) + macro("CONTROLS", elements_of(whole.inputs(), "u")) +
      contact_stage_chain(model, whole) + contact_stage_function(whole) + (options.batch ? batch_text(whole, false) : "") +
      emit_casadi_interface(whole, false);
  code.files.source = named(text, name);
  code.files.header = emit_header(name, usage_comment(whole, name, "double") + named(contact_usage(kUsage), name), emit);
  code.files.manifest = emit_manifest(whole, name, code.once + code.step + code.derivatives, nullptr, emit);
  return code;
}

}  // namespace sparsedyn
