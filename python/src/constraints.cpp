#include "constraints.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm.hpp"
#include "interruptible.hpp"
#include "io/text_file.hpp"
#include "pickles.hpp"
#include "simulation/motion_page.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"

namespace sparsedyn::python {

Constraints::Constraints(std::string text, std::string file, std::vector<FoundContact> found)
    : text_(std::move(text)), file_(std::move(file)), found_(std::move(found)) {
  const json::Document document = json::Document::parse(text_, file_);
  size_ = static_cast<int>(document.root().at("constraints").array().size());
}

Constraints::Fitted Constraints::on(const RobotModel& robot) const {
  if (last_.model == robot.shared()) return last_;
  Fitted made;
  made.model = robot.shared();
  ConstraintSet set = parse_constraint_set(text_, file_, *made.model);
  for (const FoundContact& contact : found_) put_finder(contact, made.model->nq, set.constraints[contact.place]);
  made.set = std::make_shared<const ConstraintSet>(std::move(set)), made.found = found_;
  const ConstrainedDynamics dynamics(*made.model, *made.set);
  made.forces = dynamics.force_columns(), made.gaps = dynamics.gap_columns();
  return last_ = made;
}

Constraints Constraints::copy() const {
  std::vector<FoundContact> own = found_;
  for (FoundContact& contact : own)
    contact.finder = std::make_shared<PythonFinder>(contact.finder->name(), contact.finder->function(), contact.most_points);
  return {text_, file_, std::move(own)};
}

int Constraints::visit(int (*of)(PyObject*, void*), void* argument) const {
  for (std::size_t k = 0; k < found_.size(); ++k) {
    const auto& finder = found_[k].finder;
    const bool kept_twice = k < last_.found.size() && last_.found[k].finder == finder;
    if (finder.use_count() > (kept_twice ? 2 : 1)) continue;  // a call under way keeps it, too
    if (const int found = finder->visit([=](PyObject* held) { return of(held, argument); })) return found;
  }
  return 0;
}

void Constraints::clear() {
  for (const FoundContact& contact : found_) contact.finder->clear();
}

Constraints constraints_of(nb::handle source) {
  if (nb::isinstance<Constraints>(source)) return nb::cast<const Constraints&>(source).copy();
  if (PyDict_Check(source.ptr())) {
    std::vector<FoundContact> found;
    const nb::object plain = without_finders(nb::cast<nb::dict>(source), found);
    return {nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(plain, nb::arg("indent") = 1)), "<dict>",
            std::move(found)};
  }
  const std::string name = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(source));
  return {read_text_file(name == "-" ? "./-" : name, "constraints as JSON"), name};
}

namespace {

using H = nb::handle;

/// Whether the answer can be used; else the reason is kept.
int judged(Works& works, const ConstrainedDynamics& dynamics, const ConstraintStatus& status) {
  if (status.ok()) return -1;
  works.why = dynamics.describe(status);
  return -2;
}

const Algorithm forward_of{{{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}},
                           {{"ddq", {Axis::nv}}, {"force", {Axis::forces}}, {"gap", {Axis::gaps}}, {"iterations", {}}},
                           [](Works& works, const State& s, double* const* out) {
                             ConstrainedDynamics& dynamics = works.constrained(*s.constraints, *s.effort_limits);
                             const ConstraintStatus status = dynamics.forward(s.q, s.dq, s.tau, s.fx, out[0], out[1], out[2]);
                             *out[3] = status.iterations;
                             return judged(works, dynamics, status);
                           },
                           "ContactDynamics"};

const Algorithm inverse_of{{{"q", Input::q}, {"dq", Input::dq}, {"ddq", Input::ddq}},
                           {{"tau", {Axis::nv}}, {"force", {Axis::forces}}, {"gap", {Axis::gaps}}},
                           [](Works& works, const State& s, double* const* out) {
                             ConstrainedDynamics& dynamics = works.constrained(*s.constraints, *s.effort_limits);
                             return judged(works, dynamics, dynamics.inverse(s.q, s.dq, s.ddq, s.fx, out[0], out[1], out[2]));
                           },
                           "ContactInverseDynamics"};

const Algorithm derivatives_of{
    {{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}},
    {{"ddq", {Axis::nv}},
     {"force", {Axis::forces}},
     {"gap", {Axis::gaps}},
     {"dddq_dq", {Axis::nv, Axis::nv}},
     {"dddq_dv", {Axis::nv, Axis::nv}},
     {"dddq_dtau", {Axis::nv, Axis::nv}},
     {"dforce_dq", {Axis::forces, Axis::nv}},
     {"dforce_dv", {Axis::forces, Axis::nv}},
     {"dforce_dtau", {Axis::forces, Axis::nv}}},
    [](Works& works, const State& s, double* const* out) {
      ConstrainedDynamics& dynamics = works.constrained(*s.constraints, *s.effort_limits);
      return judged(works, dynamics,
                    dynamics.derivatives(s.q, s.dq, s.tau, s.fx,
                                         {out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8]}));
    },
    "ContactDerivatives"};

