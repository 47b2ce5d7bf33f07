// Programs of an algorithm, a sensor set, a step of time or contacts, as texts and as operations.
#include <optional>

#include "codegen/casadi/casadi_derivatives.hpp"
#include "codegen/casadi/casadi_stage.hpp"
#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/ir/health_states.hpp"
#include "codegen/names/c_name.hpp"
#include "codegen/programs/coordinate_tangent.hpp"
#include "compiled_function.hpp"
#include "constraints.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "json/json_text.hpp"
#include "program.hpp"
#include "requests/programs/requested_contacts.hpp"
#include "requests/programs/requested_program.hpp"
#include "sensors.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "warned_work.hpp"

namespace sparsedyn::python {
namespace {

/// Whether the elements are NAME.0.0 … of a matrix with all its entries.
bool is_matrix(const Port& port, npy_intp rows, npy_intp columns) {
  return rows * columns == static_cast<npy_intp>(port.elements.size()) && port.elements.front() == port.name + ".0.0" &&
         port.elements.back() == port.name + "." + std::to_string(rows - 1) + "." + std::to_string(columns - 1);
}

/// outputs × columns of derivatives dx_d…, by the name of the last element, NAME.ROW.COLUMN; nothing where that is another one.
std::optional<std::vector<npy_intp>> shape_of_sensitivities(const Port& port) {
  if (port.name.rfind("dx_d", 0) != 0 || port.elements.empty()) return {};
  const std::string& last = port.elements.back();
  const std::size_t column = last.rfind('.'), row = last.rfind('.', column - 1);
  const npy_intp rows = std::stol(last.substr(row + 1)) + 1, columns = std::stol(last.substr(column + 1)) + 1;
  if (!is_matrix(port, rows, columns)) return {};
  return std::vector<npy_intp>{rows, columns};
}

/// nv, 6 or 3 × nv, or 2 nv × any number, where the elements are NAME.0.0 … NAME.n.n, outputs × columns of derivatives dx_d…,
/// nv × columns of those by parameters, else a vector.
std::vector<npy_intp> shape_of(const Port& port, int nv, npy_intp outputs) {
  const auto n = static_cast<npy_intp>(port.elements.size());
  if (const auto sensitivities = shape_of_sensitivities(port)) return *sensitivities;
  if (outputs > 0 && port.name.rfind("dx_d", 0) == 0 && n == 0) return {outputs, 0};
  if (nv > 0 && port.name.find("_dpi") != std::string::npos && n % nv == 0) return {nv, n / nv};
  if (n == 0 && port.name == "B") return {2 * static_cast<npy_intp>(nv), 0};  // of a step without controls
  if (n == 0 || nv == 0) return {n};
  for (const npy_intp rows : {static_cast<npy_intp>(nv), npy_intp{6}, npy_intp{3}})
    if (is_matrix(port, rows, nv)) return {rows, nv};
  const npy_intp twice = 2 * static_cast<npy_intp>(nv);  // of states
  if (is_matrix(port, twice, n / twice)) return {twice, n / twice};
  return {n};
}

Shapes shapes_of(const std::vector<Port>& ports, int nv) {
  Shapes shapes;
  const npy_intp first = ports.empty() ? 0 : static_cast<npy_intp>(ports.front().elements.size());
  for (const Port& port : ports) shapes.emplace_back(port.name, shape_of(port, nv, &port == &ports.front() ? 0 : first));
  return shapes;
}

struct Generated {
  CProgram code;
  std::string what, flops;
  Shapes inputs, outputs;
};

ProgramRequest request_of(const std::string& algorithm, nb::handle source, const std::string& plan,
                          const std::vector<std::string>& outputs, bool all_inputs, bool weights, bool sd,
                          const std::vector<std::string>& derivatives, const std::vector<std::string>& parameters,
                          const std::string& stage, const std::vector<std::string>& forces) {
  ProgramRequest request;
  request.stage = stage, request.forces = forces;
  request.algorithm = algorithm;
  if (!source.is_none()) {
    const auto set = std::make_shared<SensorSet>(sensors_of(source).set);
    request.sensors = set->name.empty() ? "sensors" : set->name;
    request.set = set;
  }
  request.outputs = outputs;
  request.all_inputs = all_inputs, request.weights = weights, request.deviations = sd;
  request.derivatives = derivatives_by("derivatives", derivatives);
  request.parameters = parameters;
  if (!plan.empty()) request.plan = plan_in_text(plan, "plan");
  check_request(request);
  return request;
}

/// Values of the parameters that are inputs.
std::vector<std::pair<std::string, std::vector<double>>> nominal_of(const RequestedProgram& requested) {
  if (requested.parameters.empty()) return {};
  return {{"pi", requested.parameters.nominal}};
}

RequestedProgram recorded(const Model& model, const ProgramRequest& request, bool health, std::vector<std::string>& warnings) {
  RequestedProgram requested = requested_program(model, request, warnings);
  const Program& program = requested.program.program;
  if (health) requested.program = {with_health(program, health_states(model, program, nominal_of(requested))), nullptr};
  return requested;
}

nb::tuple generate(const RobotModel& robot, const std::string& algorithm, nb::handle source, const std::string& plan,
                   const std::vector<std::string>& outputs, bool health, bool all_inputs, bool weights, bool sd,
                   const std::vector<std::string>& derivatives, const std::vector<std::string>& parameters,
                   const std::string& stage, const std::vector<std::string>& forces, const std::string& name, bool single,
                   const std::string& derived) {
  if (const std::string fault = c_name_fault(name); !fault.empty())
    throw nb::value_error(("--name " + name + ": " + fault).c_str());
  ProgramRequest request =
      request_of(algorithm, source, plan, outputs, all_inputs, weights, sd, derivatives, parameters, stage, forces);
  request.single_precision = single;
  const auto model = robot.shared();
  const auto made = warned_work<Generated>([=] {
    WithWords<Generated> made_so_far;
    Generated& result = made_so_far.result;
    RequestedProgram requested = recorded(*model, request, health, made_so_far.warnings);
    if (!derived.empty()) requested.program = {derived_program(requested.program.program, *model, derived), nullptr};
    const Program& program = requested.program.program;
    EmitOptions emit;
    emit.description = model->name + ", " + requested.what + "; written by sparsedyn " SPARSEDYN_VERSION;
    emit.single_precision = single;
    emit.nominal = nominal_of(requested);
    if (!derived.empty()) emit.largest_part = 3000;  // compiled in half the time, and run in 1.2 times it
    emit.manifest_lists = {{"velocity_names", velocity_names(*model)}};
    if (!requested.refined.empty()) emit.manifest_lists.emplace_back("refined", requested.refined);
    if (!requested.loses_digits.empty()) emit.manifest_lists.emplace_back("loses_digits", requested.loses_digits);
    result.code = emit_c(requested.program, name, emit);
    result.what = requested.what;
    result.flops = json::counts_json(program.counts()).dump();
    result.inputs = shapes_of(program.inputs(), model->nv);
    result.outputs = shapes_of(program.outputs(), model->nv);
    return made_so_far;
  });
  return nb::make_tuple(made.code.source, made.code.header, made.code.manifest, made.flops, made.what, made.inputs,
                        made.outputs);
}

/// The same of contacts and loops: C that is no straight line.
nb::tuple generate_contacts(const RobotModel& robot, const Constraints& constraints, const std::string& algorithm,
                            const std::vector<std::string>& outputs, bool all_inputs,
                            const std::vector<std::string>& parameters, const std::string& stage, const std::string& name) {
  if (const std::string fault = c_name_fault(name); !fault.empty())
    throw nb::value_error(("--name " + name + ": " + fault).c_str());
  ProgramRequest request;
  request.algorithm = algorithm, request.stage = stage, request.outputs = outputs, request.all_inputs = all_inputs;
  request.parameters = parameters;
  check_contact_request(request);
  const auto model = robot.shared();
  const auto set = constraints.on(robot).set;
  const std::string what = stage.empty() ? algorithm : "stage, " + stage + ", under constraints";
  const ContactCode made = interruptible<ContactCode>([=](const Progress&) {
    ContactCodeOptions options;
    options.description = model->name + ", " + what + "; written by sparsedyn " SPARSEDYN_VERSION;
    options.manifest_lists = {{"velocity_names", velocity_names(*model)}};
    return requested_contacts(*model, *set, request, name, options);
  });
  const OperationCounts counts = made.once + made.step + made.derivatives;
  return nb::make_tuple(made.files.source, made.files.header, made.files.manifest, json::counts_json(counts).dump(), what,
                        shapes_of(made.inputs, model->nv), shapes_of(made.outputs, model->nv));
}

/// A program node by node, in the order of evaluation. operation: the name of each; first, second: its operands as ±(1 + node),
/// 0 for none; of an input its vector and element. value: of a constant. results: for each element of each output ±(1 + node).
struct Operations {
  std::vector<std::string> operation;
  std::vector<int> first, second;
  std::vector<double> value;
  std::vector<std::vector<int>> results;
};

int signed_place(const Ref& ref) { return ref.negative ? -1 - ref.node : 1 + ref.node; }

Operations operations_of(const Program& program) {
  static const char* const names[] = {"constant", "input", "add", "mul", "div", "sqrt", "sin", "cos", "tanh", "fabs", "fmin"};
  Operations all;
  for (const Node& node : program.nodes()) {
    const bool input = node.op == Op::input, operands = !input && node.op != Op::constant;
    const bool two = node.op == Op::add || node.op == Op::mul || node.op == Op::div || node.op == Op::min;
    all.operation.emplace_back(names[static_cast<int>(node.op)]);
    all.first.push_back(input ? node.port : operands ? signed_place(node.a) : 0);
    all.second.push_back(input ? node.element : two ? signed_place(node.b) : 0);
    all.value.push_back(node.value);
  }
  for (const std::vector<Ref>& output : program.results()) {
    all.results.emplace_back();
    for (const Ref& ref : output) all.results.back().push_back(signed_place(ref));
  }
  return all;
}

nb::tuple operations(const RobotModel& robot, const std::string& algorithm, nb::handle source, const std::string& plan,
                     const std::vector<std::string>& outputs, bool health, bool all_inputs, bool weights, bool sd,
                     const std::vector<std::string>& derivatives, const std::vector<std::string>& parameters,
                     const std::string& stage, const std::vector<std::string>& forces) {
  const ProgramRequest request =
      request_of(algorithm, source, plan, outputs, all_inputs, weights, sd, derivatives, parameters, stage, forces);
  const auto model = robot.shared();
  const Operations all = interruptible<Operations>([=](const Progress&) {
    std::vector<std::string> said_by_generate;
    return operations_of(recorded(*model, request, health, said_by_generate).program.program);
  });
  return nb::make_tuple(all.operation, all.first, all.second, all.value, all.results);
}

/// Texts to be compiled beside a program's own.
std::vector<std::string> derivatives_for_casadi(const RobotModel& robot, const std::string& algorithm,
                                                const std::string& name) {
  const auto model = robot.shared();
  return interruptible<std::vector<std::string>>(
      [=](const Progress&) { return casadi_derivatives(*model, algorithm, name).units; });
}

/// The same of a step's x_next; none where CasADi differentiates its expressions.
std::vector<std::string> stage_for_casadi(const RobotModel& robot, const std::string& stage,
                                          const std::vector<std::string>& forces, const std::string& name) {
  const auto model = robot.shared();
  if (!why_no_casadi_stage(*model, stage).empty()) return {};
  return interruptible<std::vector<std::string>>(
      [=](const Progress&) { return casadi_stage(*model, stage, name, forces).units; });
}

std::vector<int> quaternions_of(const RobotModel& robot) { return quaternion_places(robot.model()); }

}  // namespace

void bind_generated(nb::module_& m) {
  m.def("_operations", &operations, nb::arg("robot"), nb::arg("algorithm"), nb::arg("sensors").none(), nb::arg("plan"),
        nb::arg("outputs"), nb::arg("health"), nb::arg("all_inputs"), nb::arg("weights"), nb::arg("sd"), nb::arg("derivatives"),
        nb::arg("parameters"), nb::arg("stage"), nb::arg("forces"),
        nb::sig(
            "def _operations(robot: Model, algorithm: str, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] "
            "| None, plan: str, outputs: Sequence[str], health: bool, all_inputs: bool, weights: bool, sd: bool, derivatives: "
            "Sequence[str], parameters: Sequence[str], stage: str, forces: Sequence[str]) -> tuple[list[str], list[int], "
            "list[int], list[float], "
            "list[list[int]]]"));
  m.def("_generate", &generate, nb::arg("robot"), nb::arg("algorithm"), nb::arg("sensors").none(), nb::arg("plan"),
        nb::arg("outputs"), nb::arg("health"), nb::arg("all_inputs"), nb::arg("weights"), nb::arg("sd"), nb::arg("derivatives"),
        nb::arg("parameters"), nb::arg("stage"), nb::arg("forces"), nb::arg("name"), nb::arg("single"), nb::arg("derived") = "",
        nb::sig("def _generate(robot: Model, algorithm: str, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] | "
                "None, plan: str, outputs: Sequence[str], health: bool, all_inputs: bool, weights: bool, sd: bool, "
                "derivatives: Sequence[str], parameters: Sequence[str], stage: str, forces: Sequence[str], name: str, "
                "single: bool, derived: str = '') -> "
                "tuple[str, str, str, str, str, list[tuple[str, list[int]]], list[tuple[str, list[int]]]]"));
  m.def("_generate_contacts", &generate_contacts, nb::arg("robot"), nb::arg("constraints"), nb::arg("algorithm"),
        nb::arg("outputs"), nb::arg("all_inputs"), nb::arg("parameters"), nb::arg("stage"), nb::arg("name"),
        nb::sig("def _generate_contacts(robot: Model, constraints: Constraints, algorithm: str, outputs: Sequence[str], "
                "all_inputs: bool, parameters: Sequence[str], stage: str, name: str) -> "
                "tuple[str, str, str, str, str, list[tuple[str, list[int]]], list[tuple[str, list[int]]]]"));
  m.def("_casadi_derivatives", &derivatives_for_casadi, nb::arg("robot"), nb::arg("algorithm"), nb::arg("name"),
        nb::sig("def _casadi_derivatives(robot: Model, algorithm: str, name: str) -> list[str]"));
  m.def("_casadi_stage", &stage_for_casadi, nb::arg("robot"), nb::arg("stage"), nb::arg("forces"), nb::arg("name"),
        nb::sig("def _casadi_stage(robot: Model, stage: str, forces: Sequence[str], name: str) -> list[str]"));
  m.def("_quaternions", &quaternions_of, nb::arg("robot"), nb::sig("def _quaternions(robot: Model) -> list[int]"));
}

}  // namespace sparsedyn::python
