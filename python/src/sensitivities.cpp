// How what the sensors say moves with the state, the readings and the robot's parameters: Solver.derivatives and .gradient.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "errors.hpp"
#include "json/solver_with_warnings.hpp"
#include "model.hpp"
#include "requests/plan_source.hpp"
#include "sensors.hpp"
#include "solver.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/json/plans.hpp"
#include "state_reader.hpp"
#include "warned_work.hpp"

namespace sparsedyn::python {
namespace {

/// By what outputs are differentiated.
enum class By : char { q, dq, y, parameters };

By by_of(const std::string& name) {
  static const std::map<std::string, By> known{{"q", By::q}, {"dq", By::dq}, {"y", By::y}, {"parameters", By::parameters}};
  const auto found = known.find(name);
  if (found == known.end())
    throw nb::value_error(("by: '" + name + "'; expected 'q', 'dq', 'y' and 'parameters', or some of them").c_str());
  return found->second;
}

/// One thread's rows. With `weighted`, a fourth input: the weight of each output, whose sum is differentiated.
class SensitivityWorker : public Worker {
 public:
  explicit SensitivityWorker(SensorDerivatives rows, const System& system)
      : rows_(std::move(rows)), reader_(system, rows_.takes_gaps()), nq_(system.model().nq), nv_(system.model().nv) {
    sample_.resize(reader_.size());
  }
  SensorDerivatives& rows() { return rows_; }
  void ask(std::vector<By> by, bool weighted) { by_ = std::move(by), weighted_ = weighted; }

  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override {
    for (npy_intp i = first; i < first + count; ++i) {
      std::string why;
      const bool answered = one(rows, i, why);
      if (!answered)
        for (std::vector<double>& values : values_) values.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
      else if (!finite())  // what is determined stays
        why = "an output that this sample leaves undetermined has no derivatives";
      if (!why.empty()) failures.push_back({i, why});
      for (std::size_t k = 0; k < by_.size(); ++k) put(rows, k, i);
    }
  }

 private:
  bool one(const Rows& rows, npy_intp i, std::string& why) {
    DerivativeArrays into;
    double** const places[] = {&into.dq, &into.dv, &into.dy, &into.dp};
    values_.resize(by_.size());
    for (std::size_t k = 0; k < by_.size(); ++k) {
      values_[k].resize(static_cast<std::size_t>(rows.out_size(static_cast<int>(k))));
      *places[static_cast<std::size_t>(by_[k])] = values_[k].data();
    }
    if (!reader_.read(rows, i, sample_.data(), why)) return false;
    const double *q = sample_.data(), *v = q + nq_, *y = v + nv_;
    const double* const weight = weighted_ ? rows.in(3, i) : nullptr;
    for (npy_intp e = 0; weight && e < rows.in_size(3); ++e)
      if (!std::isfinite(weight[e])) {
        why = "weight[" + std::to_string(e) + "] is not finite";
        return false;
      }
    if (weight ? rows_.gradient(q, v, y, weight, into) : rows_.at(q, v, y, into)) return true;
    why = rows_.describe();
    if (why.empty()) why = "no solution";
    return false;
  }

  bool finite() const {
    double sum = 0;
    for (const std::vector<double>& values : values_)
      for (double x : values) sum += x * 0;
    return sum == 0;
  }

  void put(const Rows& rows, std::size_t k, npy_intp i) const {
    const OutputArray& out = rows.outputs[k];
    if (out.contiguous())
      std::copy(values_[k].begin(), values_[k].end(), out.data() + i * rows.out_size(static_cast<int>(k)));
    else
      out.scatter(values_[k].data(), rows.batch, rows.output_specs[k].core, i);
  }

  SensorDerivatives rows_;
  StateReader reader_;
  int nq_, nv_;
  std::vector<By> by_;
  bool weighted_ = false;
  std::vector<double> sample_;
  std::vector<std::vector<double>> values_;  // of each of by_
};

/// What is asked in one call.
struct Question {
  std::vector<By> by;
  bool weighted;
  const std::map<int, double>& sigmas;
};

class Sensitivities {
 public:
  Sensitivities(std::shared_ptr<const System> system, SensorDerivatives first)
      : system_(std::move(system)), first_(std::move(first)), parameters_(parameter_names(system_->model()).size()) {}

  Sensitivities(const Sensitivities&) = delete;
  Sensitivities& operator=(const Sensitivities&) = delete;

  const std::vector<std::string>& columns() const { return first_.columns(); }
  std::vector<std::string> parameters() const { return parameter_names(system_->model()); }

