// What sparsedyn.live stands on: a LiveLoop, whose thread never takes the interpreter's lock. Python hands rows in and takes
// samples and findings out.
#include "live.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "arrays.hpp"
#include "model.hpp"
#include "sensors.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/plans.hpp"
#include "sparsedyn/live/live_loop.hpp"
#include "sparsedyn/live/live_receiver.hpp"
#include "sparsedyn/live/live_record.hpp"
#include "sparsedyn/planning/search.hpp"

namespace sparsedyn::python {
namespace {

constexpr int most_at_once = 4096;  // samples that one take() hands out

std::unique_ptr<LiveEstimate> estimate_of(const RobotModel& robot, nb::handle sensors, bool over_time,
                                          std::vector<std::string> outputs, bool deviations, bool covariances) {
  auto system = std::make_shared<const System>(robot.model(), sensors_of(sensors).set);
  if (over_time) {
    TrackerOptions wanted;
    wanted.outputs = std::move(outputs), wanted.deviations = deviations, wanted.base_covariances = covariances;
    return live_tracker(Tracker(system, wanted), *system);
  }
  SensorSolverOptions wanted;
  wanted.outputs = std::move(outputs), wanted.deviations = deviations;
  wanted.plans = searched_plans({}, plans_of_the_user());
  return live_solver(std::move(system), std::move(wanted));
}

LiveOptions options_of(int sources, double rate, double wait, double max_gap, double missing_after) {
  LiveOptions options;
  options.clock.sources = sources, options.clock.rate = rate, options.clock.wait = wait, options.clock.max_gap = max_gap;
  options.missing_after = missing_after;
  return options;
}

/// One thread at a time calls each member; those that hand in, and take(), may be two. Once it receives, the receiver's thread
/// alone hands in: the queue has one writer.
class PythonLive {
 public:
  PythonLive(const RobotModel& robot, nb::handle sensors, bool over_time, std::vector<std::string> outputs, bool deviations,
             bool covariances, std::vector<std::string> sources, std::tuple<double, double, double, double> times, int priority,
             bool lock_memory, const std::string& record)
      : sources_(std::move(sources)) {
    const auto [rate, wait, max_gap, missing_after] = times;
    LiveLoopOptions how;
    how.priority = priority, how.lock_memory = lock_memory, how.record = !record.empty();
    loop_ = std::make_unique<LiveLoop>(estimate_of(robot, sensors, over_time, std::move(outputs), deviations, covariances),
                                       options_of(static_cast<int>(sources_.size()), rate, wait, max_gap, missing_after), how);
    if (record.empty()) return;
    LiveRecordHead head{loop_->estimate().names(), sources_, {}};
    const auto text = [](double x) { return nb::cast<std::string>(nb::str(nb::float_(x))); };
    head.settings = {{"rate", text(rate)},
                     {"wait", text(wait)},
                     {"max_gap", text(max_gap)},
                     {"missing_after", text(missing_after)},
                     {"over_time", over_time ? "true" : "false"}};
    record_ = std::make_unique<LiveRecordWriter>(record, head);
  }

  /// Also of a run that was broken off the record says what came, and its end; where nothing came there is none.
  ~PythonLive() {
    if (!record_ || !started_ || ended_) return;
    receiver_.reset();
    loop_->stop();
    try {
      while (loop_->wait(0.01)) {
        write_record();
        while (loop_->next_sample()) loop_->pop_sample();
      }
      write_record();
      if (record_->begun()) end_record();
    } catch (const std::exception&) {  // it cannot be written
    }
  }
  PythonLive(const PythonLive&) = delete;
  PythonLive& operator=(const PythonLive&) = delete;

  /// Of each reading: columns, sensor, whether a source has to name one, whether it is a contact's flag.
  nb::list readings() const {
    nb::list all;
    for (const LiveReading& each : loop_->estimate().readings())
      all.append(nb::make_tuple(each.columns, each.sensor, each.is_required(), each.is_flag));
    return all;
  }
  std::vector<std::string> columns() const { return loop_->estimate().columns(); }
  std::vector<std::string> links() const { return loop_->estimate().links(); }

  std::vector<std::string> start() {
    if (std::exchange(started_, true)) throw std::runtime_error("start: a live run starts once");
    return loop_->start();
  }

  bool put(int source, double stamp, nb::handle values) {
    hands_in("put");
    const auto width = static_cast<npy_intp>(loop_->estimate().readings().size());
    const InputArray row(values, {"values", {1, {width, 0, 0}}});
    if (row.batch_rank() != 0) throw nb::value_error("values: a batch; expected one row");
    if (source < 0 || source >= static_cast<int>(sources_.size())) throw nb::index_error("source");
    return loop_->readings(source, stamp, row.data());
  }

