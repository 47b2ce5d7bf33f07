#include "sensors.hpp"

#include <cmath>
#include <set>

#include "arrays.hpp"
#include "determinacy/unloaded_links.hpp"
#include "errors.hpp"
#include "interruptible.hpp"
#include "io/printable.hpp"
#include "io/text_file.hpp"
#include "json/determinacy_report.hpp"
#include "pickles.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/simulation/smooth_motion.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::python {
namespace {

constexpr int pickle_format = 1;

Sensors parsed(std::string text, std::string file) {
  SensorSet set = parse_sensor_set(text, file);
  return {std::move(set), std::move(text), std::move(file)};
}

Sensors from_urdf(nb::handle source, bool floating) {
  LoadOptions options;
  options.floating = floating;
  const std::string path = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(source));
  const bool is_text = path.find('<') != std::string::npos;
  const UrdfSensorSet set = is_text ? parse_urdf_sensors(path, "<urdf>", options) : load_urdf_sensors(path, options);
  return parsed(json_text(set), is_text ? "<urdf>" : path);
}

/// The report in words and as JSON.
nb::tuple check(const RobotModel& robot, nb::handle source) {
  const Sensors sensors = sensors_of(source);
  const auto model = robot.shared();
  const auto found = interruptible<std::pair<std::string, std::string>>([=](const Progress&) {
    const System system(*model, sensors.set);
    const Determinacy determined = determinacy(system);
    const RankOverStates ranks = rank_over_states(system, 20, 16);
    json::Json report = to_json(system, determined);
    report["states"] = to_json(ranks);
    return std::pair(in_words(system, determined) + in_words(ranks), json::json_text(report));
  });
  for (const std::string& sentence : unloaded_links(*model, sensors.set)) warn(printable(sentence));
  return nb::make_tuple(found.first, found.second);
}

struct Simulated {
  std::vector<std::string> names;
  std::vector<double> numbers;  // column by column
};

/// Throws ContradictoryConstants.
Simulated simulated(const Model& model, const System* system, long rows, double rate, std::uint64_t seed,
                    const Progress& progress) {
  SmoothMotion motion(model, system, seed);
  const auto n = static_cast<std::size_t>(rows);
  Simulated made{motion.columns(), std::vector<double>(n * motion.columns().size())};
  std::vector<double> row(made.names.size());
  for (std::size_t k = 0; k < n; ++k) {
    if (k % 256 == 0) progress(static_cast<double>(k) / static_cast<double>(n), "simulate");
    motion.row(static_cast<double>(k) / rate, row.data());
    for (std::size_t c = 0; c < row.size(); ++c) made.numbers[c * n + k] = row[c];
  }
  motion.require_constants();
  return made;
}

nb::tuple simulate(const RobotModel& robot, nb::handle source, double seconds, double rate, std::uint64_t seed) {
  const double count = std::round(seconds * rate);
  if (!(seconds > 0) || !(rate > 0) || !(count >= 1 && count <= 1e9))
    throw nb::value_error("seconds, rate: expected positive numbers that make 1 to 1e9 rows");
  const auto model = robot.shared();
  const auto sensors = source.is_none() ? nullptr : std::make_shared<Sensors>(sensors_of(source));
  const Simulated made = interruptible<Simulated>([=](const Progress& progress) {
    std::unique_ptr<System> system;
    if (sensors) system = std::make_unique<System>(*model, sensors->set);
    return simulated(*model, system.get(), static_cast<long>(count), rate, seed, progress);
  });
  BatchShape shape;
  shape.rank = 1, shape.size[0] = static_cast<npy_intp>(made.names.size());
  const OutputArray numbers(shape, {"table", {1, {static_cast<npy_intp>(count), 0, 0}}});
  std::copy(made.numbers.begin(), made.numbers.end(), numbers.data());
  return nb::make_tuple(made.names, numbers.object());
}

}  // namespace

Sensors sensors_of(nb::handle source) {
  if (nb::isinstance<Sensors>(source)) return nb::cast<const Sensors&>(source);
  if (PyDict_Check(source.ptr()))
    return parsed(nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(source, nb::arg("indent") = 1)), "<dict>");
  const std::string name = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(source));
  const auto& builtin = builtin_sensor_sets();
  if (const auto found = builtin.find(name); found != builtin.end()) return {load_sensor_set(name), found->second, name};
  return {load_sensor_set(name == "-" ? "./-" : name), text_of(name), name};
}