/// Writes a block of the Hessian, 3nv × 3nv, to each of the outputs.
void write_blocks(const std::vector<double>& hessian, std::size_t n, double* const* out) {
  for (std::size_t row = 0, block = 0; row < 3; ++row)
    for (std::size_t column = row; column < 3; ++column, ++block)
      for (std::size_t i = 0; i < n; ++i)
        std::copy_n(hessian.data() + (row * n + i) * 3 * n + column * n, n, out[block] + i * n);
}

const Algorithm second_of{
    {{"q", Input::q}, {"dq", Input::dq}, {"tau", Input::tau}, {"multipliers", Input::lambda}},
    {{"d2ddq_dqdq", {Axis::nv, Axis::nv}},
     {"d2ddq_dqdv", {Axis::nv, Axis::nv}},
     {"d2ddq_dqdtau", {Axis::nv, Axis::nv}},
     {"d2ddq_dvdv", {Axis::nv, Axis::nv}},
     {"d2ddq_dvdtau", {Axis::nv, Axis::nv}},
     {"d2ddq_dtaudtau", {Axis::nv, Axis::nv}}},
    [](Works& works, const State& s, double* const* out) {
      ContactSecondDerivatives& second = works.second(*s.constraints, *s.effort_limits);
      const auto n = static_cast<std::size_t>(works.model.nv), square = n * n;
      const std::size_t forces = second.dynamics().force_columns().size(), gaps = second.dynamics().gap_columns().size();
      std::vector<double> first(n + forces + gaps + 3 * square), hessian(9 * square);
      double *const a = first.data(), *const force = a + n, *const gap = force + forces, *const by = gap + gaps;
      const ConstraintStatus status = second.evaluate(
          s.q, s.dq, s.tau, s.fx, s.lambda, {a, force, gap, by, by + square, by + 2 * square}, hessian.data(), s.force_lambda);
      write_blocks(hessian, n, out);
      return judged(works, second.dynamics(), status);
    },
    "ContactSecondDerivatives"};

const Algorithm second_of_forces = [] {
  Algorithm algorithm = second_of;
  algorithm.inputs.emplace_back("force_multipliers", Input::force_lambda);
  return algorithm;
}();

/// The caller's own object where it is one, so that what it keeps for the robot stays.
Constraints::Fitted fitted(H constraints, const RobotModel& robot) {
  if (nb::isinstance<Constraints>(constraints)) return nb::cast<const Constraints&>(constraints).on(robot);
  return constraints_of(constraints).on(robot);
}

/// True: the URDF's; False or None: none; or numbers by entry of v.
std::vector<double> limits_of(H given, const RobotModel& robot) {
  if (given.is_none() || given.is(Py_False)) return {};
  if (given.is(Py_True)) return effort_limits(robot.model());
  const InputArray limits(given, {"effort_limits", {1, {robot.model().nv, 0, 0}}});
  std::vector<double> numbers(limits.data(), limits.data() + robot.model().nv);
  if (limits.batch_rank() || !std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0; }))
    throw nb::value_error("effort_limits: expected True, or nv numbers >= 0");
  return numbers;
}