  /// Empty, or what is wrong with the line.
  std::string change(const std::string& line) {
    hands_in("change");
    std::string why;
    for (const LiveChange& change : read_live_changes(line, loop_->estimate(), why))
      if (!loop_->change(change)) return "the loop is too far behind; the change is lost";
    return why;
  }

  /// Whether there may be more; samples (time, ready, done, ok, why, reading, values); findings (kind, over, reading, source,
  /// link, since, at, amount). Waits at most so many seconds for the first.
  std::tuple<bool, nb::list, nb::list> take(double seconds) {
    if (taking_) throw std::runtime_error("take: another thread is taking; expected one");
    taking_ = true;
    bool more = false;
    {
      const nb::gil_scoped_release others_may_run;
      more = loop_->wait(seconds);
    }
    taking_ = false;
    nb::list samples, findings;
    write_record();
    while (const auto row = loop_->next_finding()) {
      const LiveFinding& f = *row.head;
      findings.append(nb::make_tuple(live_fault_name(f.kind), f.over, f.reading, f.source, f.link, f.since, f.at, f.amount));
      loop_->pop_finding();
    }
    for (int k = 0; k < most_at_once; ++k) {
      const auto row = loop_->next_sample();
      if (!row) break;
      const LiveSample& s = *row.head;
      samples.append(nb::make_tuple(s.time, 1e-9 * static_cast<double>(s.ready), 1e-9 * static_cast<double>(s.done),
                                    s.answer.ok, s.answer.why, s.answer.reading, array_of(row.values)));
      loop_->pop_sample();
    }
    if (!more && !std::exchange(ended_, true)) end_record();
    return {more, samples, findings};
  }

  /// What comes on pipes and sockets is handed in by a thread of its own: an address for each source.
  void receive(const std::vector<std::string>& control, const std::string& format, std::string columns) {
    if (receiver_) throw std::runtime_error("receive: a live run receives once");
    LiveReceiverOptions from;
    from.format = format == "f64" ? LiveFormat::f64 : LiveFormat::csv, from.columns = std::move(columns);
    for (const std::string& source : sources_) from.inputs.push_back(read_live_address(source));
    for (const std::string& address : control) from.control.push_back(read_live_address(address));
    try {
      receiver_ = std::make_unique<LiveReceiver>(*loop_, std::move(from));
    } catch (const std::system_error& wrong) {
      const std::string text = wrong.what(), reason = ": " + wrong.code().message();
      throw InputError(text.substr(0, text.rfind(reason)), 0, "", wrong.code().message(), "an address that can be opened");
    }
    receiver_->start();
  }
  /// Of a source: rows, malformed, oversized, turned away; what was wrong with the last one, and its line; errno; what its
  /// header lacks, its line, and whether that ended all.
  nb::tuple received(int source) const {
    if (!receiver_ || source < 0 || source >= static_cast<int>(sources_.size())) throw nb::index_error("source");
    const LiveInputCounts c = receiver_->counts(static_cast<std::size_t>(source));
    return nb::make_tuple(c.rows, c.malformed, c.oversized, c.turned_away, c.why, c.line, c.error, c.lacks, c.lacks_line,
                          c.refused);
  }
  std::vector<std::string> take_notes() {
    std::vector<std::string> notes = loop_->take_notes();
    if (receiver_)
      for (std::string& each : receiver_->take_notes()) notes.push_back(std::move(each));
    return notes;
  }
  void stop_receiving() {
    const nb::gil_scoped_release others_may_run;
    if (receiver_) receiver_->stop();
  }

  /// s since 1970, as arrivals: by a clock that never jumps.
  double now() const noexcept { return 1e-9 * static_cast<double>(loop_->now()); }
  bool has_room() const noexcept { return loop_->has_room(); }
  void end() noexcept { loop_->end(); }

  /// Rows that came, samples, findings and rows of the record that were lost.
  std::tuple<long, long, long, long> losses() const noexcept {
    const LiveLosses lost = loop_->losses();
    return {lost.readings, lost.samples, lost.findings, lost.inputs};
  }

