#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "batch.hpp"
#include "codegen/casadi/casadi_derivatives.hpp"
#include "codegen/casadi/casadi_stage.hpp"
#include "codegen/differentiate/program_derivatives.hpp"
#include "codegen/ir/health_states.hpp"
#include "codegen/names/c_name.hpp"
#include "constraints.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "io/number.hpp"
#include "json/json_text.hpp"
#include "lines.hpp"
#include "requests/programs/requested_contacts.hpp"
#include "requests/programs/requested_program.hpp"
#include "sensors.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/jit/compiled_program.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tiles.hpp"
#include "warned_work.hpp"

namespace sparsedyn::python {
namespace {

/// Names and last axes of a program's vectors.
using Shapes = std::vector<std::pair<std::string, std::vector<npy_intp>>>;

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
                          const std::string& stage) {
  ProgramRequest request;
  request.stage = stage;
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
                   const std::string& stage, const std::string& name, bool single, const std::string& derived) {
  if (const std::string fault = c_name_fault(name); !fault.empty())
    throw nb::value_error(("--name " + name + ": " + fault).c_str());
  ProgramRequest request =
      request_of(algorithm, source, plan, outputs, all_inputs, weights, sd, derivatives, parameters, stage);
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
                     const std::string& stage) {
  const ProgramRequest request =
      request_of(algorithm, source, plan, outputs, all_inputs, weights, sd, derivatives, parameters, stage);
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
std::vector<std::string> stage_for_casadi(const RobotModel& robot, const std::string& stage, const std::string& name) {
  const auto model = robot.shared();
  if (!why_no_casadi_stage(*model, stage).empty()) return {};
  return interruptible<std::vector<std::string>>([=](const Progress&) { return casadi_stage(*model, stage, name).units; });
}

/// Where quaternions begin in q.
std::vector<int> quaternions_of(const RobotModel& robot) {
  std::vector<int> places;
  for (const Body& body : robot.model().bodies)
    if (const int offset = quaternion_offset(body.joint); offset >= 0) places.push_back(body.q + offset);
  return places;
}

/// A program in machine code as a function of arrays.
class CompiledFunction : public WorkerSource {
 public:
  using BatchStatus = long (*)(const double* const*, double* const*, long, int*);

  /// What it is made of, for pickles and copies.
  struct Made {
    std::string source, header, name, cc, flags;
    std::vector<int> quaternions;
  };

  CompiledFunction(std::shared_ptr<const CompiledProgram> code, Made from, Shapes inputs, Shapes outputs, nb::object make,
                   bool single)
      : code_(std::move(code)),
        made_(std::move(from)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        make_(std::move(make)),
        single_(single) {
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      if (outputs_[k].first == "solver") solver_ = static_cast<int>(k);
    if (solver_ >= 0) batch_status_ = reinterpret_cast<BatchStatus>(code_->symbol(made_.name + "_batch_status"));
    while (coordinates_ < inputs_.size() && inputs_[coordinates_].first != "q" && inputs_[coordinates_].first != "x")
      ++coordinates_;
    for (int at : quaternions())
      if (coordinates_ == inputs_.size() || at < 0 || at + 4 > core_of(inputs_[coordinates_].second).count())
        throw nb::value_error("quaternions: expected places in q or x");
  }

  CompiledFunction(const CompiledFunction&) = delete;
  CompiledFunction& operator=(const CompiledFunction&) = delete;

  const CompiledProgram& code() const { return *code_; }
  const Made& made() const { return made_; }
  const Shapes& inputs() const { return inputs_; }
  const Shapes& outputs() const { return outputs_; }
  const nb::object& make() const { return make_; }
  /// Whether it computes in floats.
  bool single() const { return single_; }
  /// Where quaternions begin in an input, and which input that is, q or x.
  /// @{
  const std::vector<int>& quaternions() const { return made_.quaternions; }
  std::size_t coordinates() const { return coordinates_; }
  /// @}
  /// The norm of a quaternion in q, or x, that is further from 1 than numbers in a file or in floats are; else 1.
  double wrong_norm(const double* q) const {
    constexpr double most = 1e-5;  // six decimals leave 1e-6
    for (int at : quaternions())
      if (const double norm = std::sqrt(squares(q + at, 1)); !(std::fabs(norm - 1) <= most)) return norm;
    return 1;
  }
  /// Whether all quaternions in q, or x, have norm 1 but for rounding.
  bool of_norm_one(const double* q) const {
    return std::all_of(quaternions().begin(), quaternions().end(), [q](int at) { return is_one(squares(q + at, 1)); });
  }
  /// Scales these quaternions to norm 1, element e of q at q[e * stride]. What is_one() keeps its bits.
  void scale_to_norm_one(double* q, npy_intp stride) const {
    for (int at : quaternions()) {
      double* const u = q + at * stride;
      const double of_norm = squares(u, stride);
      if (is_one(of_norm)) continue;
      for (int e = 0; e < 4; ++e) u[e * stride] /= std::sqrt(of_norm);
    }
  }
  /// The output `solver` (steps, residual, what is worst) of a program that iterates, or -1.
  int solver() const { return solver_; }
  /// Of a program that iterates: n samples, with the code of each.
  void batch(const double* const* arg, double* const* res, long n, int* status) const { batch_status_(arg, res, n, status); }
  std::unique_ptr<Worker> take() override;
  void give_back(std::unique_ptr<Worker> worker) override { idle_.push_back(std::move(worker)); }

  static Core core_of(const std::vector<npy_intp>& shape) {
    Core core{static_cast<int>(shape.size()), {}};
    std::copy(shape.begin(), shape.end(), core.size.begin());
    return core;
  }

  void prepare(const nb::args& arguments, bool in_place, Rows& rows) const {
    if (arguments.size() != inputs_.size()) {
      std::string names;
      for (const auto& [name, shape] : inputs_) names += (names.empty() ? "" : ", ") + name;
      throw nb::type_error(
          (std::to_string(arguments.size()) + " arguments; expected " + std::to_string(inputs_.size()) + ": " + names).c_str());
    }
    rows.inputs.reserve(inputs_.size()), rows.input_specs.reserve(inputs_.size());
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      rows.input_specs.push_back(spec(inputs_[k]));
      rows.inputs.emplace_back(nb::handle(arguments[k]), rows.input_specs[k], in_place);
    }
    rows.broadcast_inputs();
    for (const auto& output : outputs_) rows.output_specs.push_back(spec(output));
  }

 private:
  static ArraySpec spec(const Shapes::value_type& port) { return {port.first.c_str(), core_of(port.second)}; }
  /// |u|² of a quaternion.
  static double squares(const double* u, npy_intp stride) {
    double sum = 0;
    for (int e = 0; e < 4; ++e) sum += u[e * stride] * u[e * stride];
    return sum;
  }
  static bool is_one(double squares) { return std::fabs(squares - 1) <= 8 * std::numeric_limits<double>::epsilon(); }

  std::shared_ptr<const CompiledProgram> code_;
  Made made_;
  Shapes inputs_, outputs_;
  nb::object make_;  // the named tuple of several outputs, or None
  bool single_;
  int solver_ = -1;
  std::size_t coordinates_ = 0;
  BatchStatus batch_status_ = nullptr;
  std::vector<std::unique_ptr<Worker>> idle_;
};

/// Tiles of samples as structures of arrays. A tile is always computed in whole vectors, so that a sample's numbers depend
/// neither on its place nor on who computes it. A program in floats gets numbers rounded to floats, and its results become
/// doubles again.
class ProgramWorker : public Worker {
 public:
  static constexpr npy_intp tile =
      56;  // an arm's fits half of the first cache; no power of two, which would crowd few sets of it

  static constexpr npy_intp vector_of_doubles = 8, vector_of_floats = 16;  // the widest

  explicit ProgramWorker(const CompiledFunction& function)
      : function_(function),
        vector_(function.single() ? vector_of_floats : vector_of_doubles),
        tile_(tile / vector_ * vector_) {
    for (const auto& part : {&function.inputs(), &function.outputs()})
      for (const auto& [name, shape] : *part) {
        npy_intp size = 1;
        for (npy_intp n : shape) size *= n;
        (part == &function.inputs() ? in_ : out_).emplace_back(static_cast<std::size_t>(size * tile));
      }
    arg_.resize(in_.size()), res_.resize(out_.size());
    if (function.single()) {
      for (const Lines& numbers : in_) float_in_.emplace_back(numbers.size());
      for (const Lines& numbers : out_) float_out_.emplace_back(numbers.size());
      for (std::vector<float>& numbers : float_in_) float_arg_.push_back(numbers.data());
      for (std::vector<float>& numbers : float_out_) float_res_.push_back(numbers.data());
    }
    sample_.resize(largest());
  }

  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override {
    if (rows.count == 1 && !function_.single()) return run_alone(rows, failures);
    for (npy_intp i = first; i < first + count; i += tile_) run_tile(rows, i, std::min(tile_, first + count - i), failures);
  }

 private:
  std::size_t largest() const {
    std::size_t most = 0;
    for (const auto& part : {&in_, &out_})
      for (const Lines& numbers : *part) most = std::max(most, numbers.size());
    return most;
  }

  void run_alone(const Rows& rows, std::vector<Failure>& failures) {
    for (std::size_t k = 0; k < in_.size(); ++k) arg_[k] = rows.in(static_cast<int>(k), 0);
    for (std::size_t k = 0; k < out_.size(); ++k)
      res_[k] = rows.outputs[k].contiguous() ? rows.outputs[k].data() : out_[k].data();
    scale_alone(rows);
    int status = function_.code().call(arg_.data(), res_.data());
    if (wrong_norm(rows, 0) != 1) status = not_of_norm_one;
    finish(rows, 0, status, failures, [&](std::size_t k) { return res_[k]; });
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (!rows.outputs[k].contiguous()) rows.outputs[k].scatter(res_[k], rows.batch, rows.output_specs[k].core, 0);
  }

  /// The only sample with quaternions of norm 1: a copy of q, or x, where they have another.
  void scale_alone(const Rows& rows) {
    if (function_.quaternions().empty() || function_.of_norm_one(arg_[function_.coordinates()])) return;
    const std::size_t c = function_.coordinates();
    std::copy_n(arg_[c], rows.in_size(static_cast<int>(c)), in_[c].data());
    function_.scale_to_norm_one(in_[c].data(), 1);
    arg_[c] = in_[c].data();
  }

  void compute(long wide) {
    if (function_.solver() >= 0) return function_.batch(arg_.data(), res_.data(), wide, status_);
    if (!function_.single()) return function_.code().batch(arg_.data(), res_.data(), wide);
    for (std::size_t k = 0; k < in_.size(); ++k) {
      double* numbers = in_[k].data();
      for (std::size_t e = 0; e < in_[k].size() / tile * static_cast<std::size_t>(wide); ++e)
        numbers[e] = float_in_[k][e] = static_cast<float>(numbers[e]);  // judged as what was computed with
    }
    function_.code().batch(float_arg_.data(), float_res_.data(), wide);
    for (std::size_t k = 0; k < out_.size(); ++k)
      std::copy_n(float_out_[k].data(), out_[k].size() / tile * static_cast<std::size_t>(wide), out_[k].data());
  }

  /// Samples i … i + n − 1, with copies of the last one up to a multiple of a vector.
  void run_tile(const Rows& rows, npy_intp i, npy_intp n, std::vector<Failure>& failures) {
    const npy_intp wide = (n + vector_ - 1) / vector_ * vector_;
    bool fine = true;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const int port = static_cast<int>(k);
      const npy_intp size = rows.in_size(port);
      double* columns = in_[k].data();
      if (rows.in_stride(port) == size && wide == n)
        fine = rows_to_columns(rows.in(port, i), size, n, columns) && fine;
      else {
        for (npy_intp s = 0; s < wide; ++s) {
          const double* sample = rows.in(port, i + std::min(s, n - 1));
          for (npy_intp e = 0; e < size; ++e) columns[e * wide + s] = sample[e];
        }
        fine = all_finite(columns, size * wide) && fine;
      }
      arg_[k] = columns;
    }
    if (!function_.quaternions().empty())
      for (npy_intp s = 0; s < wide; ++s) function_.scale_to_norm_one(in_[function_.coordinates()].data() + s, wide);
    for (std::size_t k = 0; k < out_.size(); ++k) res_[k] = out_[k].data();
    compute(static_cast<long>(wide));
    for (npy_intp s = 0; s < n && !function_.quaternions().empty(); ++s) {
      const bool off = wrong_norm(rows, i + s) != 1;
      if (off || function_.solver() < 0) status_[s] = off ? not_of_norm_one : 0;
      fine = fine && !off;
    }
    if (function_.single()) fine = false;  // judge() looks at what was rounded
    for (std::size_t k = 0; k < out_.size(); ++k) {
      const OutputArray& output = rows.outputs[k];
      const npy_intp size = rows.out_size(static_cast<int>(k));
      if (output.contiguous() && wide == n) {
        fine = columns_to_rows(res_[k], size, n, output.data() + i * size) && fine;
        continue;
      }
      fine = all_finite(res_[k], size * wide) && fine;
      for (npy_intp s = 0; s < n; ++s) {
        double* to = output.contiguous() ? output.data() + (i + s) * size : sample_.data();
        for (npy_intp e = 0; e < size; ++e) to[e] = res_[k][e * wide + s];
        if (!output.contiguous()) output.scatter(to, rows.batch, rows.output_specs[k].core, i + s);
      }
    }
    if (!fine) judge(rows, i, n, wide, failures);
  }

  /// Results that are not finite, found by columns.
  void judge(const Rows& rows, npy_intp i, npy_intp n, npy_intp wide, std::vector<Failure>& failures) {
    double sums[tile] = {};
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (npy_intp e = 0; e < rows.out_size(static_cast<int>(k)); ++e)
        for (npy_intp s = 0; s < n; ++s) sums[s] += res_[k][e * wide + s] * 0;
    for (std::size_t k = 0; k < in_.size(); ++k)
      for (npy_intp e = 0; e < rows.in_size(static_cast<int>(k)); ++e)
        for (npy_intp s = 0; s < n; ++s) sums[s] += in_[k][e * wide + s] * 0;
    for (npy_intp s = 0; s < n; ++s) {
      if (sums[s] == 0 && status_[s] == 0) continue;
      const double* const solver = function_.solver() < 0 ? nullptr : res_[static_cast<std::size_t>(function_.solver())];
      failures.push_back({i + s, why(rows, i + s, status_[s], solver ? solver[2 * wide + s] : -1)});
      for (std::size_t k = 0; k < out_.size(); ++k) {
        const npy_intp size = rows.out_size(static_cast<int>(k));
        std::fill_n(sample_.data(), size, std::numeric_limits<double>::quiet_NaN());
        rows.outputs[k].scatter(sample_.data(), rows.batch, rows.output_specs[k].core, i + s);
      }
    }
  }

  template <class Result>
  void finish(const Rows& rows, npy_intp i, int status, std::vector<Failure>& failures, Result&& result) {
    double sum = 0;
    for (std::size_t k = 0; k < out_.size(); ++k)
      for (npy_intp e = 0; e < rows.out_size(static_cast<int>(k)); ++e) sum += result(k)[e] * 0;
    if (status == 0 && sum == 0) return;
    const double worst = status > 1 && function_.solver() >= 0 ? result(static_cast<std::size_t>(function_.solver()))[2] : -1;
    failures.push_back({i, why(rows, i, status, worst)});
    for (std::size_t k = 0; k < out_.size(); ++k)
      std::fill_n(result(k), rows.out_size(static_cast<int>(k)), std::numeric_limits<double>::quiet_NaN());
  }

  /// The code of a call in words, with the freedom or the constraint that `solver` names by its index (-1: none).
  std::string why(const Rows& rows, npy_intp i, int status, double worst) const {
    const std::string place = worst >= 0 ? std::to_string(static_cast<int>(worst)) : "";
    if (status == 2) return "a joint moves no mass" + (place.empty() ? "" : ": ddq[" + place + "]");
    if (status == 3)
      return "the contact forces do not converge, or hard rows contradict each other or lose rank" +
             (place.empty() ? "" : ": manifest['constraints'][" + place + "]");
    for (std::size_t k = 0; k < rows.inputs.size(); ++k)
      for (npy_intp e = 0; e < rows.in_size(static_cast<int>(k)); ++e)
        if (!std::isfinite(rows.in(static_cast<int>(k), i)[e]))
          return rows.input_specs[k].text() + "[" + std::to_string(e) + "] is not finite";
    if (const double norm = wrong_norm(rows, i); norm != 1)
      return rows.input_specs[function_.coordinates()].text() + ": a quaternion has norm " + number_text(norm) + "; expected 1";
    const bool steps = function_.outputs().front().first == "x_next";
    return std::string("the results are not finite") +
           (steps ? ", as where a body turns by more than 4 pi rad within the step" : "");
  }

  /// The norm of a quaternion of sample i that is not 1; else 1.
  double wrong_norm(const Rows& rows, npy_intp i) const {
    if (function_.quaternions().empty()) return 1;
    return function_.wrong_norm(rows.in(static_cast<int>(function_.coordinates()), i));
  }

  static constexpr int not_of_norm_one = 4;  // beside the codes of generated functions

  const CompiledFunction& function_;
  npy_intp vector_, tile_;
  std::vector<std::vector<float>> float_in_, float_out_;
  std::vector<const float*> float_arg_;
  std::vector<float*> float_res_;
  std::vector<Lines> in_, out_;
  std::vector<const double*> arg_;
  std::vector<double*> res_;
  std::vector<double> sample_;
  int status_[tile] = {};  // by sample: codes of programs that iterate, and not_of_norm_one
};

std::unique_ptr<Worker> CompiledFunction::take() {
  if (idle_.empty()) return std::make_unique<ProgramWorker>(*this);
  std::unique_ptr<Worker> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

/// One sample and one result in arrays that are as they should be; none where something is not so, or goes wrong: the general
/// way then says what.
nb::object call_one(const CompiledFunction& function, const nb::args& arguments, nb::handle out, nb::handle on_error) {
  constexpr std::size_t most = 4;
  const std::size_t n = function.inputs().size();
  if (arguments.size() != n || n > most || function.outputs().size() != 1 || function.single()) return nb::none();
  if (!PyUnicode_Check(on_error.ptr()) || PyUnicode_CompareWithASCIIString(on_error.ptr(), "raise") != 0) return nb::none();
  const double* in[most];
  Core core[most];
  for (std::size_t k = 0; k < n; ++k) {
    core[k] = CompiledFunction::core_of(function.inputs()[k].second);
    in[k] = one_sample(PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)), core[k], 0);
    if (!in[k]) return nb::none();
  }
  const Core result_core = CompiledFunction::core_of(function.outputs()[0].second);
  nb::object result;
  if (out.is_none()) {
    std::array<npy_intp, 3> shape = result_core.size;
    result = nb::steal(PyArray_SimpleNew(result_core.rank, shape.data(), NPY_DOUBLE));
    if (!result.is_valid()) throw nb::python_error();
  } else
    result = nb::borrow(out);
  double* to = one_sample(result, result_core, NPY_ARRAY_WRITEABLE);
  if (!to) return nb::none();
  for (std::size_t k = 0; k < n; ++k)
    if (in[k] < to + result_core.count() && to < in[k] + core[k].count()) return nb::none();
  if (!function.quaternions().empty() && !function.of_norm_one(in[function.coordinates()])) return nb::none();
  const bool done = function.code().call(in, &to) == 0 && all_finite(to, result_core.count());
  return done ? result : nb::none();
}

