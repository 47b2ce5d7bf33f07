// sd.TorqueInformation, sd.SensorInformation and what sd.identify makes of them.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

#include "algorithm.hpp"
#include "errors.hpp"
#include "identification/logs/fit_words.hpp"
#include "identification/logs/fitted_joints.hpp"
#include "identification/logs/fitted_links.hpp"
#include "identification/logs/fitted_parameters.hpp"
#include "interruptible.hpp"
#include "logs.hpp"
#include "requests/identification_report.hpp"
#include "sensors.hpp"
#include "sparsedyn/identification/sensor_information.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "urdf/changes/rewrite_dynamics.hpp"
#include "urdf/rewrite_inertials.hpp"

namespace sparsedyn::python {
namespace {

constexpr npy_intp rows_between_looks = 1000;

/// What logs say of a robot by its torques, or by what a sensor set reads.
struct Information {
  explicit Information(std::shared_ptr<const Model> robot)
      : model(std::move(robot)), rows(std::make_unique<TorqueInformation>(*model)) {}
  Information(std::shared_ptr<const Model> robot, const SensorSet& set)
      : model(std::move(robot)),
        system(std::make_shared<const System>(*model, set)),
        rows(std::make_unique<SensorInformation>(*system)) {}
  Information(const Information& other) : model(other.model), system(other.system) {
    if (system)
      rows = std::make_unique<SensorInformation>(static_cast<const SensorInformation&>(*other.rows));
    else
      rows = std::make_unique<TorqueInformation>(static_cast<const TorqueInformation&>(*other.rows));
  }
  Information& operator=(const Information&) = delete;
  std::unique_ptr<RowInformation> take() { return std::move(rows); }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const System> system;  // null: the torques
  std::unique_ptr<RowInformation> rows;
};

/// q, dq, ddq of samples, and tau with wrenches, or y.
struct Samples {
  Rows rows;
  std::vector<int> links;
  bool torques;

  Samples(const Information& information, const RobotModel& robot, nb::handle q, nb::handle dq, nb::handle ddq,
          nb::handle measured, nb::handle fx)
      : torques(!information.system) {
    const Model& model = robot.model();
    const npy_intp readings = torques ? model.nv : static_cast<npy_intp>(information.system->inputs().size());
    const std::tuple<const char*, nb::handle, npy_intp> given[] = {
        {"q", q, model.nq}, {"dq", dq, model.nv}, {"ddq", ddq, model.nv}, {torques ? "tau" : "y", measured, readings}};
    rows.inputs.reserve(4), rows.input_specs.reserve(4);
    for (const auto& [name, argument, size] : given) {
      rows.input_specs.push_back({name, {1, {size, 0, 0}}});
      rows.inputs.emplace_back(argument, rows.input_specs.back());
    }
    add_wrenches(fx, robot, rows, links);
    rows.broadcast_inputs();
  }