  /// After the end: samples, of them answered, restarts; of each source readings, late, reordered, repeated, refused; of the
  /// delays the median, 99 %, 99.99 %, the longest (s); missed deadlines.
  nb::tuple summary() const {
    if (!ended_) throw std::runtime_error("summary: the run goes on; expected its end");
    const LiveCore& core = loop_->core();
    nb::list sources;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      const SourceCounts& c = core.synchroniser().counts(static_cast<int>(k));
      sources.append(nb::make_tuple(c.readings, c.late, c.reordered, c.repeated, c.refused));
    }
    const LiveDelays& d = loop_->delays();
    return nb::make_tuple(core.counts().samples, core.counts().answered, core.synchroniser().restarts(), sources,
                          nb::make_tuple(d.quantile(0.5), d.quantile(0.99), d.quantile(0.9999), d.worst()),
                          loop_->deadline_misses());
  }

 private:
  void hands_in(const char* what) const {
    if (receiver_)
      throw std::runtime_error(std::string(what) + ": the run receives; expected the inputs' own rows and changes");
  }
  nb::object array_of(const double* values) const {
    const std::size_t n = loop_->estimate().columns().size();
    OutputArray out(BatchShape{}, {"values", {1, {static_cast<npy_intp>(n), 0, 0}}});
    std::copy_n(values, n, out.data());
    return out.object();
  }
  /// Of a run that was refused before a row came none is begun.
  void end_record() {
    if (record_ && (record_->begun() || !is_refused())) record_->end(loop_->ended_at(), loop_->losses());
  }
  bool is_refused() const {
    for (std::size_t k = 0; receiver_ && k < sources_.size(); ++k)
      if (receiver_->counts(k).refused) return true;
    return false;
  }
  void write_record() {
    bool any = false;
    while (const auto row = loop_->next_input()) {
      if (record_) record_->add(*row.head, row.values, loop_->estimate()), any = true;
      loop_->pop_input();
    }
    if (any) record_->flush();
  }

  std::vector<std::string> sources_;
  std::unique_ptr<LiveLoop> loop_;
  std::unique_ptr<LiveRecordWriter> record_;
  std::unique_ptr<LiveReceiver> receiver_;
  bool started_ = false, ended_ = false, taking_ = false;
};

}  // namespace

void bind_live(nb::module_& m) {
  nb::class_<PythonLive>(m, "_Live")
      .def(nb::init<const RobotModel&, nb::handle, bool, std::vector<std::string>, bool, bool, std::vector<std::string>,
                    std::tuple<double, double, double, double>, int, bool, std::string>(),
           nb::arg("robot"), nb::arg("sensors"), nb::arg("over_time"), nb::arg("outputs"), nb::arg("deviations"),
           nb::arg("covariances"), nb::arg("sources"), nb::arg("times"), nb::arg("priority"), nb::arg("lock_memory"),
           nb::arg("record"),
           nb::sig("def __init__(self, robot: Model, sensors: Any, over_time: bool, outputs: Sequence[str], deviations: bool, "
                   "covariances: bool, sources: Sequence[str], times: tuple[float, float, float, float], priority: int, "
                   "lock_memory: bool, "
                   "record: str) -> None"))
      .def_prop_ro("readings", &PythonLive::readings, nb::sig("def readings(self) -> list[tuple[list[str], str, bool, bool]]"))
      .def_prop_ro("columns", &PythonLive::columns)
      .def_prop_ro("links", &PythonLive::links)
      .def("start", &PythonLive::start)
      .def("put", &PythonLive::put, nb::arg("source"), nb::arg("stamp"), nb::arg("values"),
           nb::sig("def put(self, source: int, stamp: float, values: ArrayLike) -> bool"))
      .def("change", &PythonLive::change, nb::arg("line"))
      .def("take", &PythonLive::take, nb::arg("seconds"),
           nb::sig("def take(self, seconds: float) -> tuple[bool, list[tuple[float, float, float, bool, str, int, "
                   "NDArray[numpy.float64]]], list[tuple[str, bool, int, int, int, float, float, float]]]"))
      .def("receive", &PythonLive::receive, nb::arg("control"), nb::arg("format"), nb::arg("columns"),
           nb::sig("def receive(self, control: Sequence[str], format: str, columns: str) -> None"))
      .def("received", &PythonLive::received, nb::arg("source"),
           nb::sig("def received(self, source: int) -> tuple[int, int, int, int, str, int, int, str, int, bool]"))
      .def("take_notes", &PythonLive::take_notes)
      .def("stop_receiving", &PythonLive::stop_receiving)
      .def("now", &PythonLive::now)
      .def("has_room", &PythonLive::has_room)
      .def("end", &PythonLive::end)
      .def("losses", &PythonLive::losses)
      .def("summary", &PythonLive::summary,
           nb::sig("def summary(self) -> tuple[int, int, int, list[tuple[int, int, int, int, int]], tuple[float, float, float, "
                   "float], int]"));
}

}  // namespace sparsedyn::python
