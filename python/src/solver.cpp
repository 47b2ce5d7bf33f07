#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "answers/whole_motion.hpp"
#include "determinacy/unloaded_links.hpp"
#include "errors.hpp"
#include "io/suggestions.hpp"
#include "json/solve_report.hpp"
#include "json/solver_with_warnings.hpp"
#include "logs.hpp"
#include "requests/plan_source.hpp"
#include "sparsedyn/json/plans.hpp"
#include "state_reader.hpp"
#include "warned_work.hpp"

namespace sparsedyn::python {
namespace {

/// Rows of one thread.
class RowWorker : public Worker {
 public:
  RowWorker(const ArraySolver& source, std::shared_ptr<SensorSolver> rows)
      : source_(source),
        solver_(std::move(rows)),
        model_(source.model()),
        reader_(solver_->system(), solver_->takes_gaps()),
        size_(reader_.size()) {
    buffer_.resize(size_ * std::max<std::size_t>(1, solver_->batch()));
    results_.resize(solver_->columns().size());
  }

  /// Takes over the standard deviations that were set since.
  void update() {
    if (changes_ == source_.changes()) return;
    for (const auto& [row, sigma] : source_.set_sigmas()) solver_->set_sigma(row, sigma);
    changes_ = source_.changes();
  }
  /// Samples first … of a log, for what is estimated over all of it.
  bool learn(const Rows& rows, npy_intp first, npy_intp count) {
    coming_.clear();
    std::string why;
    for (npy_intp k = 0; k < count; ++k) {
      double* row = buffer_.data() + static_cast<std::size_t>(k) * size_;
      if (reader_.read(rows, first + k, row, why)) coming_.push_back(row);
    }
    return coming_.empty() || solver_->learn(coming_);
  }
  npy_intp at_once() const { return static_cast<npy_intp>(std::max<std::size_t>(1, solver_->batch())); }
  /// What messages call the first row of the next call.
  void begin_at(npy_intp row) { first_row_ = row; }

  void run(const Rows& rows, npy_intp first, npy_intp count, std::vector<Failure>& failures) override {
    for (npy_intp i = first; i < first + count; i += at_once()) {
      const npy_intp n = std::min(at_once(), first + count - i);
      coming_.clear(), why_.assign(static_cast<std::size_t>(n), "");
      for (npy_intp k = 0; k < n; ++k) {
        double* row = buffer_.data() + static_cast<std::size_t>(k) * size_;
        if (reader_.read(rows, i + k, row, why_[static_cast<std::size_t>(k)])) coming_.push_back(row);
      }
      if (at_once() > 1) solver_->expect(coming_);
      for (npy_intp k = 0; k < n; ++k) answer(rows, i + k, k, failures);
    }
  }

  std::vector<double> covariance(const std::vector<std::pair<std::string, std::string>>& pairs) {
    return solver_->covariance(pairs);
  }

  ArraySolver::Status status() const { return {found_.growth, found_.backward_error, found_.componentwise_error}; }
  SensorSolver& solver() { return *solver_; }

 private:
  void answer(const Rows& rows, npy_intp i, npy_intp k, std::vector<Failure>& failures) {
    std::string& why = why_[static_cast<std::size_t>(k)];
    const OutputArray& out = rows.outputs[0];
    double* results = out.contiguous() ? out.data() + i * rows.out_size(0) : results_.data();
    if (why.empty()) {
      const double *q = buffer_.data() + static_cast<std::size_t>(k) * size_, *v = q + model_.nq, *y = v + model_.nv;
      solver_->at_line(static_cast<long>(first_row_ + i));
      found_ = solver_->solve(q, v, y, results);
      if (!found_.ok) {
        why = solver_->describe();
        if (why.empty()) why = "no solution";
      } else if (not_finite(results) && (why = solver_->describe(), !why.empty())) {  // what is determined stays
        failures.push_back({i, why});
        why.clear();
      }
    }
    if (!why.empty()) {
      std::fill_n(results, rows.out_size(0), std::numeric_limits<double>::quiet_NaN());
      failures.push_back({i, why});
    }
    if (!out.contiguous()) out.scatter(results, rows.batch, rows.output_specs[0].core, i);
  }
  bool not_finite(const double* results) const {
    double sum = 0;
    for (std::size_t c = 0; c < results_.size(); ++c) sum += results[c] * 0;
    return !(sum == 0);
  }