  /// What of a row cannot be used, or nothing. A torque may be NaN: it was not measured.
  std::string fault(npy_intp i) const {
    for (std::size_t k = 0; k < rows.inputs.size(); ++k) {
      const int n = static_cast<int>(k);
      for (npy_intp e = 0; e < rows.in_size(n); ++e) {
        const double x = rows.in(n, i)[e];
        if (!std::isfinite(x) && !(torques && k == 3 && std::isnan(x)))
          return rows.input_specs[k].text() + "[" + std::to_string(e) + "] is not finite";
      }
    }
    return "";
  }
};

void add_rows(Information& information, const Samples& given, npy_intp first, npy_intp last) {
  const Model& model = *information.model;
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  std::vector<Force<double>> fx(model.bodies.size());
  std::vector<const double*> wrenches(given.links.size());
  for (npy_intp i = first; i < last; ++i) {
    const Rows& rows = given.rows;
    std::copy_n(rows.in(0, i), model.nq, q.data());
    normalise(model, q.data());
    if (!given.torques) {
      static_cast<SensorInformation&>(*information.rows).add(q.data(), rows.in(1, i), rows.in(2, i), rows.in(3, i));
      continue;
    }
    for (std::size_t k = 0; k < wrenches.size(); ++k) wrenches[k] = rows.in(static_cast<int>(4 + k), i);
    if (!wrenches.empty()) sum_wrenches(model, given.links, wrenches.data(), fx.data());
    static_cast<TorqueInformation&>(*information.rows)
        .add(q.data(), rows.in(1, i), rows.in(2, i), rows.in(3, i), wrenches.empty() ? nullptr : fx.data());
  }
}

/// All rows, or none: where one cannot be used, and after Ctrl-C.
void add(Information& information, const RobotModel& robot, nb::handle q, nb::handle dq, nb::handle ddq, nb::handle measured,
         nb::handle fx) {
  if (robot.shared() != information.model) throw nb::value_error("add: of another robot");
  const Samples given(information, robot, q, dq, ddq, measured, fx);
  const npy_intp count = given.rows.count;
  std::vector<Failure> failures;
  std::vector<double> unit(static_cast<std::size_t>(information.model->nq));
  for (npy_intp i = 0; i < count; ++i) {
    std::string why = given.fault(i);
    std::copy_n(given.rows.in(0, i), unit.size(), unit.data());
    if (why.empty() && !normalise(*information.model, unit.data())) why = "q: a quaternion is zero";
    if (!why.empty()) failures.push_back({i, std::move(why)});
  }
  if (!failures.empty()) raise_solve_error(failures, count);
  if (count <= rows_between_looks) return add_rows(information, given, 0, count);
  Information all = information;
  for (npy_intp i = 0; i < count; i += rows_between_looks) {
    {
      nb::gil_scoped_release unlocked;
      add_rows(all, given, i, std::min(count, i + rows_between_looks));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  *information.rows = *all.rows;  // in place: others hold it
}

/// As the command line writes it: its JSON, in words, --joints-out, --urdf-out.
struct Fit {
  std::string report, text, joints, urdf;
  std::vector<double> value, sd;
  std::vector<std::string> warnings;
};

using ReadAgain = std::function<void(Information&)>;

/// As the command line's --fit, --prior and --robust.
PassOptions passes(const Model& model, const std::vector<std::string>& kinds, double prior, bool huber) {
  if (!(prior > 0) || !std::isfinite(prior)) throw nb::value_error("prior: expected a positive number");
  return pass_options(model, kinds, prior, huber);
}

/// `locked`: joints that move in the file and not in the model.
Fit fitted(const std::string& urdf_text, const std::vector<std::string>& locked, Information& own, const ReadAgain& read,
           Information* held, const ReadAgain& read_held, const PassOptions& options) {
  const Model& model = *own.model;
  const ReadLogs logs{*own.rows, [&] { read(own); }, "logs"};
  std::optional<ReadLogs> apart;
  if (held) apart.emplace(ReadLogs{*held->rows, [&] { read_held(*held); }, "holdout"});
  const LogFit fit = fit_logs(logs, apart ? &*apart : nullptr, options);
  const Identification& x = fit.found;
  const std::vector<std::string>& names = own.rows->names();
  const auto links = fitted_links(model, x.value, locked);
  const auto joints = fitted_joints(with_friction(model, x), x);
  return {json::json_text(identification_json(model, x, parameters(model), fit.rms, names)),
          identification_text(model, x, fit.rms, names),
          json::json_text(fitted_joints_json(with_friction(model, x), x.value)),
          is_robot_text(urdf_text) ? rewrite_robot_inertias(urdf_text, "<robot>", links, joints)
                                   : rewrite_dynamics(rewrite_inertials(urdf_text, links), joints),
          x.value,
          x.sd,
          fit.warnings};
}

nb::tuple tuple_of(const Fit& found) {
  for (const std::string& warning : found.warnings) warn(warning);
  return nb::make_tuple(found.report, found.text, found.joints, found.urdf, found.value, found.sd);
}

/// By one pass, which was made.
nb::tuple fit(const RobotModel& robot, const Information& information, const std::vector<std::string>& kinds, double prior,
              const Information* holdout) {
  const std::string urdf_text = robot.source().text;
  const std::vector<std::string> locked = robot.report().absent;
  const PassOptions options = passes(*information.model, kinds, prior, false);
  const auto own = std::make_shared<Information>(information),
             held = holdout ? std::make_shared<Information>(*holdout) : nullptr;
  return tuple_of(interruptible<Fit>(
      [=](const Progress&) { return fitted(urdf_text, locked, *own, nullptr, held.get(), nullptr, options); }));
}

/// The same by several passes: `read` adds all samples again to what it is given, and so `read_held` those held out.
nb::tuple fit_by_passes(const RobotModel& robot, const Information& information, const std::vector<std::string>& kinds,
                        double prior, bool huber, const ReadAgain& read, const Information* holdout,
                        const ReadAgain& read_held) {
  Information own = information;
  std::optional<Information> held;
  if (holdout) held.emplace(*holdout);
  return tuple_of(fitted(robot.source().text, robot.report().absent, own, read, held ? &*held : nullptr, read_held,
                         passes(*information.model, kinds, prior, huber)));
}

/// Rows that belong to someone else, for as long as this lives.
struct Borrowed : Information {
  Borrowed(const Information& like, RowInformation& lent) : Information(like) { rows.reset(&lent); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { static_cast<void>(rows.release()); }
};

/// Each log left out in its turn: JSON and words as the command line's. `empty`: without samples; reads[k] adds those of log k.
nb::tuple cross_validated(const Information& empty, const std::vector<std::string>& kinds, double prior, bool huber,
                          const std::vector<nb::callable>& reads) {
  std::vector<SeparateLog> logs;
  for (std::size_t k = 0; k < reads.size(); ++k)
    logs.push_back({"log " + std::to_string(k), [&, k](RowInformation& to) {
                      Borrowed information(empty, to);
                      reads[k](nb::cast(static_cast<Information*>(&information), nb::rv_policy::reference));
                    }});
  const auto fresh = [&] { return Information(empty).take(); };
  const CrossValidation x = cross_validate(logs, fresh, passes(*empty.model, kinds, prior, huber));
  for (const std::string& warning : x.warnings) warn("identify: " + warning);
  const std::vector<std::string>& rows = empty.rows->names();
  return nb::make_tuple(json::json_text(cross_validation_json(x, rows)), cross_validation_text(x, rows));
}

/// Of each row of a sample.
template <class Number>
std::vector<Number> by_row(Information& information, Number (*number)(const RowInformation::Factor&)) {
  std::vector<Number> numbers;
  for (const RowInformation::Factor& factor : information.rows->factors()) numbers.push_back(number(factor));
  return numbers;
}

/// How the next rows are made, for other processes: friction's shapes, three numbers a freedom; by freedom its extra columns,
/// five numbers each; Huber's parameters, deviations and threshold.
using How = std::tuple<std::vector<double>, std::vector<std::vector<double>>, std::vector<double>, std::vector<double>, double>;

void append(const FrictionShape& g, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {g.smoothing, g.stribeck, g.stribeck_velocity});
}
FrictionShape shape_from(const std::vector<double>& numbers, std::size_t at) {
  return {numbers[at], numbers[at + 1], numbers[at + 2]};
}

How how(const Information& information) {
  const RowPass& pass = information.rows->pass();
  std::vector<double> friction;
  for (const FrictionShape& g : pass.friction) append(g, friction);
  std::vector<std::vector<double>> extra;
  for (const std::vector<FrictionColumn>& columns : pass.extra) {
    extra.emplace_back();
    for (const FrictionColumn& each : columns) {
      append(each.shape, extra.back());
      extra.back().push_back(each.along ? static_cast<double>(*each.along) : -1);
      extra.back().push_back(each.friction);
    }
  }
  const HuberWeights huber = pass.huber.value_or(HuberWeights{{}, {}, 0});
  return {friction, extra, huber.value, huber.sigma, huber.threshold};
}

void restart(Information& information, const How& how) {
  const auto& [friction, extra, value, sigma, threshold] = how;
  RowPass pass;
  for (std::size_t k = 0; k + 2 < friction.size(); k += 3) pass.friction.push_back(shape_from(friction, k));
  for (const std::vector<double>& numbers : extra) {
    pass.extra.emplace_back();
    for (std::size_t k = 0; k + 4 < numbers.size(); k += 5) {
      FrictionColumn column{shape_from(numbers, k), std::nullopt, numbers[k + 4]};
      if (numbers[k + 3] >= 0) column.along = static_cast<FrictionNumber>(static_cast<int>(numbers[k + 3]));
      pass.extra.back().push_back(column);
    }
  }
  if (threshold > 0) pass.huber = HuberWeights{value, sigma, threshold};
  information.rows->restart(pass);
}

void make(Information* at, const RobotModel& robot, nb::handle sensors) {
  if (sensors.is_none())
    new (at) Information(robot.shared());
  else
    new (at) Information(robot.shared(), sensors_of(sensors).set);
}

}  // namespace

void bind_identification(nb::module_& m) {
  nb::class_<Information>(m, "_Information")
      .def("__init__", &make, nb::arg("robot"), nb::arg("sensors").none() = nb::none(),
           nb::sig("def __init__(self, robot: Model, sensors: SensorSet | None = None) -> None"))
      .def("add", &add, nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("ddq"), nb::arg("measured"),
           nb::arg("fx").none() = nb::none(),
           nb::sig("def add(self, robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, measured: ArrayLike, fx: "
                   "Mapping[str, ArrayLike] | None = None) -> None"))
      .def(
          "merge", [](Information& self, const Information& other) { self.rows->merge(*other.rows); }, nb::arg("other"),
          nb::sig("def merge(self, other: _Information) -> None"))
      .def(
          "names", [](const Information& self) { return self.rows->names(); }, nb::sig("def names(self) -> list[str]"))
      .def(
          "silent",
          [](const Information& self) {
            return self.system ? static_cast<const SensorInformation&>(*self.rows).silent() : std::vector<std::string>();
          },
          nb::sig("def silent(self) -> list[str]"))
      .def(
          "inputs", [](const Information& self) { return self.system ? input_columns(*self.system) : nb::list(); },
          nb::sig("def inputs(self) -> list[tuple[list[str], bool, float, int, bool]]"))
      .def(
          "rows", [](Information& self) { return by_row<long>(self, [](const auto& factor) { return factor.rows; }); },
          nb::sig("def rows(self) -> list[int]"))
      .def(
          "orders", [](Information& self) { return by_row<int>(self, [](const auto& factor) { return factor.order(); }); },
          nb::sig("def orders(self) -> list[int]"))
      .def(
          "state", [](Information& self) { return self.rows->state(); }, nb::sig("def state(self) -> list[float]"))
      .def(
          "restore", [](Information& self, const std::vector<double>& state) { self.rows->restore(state); }, nb::arg("state"),
          nb::sig("def restore(self, state: Sequence[float]) -> None"))
      .def("how", &how, nb::sig("def how(self) -> tuple[list[float], list[list[float]], list[float], list[float], float]"))
      .def("restart", &restart, nb::arg("how"),
           nb::sig("def restart(self, how: tuple[Sequence[float], Sequence[Sequence[float]], Sequence[float], "
                   "Sequence[float], float]) -> None"))
      .def(
          "fit",
          [](const Information& self, const RobotModel& robot, const std::vector<std::string>& kinds, double prior,
             const Information* holdout) { return fit(robot, self, kinds, prior, holdout); },
          nb::arg("robot"), nb::arg("kinds"), nb::arg("prior"), nb::arg("holdout").none(),
          nb::sig("def fit(self, robot: Model, kinds: Sequence[str], prior: float, holdout: _Information | None) -> "
                  "tuple[str, str, str, str, list[float], list[float]]"))
      .def(
          "fit_by_passes",
          [](const Information& self, const RobotModel& robot, const std::vector<std::string>& kinds, double prior, bool huber,
             nb::callable read, const Information* holdout, nb::callable read_held) {
            const auto again = [](nb::callable f) -> ReadAgain {
              return [f](Information& information) { f(nb::cast(&information, nb::rv_policy::reference)); };
            };
            return fit_by_passes(robot, self, kinds, prior, huber, again(read), holdout, again(read_held));
          },
          nb::arg("robot"), nb::arg("kinds"), nb::arg("prior"), nb::arg("huber"), nb::arg("read"), nb::arg("holdout").none(),
          nb::arg("read_held"),
          nb::sig(
              "def fit_by_passes(self, robot: Model, kinds: Sequence[str], prior: float, huber: bool, read: "
              "Callable[[_Information], "
              "None], holdout: _Information | None, read_held: Callable[[_Information], None]) -> tuple[str, str, str, str, "
              "list[float], list[float]]"))
      .def("cross_validated", &cross_validated, nb::arg("kinds"), nb::arg("prior"), nb::arg("huber"), nb::arg("reads"),
           nb::sig("def cross_validated(self, kinds: Sequence[str], prior: float, huber: bool, reads: "
                   "Sequence[Callable[[_Information], None]]) -> tuple[str, str]"));
}

}  // namespace sparsedyn::python
