#include "sparsedyn/live/live_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "determinacy/needs_estimate.hpp"
#include "model/columns.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/payload.hpp"

namespace sparsedyn {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// The sensor of a column `y.SENSOR` or `y.SENSOR.…`: the longest name that fits.
std::string sensor_of(const SensorSet& set, const std::string& column) {
  std::string found;
  for (const Sensor& sensor : set.sensors) {
    const std::string name = "y." + sensor.name;
    const bool fits = column == name || column.compare(0, name.size() + 1, name + ".") == 0;
    if (fits && sensor.name.size() > found.size()) found = sensor.name;
  }
  return found;
}

/// Where the innovations of a solver's inputs are among its columns; −1: nowhere.
std::vector<int> innovation_places(const SensorSolver& solver) {
  const System& system = solver.system();
  std::vector<int> places(system.inputs().size(), -1);
  for (int row = 0; row < system.pattern().rows; ++row) {
    const int input = system.input_of(row);
    if (input < 0) continue;
    const std::string name = "innovation." + system.equation_names()[static_cast<std::size_t>(row)];
    const auto at = std::find(solver.columns().begin(), solver.columns().end(), name);
    if (at != solver.columns().end()) places[static_cast<std::size_t>(input)] = static_cast<int>(at - solver.columns().begin());
  }
  return places;
}

std::vector<std::string> link_names(const Model& model) {
  std::vector<std::string> names;
  for (const Link& link : model.links) names.push_back(link.name);
  return names;
}

/// The same equations for the robot that carries these.
std::shared_ptr<const System> loaded(const System& system, const std::vector<LivePayload>& carried) {
  Model model = system.model();
  for (const LivePayload& each : carried)
    if (each.mass > 0) model = with_payload(model, each.link, inertia_about_com(each.mass, each.at, each.inertia));
  return std::make_shared<const System>(model, system.sensors());
}

/// Deviations of noise that were changed while a run goes, by reading.
class ChangedSigmas {
 public:
  explicit ChangedSigmas(std::size_t readings) : sigmas_(readings, 0.0) {}
  void note(std::size_t reading, double sigma) noexcept { sigmas_[reading] = sigma; }
  /// set(reading, sigma) of each.
  template <class Set>
  void again(const Set& set) const noexcept {
    for (std::size_t k = 0; k < sigmas_.size(); ++k)
      if (sigmas_[k] > 0) set(k, sigmas_[k]);
  }

