#include "algorithm.hpp"

#include <cmath>

#include "errors.hpp"
#include "model/loads.hpp"
#include "packed_rows.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tiles.hpp"

namespace sparsedyn::python {
namespace {

npy_intp size_of(Axis axis, const RobotModel& robot, const AlgorithmCall& call) {
  switch (axis) {
    case Axis::nq: return robot.model().nq;
    case Axis::nv: return robot.model().nv;
    case Axis::parameters: return robot.parameter_count();
    case Axis::forces: return call.forces;
    case Axis::gaps: return call.gaps;
    case Axis::four: return 4;
    default: return sparsedyn::size_of(static_cast<sparsedyn::Axis>(axis), robot.model());
  }
}

static_assert(static_cast<int>(Axis::seven) == static_cast<int>(sparsedyn::Axis::seven));

int evaluated(const Algorithm& algorithm, Works& works, const State& s, double* const* out) {
  if (!algorithm.row) return algorithm.evaluate(works, s, out);
  return algorithm.row->evaluate(works.data, s, out);
}

ArraySpec spec_of(const char* name, Input input, const Model& model, int forces) {
  if (input == Input::force_lambda) return {name, {1, {forces, 0, 0}}, nullptr, true};
  if (input == Input::pi) return {name, {1, {sparsedyn::size_of(sparsedyn::Axis::parameters, model), 0, 0}}, nullptr};
  const bool configuration = input == Input::q || input == Input::other;
  // a posture is seldom one number throughout, and never where it holds quaternions
  return {name, {1, {configuration ? model.nq : model.nv, 0, 0}}, nullptr, !configuration};
}

ArraySpec spec_of(const char* name, const std::vector<Axis>& axes, const RobotModel& robot, const AlgorithmCall& call) {
  ArraySpec spec{name, {static_cast<int>(axes.size()), {}}, nullptr};
  for (std::size_t k = 0; k < axes.size(); ++k) spec.core.size[k] = size_of(axes[k], robot, call);
  return spec;
}

int first_not_finite(const double* x, npy_intp n) {
  if (n >= 32 && all_finite(x, n)) return -1;
  double sum = 0;
  for (npy_intp k = 0; k < n; ++k) sum += x[k] * 0;
  if (sum == 0) return -1;
  int k = 0;
  while (std::isfinite(x[k])) ++k;
  return k;
}

void put(Input input, const double* x, State& state) {
  switch (input) {
    case Input::q: state.q = x; break;
    case Input::dq: state.dq = x; break;
    case Input::ddq: state.ddq = x; break;
    case Input::tau: state.tau = x; break;
    case Input::lambda: state.lambda = x; break;
    case Input::pi: state.pi = x; break;
    case Input::other: state.other = x; break;
    case Input::tangent: state.tangent = x; break;
    case Input::force_lambda: state.force_lambda = x; break;
  }
}

/// Evaluates an algorithm with the workspaces of one thread.
class AlgorithmWorker : public SampleWorker {
 public:
  AlgorithmWorker(const Algorithm& algorithm, const Rows& rows, const std::vector<int>& links, const AlgorithmCall& call,
                  std::unique_ptr<Works> lent)
      : algorithm_(algorithm), rows_(rows), links_(links), works(std::move(lent)), call_(call) {}

  bool evaluate(const double* const* in, double* const* out) override {
    State state{};
    state.link = call_.link, state.reference = call_.reference, state.frame = call_.frame, state.point = call_.point;
    state.constraints = &call_.constraints, state.effort_limits = &call_.effort_limits;
    const std::size_t n = algorithm_.inputs.size();
    for (std::size_t k = 0; k < n + links_.size(); ++k)
      if (const int bad = first_not_finite(in[k], rows_.in_size(static_cast<int>(k))); bad >= 0) {
        trouble_ = {static_cast<int>(k), bad, -1};
        return false;
      }
    for (std::size_t k = 0; k < n; ++k) put(algorithm_.inputs[k].second, in[k], state);
    if (works->quaternions && state.q) {
      std::copy_n(state.q, works->model.nq, works->q.data());
      if (!normalise(works->model, works->q.data())) {
        trouble_ = {-2, -1, -1};
        return false;
      }
      state.q = works->q.data();
    }
    if (!links_.empty()) {
      sum_wrenches(works->model, links_, in + n, works->wrenches.data());
      state.fx = works->wrenches.data();
    }
    const int singular = evaluated(algorithm_, *works, state, out);
    if (singular != -1) {
      trouble_ = {-1, -1, singular};
      return false;
    }
    for (std::size_t k = 0; k < rows_.outputs.size(); ++k) {
      const std::vector<Axis>& axes = algorithm_.outputs[k].second;
      if (!axes.empty() && axes[0] == Axis::gaps) continue;  // infinite where no finder gives a point
      if (const int bad = first_not_finite(out[k], rows_.out_size(static_cast<int>(k))); bad >= 0) {
        trouble_ = {-3, static_cast<int>(k), -1};
        return false;
      }
    }
    return true;
  }

