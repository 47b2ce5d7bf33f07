// What sd.Tracker and sd.smooth stand on.
#include "tracker.hpp"

#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "model.hpp"
#include "sensors.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::python {
namespace {

/// A Tracker with its robot and set; arrays in, arrays out.
class ArrayTracker {
 public:
  ArrayTracker(const RobotModel& robot, nb::handle sensors, std::vector<std::string> outputs, bool deviations, int lag,
               bool slip)
      : tracker_(std::make_shared<const System>(robot.model(), sensors_of(sensors).set),
                 {std::move(outputs), deviations, slip, lag}),
        nq_(robot.model().nq),
        nv_(robot.model().nv) {}

  const Tracker& tracker() const { return tracker_; }

  nb::list inputs() const {
    nb::list all;
    for (const TrackerInput& input : tracker_.inputs()) all.append(nb::make_tuple(input.columns, input.required));
    return all;
  }

  void start(nb::handle q, nb::handle v) {
    InputArray positions, velocities;
    if (!q.is_none()) positions = InputArray(q, {"q", {1, {nq_, 0, 0}}});
    if (!v.is_none()) velocities = InputArray(v, {"dq", {1, {nv_, 0, 0}}});
    tracker_.start(positions.data(), velocities.data());
  }

  /// The estimates, and what was wrong with the sample; then Σ of squares of innovations, how many, and slips.
  std::tuple<nb::object, std::string, double, int, int> step(nb::handle y, double dt) {
    const InputArray readings(y, {"y", {1, {static_cast<npy_intp>(tracker_.inputs().size()), 0, 0}}});
    OutputArray out = results(BatchShape{});
    const TrackerStep step = tracker_.step(readings.data(), dt, out.data());
    return {step.ok ? out.object() : nb::none(), step.why, step.innovation, step.rows, step.slips};
  }

  nb::object delayed(int back) {
    OutputArray out = results(BatchShape{});
    return tracker_.delayed(back, out.data()) ? out.object() : nb::none();
  }

  /// The estimates of all rows, NaN where one failed, and (row, reason) of these.
  nb::tuple smooth(nb::handle y, nb::handle dt, int iterations) {
    const InputArray intervals(dt, {"dt", {0, {}}});
    const InputArray readings(y, {"y", {1, {static_cast<npy_intp>(tracker_.inputs().size()), 0, 0}}});
    if (intervals.batch_rank() != 1 || readings.batch_rank() != 1 || intervals.batch_shape()[0] != readings.batch_shape()[0])
      throw nb::value_error("y, dt: expected as many rows");
    const npy_intp rows = readings.batch_shape()[0];
    BatchShape batch;
    batch.rank = 1, batch.size[0] = rows;
    OutputArray out = results(batch);
    const std::vector<double> all(readings.data(), readings.data() + rows * static_cast<npy_intp>(tracker_.inputs().size()));
    const std::vector<double> times(intervals.data(), intervals.data() + rows);
    std::vector<TrackerStep> steps;
    {
      const nb::gil_scoped_release others_may_run;
      steps = sparsedyn::smooth(tracker_, all, times, iterations, out.data());
    }
    nb::list failed;
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (!steps[k].ok) failed.append(nb::make_tuple(k, steps[k].why));
    return nb::make_tuple(out.object(), failed);
  }

 private:
  OutputArray results(const BatchShape& batch) const {
    return OutputArray(batch, {"out", {1, {static_cast<npy_intp>(tracker_.columns().size()), 0, 0}}});
  }

  Tracker tracker_;
  npy_intp nq_, nv_;
};

}  // namespace

void bind_tracker(nb::module_& m) {
  nb::class_<ArrayTracker>(m, "_Tracker")
      .def(nb::init<const RobotModel&, nb::handle, std::vector<std::string>, bool, int, bool>(), nb::arg("robot"),
           nb::arg("sensors"), nb::arg("outputs"), nb::arg("deviations"), nb::arg("lag"), nb::arg("slip"),
           nb::sig("def __init__(self, robot: Model, sensors: Any, outputs: Sequence[str], deviations: bool, lag: int, "
                   "slip: bool) -> None"))
      .def_prop_ro("inputs", &ArrayTracker::inputs, nb::sig("def inputs(self) -> list[tuple[list[str], bool]]"))
      .def_prop_ro("columns", [](const ArrayTracker& t) { return t.tracker().columns(); })
      .def_prop_ro("notes", [](const ArrayTracker& t) { return t.tracker().notes(); })
      .def_prop_ro("states", [](const ArrayTracker& t) { return t.tracker().states(); })
      .def_prop_ro("unobservable", [](const ArrayTracker& t) { return t.tracker().unobservable(); })
      .def("start", &ArrayTracker::start, nb::arg("q").none(), nb::arg("v").none(),
           nb::sig("def start(self, q: ArrayLike | None, v: ArrayLike | None) -> None"))
      .def("step", &ArrayTracker::step, nb::arg("y"), nb::arg("dt"),
           nb::sig("def step(self, y: ArrayLike, dt: float) -> tuple[NDArray[numpy.float64] | None, str, float, int, int]"))
      .def("delayed", &ArrayTracker::delayed, nb::arg("back"),
           nb::sig("def delayed(self, back: int) -> NDArray[numpy.float64] | None"))
      .def("smooth", &ArrayTracker::smooth, nb::arg("y"), nb::arg("dt"), nb::arg("iterations"),
           nb::sig("def smooth(self, y: ArrayLike, dt: ArrayLike, iterations: int) -> tuple[NDArray[numpy.float64], "
                   "list[tuple[int, str]]]"));
}

}  // namespace sparsedyn::python
