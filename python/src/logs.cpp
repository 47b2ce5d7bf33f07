#include "logs.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "inspection/recorded_log.hpp"
#include "logs/column_map.hpp"
#include "logs/other_names.hpp"
#include "numpy.hpp"
#include "sensors.hpp"
#include "sparsedyn/inspection/inspect.hpp"
#include "sparsedyn/logs/differentiate.hpp"

namespace sparsedyn::python {
namespace {

/// Columns, their values, deviations, windows and cutoffs, the angles that jumped, and joints whose window is shorter.
nb::tuple differentiate_columns(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                                double step, double cutoff, double window) {
  Differentiated made;
  {
    const nb::gil_scoped_release others_may_run;
    made = differentiate(columns, values, step, {cutoff, window});
  }
  std::vector<std::string> jumped;
  for (const Differentiated::Jump& jump : made.unwrapped)
    if (std::find(jumped.begin(), jumped.end(), jump.column) == jumped.end()) jumped.push_back(jump.column);
  return nb::make_tuple(made.columns, made.values, made.deviation, made.window, made.cutoff, jumped, made.bounded);
}

/// Columns, their values and the line of each row.
nb::tuple recorded_columns(const std::string& path) {
  RecordedLog log;
  {
    const nb::gil_scoped_release others_may_run;
    log = recorded_log(path, path);
  }
  return nb::make_tuple(log.columns, log.values, log.lines, log.others);
}

/// Rows, rate, duration, findings and what was not judged; each a tuple of the fields in their order.
nb::tuple inspect_columns(const RobotModel& robot, nb::handle sensors, const std::string& name,
                          const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                          const std::vector<long>& lines, const std::vector<std::string>& others) {
  std::optional<System> system;
  if (!sensors.is_none()) system.emplace(robot.model(), sensors_of(sensors).set);
  Inspection found;
  {
    const nb::gil_scoped_release others_may_run;
    found = inspect(robot.model(), {name, columns, values, lines, others}, system ? &*system : nullptr);
  }
  nb::list findings, unjudged;
  for (const Finding& f : found.findings)
    findings.append(nb::make_tuple(finding_name(f.kind), f.columns, severity_name(f.severity), f.evidence, f.likely, f.remedy,
                                   f.from_line, f.to_line));
  for (const Unjudged& one : found.unjudged) unjudged.append(nb::make_tuple(one.columns, one.why));
  return nb::make_tuple(found.rows, found.rate, found.duration, findings, unjudged, found.lacking);
}

}  // namespace

nb::list input_columns(const System& system) {
  nb::list list;
  for (const sparsedyn::Input& input : system.inputs())
    list.append(nb::make_tuple(input.columns, input.required, input.fallback, input.measurement, is_noisy(system, input)));
  return list;
}

/// Columns of q, v and y ("": none), what is missing (the best column of each), what is taken as zero, and other names in
/// the log that may be those of missing readings.
nb::tuple mapped_columns(const RobotModel& robot,
                         const std::vector<std::tuple<std::vector<std::string>, bool, double, int, bool>>& inputs,
                         const std::vector<std::string>& names) {
  std::vector<sparsedyn::Input> all;
  for (const auto& [columns, required, fallback, measurement, noisy] : inputs) {
    static_cast<void>(noisy);
    all.emplace_back();
    all.back().columns = columns, all.back().required = required, all.back().fallback = fallback;
    all.back().measurement = measurement;
  }
  const std::unordered_set<std::string> there(names.begin(), names.end());
  const ColumnMap map = column_map(robot.model(), all, [&](const std::string& name) { return there.count(name) > 0; });
  std::vector<std::string> missing;
  for (const std::vector<std::string>& columns : map.missing) missing.push_back(columns.front());
  std::vector<std::string> readings, unused;
  for (const std::vector<std::string>& columns : map.missing)
    for (const std::string& column : columns)
      if (column.compare(0, 2, "y.") == 0) readings.push_back(column);
  std::unordered_set<std::string> used(map.q.begin(), map.q.end());
  used.insert(map.v.begin(), map.v.end()), used.insert(map.y.begin(), map.y.end());
  if (!readings.empty())
    for (const std::string& name : names)
      if (used.count(name) == 0) unused.push_back(name);
  return nb::make_tuple(map.q, map.v, map.y, missing, map.taken_as_zero, other_names_text(readings, unused));
}

void bind_logs(nb::module_& m) {
  m.def("_differentiate", &differentiate_columns, nb::arg("columns"), nb::arg("values"), nb::arg("step"), nb::arg("cutoff"),
        nb::arg("window"),
        nb::sig(
            "def _differentiate(columns: Sequence[str], values: Sequence[NDArray[numpy.float64]], step: float, cutoff: float, "
            "window: float) -> tuple[list[str], list[list[float]], list[float], list[float], list[float], list[str], "
            "list[str]]"));
  m.def("_recorded_columns", &recorded_columns, nb::arg("path"),
        nb::sig("def _recorded_columns(path: str) -> tuple[list[str], list[list[float]], list[int], list[str]]"));
  m.def("_inspect", &inspect_columns, nb::arg("robot"), nb::arg("sensors").none(), nb::arg("name"), nb::arg("columns"),
        nb::arg("values"), nb::arg("lines"), nb::arg("others"),
        nb::sig("def _inspect(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] | None, name: str, "
                "columns: Sequence[str], values: Sequence[NDArray[numpy.float64] | Sequence[float]], lines: Sequence[int], "
                "others: Sequence[str]) -> tuple[int, float, float, list[tuple[Any, ...]], list[tuple[Any, ...]], list[str]]"));
  m.def("_mapped_columns", &mapped_columns, nb::arg("robot"), nb::arg("inputs"), nb::arg("names"),
        nb::sig("def _mapped_columns(robot: Model, inputs: Sequence[tuple[list[str], bool, float, int, bool]], names: "
                "Sequence[str]) -> "
                "tuple[list[str], list[str], list[str], list[str], list[list[str]], str]"));
  m.def(
      "_whole_motion", [](const RobotModel& robot) { return whole_motion_columns(robot.model()); }, nb::arg("robot"),
      nb::sig("def _whole_motion(robot: Model) -> list[str]"));
  m.def(
      "_inputs",
      [](const RobotModel& robot, nb::handle sensors) { return input_columns(System(robot.model(), sensors_of(sensors).set)); },
      nb::arg("robot"), nb::arg("sensors"),
      nb::sig("def _inputs(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any]) -> "
              "list[tuple[list[str], bool, float, int, bool]]"));
}

}  // namespace sparsedyn::python