nb::object under(const Algorithm& algorithm, const RobotModel& robot, const Constraints::Fitted& constraints, const H* in, H fx,
                 H out, int threads, H on_error, H limits = nb::none()) {
  AlgorithmCall how{in, fx, out, -1, threads, on_error};
  how.constraints = constraints.set, how.effort_limits = limits_of(limits, robot);
  how.forces = static_cast<int>(constraints.forces.size()), how.gaps = static_cast<int>(constraints.gaps.size());
  if (constraints.found.empty()) return call(algorithm, robot, how);
  nb::object answer;
  try {
    answer = call(algorithm, robot, how);
  } catch (nb::python_error&) {
    constraints.rethrow();
    throw;
  }
  constraints.rethrow();
  return answer;
}

nb::object contact_dynamics(const RobotModel& r, H constraints, H q, H dq, H tau, H fx, H out, int threads, H on_error,
                            H limits) {
  const H in[] = {q, dq, tau};
  return under(forward_of, r, fitted(constraints, r), in, fx, out, threads, on_error, limits);
}

nb::object contact_derivatives(const RobotModel& r, H constraints, H q, H dq, H tau, H fx, H out, int threads, H on_error,
                               H limits) {
  const H in[] = {q, dq, tau};
  return under(derivatives_of, r, fitted(constraints, r), in, fx, out, threads, on_error, limits);
}

nb::object contact_second_derivatives(const RobotModel& r, H constraints, H q, H dq, H tau, H multipliers, H fx, H out,
                                      int threads, H on_error, H limits, H force_multipliers) {
  const H in[] = {q, dq, tau, multipliers, force_multipliers};
  const Constraints::Fitted found = fitted(constraints, r);
  for (const Constraint& c : found.set->constraints)
    if (c.type == ConstraintType::link_contact)
      throw InputError(found.set->file, c.line, "constraint \"" + c.name + "\"", "contacts that a finder gives",
                       "constraints of other types: finders give first derivatives alone");
  const Algorithm& algorithm = force_multipliers.is_none() ? second_of : second_of_forces;
  return under(algorithm, r, found, in, fx, out, threads, on_error, limits);
}

nb::object contact_inverse_dynamics(const RobotModel& r, H constraints, H q, H dq, H ddq, H fx, H out, int threads,
                                    H on_error) {
  const H in[] = {q, dq, ddq};
  const Constraints::Fitted found = fitted(constraints, r);
  for (const Constraint& c : found.set->constraints)
    if (c.hard)
      throw InputError(found.set->file, c.line, "constraint \"" + c.name + "\"", "\"hard\": true",
                       "soft constraints: forces of hard ones are no function of the accelerations");
  return under(inverse_of, r, found, in, fx, out, threads, on_error);
}

nb::tuple hard_rows_of(const Constraints& self, const RobotModel& robot) {
  const Constraints::Fitted found = self.on(robot);
  const HardRows rows = interruptible<HardRows>([=](const Progress&) { return hard_rows(*found.model, *found.set); });
  return nb::make_tuple(rows.rows, rows.rank, rows.freedoms, rows.redundant);
}

struct Simulated {
  std::vector<std::string> names;
  std::vector<double> rows;
  SimulationEnd end;
  std::string page;
};

/// Rows (contiguous) of time, then q (NaN where nothing is said), dq, tau by entry of v.
SetPoints set_points_of(const Model& model, H targets, bool repeat) {
  SetPoints points;
  if (targets.is_none()) return points;
  const int nv = model.nv, width = 1 + 3 * nv;
  const InputArray rows(targets, {"targets", {1, {width, 0, 0}}});
  points.repeat = repeat;
  for (npy_intp k = 0; k < rows.batch_shape()[0]; ++k) {
    const double* row = rows.data() + k * width;
    points.time.push_back(*row++);
    for (auto* part : {&points.q, &points.v, &points.tau}) part->insert(part->end(), row, row + nv), row += nv;
  }
  return points;
}

