#include "model.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "algorithm.hpp"
#include "errors.hpp"
#include "io/printable.hpp"
#include "io/suggestions.hpp"
#include "io/text_file.hpp"
#include "model/samples.hpp"
#include "pickles.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "works.hpp"

namespace sparsedyn::python {

RobotModel::RobotModel(Model model, LoadReport report, RobotSource source)
    : model_(std::make_shared<const Model>(std::move(model))),
      report_(std::move(report)),
      source_(std::move(source)),
      parameter_count_(ParameterIndex(*model_).count) {}

RobotModel::~RobotModel() = default;

int RobotModel::link(const std::string& name) const {
  const int found = model_->find_link(name);
  if (found >= 0) return found;
  std::vector<std::string> names;
  for (const Link& link : model_->links) names.push_back(link.name);
  throw nb::value_error(
      printable("link: " + name + suggestions_text(name, names) + "; expected a link of " + model_->name).c_str());
}

std::unique_ptr<Works> RobotModel::take() const {
  if (idle_.empty()) return std::make_unique<Works>(*model_);
  std::unique_ptr<Works> works = std::move(idle_.back());
  idle_.pop_back();
  return works;
}

void RobotModel::give_back(std::unique_ptr<Works> works) const { idle_.push_back(std::move(works)); }

namespace {

/// {joint: value}, or the joints to be locked at 0, or one of them; "massless" stands for every joint that moves neither mass
/// nor inertia.
void read_lock(nb::handle lock, LoadOptions& options) {
  if (PyUnicode_Check(lock.ptr())) {
    const auto joint = nb::cast<std::string>(lock);
    if (joint == "massless")
      options.lock_massless = true;
    else
      options.lock.emplace_back(joint, 0.0);
    return;
  }
  const bool with_values = PyDict_Check(lock.ptr());
  for (nb::handle name : nb::iter(lock)) {
    const nb::object value = with_values ? nb::object(nb::borrow<nb::dict>(lock)[name]) : nb::none();
    const std::string joint = nb::cast<std::string>(name);
    if (joint == "massless" && value.is_none() && with_values)
      options.lock_massless = true;
    else
      options.lock.emplace_back(joint, value.is_none() ? 0.0 : nb::cast<double>(value));
    if (!value.is_none() && !std::isfinite(options.lock.back().second))
      throw nb::value_error(("lock: " + joint + ": expected a finite number").c_str());
  }
}

LoadOptions read_options(bool floating, nb::handle lock, nb::handle cut, nb::handle gravity, nb::handle snap, bool lenient,
                         bool mimic, bool urdf_dynamics, bool urdf_transmissions) {
  LoadOptions options;
  options.floating = floating;
  read_lock(lock, options);
  if (PyUnicode_Check(cut.ptr()))
    options.cut.push_back(nb::cast<std::string>(cut));
  else
    for (nb::handle link : nb::iter(cut)) options.cut.push_back(nb::cast<std::string>(link));
  if (!gravity.is_none()) {
    const InputArray g(gravity, {"gravity", {1, {3, 0, 0}}});
    if (g.batch_rank() != 0) throw nb::value_error("gravity: expected three numbers");
    for (int k = 0; k < 3; ++k) {
      options.gravity[k] = g.data()[k];
      if (!std::isfinite(options.gravity[k])) throw nb::value_error("gravity: expected three finite numbers");
    }
  }
  if (!snap.is_none()) options.snap = nb::cast<double>(snap);
  if (!(options.snap >= 0) || !std::isfinite(options.snap)) throw nb::value_error("snap: expected a number ≥ 0, or None");
  options.lenient = lenient, options.mimic = mimic;
  options.dynamics = urdf_dynamics, options.transmissions = urdf_transmissions;
  return options;
}

/// The robot of a robot file, with the options applied. Throws ValueError for those that ask what only a URDF can answer.
Model of_robot_file(const RobotSource& source, LoadReport& report) {
  const LoadOptions& o = source.options;
  RobotFile file = parse_robot(source.text, source.file);
  if (o.mimic && !file.model.coordinate_map)
    throw nb::value_error("mimic: a robot file holds what its robot is; expected mimic=True where the URDF is saved");
  for (const auto& [asked, name] : {std::pair(o.dynamics, "urdf_dynamics"), {o.transmissions, "urdf_transmissions"}})
    if (asked) {
      const std::string option = name;
      throw nb::value_error(
          (option + ": a robot file holds what its robot is; expected " + option + "=True where the URDF is saved").c_str());
    }
  RobotChanges changes{o.floating, o.lock, o.lock_massless, o.cut, {}, o.snap};
  if (source.gravity_given) changes.gravity = o.gravity;
  RobotChangeNotes notes;
  try {
    file = changed(std::move(file), changes, &notes);
  } catch (const std::invalid_argument& error) {
    throw UnknownName(error.what());
  }
  report.snapped = notes.snapped, report.locked = notes.massless, report.absent = notes.absent, report.held = file.held;
  report.warnings = notes.warnings;
  return std::move(file.model);
}

std::unique_ptr<RobotModel> parsed(RobotSource source) {
  LoadReport report;
  Model model = is_robot_text(source.text) ? of_robot_file(source, report)
                                           : parse_urdf(source.text, source.file, source.options, &report);
  if (!source.joints_text.empty()) parse_joint_physics(source.joints_text, source.joints_file, model, report.absent);
  return std::make_unique<RobotModel>(std::move(model), std::move(report), std::move(source));
}

/// A path, or what such a file holds: {"joints": {...}}, or the inner table alone.
void read_joints(nb::handle joints, RobotSource& source) {
  if (joints.is_none()) return;
  if (!PyDict_Check(joints.ptr())) {
    source.joints_file = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(joints));
    source.joints_text = read_text_file(source.joints_file == "-" ? "./-" : source.joints_file, "joints as JSON");
    return;
  }
  nb::dict table = nb::cast<nb::dict>(joints);
  if (!table.contains("joints")) {
    nb::dict whole;
    whole["joints"] = table;
    table = whole;
  }
  source.joints_file = "<joints>";
  source.joints_text = nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(table));
}