constexpr npy_intp grain_of_programs = 8 * ProgramWorker::tile;

RunOptions options_of_programs() {
  RunOptions options;
  options.grain = grain_of_programs;
  return options;
}

nb::object call(CompiledFunction& function, const nb::args& arguments, nb::handle out, int threads, nb::handle on_error) {
  if (threads >= 0)
    if (nb::object one = call_one(function, arguments, out, on_error); !one.is_none()) return one;
  RunOptions options = run_options(threads, on_error);
  options.grain = grain_of_programs;
  Rows rows;
  function.prepare(arguments, false, rows);
  rows.make_outputs(out);
  const std::vector<Failure> failures = run(rows, function, options);
  return answer(rows, failures, options, function.make(), !out.is_none());
}

std::string text_of(const CompiledFunction& f);

/// Arrays fixed once.
class BoundFunction {
 public:
  BoundFunction(std::shared_ptr<CompiledFunction> function, const nb::args& arguments, nb::handle out)
      : function_(std::move(function)) {
    function_->prepare(arguments, true, rows_);
    rows_.make_outputs(out);
    own_.worker = function_->take();
    if (rows_.outputs.size() == 1)
      value_ = rows_.outputs[0].object();
    else {
      nb::list parts;
      for (const OutputArray& output : rows_.outputs) parts.append(output.object());
      value_ = function_->make()(*nb::tuple(parts));
    }
  }
  ~BoundFunction() {
    if (own_.worker) function_->give_back(std::move(own_.worker));
  }
  std::string text() const {
    return "BoundFunction(" + text_of(*function_) + ", " + std::to_string(rows_.count) +
           (rows_.count == 1 ? " sample)" : " samples)");
  }
  nb::object call() {
    failures_.clear();
    if (rows_.count == 1)
      own_.idle().run(rows_, 0, 1, failures_);
    else
      failures_ = run(rows_, own_, options_of_programs());
    if (!failures_.empty()) raise_solve_error(failures_, rows_.count);
    return value_;
  }