  std::unique_ptr<Worker> take(const Question& question) {
    std::unique_ptr<Worker> worker;
    if (idle_.empty())
      worker = std::make_unique<SensitivityWorker>(first_.for_another_thread(), *system_);
    else {
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
    auto& own = static_cast<SensitivityWorker&>(*worker);
    for (const auto& [row, sigma] : question.sigmas) own.rows().set_sigma(row, sigma);
    own.ask(question.by, question.weighted);
    return worker;
  }
  void give_back(std::unique_ptr<Worker> worker) { idle_.push_back(std::move(worker)); }

  /// weight: (..., outputs), or None: each output by itself.
  nb::object call(const ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y, nb::handle weight,
                  const std::vector<std::string>& by, nb::handle make, int threads, nb::handle on_error);

 private:
  npy_intp size_of(By by) const {
    const Model& model = system_->model();
    return by == By::y            ? static_cast<npy_intp>(system_->inputs().size())
           : by == By::parameters ? static_cast<npy_intp>(parameters_)
                                  : model.nv;
  }

  std::shared_ptr<const System> system_;
  SensorDerivatives first_;  // of which each worker has a copy
  std::size_t parameters_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

/// Workers for one call.
class Asked : public WorkerSource {
 public:
  Asked(Sensitivities& source, Question question) : source_(source), question_(std::move(question)) {}
  std::unique_ptr<Worker> take() override { return source_.take(question_); }
  void give_back(std::unique_ptr<Worker> worker) override { source_.give_back(std::move(worker)); }

 private:
  Sensitivities& source_;
  Question question_;
};

nb::object Sensitivities::call(const ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y, nb::handle weight,
                               const std::vector<std::string>& by, nb::handle make, int threads, nb::handle on_error) {
  const RunOptions options = run_options(threads, on_error);
  const std::map<int, double> sigmas = solver.set_sigmas();
  Question question{{}, !weight.is_none(), sigmas};
  for (const std::string& name : by) question.by.push_back(by_of(name));
  const auto outputs = static_cast<npy_intp>(columns().size());
  Rows rows;
  add_states(*system_, {q, dq, y}, false, rows);
  if (question.weighted) {
    rows.input_specs.push_back({"weight", {1, {outputs, 0, 0}}});
    rows.inputs.emplace_back(weight, rows.input_specs.back());
  }
  rows.broadcast_inputs();
  for (By each : question.by)
    rows.output_specs.push_back(
        {"out", question.weighted ? Core{1, {size_of(each), 0, 0}} : Core{2, {outputs, size_of(each), 0}}});
  rows.make_outputs(nb::none());
  Asked source(*this, std::move(question));
  const std::vector<Failure> failures = run(rows, source, options);
  return answer(rows, failures, options, make, false);
}

std::shared_ptr<Sensitivities> make_sensitivities(const RobotModel& robot, nb::handle source, const std::string& plan,
                                                  const std::vector<std::string>& outputs) {
  const auto system = std::make_shared<const System>(robot.model(), sensors_of(source).set);
  PlanSource plans = plans_for_the_user();
  if (!plan.empty()) plans.stored = plan_in_text(plan, "plan");
  SensorDerivatives rows = warned_work<SensorDerivatives>([=] {
    std::vector<std::string> warnings;
    SensorDerivatives made = derivatives_with_warnings(system, outputs, plans, warnings);
    return WithWords<SensorDerivatives>{std::move(made), std::move(warnings)};
  });
  return std::make_shared<Sensitivities>(system, std::move(rows));
}

}  // namespace

void bind_sensitivities(nb::module_& m) {
  nb::class_<Sensitivities>(m, "_Sensitivities")
      .def_prop_ro("columns", &Sensitivities::columns, nb::sig("def columns(self) -> list[str]"))
      .def_prop_ro("parameters", &Sensitivities::parameters, nb::sig("def parameters(self) -> list[str]"))
      .def("call", &Sensitivities::call, nb::arg("solver"), nb::arg("q"), nb::arg("dq"), nb::arg("y"), nb::arg("weight").none(),
           nb::arg("by"), nb::arg("make"), nb::arg("threads"), nb::arg("on_error"),
           nb::sig("def call(self, solver: _Solver, q: ArrayLike, dq: ArrayLike, y: ArrayLike, weight: ArrayLike | None, by: "
                   "Sequence[str], make: Callable[..., Any], threads: int, on_error: str) -> Any"));
  m.def("_make_sensitivities", &make_sensitivities, nb::arg("robot"), nb::arg("sensors"), nb::arg("plan"), nb::arg("outputs"),
        nb::sig("def _make_sensitivities(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any], plan: "
                "str, outputs: Sequence[str]) -> _Sensitivities"));
}

}  // namespace sparsedyn::python