/// Another URDF's robot, read as this one was, with these joints.
std::unique_ptr<RobotModel> read_again(const RobotModel& robot, const std::string& urdf, const std::string& joints) {
  RobotSource source = robot.source();
  source.text = urdf, source.joints_text = joints, source.joints_file = "<joints>";
  return parsed(std::move(source));
}

/// The robot as it was read, with "stiffness": 0 at each joint of one freedom that says nothing of it.
std::unique_ptr<RobotModel> with_springs(const RobotModel& robot) {
  const RobotSource& source = robot.source();
  nlohmann::json file = source.joints_text.empty() ? nlohmann::json{{"joints", nlohmann::json::object()}}
                                                   : nlohmann::json::parse(source.joints_text);
  for (const Joint& joint : robot.model().tree().joints)
    if (joint.nv == 1) file["joints"][joint.name].emplace("stiffness", 0);
  return read_again(robot, source.text, file.dump());
}

/// Raises the first warning, `FILE:LINE: …`, as an error at its line.
[[noreturn]] void refuse_first(const std::string& file, const std::vector<std::string>& warnings) {
  const std::string& first = warnings.front();
  const std::size_t at = file.size() + 1, end = first.find(": ", at);
  const bool placed = first.compare(0, at, file + ":") == 0 && end != std::string::npos;
  const long line = placed ? std::strtol(first.c_str() + at, nullptr, 10) : 0;
  const std::string more = warnings.size() > 1 ? " (and " + std::to_string(warnings.size() - 1) + " more)" : "";
  throw InputError(file, line, "", (line > 0 ? first.substr(end + 2) : first) + more, "no warning (strict)");
}