/// A forward simulation from (q, v): columns, rows, and at which row it ended and why (-1 and nothing: at none); its page, if
/// it is asked for.
nb::tuple simulated_forward(const RobotModel& robot, H constraints, H q, H dq, double kp, double kd, double seconds,
                            double rate, const std::string& integrator, bool project, H targets, bool repeat, bool paged,
                            H limits) {
  const auto model = robot.shared();
  if (model->coordinate_map) throw nb::value_error("simulate: a robot whose joints follow others; expected independent ones");
  const InputArray q0(q, {"q", {1, {model->nq, 0, 0}}}), v0(dq, {"dq", {1, {model->nv, 0, 0}}});
  if (q0.batch_rank() || v0.batch_rank()) throw nb::value_error("start: expected one state");
  ForwardSimulation motion;
  motion.q.assign(q0.data(), q0.data() + model->nq), motion.v.assign(v0.data(), v0.data() + model->nv);
  for (const auto* part : {&motion.q, &motion.v})
    for (double x : *part)
      if (!std::isfinite(x)) throw nb::value_error("start: expected finite numbers");
  if (!normalise(*model, motion.q.data())) throw nb::value_error("start: a quaternion is zero");
  const double count = std::round(seconds * rate);
  if (!(seconds > 0) || !(rate > 0) || !(count >= 1 && count <= 1e9))
    throw nb::value_error("seconds, rate: expected positive numbers that make 1 to 1e9 rows");
  if (!(kp >= 0 && kd >= 0) || !std::isfinite(kp + kd)) throw nb::value_error("hold: expected two numbers ≥ 0");
  motion.kp = kp, motion.kd = kd, motion.rate = rate, motion.rows = static_cast<long>(count), motion.project = project;
  motion.targets = set_points_of(*model, targets, repeat);
  const auto chosen = integrator_of(integrator);
  if (!chosen) throw nb::value_error("integrator: expected 'semi-implicit', 'implicit-velocity' or 'runge-kutta'");
  motion.integrator = *chosen, motion.effort_limits = limits_of(limits, robot);
  if (const auto misfit = integrator_misfit(*model, motion))
    throw nb::value_error((misfit->found + "; expected " + misfit->expected).c_str());
  Constraints::Fitted under;
  if (!constraints.is_none()) under = fitted(constraints, robot);
  ConstraintSet set = under.set ? *under.set : ConstraintSet();
  if (!set.parameters.timestep_given) set.parameters.timestep = 1 / rate;
  const Simulated made = interruptible<Simulated>([=](const Progress& progress) {
    Simulated run;
    std::optional<MotionPage> page;
    run.end = simulate_forward(*model, set, motion, [&](const MotionRow& row) {
      if (row.k == 0) run.names = row.columns;
      if (row.k == 0 && paged) page.emplace(*model, set, row.columns, motion.rate, motion.rows);
      if (page) page->add(row);
      if (row.k % 256 == 0) progress(static_cast<double>(row.k) / static_cast<double>(motion.rows), "simulate");
      run.rows.insert(run.rows.end(), row.numbers, row.numbers + row.columns.size());
    });
    if (page) run.page = page->html(model->name + ", forward simulation", "");
    return run;
  });
  under.rethrow();
  const npy_intp columns = static_cast<npy_intp>(made.names.size());
  BatchShape shape;
  shape.rank = 1, shape.size[0] = columns ? static_cast<npy_intp>(made.rows.size()) / columns : 0;
  const OutputArray rows(shape, {"rows", {1, {columns, 0, 0}}});
  std::copy(made.rows.begin(), made.rows.end(), rows.data());
  return nb::make_tuple(made.names, rows.object(), made.end.row, made.end.why, made.page);
}

#define SPARSEDYN_CONSTRAINTS "constraints: Constraints | str | os.PathLike[str] | Mapping[str, Any]"
#define SPARSEDYN_LIMITED SPARSEDYN_LIMITED_AND ") -> "
#define SPARSEDYN_LIMITED_AND                                                                                            \
  ", fx: Mapping[str, ArrayLike] | None = None, *, out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int " \
  "= 1, on_error: Literal['raise', 'nan'] = 'raise', effort_limits: bool | ArrayLike = False"
#define SPARSEDYN_REST_OF_CONSTRAINTS                                                                                    \
  ", fx: Mapping[str, ArrayLike] | None = None, *, out: tuple[NDArray[numpy.float64], ...] | None = None, threads: int " \
  "= 1, on_error: Literal['raise', 'nan'] = 'raise') -> "

