#include "logs.hpp"

#include <algorithm>

#include "numpy.hpp"
#include "sensors.hpp"
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

}  // namespace

nb::list input_columns(const System& system) {
  nb::list list;
  for (const Input& input : system.inputs())
    list.append(nb::make_tuple(input.columns, input.required, input.fallback, input.measurement));
  return list;
}

void bind_logs(nb::module_& m) {
  m.def("_differentiate", &differentiate_columns, nb::arg("columns"), nb::arg("values"), nb::arg("step"), nb::arg("cutoff"),
        nb::arg("window"),
        nb::sig(
            "def _differentiate(columns: Sequence[str], values: Sequence[NDArray[numpy.float64]], step: float, cutoff: float, "
            "window: float) -> tuple[list[str], list[list[float]], list[float], list[float], list[float], list[str], "
            "list[str]]"));
  m.def(
      "_inputs",
      [](const RobotModel& robot, nb::handle sensors) { return input_columns(System(robot.model(), sensors_of(sensors).set)); },
      nb::arg("robot"), nb::arg("sensors"),
      nb::sig("def _inputs(robot: Model, sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any]) -> "
              "list[tuple[list[str], bool, float, int]]"));
}

}  // namespace sparsedyn::python