/// A text that begins with `<` or `{` is the robot itself, anything else a path.
std::unique_ptr<RobotModel> load(nb::handle source, bool floating, nb::handle lock, nb::handle cut, nb::handle gravity,
                                 nb::handle snap, bool lenient, bool mimic, nb::handle joints, bool strict, bool urdf_dynamics,
                                 bool urdf_transmissions) {
  RobotSource robot_source;
  robot_source.options = read_options(floating, lock, cut, gravity, snap, lenient, mimic, urdf_dynamics, urdf_transmissions);
  robot_source.snap_given = !snap.is_none(), robot_source.gravity_given = !gravity.is_none();
  read_joints(joints, robot_source);
  const nb::object name = nb::module_::import_("os").attr("fspath")(source);
  std::string text = nb::cast<std::string>(PyBytes_Check(name.ptr()) ? nb::object(name.attr("decode")()) : name);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_robot_file = is_robot_text(text);
  const bool is_text =
      is_robot_file || (first != std::string::npos && (text[first] == '<' || text.compare(first, 3, "\xEF\xBB\xBF") == 0));
  std::string file = is_robot_file ? "<robot>" : is_text ? "<urdf>" : text;
  if (!is_text) text = read_text_file(file == "-" ? "./-" : file, "a URDF file or a robot file");
  robot_source.text = std::move(text), robot_source.file = std::move(file);
  std::unique_ptr<RobotModel> robot = parsed(std::move(robot_source));
  const std::vector<std::string>& warnings = robot->report().warnings;
  if (strict && !warnings.empty()) refuse_first(robot->source().file, warnings);
  for (const std::string& warning : warnings) warn(warning);
  return robot;
}

/// As Python says them.
std::vector<std::string> spoken_warnings(const RobotModel& robot) {
  std::vector<std::string> said;
  for (const std::string& warning : robot.report().warnings) said.push_back(spoken(warning));
  return said;
}

nb::tuple names(const std::vector<std::string>& all) {
  nb::list list;
  for (const std::string& name : all) list.append(name);
  return nb::tuple(list);
}

template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> all;
  for (const Item& item : items) all.push_back(item.name);
  return all;
}

nb::object new_array(const BatchShape& shape, npy_intp last, double*& data) {
  const OutputArray array(shape, {"q", {1, {last, 0, 0}}});
  data = array.data();
  return array.object();
}

nb::object neutral_configuration(const RobotModel& robot) {
  BatchShape none;
  double* q;
  nb::object array = new_array(none, robot.model().nq, q);
  neutral(robot.model(), q);
  return array;
}

BatchShape shape_of(nb::handle shape) {
  BatchShape batch;
  const auto add = [&](nb::handle n) {
    if (batch.rank == 32) throw nb::value_error("shape: more than 32 axes");
    const auto size = nb::cast<npy_intp>(n);
    if (size < 0) throw nb::value_error("shape: expected numbers ≥ 0");
    batch.size[batch.rank++] = size;
  };
  if (PyLong_Check(shape.ptr()))
    add(shape);
  else
    for (nb::handle n : nb::iter(shape)) add(n);
  return batch;
}

/// A function of the package's own module: what it gives for a robot.
nb::object python_function(const char* module, const char* name) {
  return nb::module_::import_((std::string("sparsedyn.") + module).c_str()).attr(name);
}

/// `positional`: rng and shape, where they are not named. A seed that is not named looks like a number of configurations.
nb::object random_configurations(const RobotModel& robot, const nb::args& positional, nb::handle named_rng,
                                 nb::handle named_shape, bool limits) {
  if (positional.size() > 2) throw nb::type_error("random: expected rng and shape at most, by position");
  const nb::object rng = positional.size() > 0 ? nb::object(positional[0]) : nb::borrow(named_rng);
  const nb::object shape = positional.size() > 1 ? nb::object(positional[1]) : nb::borrow(named_shape);
  if (positional.size() == 1 && PyLong_Check(rng.ptr()))
    warn("random(" + std::string(nb::str(rng).c_str()) + "): the number is a seed; expected rng= with a seed, or shape=");
  const BatchShape batch = shape_of(shape);
  const nb::object generator = nb::module_::import_("numpy.random").attr("default_rng")(rng);
  std::mt19937 engine(nb::cast<std::uint32_t>(nb::int_(generator.attr("integers")(nb::int_(4294967296LL)))));
  double* q;
  nb::object array = new_array(batch, robot.model().nq, q);
  for (npy_intp i = 0; i < batch.count(); ++i, q += robot.model().nq) {
    if (limits)
      random_configuration(robot.model(), engine, q);
    else
      uniform_sample(robot.model(), engine, q);
  }
  return array;
}

const Algorithm integration{
    {{"q", Input::q}, {"v", Input::tangent}}, {{"q", {Axis::nq}}}, [](Works& works, const State& s, double* const* out) {
      integrate(works.model, s.q, s.tangent, out[0]);
      return -1;
    }};