constexpr int pickle_format = 1;

/// Finders by themselves: they can be pickled where their functions can.
nb::tuple state_of(const Constraints& c) {
  nb::list found;
  for (const FoundContact& f : c.found())
    found.append(nb::make_tuple(f.place, nb::make_tuple(f.links.at(0), f.links.at(1)), f.most_points, f.finder->name(),
                                f.finder->function()));
  return pickled_state(pickle_format, c.text(), c.file(), found);
}

/// Of a finder that was pickled with the constraints. Throws InputError.
FoundContact found_from(const PickledState& state, const nb::tuple& one) {
  FoundContact contact;
  std::string name;
  const nb::handle links = one[1];
  contact.links.resize(2);
  const bool pair = PyTuple_Check(links.ptr()) && nb::len(links) == 2 &&
                    nb::try_cast(nb::object(links[0]), contact.links[0], false) &&
                    nb::try_cast(nb::object(links[1]), contact.links[1], false);
  if (!pair || !nb::try_cast(one[0], contact.place, false) || !nb::try_cast(one[2], contact.most_points, false) ||
      !nb::try_cast(one[3], name, false) || !PyCallable_Check(one[4].ptr()))
    state.refuse("finders", one, "(place, (link, link), most points, name, function)");
  if (contact.most_points < 1 || contact.most_points > 1000) state.refuse("most points", one[2], "1 to 1000");
  contact.finder = std::make_shared<PythonFinder>(name, nb::object(one[4]), contact.most_points);
  return contact;
}

Constraints from_state(nb::handle pickle) {
  const PickledState state(pickle, "Constraints", pickle_format, 3);
  std::vector<FoundContact> found;
  for (const nb::tuple& one : state.tuples(2, "finders", 5)) found.push_back(found_from(state, one));
  const std::vector<FoundContact> asked = found;
  Constraints made(state.text(0, "text"), state.text(1, "file"), std::move(found));
  for (const FoundContact& contact : asked)
    if (contact.place >= static_cast<std::size_t>(made.size())) state.refuse("place", state[2], "one of the constraints");
  return made;
}

std::string json_of(const Constraints& c) {
  if (!c.found().empty()) throw nb::value_error("json: files hold no finders");
  return c.text();
}

int traverse(PyObject* self, visitproc visit, void* argument) {
  if (const int found = visit(reinterpret_cast<PyObject*>(Py_TYPE(self)), argument)) return found;
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Constraints>(self)->visit(visit, argument);
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Constraints>(self)->clear();
  return 0;
}

/// A finder may know the constraints that know it.
PyType_Slot collected[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse)}, {Py_tp_clear, reinterpret_cast<void*>(&clear)}, {0, nullptr}};