 private:
  std::vector<double> sigmas_;  // 0: as the set states it
};

/// A solver, and where things are among its inputs and columns.
struct SampleSolver {
  explicit SampleSolver(SensorSolver made)
      : solver(std::move(made)),
        places(innovation_places(solver)),
        rows(solver.system().inputs().size(), -1),
        results(solver.columns().size()) {
    for (int row = 0; row < solver.system().pattern().rows; ++row)
      if (const int input = solver.system().input_of(row); input >= 0) rows[static_cast<std::size_t>(input)] = row;
  }
  SensorSolver solver;
  std::vector<int> places, rows;  // by input
  std::vector<double> results;
};

struct PreparedSolver : LivePrepared {
  explicit PreparedSolver(SensorSolver solver) : made(std::make_unique<SampleSolver>(std::move(solver))) {}
  std::unique_ptr<SampleSolver> made;
};

class EachSample : public LiveEstimate {
 public:
  EachSample(SensorSolver solver, std::size_t outputs)
      : system_(solver.shared_system()),
        options_(solver.options()),
        all_columns_(solver.columns()),
        columns_(all_columns_.begin(), all_columns_.begin() + static_cast<std::ptrdiff_t>(outputs)),
        now_(std::make_unique<SampleSolver>(std::move(solver))),
        changed_(model().nq + model().nv + system_->inputs().size()) {
    for (const std::string& name : with_prefix("q", coordinate_names(model())))
      readings_.push_back({{name}, "", false, 0, false});
    for (const std::string& name : with_prefix("dq", velocity_names(model())))
      readings_.push_back({{name}, "", false, 0, false});
    state_ = readings_.size();
    for (const Input& input : system_->inputs())
      readings_.push_back(
          {input.columns, sensor_of(system_->sensors(), input.columns.front()), !input.required, input.fallback, false});
    links_ = link_names(model());
    q_.resize(static_cast<std::size_t>(model().nq));
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  bool over_time() const override { return false; }

  LiveAnswer answer(const double* readings, double, double* out) noexcept override {
    has_innovations_ = false;
    std::fill_n(out, columns_.size(), no_number);
    const std::size_t due = now_->solver.takes_gaps() ? state_ : readings_.size();
    for (std::size_t k = 0; k < due; ++k)
      if (!std::isfinite(readings[k])) return {false, "no reading", static_cast<int>(k)};
    std::copy_n(readings, q_.size(), q_.begin());
    if (!normalise(model(), q_.data())) return {false, "an orientation of no length", -1};
    const Answer found = now_->solver.solve(q_.data(), readings + q_.size(), readings + state_, now_->results.data());
    if (!found.ok) return {false, "no answer: what is read does not determine it, or not accurately", -1};
    std::copy_n(now_->results.begin(), columns_.size(), out);
    has_innovations_ = true;
    return {true, "", -1};
  }
  double innovation(std::size_t k) const noexcept override {
    if (!has_innovations_ || k < state_ || now_->places[k - state_] < 0) return no_number;
    return now_->results[static_cast<std::size_t>(now_->places[k - state_])];
  }
  bool set_sigma(std::size_t k, double sigma) noexcept override {
    if (k < state_ || k >= readings_.size() || !set_sigma_of(*now_, k, sigma)) return false;
    changed_.note(k, sigma);
    return true;
  }

  std::unique_ptr<LivePrepared> prepare(const std::vector<LivePayload>& carried) const override {
    SensorSolver solver(loaded(*system_, carried), options_);
    if (solver.columns() != all_columns_)
      throw std::invalid_argument(
          "the robot that carries it has other outputs; expected a payload that leaves them as they are");
    return std::make_unique<PreparedSolver>(std::move(solver));
  }
  void take(LivePrepared& prepared) noexcept override {
    std::unique_ptr<SampleSolver>& made = static_cast<PreparedSolver&>(prepared).made;
    changed_.again([&](std::size_t k, double sigma) { set_sigma_of(*made, k, sigma); });
    std::swap(now_, made);
    has_innovations_ = false;
  }

 private:
  const Model& model() const { return system_->model(); }
  bool set_sigma_of(SampleSolver& of, std::size_t k, double sigma) const noexcept {
    return of.rows[k - state_] >= 0 && of.solver.set_sigma(of.rows[k - state_], sigma);
  }

  const std::shared_ptr<const System> system_;  // of the robot that carries nothing
  const SensorSolverOptions options_;
  const std::vector<std::string> all_columns_;  // of the solver
  const std::vector<std::string> columns_;
  std::unique_ptr<SampleSolver> now_;
  ChangedSigmas changed_;
  std::vector<double> q_;
  std::size_t state_ = 0;  // readings before the sensors'
  bool has_innovations_ = false;
};

struct PreparedTracker : LivePrepared {
  explicit PreparedTracker(Tracker tracker) : made(std::move(tracker)) {}
  Tracker made;
};

class OverTime : public LiveEstimate {
 public:
  OverTime(Tracker tracker, const System& system)
      : system_(tracker.shared_system()),
        options_(tracker.options()),
        columns_(tracker.columns()),
        states_(tracker.state_columns()),
        tracker_(std::move(tracker)),
        changed_(tracker_.inputs().size()) {
    for (const TrackerInput& input : tracker_.inputs()) {
      const bool stands = input.is_flag;  // a contact without a flag always stands
      readings_.push_back({input.columns, sensor_of(system.sensors(), input.columns.front()), !input.required && !stands,
                           input.fallback, input.is_flag});
    }
    links_ = link_names(system.model());
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  bool over_time() const override { return true; }
  LiveAnswer answer(const double* readings, double dt, double* out) noexcept override {
    const TrackerStep step = tracker_.step(readings, dt, out);
    if (!step.ok) std::fill_n(out, columns_.size(), no_number);
    return {step.ok, step.why, -1};
  }
  double innovation(std::size_t) const noexcept override { return no_number; }
  bool set_sigma(std::size_t k, double sigma) noexcept override {
    if (!tracker_.set_sigma(k, sigma)) return false;
    changed_.note(k, sigma);
    return true;
  }

  std::unique_ptr<LivePrepared> prepare(const std::vector<LivePayload>& carried) const override {
    if (options_.lag > 0)
      throw std::invalid_argument("a payload of an estimate that looks back (lag " + std::to_string(options_.lag) +
                                  "); expected one without later rows");
    Tracker made(loaded(*system_, carried), options_);
    if (made.columns() != columns_ || made.state_columns() != states_ || !reads_the_same(made))
      throw std::invalid_argument(
          "the robot that carries it has other outputs; expected a payload that leaves them as they are");
    return std::make_unique<PreparedTracker>(std::move(made));
  }
  void take(LivePrepared& prepared) noexcept override {
    Tracker& made = static_cast<PreparedTracker&>(prepared).made;
    made.go_on_from(tracker_);  // it can: prepare() has seen to it
    changed_.again([&](std::size_t k, double sigma) { made.set_sigma(k, sigma); });
    std::swap(tracker_, made);
  }

 private:
  bool reads_the_same(const Tracker& other) const {
    const auto same = [](const TrackerInput& input, const LiveReading& reading) { return input.columns == reading.columns; };
    return std::equal(other.inputs().begin(), other.inputs().end(), readings_.begin(), readings_.end(), same);
  }

  const std::shared_ptr<const System> system_;  // of the robot that carries nothing
  const TrackerOptions options_;
  const std::vector<std::string> columns_, states_;
  Tracker tracker_;
  ChangedSigmas changed_;
};

}  // namespace

std::unique_ptr<LivePrepared> LiveEstimate::prepare(const std::vector<LivePayload>&) const {
  throw std::invalid_argument("a payload, of which no answer depends; expected an estimate of a robot");
}

void LiveEstimate::take(LivePrepared&) noexcept {}

std::vector<std::string> LiveEstimate::names() const {
  std::vector<std::string> all;
  for (const LiveReading& reading : readings_) all.push_back(reading.columns.front());
  return all;
}

std::unique_ptr<LiveEstimate> live_solver(SensorSolver solver, bool innovations) {
  if (solver.learning())
    throw std::invalid_argument(
        "a sensor with an unknown offset (\"bias\": true), which is learnt from a whole log; expected \"offsets\", as "
        "`solve --offsets` writes them, or an estimate over time");
  const auto& columns = solver.columns();
  const auto end = innovations ? columns.end() : std::find(columns.begin(), columns.end(), "chi2");
  const auto written = static_cast<std::size_t>(end - columns.begin());
  return std::make_unique<EachSample>(std::move(solver), written);
}

std::unique_ptr<LiveEstimate> live_solver(std::shared_ptr<const System> system, SensorSolverOptions options) {
  const bool written = options.innovations;
  options.innovations = written || options.deviations || needs_estimate(*system);
  return live_solver(SensorSolver(std::move(system), std::move(options)), written);
}

std::unique_ptr<LiveEstimate> live_tracker(Tracker tracker, const System& system) {
  return std::make_unique<OverTime>(std::move(tracker), system);
}

}  // namespace sparsedyn