const Algorithm difference_of_two{
    {{"q0", Input::q}, {"q1", Input::other}}, {{"v", {Axis::nv}}}, [](Works& works, const State& s, double* const* out) {
      std::vector<double> q1(s.other, s.other + works.model.nq);
      normalise(works.model, q1.data());  // a zero one makes the result NaN, which is found
      difference(works.model, s.q, q1.data(), out[0]);
      return -1;
    }};

std::string text_of(const RobotModel& robot) {
  const Model& m = robot.model();
  return "Model('" + m.name + "', nq=" + std::to_string(m.nq) + ", nv=" + std::to_string(m.nv) +
         ", links=" + std::to_string(m.links.size()) + (m.floating() ? ", floating" : "") + ")";
}

constexpr int pickle_format = 1;

nb::tuple pickled(const RobotModel& robot) {
  const RobotSource& source = robot.source();
  const LoadOptions& o = source.options;
  const nb::object snap = source.snap_given || o.snap > 0 ? nb::cast(o.snap) : nb::object(nb::str("default"));
  const bool own_gravity = is_robot_text(source.text) && !source.gravity_given;  // the file's
  const nb::object gravity =
      own_gravity ? nb::object(nb::str("default")) : nb::object(nb::make_tuple(o.gravity[0], o.gravity[1], o.gravity[2]));
  return pickled_state(pickle_format, source.text, source.file, o.floating, o.lock, o.cut, gravity, snap, o.lenient,
                       o.lock_massless, source.joints_text, source.joints_file, o.mimic, o.dynamics, o.transmissions);
}

std::unique_ptr<RobotModel> unpickled(nb::handle pickle) {
  const PickledState state(pickle, "Model", pickle_format, 14);
  RobotSource source;
  LoadOptions& o = source.options;
  source.text = state.text(0, "text"), source.file = state.text(1, "file");
  o.floating = state.truth(2, "floating");
  o.lock = state.values(3, "lock");
  o.cut = state.texts(4, "cut");
  source.gravity_given = !(PyUnicode_Check(state[5].ptr()) && state.text(5, "gravity") == "default");
  if (source.gravity_given) {
    const std::vector<double> gravity = state.numbers(5, "gravity", 3);
    for (int k = 0; k < 3; ++k) o.gravity[k] = gravity[static_cast<std::size_t>(k)];
  }
  source.snap_given = !(PyUnicode_Check(state[6].ptr()) && state.text(6, "snap") == "default");
  if (source.snap_given) o.snap = state.number(6, "snap");
  o.lenient = state.truth(7, "lenient"), o.lock_massless = state.truth(8, "massless");
  if (o.snap < 0) state.refuse("snap", state[6], "a number ≥ 0");
  source.joints_text = state.text(9, "joints"), source.joints_file = state.text(10, "joints' file");
  o.mimic = state.truth(11, "mimic");
  o.dynamics = state.truth(12, "urdf_dynamics"), o.transmissions = state.truth(13, "urdf_transmissions");
  return parsed(std::move(source));
}

/// The arguments of load_urdf, beside the text and the joints, that differ from what it takes by itself.
nb::dict load_options(const RobotModel& robot) {
  const RobotSource& source = robot.source();
  const LoadOptions& o = source.options;
  nb::dict options, lock;
  for (const auto& [joint, value] : o.lock) lock[joint.c_str()] = value;
  if (o.lock_massless) lock["massless"] = nb::none();
  if (lock.size() > 0) options["lock"] = lock;
  if (!o.cut.empty()) options["cut"] = o.cut;
  const LoadOptions own;
  const bool usual = o.gravity[0] == own.gravity[0] && o.gravity[1] == own.gravity[1] && o.gravity[2] == own.gravity[2];
  if (source.gravity_given && (!usual || is_robot_text(source.text)))
    options["gravity"] = nb::make_tuple(o.gravity[0], o.gravity[1], o.gravity[2]);
  if (source.snap_given || o.snap > 0) options["snap"] = o.snap;
  for (const auto& [asked, name] : {std::pair(o.floating, "floating"),
                                    {o.lenient, "lenient"},
                                    {o.mimic, "mimic"},
                                    {o.dynamics, "urdf_dynamics"},
                                    {o.transmissions, "urdf_transmissions"}})
    if (asked) options[name] = true;
  return options;
}