void bind_set(nb::module_& m) {
  nb::class_<Constraints>(m, "Constraints", nb::type_slots(collected),
                          R"(What holds a robot beside its joints: contacts, closed loops, stops, dry friction.

A path, or a dict as the JSON files hold it (docs/contacts.md):

    sd.Constraints({"constraints": [{"name": "lf", "type": "contact", "link": "lf_foot", "points": [[0, 0, 0]],
                                     "radius": 0.02, "friction": 0.8}]})

In a dict, surfaces of two links may touch where a function finds that they do:

    {"name": "claws", "type": "link_contact", "links": ["left", "right"], "finder": find, "most_points": 1, "friction": 0.8}

find(q, first, second) gets q (nq,) and the poses of both links in the world (4, 4), and returns None or a list, of at most
`most_points` (1), of None or (point, normal, gap): world axes, m, the point half-way between the surfaces, the normal of unit
length from the second link to the first; or (point, normal, gap, dpoint, dnormal) for contact_derivatives: how both follow, seen
from the second link, as the first turns about the point and shifts (3, 6). It is called once a state, from one thread at a time;
what it raises, the call raises.

Functions that take constraints take any of these, too; a Constraints is read once for a robot. Raises InputError with line
and element. Names of joints and links are judged with the robot, by the function that gets both.)")
      .def(
          "__init__", [](Constraints* self, H source) { new (self) Constraints(constraints_of(source)); }, nb::arg("source"),
          nb::sig("def __init__(self, source: Constraints | str | os.PathLike[str] | Mapping[str, Any]) -> None"))
      .def_prop_ro(
          "_files",
          [](const Constraints& c) {
            return c.file().empty() || c.file()[0] == '<' ? nb::make_tuple() : nb::make_tuple(c.file());
          },
          nb::sig("def _files(self) -> tuple[str, ...]"), "What it was read from.")
      .def_prop_ro("json", &json_of, nb::sig("def json(self) -> str"),
                   "The text that it was read from. Raises ValueError where it has finders.")
      .def(
          "force_names", [](const Constraints& c, const RobotModel& r) { return c.on(r).forces; }, nb::arg("robot"),
          nb::sig("def force_names(self, robot: Model) -> list[str]"),
          "Of the entries of `force`: the log's columns without `lambda.`: `lf.0.x`.")
      .def(
          "gap_names", [](const Constraints& c, const RobotModel& r) { return c.on(r).gaps; }, nb::arg("robot"),
          nb::sig("def gap_names(self, robot: Model) -> list[str]"), "Of the entries of `gap`: one a contact point, `lf.0`.")
      .def("_hard_rows", &hard_rows_of, nb::arg("robot"),
           nb::sig("def _hard_rows(self, robot: Model) -> tuple[int, int, int, list[str]]"))
      .def("__len__", &Constraints::size)
      .def("__repr__",
           [](const Constraints& c) { return "Constraints('" + c.file() + "', " + std::to_string(c.size()) + " constraints)"; })
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[int, str, str, str, list[Any]]"))
      .def(
          "__setstate__",
          [](Constraints& self, nb::handle state) {
            new (&self) Constraints(made_from_pickle("Constraints", [&] { return from_state(state); }));
          },
          nb::arg().none(), nb::sig("def __setstate__(self, state: tuple[int, str, str, str, list[Any]], /) -> None"));
}

}  // namespace