  const ArraySolver& source_;
  std::shared_ptr<SensorSolver> solver_;
  const Model& model_;
  StateReader reader_;
  std::size_t size_;
  std::vector<double> buffer_, results_;
  std::vector<const double*> coming_;
  std::vector<std::string> why_;
  Answer found_;  // of the last row
  long changes_ = 0;
  npy_intp first_row_ = 0;
};

}  // namespace

ArraySolver::ArraySolver(std::shared_ptr<const Model> model, Sensors sensors, SensorSolver first)
    : model_(std::move(model)), sensors_(std::move(sensors)), first_(std::make_shared<SensorSolver>(std::move(first))) {}

std::shared_ptr<ArraySolver> ArraySolver::anew() const {
  for (const std::string& text : warnings) warn(text);
  auto made = std::make_shared<ArraySolver>(model_, sensors_, first_->for_another_thread());
  made->warnings = warnings;
  return made;
}

void ArraySolver::go_in_order() {
  idle_.clear();
  idle_.push_back(std::make_unique<RowWorker>(*this, first_));
}

void ArraySolver::learn(const Rows& rows) {
  while (first_->learning()) {
    first_->begin_pass();
    gather(rows);
    first_->end_pass();
  }
}

void ArraySolver::gather(const Rows& rows) {
  constexpr npy_intp between_signals = 1024;
  RowWorker worker(*this, first_);
  worker.update();
  bool more = true;
  for (npy_intp from = 0; more && from < rows.count; from += between_signals) {
    {
      const nb::gil_scoped_release others_may_run;
      const npy_intp to = std::min(rows.count, from + between_signals);
      for (npy_intp i = from; more && i < to; i += worker.at_once())
        more = worker.learn(rows, i, std::min(worker.at_once(), to - i));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

ChiSquare ArraySolver::chi_square() const {
  ChiSquare all;
  for (const std::unique_ptr<Worker>& worker : idle_) {
    const SolveReport own = static_cast<RowWorker&>(*worker).solver().report();
    all.sum += own.chi_square, all.expected += own.expected_chi_square;
  }
  return all;
}

std::unique_ptr<Worker> ArraySolver::take() {
  std::unique_ptr<Worker> worker;
  if (idle_.empty())
    worker = std::make_unique<RowWorker>(*this, std::make_shared<SensorSolver>(first_->for_another_thread()));
  else {
    worker = std::move(idle_.back());
    idle_.pop_back();
  }
  static_cast<RowWorker&>(*worker).update();
  return worker;
}

void ArraySolver::give_back(std::unique_ptr<Worker> worker) { idle_.push_back(std::move(worker)); }

/// Rows of a sensor, each with the standard deviation that the set states.
std::vector<std::pair<int, double>> ArraySolver::rows_of(const std::string& sensor) const {
  std::vector<std::pair<int, double>> rows;
  std::vector<std::string> names;
  for (const Sensor& s : system().sensors().sensors) names.push_back(s.name);
  for (const Measurement& m : system().measurements()) {
    if (names[static_cast<std::size_t>(m.sensor)] != sensor) continue;
    for (int k = 0; k < m.rows(); ++k)
      if (m.sigma[static_cast<std::size_t>(k)] > 0) rows.emplace_back(m.first_row + k, m.sigma[static_cast<std::size_t>(k)]);
  }
  if (std::find(names.begin(), names.end(), sensor) == names.end())
    throw nb::key_error(("sigma: " + sensor + suggestions_text(sensor, names) + "; expected a sensor of the set").c_str());
  if (rows.empty()) throw nb::value_error(("sigma: " + sensor + " is exact: the plan holds it as it is").c_str());
  return rows;
}

std::vector<double> ArraySolver::sigma(const std::string& sensor) const {
  std::vector<double> values;
  for (const auto& [row, stated] : rows_of(sensor)) {
    const auto found = sigmas_.find(row);
    values.push_back(found == sigmas_.end() ? stated : found->second);
  }
  return values;
}

void ArraySolver::set_sigma(const std::string& sensor, const std::vector<double>& values) {
  const std::vector<std::pair<int, double>> rows = rows_of(sensor);
  if (values.size() != 1 && values.size() != rows.size())
    throw nb::value_error(("sigma: " + std::to_string(values.size()) + " numbers for " + sensor + "; expected 1 or " +
                           std::to_string(rows.size()))
                              .c_str());
  for (double value : values)
    if (!(value >= 1e-100 && value <= 1e100))
      throw nb::value_error(("sigma: " + std::to_string(value) + " for " + sensor + "; expected 1e-100 to 1e100").c_str());
  for (std::size_t k = 0; k < rows.size(); ++k) sigmas_[rows[k].first] = values[values.size() == 1 ? 0 : k];
  ++changes_;
}

namespace {

std::vector<std::string> listed(nb::handle outputs) {
  if (PyUnicode_Check(outputs.ptr())) return {nb::cast<std::string>(outputs)};
  std::vector<std::string> names;
  for (nb::handle name : nb::iter(outputs)) names.push_back(nb::cast<std::string>(name));
  return names;
}

std::shared_ptr<ArraySolver> make_solver(const RobotModel& robot, nb::handle source, const std::string& plan,
                                         nb::handle outputs, bool deviations, bool innovations, double huber,
                                         const std::vector<std::string>& absent, bool remembers_gaps) {
  Sensors sensors = sensors_of(source);
  SensorSolverOptions wanted;
  wanted.outputs = listed(outputs);
  wanted.deviations = deviations;
  wanted.innovations = innovations;
  wanted.huber = huber;
  wanted.estimate = huber > 0;
  wanted.plans = plans_for_the_user();
  wanted.plans.remembers_gaps = remembers_gaps;
  if (!plan.empty()) wanted.plans.stored = plan_in_text(plan, "plan");
  const auto model = robot.shared();
  std::vector<std::string> said;
  SensorSolver rows = warned_work<SensorSolver>(
      [=] {
        std::vector<std::string> warnings = unloaded_links(*model, sensors.set);
        WholeMotionWords words;
        SensorSolver solver = solver_with_warnings(std::make_shared<const System>(*model, sensors.set), wanted, warnings);
        solver = without_whole_motion(std::move(solver), absent, {"log", 0, false}, words);
        warnings.insert(warnings.end(), words.warnings.begin(), words.warnings.end());
        WithWords<SensorSolver> made{std::move(solver), std::move(warnings)};
        if (!words.note.empty()) made.notes.push_back(words.note);
        return made;
      },
      &said);
  auto solver = std::make_shared<ArraySolver>(model, std::move(sensors), std::move(rows));
  solver->warnings = std::move(said);
  return solver;
}

void prepare(const ArraySolver& solver, const nb::handle (&arguments)[3], bool in_place, Rows& rows) {
  add_states(solver.system(), arguments, in_place, rows);
  rows.broadcast_inputs();
  rows.output_specs.push_back({"out", {1, {static_cast<npy_intp>(solver.columns().size()), 0, 0}}});
}

nb::object solve(ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y, nb::handle out, int threads,
                 nb::handle on_error) {
  const RunOptions options = run_options(threads, on_error);
  Rows rows;
  prepare(solver, {q, dq, y}, false, rows);
  rows.make_outputs(out);
  std::vector<Failure> failures;
  if (rows.count == 1) {
    std::unique_ptr<Worker> worker = solver.take();
    worker->run(rows, 0, 1, failures);
    solver.status = static_cast<RowWorker&>(*worker).status();
    solver.alone = failures.empty() ? worker.get() : nullptr;
    solver.give_back(std::move(worker));
  } else {
    solver.alone = nullptr;
    failures = run(rows, solver, options);
  }
  return answer(rows, failures, options, nb::none(), !out.is_none());
}

/// Of the sample that was solved last, alone.
std::vector<double> covariance(ArraySolver& solver, const std::vector<std::pair<std::string, std::string>>& pairs) {
  const Worker* const alone = solver.alone;
  std::unique_ptr<Worker> worker = solver.take();
  std::vector<double> found;
  std::string why;
  try {
    if (!alone || worker.get() != alone)
      throw std::logic_error("covariance: no sample was solved alone; expected a call with one");
    found = static_cast<RowWorker&>(*worker).covariance(pairs);
  } catch (const std::exception& refused) {
    why = refused.what();
  }
  solver.give_back(std::move(worker));
  if (!why.empty()) throw nb::value_error(why.c_str());
  return found;
}

/// Rows of a log, one after the other, so that what is estimated over all of them is.
nb::object solve_rows(ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y, int threads, npy_intp first_row) {
  RunOptions options;
  options.nan_on_error = true;
  options.threads = threads;
  Rows rows;
  prepare(solver, {q, dq, y}, false, rows);
  rows.make_outputs(nb::none());
  if (options.threads == 1) {
    std::unique_ptr<Worker> worker = solver.take();
    static_cast<RowWorker&>(*worker).begin_at(first_row);
    solver.give_back(std::move(worker));
  }
  const std::vector<Failure> failures = run(rows, solver, options);
  nb::list indices, messages;
  for (const Failure& failure : failures) {
    indices.append(failure.row);
    messages.append(failure.why);
  }
  return nb::make_tuple(rows.outputs[0].object(), indices, messages);
}

void learn(ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y) {
  Rows rows;
  prepare(solver, {q, dq, y}, false, rows);
  solver.learn(rows);
}

void gather(ArraySolver& solver, nb::handle q, nb::handle dq, nb::handle y) {
  if (!solver.solver().learning()) throw nb::value_error("gather: the set has no offsets to learn, or they are learnt");
  Rows rows;
  prepare(solver, {q, dq, y}, false, rows);
  solver.gather(rows);
}

/// Arrays fixed once. Calls cost little more than the solve.
class BoundSolver {
 public:
  BoundSolver(std::shared_ptr<ArraySolver> solver, nb::handle q, nb::handle dq, nb::handle y, nb::handle out)
      : solver_(std::move(solver)) {
    prepare(*solver_, {q, dq, y}, true, rows_);
    rows_.make_outputs(out);
    own_.worker = solver_->take();
    solver_->alone = nullptr;  // that worker's sample is no longer the solver's
  }
  ~BoundSolver() {
    if (own_.worker) solver_->give_back(std::move(own_.worker));
  }
  nb::object call() {
    auto& worker = static_cast<RowWorker&>(own_.idle());
    worker.update();
    failures_.clear();
    if (rows_.count == 1)
      worker.run(rows_, 0, 1, failures_);
    else
      failures_ = run(rows_, own_, {});
    solver_->status = worker.status();
    solver_->alone = nullptr;  // covariance() is of the solver's own calls
    if (!failures_.empty()) raise_solve_error(failures_, rows_.count);
    return rows_.outputs[0].object();
  }

 private:
  std::shared_ptr<ArraySolver> solver_;
  Rows rows_;
  OwnWorker own_;
  std::vector<Failure> failures_;
};

std::vector<std::string> best_columns(const ArraySolver& solver) {
  std::vector<std::string> names;
  for (const sparsedyn::Input& input : solver.system().inputs()) names.push_back(input.columns.front());
  return names;
}

/// `scaled`: deviations are told as multiplied by what the log shows.
std::string details(ArraySolver& solver, bool scaled) {
  const bool shared_out = solver.is_shared_out();
  std::unique_ptr<Worker> worker = solver.take();
  const SolveReport report = static_cast<RowWorker&>(*worker).solver().report();
  json::Json summary{{"strategy", strategy_in_words(report)}};
  summary["trusted"] = nullptr;
  if (!shared_out) add_details(report, scaled, summary);
  solver.give_back(std::move(worker));
  if (shared_out || (scaled && !summary.contains("sd_scale"))) {
    const ChiSquare all = solver.chi_square();
    if (const std::optional<bool> answer = trusted(all)) summary["trusted"] = *answer;
    if (scaled) summary["sd_scale"] = deviation_scale(all);
  }
  return json::json_text(summary);
}

std::vector<std::string> noisy_sensors(const ArraySolver& solver) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < solver.system().sensors().sensors.size(); ++s)
    for (const Measurement& m : solver.system().measurements())
      if (static_cast<std::size_t>(m.sensor) == s &&
          std::any_of(m.sigma.begin(), m.sigma.end(), [](double sigma) { return sigma > 0; })) {
        names.push_back(solver.system().sensors().sensors[s].name);
        break;
      }
  return names;
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::class_<BoundSolver>(m, "BoundSolver", "A solver on arrays that were fixed by Solver.bind. Call it without arguments.")
      .def("__call__", &BoundSolver::call, nb::sig("def __call__(self) -> NDArray[numpy.float64]"),
           "Solves for what the arrays hold now, into the bound `out`, which is returned. Raises SolveError.");
  nb::class_<ArraySolver>(m, "_Solver")
      .def_prop_ro("inputs", &best_columns, nb::sig("def inputs(self) -> list[str]"))
      .def_prop_ro(
          "outputs", [](const ArraySolver& s) { return s.columns(); }, nb::sig("def outputs(self) -> list[str]"))
      .def_prop_ro(
          "columns", [](const ArraySolver& s) { return input_columns(s.system()); },
          nb::sig("def columns(self) -> list[tuple[list[str], bool, float, int, bool]]"))
      .def_prop_ro("takes_gaps", [](const ArraySolver& s) { return s.solver().takes_gaps(); })
      .def_prop_ro("noisy", &noisy_sensors, nb::sig("def noisy(self) -> list[str]"))
      .def_prop_ro(
          "status",
          [](const ArraySolver& s) {
            return nb::make_tuple(s.status.growth, s.status.backward_error, s.status.componentwise_error);
          },
          nb::sig("def status(self) -> tuple[float, float, float]"))
      .def("details", &details, nb::arg("scaled"), nb::sig("def details(self, scaled: bool) -> str"))
      .def("sigma", &ArraySolver::sigma, nb::sig("def sigma(self, sensor: str) -> list[float]"))
      .def("set_sigma", &ArraySolver::set_sigma, nb::sig("def set_sigma(self, sensor: str, values: Sequence[float]) -> None"))
      .def("solve", &solve, nb::arg("q"), nb::arg("dq"), nb::arg("y"), nb::arg("out").none(), nb::arg("threads"),
           nb::arg("on_error"),
           nb::sig(
               "def solve(self, q: ArrayLike, dq: ArrayLike, y: ArrayLike, out: NDArray[numpy.float64] | None, threads: int, "
               "on_error: Literal['raise', 'nan']) -> Any"))
      .def("covariance", &covariance, nb::arg("pairs"),
           nb::sig("def covariance(self, pairs: Sequence[tuple[str, str]]) -> list[float]"))
      .def("solve_rows", &solve_rows, nb::arg("q"), nb::arg("dq"), nb::arg("y"), nb::arg("threads"), nb::arg("first_row"),
           nb::sig("def solve_rows(self, q: ArrayLike, dq: ArrayLike, y: ArrayLike, threads: int, first_row: int) -> "
                   "tuple[NDArray[numpy.float64], list[int], list[str]]"))
      .def_prop_ro("learning", [](const ArraySolver& s) { return s.solver().learning(); })
      .def("learn", &learn, nb::arg("q"), nb::arg("dq"), nb::arg("y"),
           nb::sig("def learn(self, q: ArrayLike, dq: ArrayLike, y: ArrayLike) -> None"))
      .def("gather", &gather, nb::arg("q"), nb::arg("dq"), nb::arg("y"),
           nb::sig("def gather(self, q: ArrayLike, dq: ArrayLike, y: ArrayLike) -> None"))
      .def("gathered", &ArraySolver::gathered, nb::sig("def gathered(self) -> list[float]"))
      .def("settle", &ArraySolver::settle, nb::arg("gathered"), nb::sig("def settle(self, gathered: Sequence[float]) -> None"))
      .def("anew", &ArraySolver::anew, nb::sig("def anew(self) -> _Solver | None"))
      .def("go_in_order", &ArraySolver::go_in_order, nb::sig("def go_in_order(self) -> None"))
      .def(
          "name_columns", [](ArraySolver& s, const std::vector<std::string>& names) { s.name_columns(names); },
          nb::arg("names"), nb::sig("def name_columns(self, names: list[str]) -> None"))
      .def(
          "offsets",
          [](const ArraySolver& s, double scale) { return json::json_text(offsets_file(s.solver().report(), scale)); },
          nb::arg("scale"), nb::sig("def offsets(self, scale: float) -> str"))
      .def(
          "bind",
          [](const std::shared_ptr<ArraySolver>& self, nb::handle q, nb::handle dq, nb::handle y, nb::handle out) {
            return new BoundSolver(self, q, dq, y, out);
          },
          nb::arg("q"), nb::arg("dq"), nb::arg("y"), nb::arg("out").none(), nb::rv_policy::take_ownership,
          nb::sig("def bind(self, q: NDArray[numpy.float64], dq: NDArray[numpy.float64], y: NDArray[numpy.float64], out: "
                  "NDArray[numpy.float64] | None) -> BoundSolver"));
  m.def("_make_solver", &make_solver, nb::arg("robot"), nb::arg("sensors"), nb::arg("plan"), nb::arg("outputs"), nb::arg("sd"),
        nb::arg("innovations"), nb::arg("huber"), nb::arg("absent"), nb::arg("remembers_gaps") = true,
        nb::sig("def _make_solver(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any], plan: str, "
                "outputs: Sequence[str] | str, sd: bool, innovations: bool, huber: float, absent: Sequence[str], "
                "remembers_gaps: bool = True) -> "
                "_Solver"));
}

}  // namespace sparsedyn::python
