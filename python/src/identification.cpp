// sd.TorqueInformation and what sd.identify makes of it.
#include <cmath>
#include <functional>
#include <optional>

#include "algorithm.hpp"
#include "cli/reports/identification_report.hpp"
#include "cli/support/fitted_links.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "urdf/rewrite_inertials.hpp"

namespace sparsedyn::python {
namespace {

constexpr npy_intp rows_between_looks = 1000;

/// What logs say of the torques of a robot.
struct Torques {
  explicit Torques(std::shared_ptr<const Model> m) : model(std::move(m)), information(*model) {}
  std::shared_ptr<const Model> model;
  TorqueInformation information;
};

/// q, dq, ddq, tau and wrenches of samples.
struct TorqueRows {
  Rows rows;
  std::vector<int> links;

  TorqueRows(const RobotModel& robot, nb::handle q, nb::handle dq, nb::handle ddq, nb::handle tau, nb::handle fx) {
    const Model& model = robot.model();
    const std::pair<const char*, nb::handle> given[] = {{"q", q}, {"dq", dq}, {"ddq", ddq}, {"tau", tau}};
    rows.inputs.reserve(4), rows.input_specs.reserve(4);
    for (const auto& [name, argument] : given) {
      rows.input_specs.push_back({name, {1, {rows.inputs.empty() ? model.nq : model.nv, 0, 0}}});
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
        if (!std::isfinite(x) && !(k == 3 && std::isnan(x)))
          return rows.input_specs[k].text() + "[" + std::to_string(e) + "] is not finite";
      }
    }
    return "";
  }
};

void add_rows(Torques& torques, const TorqueRows& given, npy_intp first, npy_intp last) {
  const Model& model = *torques.model;
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  std::vector<Force<double>> fx(model.bodies.size());
  std::vector<const double*> wrenches(given.links.size());
  for (npy_intp i = first; i < last; ++i) {
    const Rows& rows = given.rows;
    std::copy_n(rows.in(0, i), model.nq, q.data());
    normalise(model, q.data());
    for (std::size_t k = 0; k < wrenches.size(); ++k) wrenches[k] = rows.in(static_cast<int>(4 + k), i);
    if (!wrenches.empty()) sum_wrenches(model, given.links, wrenches.data(), fx.data());
    torques.information.add(q.data(), rows.in(1, i), rows.in(2, i), rows.in(3, i), wrenches.empty() ? nullptr : fx.data());
  }
}

/// All rows, or none: where one cannot be used, and after Ctrl-C.
void add(Torques& torques, const RobotModel& robot, nb::handle q, nb::handle dq, nb::handle ddq, nb::handle tau,
         nb::handle fx) {
  if (robot.shared() != torques.model) throw nb::value_error("add: of another robot");
  const TorqueRows given(robot, q, dq, ddq, tau, fx);
  const npy_intp count = given.rows.count;
  std::vector<Failure> failures;
  std::vector<double> unit(static_cast<std::size_t>(torques.model->nq));
  for (npy_intp i = 0; i < count; ++i) {
    std::string why = given.fault(i);
    std::copy_n(given.rows.in(0, i), unit.size(), unit.data());
    if (why.empty() && !normalise(*torques.model, unit.data())) why = "q: a quaternion is zero";
    if (!why.empty()) failures.push_back({i, std::move(why)});
  }
  if (!failures.empty()) raise_solve_error(failures, count);
  if (count <= rows_between_looks) return add_rows(torques, given, 0, count);
  Torques all = torques;
  for (npy_intp i = 0; i < count; i += rows_between_looks) {
    {
      nb::gil_scoped_release unlocked;
      add_rows(all, given, i, std::min(count, i + rows_between_looks));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  torques.information = std::move(all.information);
}

std::vector<long> rows_by_torque(Torques& torques) {
  std::vector<long> rows;
  for (const TorqueInformation::Factor& factor : torques.information.factors()) rows.push_back(factor.rows);
  return rows;
}

struct Fit {
  std::string report, text, joints, urdf;
  std::vector<double> value, sd;
};

using ReadAgain = std::function<void(Torques&)>;

/// As the command line's --fit, --prior and --robust.
PassOptions pass_options(const Model& model, const std::vector<std::string>& kinds, double prior, bool huber) {
  if (!(prior > 0) || !std::isfinite(prior)) throw nb::value_error("prior: expected a positive number");
  PassOptions options;
  options.fit.fitted = cli::fitted_parameters(model, kinds);
  options.fit.prior = prior;
  options.smoothing = cli::fitted_smoothing(model, kinds);
  options.huber = huber;
  return options;
}

Fit text_of(const Model& model, const std::string& urdf_text, const Identification& x, const cli::TorqueErrors& rms) {
  const std::vector<std::string> names = force_names(model);
  return {cli::json_text(cli::identification_json(model, x, parameters(model), rms, names)),
          cli::identification_text(x, rms, names),
          cli::json_text(cli::fitted_joints_json(cli::with_smoothing(model, x), x.value)),
          rewrite_inertials(urdf_text, cli::fitted_links(model, x.value)),
          x.value,
          x.sd};
}

nb::tuple tuple_of(const Fit& found) {
  return nb::make_tuple(found.report, found.text, found.joints, found.urdf, found.value, found.sd);
}

/// The report as the command line writes it, in words too; joints and URDF as --joints-out and --urdf-out write them.
nb::tuple fit(const RobotModel& robot, const Torques& torques, const std::vector<std::string>& kinds, double prior,
              const Torques* holdout) {
  const auto model = torques.model;
  const std::string urdf_text = robot.source().text;
  const PassOptions options = pass_options(*model, kinds, prior, false);
  const std::shared_ptr<Torques> held = holdout ? std::make_shared<Torques>(*holdout) : nullptr;
  const auto own = std::make_shared<Torques>(torques);
  return tuple_of(interruptible<Fit>([=](const Progress&) {
    TorqueInformation& information = own->information;
    const Identification x = identify(information, options.fit);
    const std::vector<double> urdf = parameters(*model);
    cli::TorqueErrors rms{cli::torque_rms(information, urdf), cli::torque_rms(information, x.value), {}, {}};
    if (held) {
      rms.holdout_before = cli::torque_rms(held->information, urdf);
      rms.holdout_after = cli::torque_rms(held->information, x.value);
    }
    return text_of(*model, urdf_text, x, rms);
  }));
}

/// The same by several passes: `read` adds all samples again to what it is given, and so `read_held` those held out.
nb::tuple fit_by_passes(const RobotModel& robot, const Torques& torques, const std::vector<std::string>& kinds, double prior,
                        bool huber, const ReadAgain& read, const Torques* holdout, const ReadAgain& read_held) {
  const Model& model = *torques.model;
  const PassOptions options = pass_options(model, kinds, prior, huber);
  Torques own = torques;
  const std::vector<double> urdf = parameters(model);
  cli::TorqueErrors rms{cli::torque_rms(own.information, urdf), {}, {}, {}};
  const Identification x = identify_by_passes(own.information, options, [&] { read(own); });
  rms.after = cli::torque_rms(own.information, x.value);
  if (holdout) {
    Torques held = *holdout;
    rms.holdout_before = cli::torque_rms(held.information, urdf);
    held.information.restart({x.smoothing, {}, std::nullopt});
    read_held(held);
    rms.holdout_after = cli::torque_rms(held.information, x.value);
  }
  return tuple_of(text_of(model, robot.source().text, x, rms));
}

}  // namespace

void bind_identification(nb::module_& m) {
  nb::class_<Torques>(m, "_Torques")
      .def(
          "__init__", [](Torques* self, const RobotModel& robot) { new (self) Torques(robot.shared()); }, nb::arg("robot"),
          nb::sig("def __init__(self, robot: Model) -> None"))
      .def("add", &add, nb::arg("robot"), nb::arg("q"), nb::arg("dq"), nb::arg("ddq"), nb::arg("tau"), nb::arg("fx").none(),
           nb::sig("def add(self, robot: Model, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, tau: ArrayLike, fx: Mapping[str, "
                   "ArrayLike] | None) -> None"))
      .def(
          "merge", [](Torques& self, const Torques& other) { self.information.merge(other.information); }, nb::arg("other"),
          nb::sig("def merge(self, other: _Torques) -> None"))
      .def("rows", &rows_by_torque, nb::sig("def rows(self) -> list[int]"))
      .def(
          "orders",
          [](Torques& self) {
            std::vector<int> orders;
            for (const TorqueInformation::Factor& factor : self.information.factors()) orders.push_back(factor.order());
            return orders;
          },
          nb::sig("def orders(self) -> list[int]"))
      .def(
          "state", [](Torques& self) { return self.information.state(); }, nb::sig("def state(self) -> list[float]"))
      .def(
          "restore", [](Torques& self, const std::vector<double>& state) { self.information.restore(state); }, nb::arg("state"),
          nb::sig("def restore(self, state: Sequence[float]) -> None"))
      .def(
          "fit",
          [](const Torques& self, const RobotModel& robot, const std::vector<std::string>& kinds, double prior,
             const Torques* holdout) { return fit(robot, self, kinds, prior, holdout); },
          nb::arg("robot"), nb::arg("kinds"), nb::arg("prior"), nb::arg("holdout").none(),
          nb::sig("def fit(self, robot: Model, kinds: Sequence[str], prior: float, holdout: _Torques | None) -> "
                  "tuple[str, str, str, str, list[float], list[float]]"))
      .def(
          "fit_by_passes",
          [](const Torques& self, const RobotModel& robot, const std::vector<std::string>& kinds, double prior, bool huber,
             nb::callable read, const Torques* holdout, nb::callable read_held) {
            const auto again = [](nb::callable f) -> ReadAgain {
              return [f](Torques& torques) { f(nb::cast(&torques, nb::rv_policy::reference)); };
            };
            return fit_by_passes(robot, self, kinds, prior, huber, again(read), holdout, again(read_held));
          },
          nb::arg("robot"), nb::arg("kinds"), nb::arg("prior"), nb::arg("huber"), nb::arg("read"), nb::arg("holdout").none(),
          nb::arg("read_held"),
          nb::sig("def fit_by_passes(self, robot: Model, kinds: Sequence[str], prior: float, huber: bool, read: "
                  "Callable[[_Torques], "
                  "None], holdout: _Torques | None, read_held: Callable[[_Torques], None]) -> tuple[str, str, str, str, "
                  "list[float], list[float]]"));
}

}  // namespace sparsedyn::python