void bind_constraints(nb::module_& m) {
  bind_set(m);
  m.def("contact_dynamics", &contact_dynamics, nb::arg("robot"), nb::arg("constraints"), nb::arg("q"), nb::arg("dq"),
        nb::arg("tau"), nb::arg("fx") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::arg("effort_limits") = nb::bool_(false),
        nb::sig("def contact_dynamics(robot: Model, " SPARSEDYN_CONSTRAINTS
                ", q: ArrayLike, dq: ArrayLike, tau: ArrayLike" SPARSEDYN_LIMITED "ContactDynamics"),
        R"(Forward dynamics under constraints: the named tuple (ddq, force, gap, iterations).

q (..., nq), dq and tau (..., nv) -> ddq (..., nv); force (..., forces), as constraints.force_names(robot): of contacts in the
world's axes, on the link; gap (..., contact points), m, negative where bodies overlap, inf where a finder found none; iterations (...,), Newton steps. Soft
constraints are MuJoCo's. fx as in rnea; out is a tuple of four arrays; threads and on_error as in rnea. A state at which hard
constraints contradict each other fails. effort_limits: True (the URDF's, where they are above 0) or nv numbers (inf: none)
within which tau is taken, as MuJoCo's actuatorfrcrange. Cost: factorising M once a Newton step; 1 to 10 steps.)");
  m.def("contact_derivatives", &contact_derivatives, nb::arg("robot"), nb::arg("constraints"), nb::arg("q"), nb::arg("dq"),
        nb::arg("tau"), nb::arg("fx") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
        nb::arg("on_error") = "raise", nb::arg("effort_limits") = nb::bool_(false),
        nb::sig("def contact_derivatives(robot: Model, " SPARSEDYN_CONSTRAINTS
                ", q: ArrayLike, dq: ArrayLike, tau: ArrayLike" SPARSEDYN_LIMITED "ContactDerivatives"),
        R"(First derivatives of contact_dynamics: a named tuple (ddq, force, gap, dddq_dq, dddq_dv, dddq_dtau, dforce_dq, ...).

ddq, force, gap as contact_dynamics gives them; dddq_dq, dddq_dv, dddq_dtau (..., nv, nv); dforce_dq, dforce_dv, dforce_dtau
(..., forces, nv). Columns by q are on the tangent space, as of aba_derivatives. Of the active set as it was found: contacts
that are open, stick or slide stay so. effort_limits as in contact_dynamics: by a torque beyond its limit nothing changes. fx,
threads, on_error as in rnea; out is a tuple of nine arrays.)");
  m.def(
      "contact_second_derivatives", &contact_second_derivatives, nb::arg("robot"), nb::arg("constraints"), nb::arg("q"),
      nb::arg("dq"), nb::arg("tau"), nb::arg("multipliers"), nb::arg("fx") = nb::none(), nb::kw_only(),
      nb::arg("out") = nb::none(), nb::arg("threads") = 1, nb::arg("on_error") = "raise",
      nb::arg("effort_limits") = nb::bool_(false), nb::arg("force_multipliers") = nb::none(),
      nb::sig("def contact_second_derivatives(robot: Model, " SPARSEDYN_CONSTRAINTS
              ", q: ArrayLike, dq: ArrayLike, tau: ArrayLike, multipliers: ArrayLike" SPARSEDYN_LIMITED_AND
              ", force_multipliers: ArrayLike | None = None) -> ContactSecondDerivatives"),
      R"(Second derivatives of contact_dynamics' ddq times multipliers λ (..., nv): the named tuple (d2ddq_dqdq, d2ddq_dqdv, ...).

Six blocks (..., nv, nv) of the Hessian of λ·ddq(q ⊕ δ, dq, tau) by (δ, dq, tau) at δ = 0; [i, k] of d2ddq_dqdv is by q_i and dq_k,
the other three blocks are transposes. Loops, couplings, stops and dry friction included; contacts keep their states, as in
contact_derivatives. Where rows are redundant, as of a plane linkage on a floating base, entries along which a loop opens tell
nothing. Of constraints with finders there are none. With force_multipliers η (..., forces), as constraints.force_names(robot), the blocks
are those of λ·ddq + η·force. effort_limits as in contact_derivatives; fx, threads, on_error as in rnea; out is a tuple of six arrays. The
first call with constraints records them: milliseconds, of a humanoid a second or two.)");
  m.def("contact_inverse_dynamics", &contact_inverse_dynamics, nb::arg("robot"), nb::arg("constraints"), nb::arg("q"),
        nb::arg("dq"), nb::arg("ddq"), nb::arg("fx") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(),
        nb::arg("threads") = 1, nb::arg("on_error") = "raise",
        nb::sig("def contact_inverse_dynamics(robot: Model, " SPARSEDYN_CONSTRAINTS
                ", q: ArrayLike, dq: ArrayLike, ddq: ArrayLike" SPARSEDYN_REST_OF_CONSTRAINTS "ContactInverseDynamics"),
        R"(Inverse dynamics under soft constraints, in closed form: the named tuple (tau, force, gap).

q (..., nq), dq and ddq (..., nv) -> tau (..., nv); force and gap as in contact_dynamics. Raises InputError for constraints
that are held exactly. tau may be beyond effort limits. out is a tuple of three arrays; threads and on_error as in rnea. Cost: O(n · depth).)");
  m.def("_simulate_forward", &simulated_forward, nb::arg("robot"), nb::arg("constraints").none(), nb::arg("q"), nb::arg("dq"),
        nb::arg("kp"), nb::arg("kd"), nb::arg("seconds"), nb::arg("rate"), nb::arg("integrator"), nb::arg("project"),
        nb::arg("targets").none(), nb::arg("repeat"), nb::arg("paged"), nb::arg("effort_limits") = nb::bool_(false),
        nb::sig(
            "def _simulate_forward(robot: Model, " SPARSEDYN_CONSTRAINTS
            " | None, q: ArrayLike, dq: ArrayLike, kp: float, kd: float, seconds: float, rate: float, integrator: str, "
            "project: bool, targets: ArrayLike | None, repeat: bool, paged: bool, effort_limits: bool | ArrayLike = False) -> "
            "tuple[list[str], NDArray[numpy.float64], int, str, str]"));
}

}  // namespace sparsedyn::python