 private:
  std::shared_ptr<CompiledFunction> function_;
  Rows rows_;
  OwnWorker own_;
  std::vector<Failure> failures_;
  nb::object value_;
};

/// `out` by name, or behind the inputs.
BoundFunction* bind(const std::shared_ptr<CompiledFunction>& function, const nb::args& arguments, nb::handle out) {
  const std::size_t n = function->inputs().size();
  if (!out.is_none() || arguments.size() != n + 1) return new BoundFunction(function, arguments, out);
  const auto inputs = nb::steal<nb::args>(PyTuple_GetSlice(arguments.ptr(), 0, static_cast<Py_ssize_t>(n)));
  return new BoundFunction(function, inputs, arguments[n]);
}

std::shared_ptr<CompiledFunction> compile(const std::string& source, const std::string& header, const std::string& name,
                                          const Shapes& inputs, const Shapes& outputs, nb::handle make, const std::string& cc,
                                          const std::string& flags, bool single, const std::vector<int>& quaternions) {
  CompileOptions options;
  options.compiler = cc, options.flags = flags;
  auto code = interruptible<std::shared_ptr<const CompiledProgram>>([=](const Progress&) {
    return std::make_shared<const CompiledProgram>(CProgram{source, header, ""}, name, options);
  });
  return std::make_shared<CompiledFunction>(std::move(code),
                                            CompiledFunction::Made{source, header, name, cc, flags, quaternions}, inputs,
                                            outputs, nb::borrow(make), single);
}

