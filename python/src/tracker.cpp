// What sd.Tracker and sd.smooth stand on.
#include "tracker.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "model.hpp"
#include "sensors.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::python {
namespace {

TrackRows rows_named(const std::string& name) {
  return name == "kinematic" ? TrackRows::kinematic : name == "whole-body" ? TrackRows::whole_body : TrackRows::automatic;
}

/// A Tracker with its robot and set; arrays in, arrays out.
class ArrayTracker {
 public:
  ArrayTracker(const RobotModel& robot, nb::handle sensors, std::vector<std::string> outputs, bool deviations, int lag,
               bool slip, const std::string& rows)
      : tracker_(std::make_shared<const System>(robot.model(), sensors_of(sensors).set),
                 {std::move(outputs), deviations, slip, lag, rows_named(rows)}),
        nq_(robot.model().nq),
        nv_(robot.model().nv) {}

  const Tracker& tracker() const { return tracker_; }

  nb::list inputs() const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    nb::list all;
    for (const TrackerInput& input : tracker_.inputs())
      all.append(nb::make_tuple(input.columns, input.required, input.is_flag ? nan : input.fallback));
    return all;
  }

  void start(nb::handle q, nb::handle v) {
    InputArray positions, velocities;
    if (!q.is_none()) positions = InputArray(q, {"q", {1, {nq_, 0, 0}}});
    if (!v.is_none()) velocities = InputArray(v, {"dq", {1, {nv_, 0, 0}}});
    tracker_.start(positions.data(), velocities.data());
    of_log_.reset();
  }

  /// The estimates, and what was wrong with the sample; then Σ of squares of innovations, how many, and slips.
  std::tuple<nb::object, std::string, double, int, int> step(nb::handle y, double dt) {
    const InputArray readings(y, {"y", {1, {static_cast<npy_intp>(tracker_.inputs().size()), 0, 0}}});
    of_log_.reset();
    OutputArray out = results(BatchShape{});
    const TrackerStep step = tracker_.step(readings.data(), dt, out.data());
    return {step.ok ? out.object() : nb::none(), step.why, step.innovation, step.rows, step.slips};
  }

  nb::object delayed(int back) {
    OutputArray out = results(BatchShape{});
    return tracker_.delayed(back, out.data()) ? out.object() : nb::none();
  }

  /// All rows of a log, from a start of their own: the estimates, NaN where a row cannot be used. q, dq: of the true base, or
  /// None. iterations: of a batch; 0 goes through the rows once, as they come.
  nb::object run(nb::handle time, nb::handle y, nb::handle q, nb::handle dq, int iterations) {
    const InputArray times(time, {"time", {0, {}}});
    const auto rows_of = [&](nb::handle values, const char* name, npy_intp width) {
      InputArray read(values, {name, {1, {width, 0, 0}}});
      if (times.batch_rank() != 1 || read.batch_rank() != 1 || read.batch_shape()[0] != times.batch_shape()[0])
        throw nb::value_error((std::string(name) + ": expected a row for each time").c_str());
      return read;
    };
    const auto width = static_cast<npy_intp>(tracker_.inputs().size());
    const InputArray readings = rows_of(y, "y", width);
    InputArray poses, rates;
    if (!q.is_none()) poses = rows_of(q, "q", 7);
    if (!dq.is_none()) rates = rows_of(dq, "dq", 6);
    BatchShape batch;
    batch.rank = 1, batch.size[0] = times.batch_shape()[0];
    OutputArray out = results(batch);
    const std::size_t columns = tracker_.columns().size();
    double* to = out.data();
    std::fill_n(to, static_cast<std::size_t>(batch.size[0]) * columns, std::numeric_limits<double>::quiet_NaN());
    TrackedLogOptions options;
    options.batch = iterations > 0, options.iterations = iterations;
    {
      const nb::gil_scoped_release others_may_run;
      TrackedLog log(tracker_, options, [&](const double* estimate, const char*) {
        if (estimate) std::copy_n(estimate, columns, to);
        to += columns;
      });
      for (npy_intp k = 0; k < batch.size[0]; ++k)
        log.add(readings.data() + k * width, times.data()[k],
                base_truth(poses.data() ? poses.data() + 7 * k : nullptr, rates.data() ? rates.data() + 6 * k : nullptr));
      log.finish();
      of_log_ = log.figures().at_prior;
    }
    return out.object();
  }

  /// Of the log that run() went through last, or of the samples since.
  std::vector<std::string> at_prior() const { return of_log_ ? *of_log_ : tracker_.at_prior(); }

 private:
  OutputArray results(const BatchShape& batch) const {
    return OutputArray(batch, {"out", {1, {static_cast<npy_intp>(tracker_.columns().size()), 0, 0}}});
  }

  Tracker tracker_;
  npy_intp nq_, nv_;
  std::optional<std::vector<std::string>> of_log_;
};

}  // namespace

void bind_tracker(nb::module_& m) {
  nb::class_<ArrayTracker>(m, "_Tracker")
      .def(nb::init<const RobotModel&, nb::handle, std::vector<std::string>, bool, int, bool, std::string>(), nb::arg("robot"),
           nb::arg("sensors"), nb::arg("outputs"), nb::arg("deviations"), nb::arg("lag"), nb::arg("slip"), nb::arg("rows"),
           nb::sig("def __init__(self, robot: Model, sensors: Any, outputs: Sequence[str], deviations: bool, lag: int, "
                   "slip: bool, rows: str) -> None"))
      .def_prop_ro("inputs", &ArrayTracker::inputs, nb::sig("def inputs(self) -> list[tuple[list[str], bool, float]]"))
      .def_prop_ro("columns", [](const ArrayTracker& t) { return t.tracker().columns(); })
      .def_prop_ro("notes", [](const ArrayTracker& t) { return t.tracker().notes(); })
      .def_prop_ro(
          "rows", [](const ArrayTracker& t) { return t.tracker().rows() == TrackRows::kinematic ? "kinematic" : "whole-body"; })
      .def_prop_ro("states", [](const ArrayTracker& t) { return t.tracker().states(); })
      .def_prop_ro("unobservable", [](const ArrayTracker& t) { return t.tracker().unobservable(); })
      .def_prop_ro("at_prior", &ArrayTracker::at_prior)
      .def("start", &ArrayTracker::start, nb::arg("q").none(), nb::arg("v").none(),
           nb::sig("def start(self, q: ArrayLike | None, v: ArrayLike | None) -> None"))
      .def("step", &ArrayTracker::step, nb::arg("y"), nb::arg("dt"),
           nb::sig("def step(self, y: ArrayLike, dt: float) -> tuple[NDArray[numpy.float64] | None, str, float, int, int]"))
      .def("delayed", &ArrayTracker::delayed, nb::arg("back"),
           nb::sig("def delayed(self, back: int) -> NDArray[numpy.float64] | None"))
      .def("run", &ArrayTracker::run, nb::arg("time"), nb::arg("y"), nb::arg("q").none(), nb::arg("dq").none(),
           nb::arg("iterations"),
           nb::sig("def run(self, time: ArrayLike, y: ArrayLike, q: ArrayLike | None, dq: ArrayLike | None, iterations: int) "
                   "-> NDArray[numpy.float64]"));
}

}  // namespace sparsedyn::python