  /// As many samples at a time as the registers hold; those that may have no answer one by one.
  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override {
    PackedWorks* const packed =
        algorithm_.packed == PackedAlgorithm::none || rows.count == 1 || !links_.empty() ? nullptr : works->packed();
    if (!packed) return SampleWorker::run(rows, first, count, failures);
    PackedRows several(rows, *packed, works->quaternions ? &works->model : nullptr);
    for (npy_intp i = first; i < first + count; i += several.width()) {
      const npy_intp n = std::min<npy_intp>(several.width(), first + count - i);
      if (!several.evaluate(algorithm_.packed, i, n)) SampleWorker::run(rows, i, n, failures);
    }
  }

  std::string why() override {
    if (trouble_.input >= 0)
      return rows_.input_specs[trouble_.input].text() + "[" + std::to_string(trouble_.entry) + "] is not finite";
    if (trouble_.input == -2) return "q: a quaternion is zero";
    if (trouble_.input == -3) return std::string(rows_.output_specs[trouble_.entry].name) + " is not finite";
    if (trouble_.singular < 0) return works->why;
    return with_massless_advice("singular at ddq." + velocity_names(works->model)[trouble_.singular], works->model);
  }

 private:
  /// input: index of the argument, -1: singular, -2: quaternion, -3: output `entry`.
  struct Trouble {
    int input, entry, singular;
  };
  const Algorithm& algorithm_;
  const Rows& rows_;
  const std::vector<int>& links_;
  Trouble trouble_{};

 public:
  std::unique_ptr<Works> works;

 private:
  const AlgorithmCall& call_;
};

class AlgorithmWorkers : public WorkerSource {
 public:
  AlgorithmWorkers(const Algorithm& algorithm, const RobotModel& robot, const Rows& rows, const std::vector<int>& links,
                   const AlgorithmCall& call)
      : algorithm_(algorithm), robot_(robot), rows_(rows), links_(links), call_(call) {}
  std::unique_ptr<Worker> take() override {
    return std::make_unique<AlgorithmWorker>(algorithm_, rows_, links_, call_, robot_.take());
  }
  void give_back(std::unique_ptr<Worker> worker) override {
    robot_.give_back(std::move(static_cast<AlgorithmWorker&>(*worker).works));
  }