/// `arm_rnea(q: 7, dq: 7, ddq: 7) -> (tau: 7)`; matrices as 7 x 7.
std::string text_of(const CompiledFunction& f) {
  const auto list = [](const Shapes& shapes) {
    std::string text;
    for (const auto& [name, shape] : shapes) {
      text += (text.empty() ? "" : ", ") + name + ":";
      for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? " x " : " ") + std::to_string(shape[k]);
      if (shape.empty()) text += " 1";
    }
    return "(" + text + ")";
  };
  return f.made().name + list(f.inputs()) + " -> " + list(f.outputs()) + (f.single() ? ", float32" : "");
}

/// A function of the package that makes it again, and what of.
nb::tuple reduced(const CompiledFunction& f) {
  const CompiledFunction::Made& made = f.made();
  const nb::object again = nb::module_::import_("sparsedyn._program").attr("compiled_again");
  const nb::object state = nb::module_::import_("sparsedyn._pickles")
                               .attr("state")(2, made.source, made.header, made.name, f.inputs(), f.outputs(), made.cc,
                                              made.flags, f.single(), made.quaternions);
  return nb::make_tuple(again, state);
}

}  // namespace

void bind_program(nb::module_& m) {
  m.def("_operations", &operations, nb::arg("robot"), nb::arg("algorithm"), nb::arg("sensors").none(), nb::arg("plan"),
        nb::arg("outputs"), nb::arg("health"), nb::arg("all_inputs"), nb::arg("weights"), nb::arg("sd"), nb::arg("derivatives"),
        nb::arg("parameters"), nb::arg("stage"),
        nb::sig(
            "def _operations(robot: Model, algorithm: str, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] "
            "| None, plan: str, outputs: Sequence[str], health: bool, all_inputs: bool, weights: bool, sd: bool, derivatives: "
            "Sequence[str], parameters: Sequence[str], stage: str) -> tuple[list[str], list[int], list[int], list[float], "
            "list[list[int]]]"));
  m.def("_generate", &generate, nb::arg("robot"), nb::arg("algorithm"), nb::arg("sensors").none(), nb::arg("plan"),
        nb::arg("outputs"), nb::arg("health"), nb::arg("all_inputs"), nb::arg("weights"), nb::arg("sd"), nb::arg("derivatives"),
        nb::arg("parameters"), nb::arg("stage"), nb::arg("name"), nb::arg("single"), nb::arg("derived") = "",
        nb::sig("def _generate(robot: Model, algorithm: str, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] | "
                "None, plan: str, outputs: Sequence[str], health: bool, all_inputs: bool, weights: bool, sd: bool, "
                "derivatives: Sequence[str], parameters: Sequence[str], stage: str, name: str, "
                "single: bool, derived: str = '') -> "
                "tuple[str, str, str, str, str, list[tuple[str, list[int]]], list[tuple[str, list[int]]]]"));
  m.def("_generate_contacts", &generate_contacts, nb::arg("robot"), nb::arg("constraints"), nb::arg("algorithm"),
        nb::arg("outputs"), nb::arg("all_inputs"), nb::arg("parameters"), nb::arg("stage"), nb::arg("name"),
        nb::sig("def _generate_contacts(robot: Model, constraints: Constraints, algorithm: str, outputs: Sequence[str], "
                "all_inputs: bool, parameters: Sequence[str], stage: str, name: str) -> "
                "tuple[str, str, str, str, str, list[tuple[str, list[int]]], list[tuple[str, list[int]]]]"));
  m.def("_casadi_derivatives", &derivatives_for_casadi, nb::arg("robot"), nb::arg("algorithm"), nb::arg("name"),
        nb::sig("def _casadi_derivatives(robot: Model, algorithm: str, name: str) -> list[str]"));
  m.def("_casadi_stage", &stage_for_casadi, nb::arg("robot"), nb::arg("stage"), nb::arg("name"),
        nb::sig("def _casadi_stage(robot: Model, stage: str, name: str) -> list[str]"));
  m.def("_quaternions", &quaternions_of, nb::arg("robot"), nb::sig("def _quaternions(robot: Model) -> list[int]"));
  nb::class_<BoundFunction>(m, "BoundFunction",
                            "A compiled program on arrays that were fixed by bind. Call it without arguments.")
      .def("__call__", &BoundFunction::call, nb::sig("def __call__(self) -> Any"),
           "Evaluates at what the arrays hold now, into the bound `out`, which is returned. Raises SolveError.")
      .def("__repr__", &BoundFunction::text);
  nb::class_<CompiledFunction>(m, "CompiledFunction", R"(A program in machine code: f(q, dq, …), its inputs by position.

Leading axes are the batch; `out`, `threads` and `on_error` as in rnea. Rows are turned into structures of arrays by tiles on
the way in. Several outputs are a named tuple.)")
      .def("__call__", &call, nb::arg("arguments"), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
           nb::arg("on_error") = "raise",
           nb::sig(
               "def __call__(self, *arguments: ArrayLike, out: NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...] | "
               "None = None, threads: int = 1, on_error: Literal['raise', 'nan'] = 'raise') -> Any"),
           "Evaluates one sample or a batch.")
      .def("bind", &bind, nb::arg("arguments"), nb::arg("out") = nb::none(), nb::rv_policy::take_ownership,
           nb::sig("def bind(self, *arguments: NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...], out: "
                   "NDArray[numpy.float64] | tuple[NDArray[numpy.float64], ...] | None = None) -> BoundFunction"),
           R"(Arrays fixed once, for control loops; C-contiguous float64 only.

`f.bind(q, dq, ddq, out)`, or by name; without `out` a new one is made.)")
      .def_prop_ro(
          "cached", [](const CompiledFunction& f) { return f.code().cached(); }, "Whether the user's cache had it.")
      .def_prop_ro(
          "inputs",
          [](const CompiledFunction& f) {
            nb::list names;
            for (const auto& [name, shape] : f.inputs()) names.append(name);
            return nb::tuple(names);
          },
          nb::sig("def inputs(self) -> tuple[str, ...]"), "Names of the arguments, in order.")
      .def(
          "_address",
          [](const CompiledFunction& f, const std::string& name) {
            return reinterpret_cast<std::uintptr_t>(f.code().symbol(name));
          },
          nb::arg("name"), nb::sig("def _address(self, name: str) -> int"),
          "Where a further function of the text begins, as long as this object lives.")
      .def("__reduce__", &reduced, nb::sig("def __reduce__(self) -> tuple[Any, ...]"),
           "For worker processes: the program's text, which they compile, or find in the user's cache.")
      .def("__repr__", [](const CompiledFunction& f) { return "CompiledFunction(" + text_of(f) + ")"; });
  m.def("_compile", &compile, nb::arg("source"), nb::arg("header"), nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("make").none(), nb::arg("cc"), nb::arg("flags"), nb::arg("single"), nb::arg("quaternions"),
        nb::sig("def _compile(source: str, header: str, name: str, inputs: Sequence[tuple[str, Sequence[int]]], outputs: "
                "Sequence[tuple[str, Sequence[int]]], make: Callable[..., Any] | None, cc: str, flags: str, single: bool, "
                "quaternions: Sequence[int]) -> CompiledFunction"));
}

}  // namespace sparsedyn::python