/// By entry of v; ±inf where nothing is said.
nb::object limits_of(const RobotModel& robot) {
  const Model& m = robot.model();
  std::array<double*, 4> data{};
  std::array<nb::object, 4> arrays;
  for (std::size_t k = 0; k < 4; ++k) arrays[k] = new_array(BatchShape(), m.nv, data[k]);
  for (int i = 0; i < m.nv; ++i) {
    const JointLimits limits = m.limits.empty() ? JointLimits() : m.limits[static_cast<std::size_t>(i)];
    data[0][i] = limits.lower, data[1][i] = limits.upper, data[2][i] = limits.velocity, data[3][i] = limits.effort;
  }
  return nb::module_::import_("sparsedyn._results").attr("Limits")(arrays[0], arrays[1], arrays[2], arrays[3]);
}

/// A link for the tree that notebooks draw: name, parent's index, the joint through which it hangs, the joint's kind, mass.
nb::list tree(const RobotModel& robot) {
  const Model& m = robot.model();
  nb::list links;
  for (const Link& link : m.links) {
    const char* kind = link.moving_joint < 0 ? "fixed" : kind_name(m.joints[link.moving_joint].kind);
    links.append(nb::make_tuple(link.name, link.parent, link.joint, kind, link.inertia.m));
  }
  return links;
}

}  // namespace

std::unique_ptr<RobotModel> RobotModel::snapped(double tolerance) const {
  if (source_.snap_given || source_.options.snap == tolerance) return nullptr;
  RobotSource source = source_;
  source.options.snap = tolerance;
  return parsed(std::move(source));
}