 private:
  const Algorithm& algorithm_;
  const RobotModel& robot_;
  const Rows& rows_;
  const std::vector<int>& links_;
  const AlgorithmCall& call_;
};

bool apart(const double* a, npy_intp n, const double* b, npy_intp m) { return a + n <= b || b + m <= a; }

/// One sample in arrays that are as they should be: no lists of arrays, no shapes to be found. None where something is not so,
/// or goes wrong: the general way then says what.
nb::object call_one(const Algorithm& algorithm, const RobotModel& robot, const AlgorithmCall& call) {
  constexpr std::size_t most = 4;
  const Model& model = robot.model();
  const std::size_t n = algorithm.inputs.size();
  if (!call.fx.is_none() || algorithm.outputs.size() != 1 || n > most || call.threads < 0) return nb::none();
  if (!PyUnicode_Check(call.on_error.ptr()) || PyUnicode_CompareWithASCIIString(call.on_error.ptr(), "raise") != 0)
    return nb::none();
  const double* in[most];
  npy_intp size[most];
  for (std::size_t k = 0; k < n; ++k) {
    const Core core = spec_of(algorithm.inputs[k].first, algorithm.inputs[k].second, model, call.forces).core;
    in[k] = one_sample(call.arguments[k], core, 0);
    size[k] = core.size[0];
    if (!in[k] || first_not_finite(in[k], size[k]) >= 0) return nb::none();
  }
  const Core core = spec_of(algorithm.outputs[0].first, algorithm.outputs[0].second, robot, call).core;
  nb::object result;
  if (call.out.is_none()) {
    std::array<npy_intp, 3> shape = core.size;
    result = nb::steal(PyArray_SimpleNew(core.rank, shape.data(), NPY_DOUBLE));
    if (!result.is_valid()) throw nb::python_error();
  } else
    result = nb::borrow(call.out);
  double* out = one_sample(result, core, NPY_ARRAY_WRITEABLE);
  if (!out || core.rank == 0) return nb::none();
  for (std::size_t k = 0; k < n; ++k)
    if (!apart(in[k], size[k], out, core.count())) return nb::none();

  std::unique_ptr<Works> works = robot.take();
  State state{};
  state.link = call.link, state.reference = call.reference, state.frame = call.frame, state.point = call.point;
  for (std::size_t k = 0; k < n; ++k) put(algorithm.inputs[k].second, in[k], state);
  bool done = true;
  if (works->quaternions && state.q) {
    std::copy_n(state.q, model.nq, works->q.data());
    done = normalise(model, works->q.data());
    state.q = works->q.data();
  }
  done = done && evaluated(algorithm, *works, state, &out) == -1 && first_not_finite(out, core.count()) < 0;
  robot.give_back(std::move(works));
  return done ? result : nb::none();
}

}  // namespace

namespace {

Algorithm of_row(const sparsedyn::Algorithm& row, const char* result, PackedAlgorithm packed, bool contracts = false) {
  Algorithm made{{{"q", Input::q}}, {}, nullptr, result, packed, &row};
  if (row.reads.dq) made.inputs.emplace_back("dq", Input::dq);
  if (row.reads.ddq) made.inputs.emplace_back("ddq", Input::ddq);
  if (row.reads.tau) made.inputs.emplace_back("tau", Input::tau);
  if (row.reads.lambda) made.inputs.emplace_back(contracts ? "contract" : "multipliers", Input::lambda);
  if (row.reads.pi) made.inputs.emplace_back("parameters", Input::pi);
  for (const AlgorithmOutput& output : row.outputs) {
    std::vector<Axis> axes;
    for (sparsedyn::Axis axis : output.axes) axes.push_back(static_cast<Axis>(axis));
    made.outputs.emplace_back(output.name, axes);
  }
  return made;
}

}  // namespace

Algorithm of_catalogue(const char* name, const char* result, PackedAlgorithm packed) {
  return of_row(*find_algorithm(name), result, packed);
}
Algorithm contraction_of(const char* name, const char* result) {
  return of_row(*find_algorithm(name)->contracted, result, PackedAlgorithm::none, true);
}

void add_wrenches(nb::handle fx, const RobotModel& robot, Rows& rows, std::vector<int>& links) {
  if (fx.is_none()) return;
  if (!PyDict_Check(fx.ptr())) throw nb::type_error("fx: expected a dict {link: array of (..., 6)}");
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(fx.ptr(), &at, &key, &value)) {
    const char* name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
    if (!name) {
      PyErr_Clear();
      throw nb::type_error("fx: expected names of links as keys");
    }
    links.push_back(robot.link(name));
    rows.input_specs.push_back({"fx", {1, {6, 0, 0}}, name});
    rows.inputs.emplace_back(value, rows.input_specs.back());
  }
}

void sum_wrenches(const Model& model, const std::vector<int>& links, const double* const* wrenches, Force<double>* bodies) {
  std::fill_n(bodies, model.bodies.size(), Force<double>{zero3<double>(), zero3<double>()});
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = model.links[links[k]];
    const double* x = wrenches[k];
    if (link.body < 0) continue;  // the world holds it
    const Force<double> on_link{{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
    bodies[link.body] = bodies[link.body] + to_parent(link.pose, on_link);
  }
}

nb::object call(const Algorithm& algorithm, const RobotModel& robot, const AlgorithmCall& call) {
  if (nb::object one = call_one(algorithm, robot, call); !one.is_none()) return one;
  const Model& model = robot.model();
  const RunOptions options = run_options(call.threads, call.on_error);
  Rows rows;
  std::vector<int> links;
  const std::size_t n = algorithm.inputs.size();
  rows.inputs.reserve(n), rows.input_specs.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    rows.input_specs.push_back(spec_of(algorithm.inputs[k].first, algorithm.inputs[k].second, model, call.forces));
    rows.inputs.emplace_back(call.arguments[k], rows.input_specs[k]);
  }
  add_wrenches(call.fx, robot, rows, links);
  rows.broadcast_inputs();
  rows.output_specs.reserve(algorithm.outputs.size());
  for (const auto& [name, axes] : algorithm.outputs) rows.output_specs.push_back(spec_of(name, axes, robot, call));
  rows.make_outputs(call.out);
  AlgorithmWorkers workers(algorithm, robot, rows, links, call);
  const std::vector<Failure> failures = run(rows, workers, options);
  const nb::object make = algorithm.result ? result_type(algorithm.result) : nb::none();
  return answer(rows, failures, options, make, !call.out.is_none());
}

}  // namespace sparsedyn::python