void bind_sensors(nb::module_& m) {
  nb::class_<Sensors>(m, "SensorSet", R"(What a robot measures and what is known about it.

SensorSet("inverse-dynamics") or "forward-dynamics": built in; a path; or a dict as the JSON files hold it:

    sd.SensorSet({"name": "legs", "sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1}]})

Functions that take a set take any of these, too. Raises InputError with line and element. Names of joints and links are judged
with the robot, by the function that gets both.)")
      .def(
          "__init__", [](Sensors* self, nb::handle source) { new (self) Sensors(sensors_of(source)); }, nb::arg("source"),
          nb::sig("def __init__(self, source: SensorSet | str | os.PathLike[str] | Mapping[str, Any]) -> None"))
      .def_static("from_urdf", &from_urdf, nb::arg("source"), nb::arg("floating") = false,
                  nb::sig("def from_urdf(source: str | os.PathLike[str], floating: bool = False) -> SensorSet"),
                  "The set that a URDF's <sensor> elements describe.")
      .def_prop_ro(
          "_files",
          [](const Sensors& s) {
            std::set<std::string> files{s.file};
            for (const Sensor& sensor : s.set.sensors) files.insert(sensor.file);
            for (const NameAt& name : s.set.unknown) files.insert(name.file);
            for (const KnownOffset& offset : s.set.offsets) files.insert(offset.column.file);
            nb::list found;
            for (const std::string& file : files)
              if (!file.empty() && file[0] != '<' && builtin_sensor_sets().count(file) == 0) found.append(file);
            return nb::tuple(found);
          },
          nb::sig("def _files(self) -> tuple[str, ...]"), "What it was read from, and what that names.")
      .def_prop_ro(
          "name", [](const Sensors& s) { return s.set.name; }, nb::sig("def name(self) -> str"), "As the set calls itself.")
      .def_prop_ro(
          "sensors",
          [](const Sensors& s) {
            nb::list names;
            for (const Sensor& sensor : s.set.sensors) names.append(sensor.name);
            return nb::tuple(names);
          },
          nb::sig("def sensors(self) -> tuple[str, ...]"), "Names of the sensors, in the order of their rows.")
      .def_prop_ro(
          "json", [](const Sensors& s) { return s.text; }, nb::sig("def json(self) -> str"), "The text that it was read from.")
      .def("__repr__",
           [](const Sensors& s) {
             return "SensorSet('" + s.set.name + "', " + std::to_string(s.set.sensors.size()) + " sensors)";
           })
      .def(
          "__getstate__", [](const Sensors& s) { return pickled_state(pickle_format, s.text, s.file); },
          nb::sig("def __getstate__(self) -> tuple[int, str, str, str]"))
      .def(
          "__setstate__",
          [](Sensors& self, nb::handle pickle) {
            const PickledState state(pickle, "SensorSet", pickle_format, 2);
            new (&self)
                Sensors(made_from_pickle("SensorSet", [&] { return parsed(state.text(0, "text"), state.text(1, "file")); }));
          },
          nb::arg().none(), nb::sig("def __setstate__(self, state: tuple[int, str, str, str], /) -> None"));
  const char* const any_set = "SensorSet | str | os.PathLike[str] | Mapping[str, Any]";
  m.def("_check", &check, nb::arg("robot"), nb::arg("sensors"),
        nb::sig((std::string("def _check(robot: Model, sensors: ") + any_set + ") -> tuple[str, str]").c_str()));
  m.def("_simulate", &simulate, nb::arg("robot"), nb::arg("sensors").none(), nb::arg("seconds"), nb::arg("rate"),
        nb::arg("seed"),
        nb::sig((std::string("def _simulate(robot: Model, sensors: ") + any_set +
                 " | None, seconds: float, rate: float, seed: int) -> tuple[list[str], NDArray[numpy.float64]]")
                    .c_str()));
}

}  // namespace sparsedyn::python