void bind_model(nb::module_& m) {
  nb::class_<RobotModel>(m, "Model", R"(A robot: a tree of links and joints that never changes. Made by load_urdf.

Threads share it. It can be pickled. Units are SI; angles are radians.)")
      .def_prop_ro(
          "_files",
          [](const RobotModel& r) {
            nb::list files;
            for (const std::string& file : {r.source().file, r.source().joints_file})
              if (!file.empty() && file[0] != '<') files.append(file);
            return nb::tuple(files);
          },
          nb::sig("def _files(self) -> tuple[str, ...]"), "What it was read from.")
      .def_prop_ro(
          "name", [](const RobotModel& r) { return r.model().name; }, "Of the robot.")
      .def_prop_ro(
          "nq", [](const RobotModel& r) { return r.model().nq; }, "Numbers in a configuration q.")
      .def_prop_ro(
          "nv", [](const RobotModel& r) { return r.model().nv; }, "Numbers in dq, ddq and tau.")
      .def_prop_ro(
          "floating", [](const RobotModel& r) { return r.model().floating(); }, "Whether the root link floats.")
      .def_prop_ro(
          "mass", [](const RobotModel& r) { return total_mass(r.model()); },
          "Of all links, also those fixed to the world, as centre_of_mass(…, whole=True) counts; kg.")
      .def_prop_ro(
          "moving_mass", [](const RobotModel& r) { return moving_mass(r.model()); },
          "Of all links that move, as centre_of_mass and momentum count; kg.")
      .def_prop_ro(
          "gravity",
          [](const RobotModel& r) {
            const Vec3<double>& g = r.model().gravity;
            return nb::make_tuple(g[0], g[1], g[2]);
          },
          nb::sig("def gravity(self) -> tuple[float, float, float]"), "In the world's axes, m/s².")
      .def_prop_ro(
          "joint_names", [](const RobotModel& r) { return names(names_of(r.model().joints)); },
          nb::sig("def joint_names(self) -> tuple[str, ...]"),
          "Joints that move, in the order of v; `base` for a floating root.")
      .def_prop_ro(
          "link_names", [](const RobotModel& r) { return names(names_of(r.model().links)); },
          nb::sig("def link_names(self) -> tuple[str, ...]"), "All links of the file, parents first.")
      .def_prop_ro(
          "coordinate_names", [](const RobotModel& r) { return names(coordinate_names(r.model())); },
          nb::sig("def coordinate_names(self) -> tuple[str, ...]"), "Of the entries of q: `elbow`, `base.x`, `base.qw`.")
      .def_prop_ro(
          "velocity_names", [](const RobotModel& r) { return names(velocity_names(r.model())); },
          nb::sig("def velocity_names(self) -> tuple[str, ...]"), "Of the entries of dq and ddq: `elbow`, `base.wx`.")
      .def_prop_ro(
          "force_names", [](const RobotModel& r) { return names(force_names(r.model())); },
          nb::sig("def force_names(self) -> tuple[str, ...]"), "Of the entries of tau: `elbow`, `base.nx`.")
      .def_prop_ro(
          "parameter_names", [](const RobotModel& r) { return names(parameter_names(r.model())); },
          nb::sig("def parameter_names(self) -> tuple[str, ...]"),
          "Of what the regressor's columns belong to: `LINK.m`, `LINK.mx`, …, `JOINT.armature`, ….")
      .def(
          "parameters",
          [](const RobotModel& r) {
            const std::vector<double> own = parameters(r.model());
            double* data;
            nb::object array = new_array(BatchShape(), static_cast<npy_intp>(own.size()), data);
            std::copy(own.begin(), own.end(), data);
            return array;
          },
          nb::sig("def parameters(self) -> NDArray[numpy.float64]"),
          R"(What bodies and joints weigh, resist and rub, as parameter_names; SI units.

Ten numbers a body that moves (mass, first moments, inertia about the origin of the link that leads it), then armature,
damping, friction and offset of each joint of one freedom, and its stiffness where it has a spring: rnea = regressor @
parameters.)")
      .def("with_springs", &with_springs, nb::sig("def with_springs(self) -> Model"),
           R"(The same robot with a spring in each joint of one freedom, of stiffness 0 where it has none.

Stiffness is then among the parameters, for the regressor, the sensitivities and `identify`.)")
      .def_prop_ro("limits", &limits_of, nb::sig("def limits(self) -> Limits"),
                   R"(What the URDF allows each entry of v: the named tuple (lower, upper, velocity, effort), arrays of nv.

Positions in rad or m, velocities and efforts as largest sizes; inf where nothing is said (-inf: lower), NaN nowhere.)")
      .def_prop_ro(
          "warnings", [](const RobotModel& r) { return names(spoken_warnings(r)); },
          nb::sig("def warnings(self) -> tuple[str, ...]"), "What was noticed while loading: `FILE:LINE: ELEMENT: …`.")
      .def("neutral", &neutral_configuration, nb::sig("def neutral(self) -> NDArray[numpy.float64]"),
           "All coordinates 0, quaternions 0 0 0 1: (nq,).")
      .def("random", &random_configurations, nb::arg("positional"), nb::arg("rng") = nb::none(),
           nb::arg("shape") = nb::make_tuple(), nb::arg("limits") = true,
           nb::sig(
               "def random(self, rng: numpy.random.Generator | int | None = None, shape: int | tuple[int, ...] = (), limits: "
               "bool = True) -> NDArray[numpy.float64]"),
           R"(Random configurations, shape + (nq,).

Uniform within the joints' limits; without limits angles in (−π, π), positions in (−1, 1) m, orientations uniform. limits=False:
as if no joint had any. `rng`: a Generator or a seed; random(shape=1000) makes a thousand.)")
      .def_prop_ro(
          "joints", [](nb::handle self) { return python_function("_structure", "joints_of")(self); },
          nb::sig("def joints(self) -> dict[str, Joint]"),
          "The joints that move, by name, in the order of q: type, parent, child, placement, axis, q, v, limits, what they "
          "add.")
      .def_prop_ro(
          "links", [](nb::handle self) { return python_function("_structure", "links_of")(self); },
          nb::sig("def links(self) -> dict[str, Link]"),
          "All links, by name, parents first: parent, joint, children, placement, mass, com, inertia.")
      .def(
          "lock", [](nb::handle self, nb::handle joints) { return python_function("_structure", "locked")(self, joints); },
          nb::arg("joints"), nb::sig("def lock(self, joints: Mapping[str, float] | str) -> Model"),
          "The robot with these joints fixed, each at its position (rad or m); of a name alone at 0. Raises ValueError.")
      .def(
          "cut", [](nb::handle self, const nb::args& links) { return python_function("_structure", "cut")(self, *links); },
          nb::arg("links"), nb::sig("def cut(self, *links: str) -> Model"),
          "The robot without these links and all that hangs on them. Raises ValueError.")
      .def(
          "with_frame",
          [](nb::handle self, nb::handle name, nb::handle link, nb::handle pose) {
            return python_function("_structure", "with_frame")(self, name, link, pose);
          },
          nb::arg("name"), nb::arg("link"), nb::arg("pose") = nb::make_tuple(0, 0, 0),
          nb::sig("def with_frame(self, name: str, link: str, pose: ArrayLike = (0, 0, 0)) -> Model"),
          R"(The robot with a link more, without mass, fixed to another.

pose: of the new frame in the link's, (4, 4), (7,) x y z and a quaternion x y z w, or (3,). Raises ValueError.)")
      .def(
          "to_urdf", [](nb::handle self) { return python_function("_structure", "to_urdf")(self); },
          nb::sig("def to_urdf(self) -> str"),
          R"(A URDF of the robot as it is: links, inertias, joints, limits, damping and dry friction.

Raises ValueError naming the joint for what a URDF cannot hold (save_robot holds all). Gravity and whether the root floats are
options of load_urdf.)")
      .def(
          "table",
          [](nb::handle self, const nb::kwargs& arrays) { return python_function("_arrays", "table")(self, **arrays); },
          nb::arg("arrays"),
          nb::sig(
              "def table(self, *, time: ArrayLike | None = None, q: ArrayLike | None = None, dq: ArrayLike | None = None, ddq: "
              "ArrayLike | None = None, tau: ArrayLike | None = None, fx: Mapping[str, ArrayLike] | None = None) -> Any"),
          R"(A pyarrow table with the columns of a log: time, q.*, dq.*, ddq.*, tau.*, fx.LINK.*, of what is given.

time (rows,); q (rows, nq), dq, ddq, tau (rows, nv); fx: of links (rows, 6), moment first. One row stands for all. Raises
ValueError for other shapes and unknown links, ImportError without pyarrow.)")
      .def(
          "arrays", [](nb::handle self, nb::handle log) { return python_function("_arrays", "arrays")(self, log); },
          nb::arg("log"), nb::sig("def arrays(self, log: Any) -> dict[str, Any]"),
          R"(What a log holds of the robot: time, q, dq, ddq, tau as arrays (rows, n), and fx by link; what it lacks is left out.

log: a table of pandas, pyarrow or polars, or a dict of arrays. Raises InputError where it holds one of these in part.)")
      .def(
          "__eq__", [](nb::handle self, nb::handle other) { return python_function("_structure", "same")(self, other); },
          nb::arg("other"), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "Whether both hold the same numbers under the same names.")
      .def(
          "__hash__", [](nb::handle self) { return python_function("_structure", "hashed")(self); },
          nb::sig("def __hash__(self) -> int"))
      .def(
          "integrate",
          [](const RobotModel& r, nb::handle q, nb::handle v, nb::handle out) {
            const nb::handle in[] = {q, v};
            return call(integration, r, {in, nb::none(), out, -1, 1, nb::str("raise")});
          },
          nb::arg("q"), nb::arg("v"), nb::kw_only(), nb::arg("out") = nb::none(),
          nb::sig("def integrate(self, q: ArrayLike, v: ArrayLike, *, out: NDArray[numpy.float64] | None = None) -> "
                  "NDArray[numpy.float64]"),
          R"(q ⊕ v: where the robot is after moving from q (..., nq) along v (..., nv) for one second; (..., nq).

On the manifold: orientations turn by the rotation vector of v, in the body's axes. Quaternions are x y z w.)")
      .def(
          "difference",
          [](const RobotModel& r, nb::handle q0, nb::handle q1, nb::handle out) {
            const nb::handle in[] = {q0, q1};
            return call(difference_of_two, r, {in, nb::none(), out, -1, 1, nb::str("raise")});
          },
          nb::arg("q0"), nb::arg("q1"), nb::kw_only(), nb::arg("out") = nb::none(),
          nb::sig("def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: NDArray[numpy.float64] | None = None) -> "
                  "NDArray[numpy.float64]"),
          R"(The v (..., nv) with integrate(q0, v) = q1, the shortest in rotations. q0, q1: (..., nq).)")
      .def("_read_again", &read_again, nb::arg("urdf"), nb::arg("joints"),
           nb::sig("def _read_again(self, urdf: str, joints: str) -> Model"))
      .def(
          "_snapped",
          [](const nb::object& self, double tolerance) {
            std::unique_ptr<RobotModel> copy = nb::cast<const RobotModel&>(self).snapped(tolerance);
            return copy ? nb::cast(std::move(copy)) : self;
          },
          nb::arg("tolerance"), nb::sig("def _snapped(self, tolerance: float) -> Model"))
      .def(
          "_robot_text", [](const RobotModel& r) { return robot_text(r.model(), r.report().held); },
          nb::sig("def _robot_text(self) -> str"))
      .def("_load_options", &load_options, nb::sig("def _load_options(self) -> dict[str, Any]"))
      .def("_tree", &tree, nb::sig("def _tree(self) -> list[tuple[str, int, str, str, float]]"))
      .def(
          "_repr_html_",
          [](const RobotModel& r) {
            return nb::module_::import_("sparsedyn._html").attr("model")(nb::cast(r, nb::rv_policy::reference));
          },
          nb::sig("def _repr_html_(self) -> str"), "The tree of links, for notebooks.")
      .def("__repr__", &text_of)
      .def("__getstate__", &pickled, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](RobotModel& robot, nb::handle state) {
            std::unique_ptr<RobotModel> made = made_from_pickle("Model", [&] { return unpickled(state); });
            new (&robot) RobotModel(made->model(), made->report(), made->source());
          },
          nb::arg().none(), nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));

  m.def("load_urdf", &load, nb::arg("path_or_xml"), nb::arg("floating") = false, nb::arg("lock") = nb::dict(),
        nb::arg("cut") = nb::make_tuple(), nb::arg("gravity") = nb::none(), nb::arg("snap") = nb::none(),
        nb::arg("lenient") = false, nb::arg("mimic") = false, nb::arg("joints") = nb::none(), nb::arg("strict") = false,
        nb::arg("urdf_dynamics") = false, nb::arg("urdf_transmissions") = false,
        nb::sig("def load_urdf(path_or_xml: str | os.PathLike[str], floating: bool = False, lock: Mapping[str, float | None] | "
                "Sequence[str] | str = {}, cut: Sequence[str] | str = (), gravity: ArrayLike | None = None, snap: float | "
                "None = None, "
                "lenient: bool = False, mimic: bool = False, "
                "joints: str | os.PathLike[str] | Mapping[str, Any] | None = None, strict: bool = False, "
                "urdf_dynamics: bool = False, urdf_transmissions: bool = False) -> Model"),
        R"(Reads a robot from a URDF file or a robot file (save_robot), or from a text of either, which begins with `<` or `{`.

floating  the root link floats instead of being fixed to the world; its joint is called `base`
lock      joints that become fixed: {joint: value} in rad or m, a list or one name (at 0), or 'massless': those that move nothing.
          A value beyond the joint's limits is a warning
cut       links that are left out with all below them
gravity   in the world's axes, m/s²; None: that of a robot file, else (0, 0, -9.81)
snap      rotation entries within this of 0 and ±1 become exact; 0 keeps all, None too but where exact zeros make cheaper
          programs: generate, and optimise of another formulation, take a copy at 1e-9
lenient   a moving body with a negative principal moment, and macros of xacro that are left, are warnings, not errors
strict    a warning is an error: InputError at its line
mimic     mimic joints follow their leaders, exactly, and are no coordinates; else they are independent, with a warning
joints    what joints add to their bodies: a file {"joints": {JOINT: {"armature", "damping", "friction", "offset",
          "stiffness", "smoothing", "stribeck", "stribeck_velocity"}}}, or the same as a dict; tau then holds it, crba the
          armature, and the energy armature and springs
urdf_dynamics       damping and friction of the URDF's <dynamics> count, and Gazebo's springs; `joints` wins, joint by joint
urdf_transmissions  rotors of the URDF's <transmission> count as armature: mechanicalReduction² motorInertia

Warnings are issued as SparsedynWarning and kept in Model.warnings. Raises InputError (`.file`, `.line`) for a file that
cannot be read or accepted, ValueError for a name that the robot lacks. Cost: proportional to the file.)");
}

}  // namespace sparsedyn::python
