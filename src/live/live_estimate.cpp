#include "sparsedyn/live/live_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "determinacy/needs_estimate.hpp"
#include "model/columns.hpp"
#include "sparsedyn/model/configuration.hpp"

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

class EachSample : public LiveEstimate {
 public:
  EachSample(SensorSolver solver, std::size_t outputs)
      : solver_(std::move(solver)),
        columns_(solver_.columns().begin(), solver_.columns().begin() + static_cast<std::ptrdiff_t>(outputs)),
        places_(innovation_places(solver_)),
        rows_(solver_.system().inputs().size(), -1),
        results_(solver_.columns().size()) {
    const System& system = solver_.system();
    const Model& model = system.model();
    for (const std::string& name : with_prefix("q", coordinate_names(model)))
      readings_.push_back({{name}, "", false, 0, false});
    for (const std::string& name : with_prefix("dq", velocity_names(model))) readings_.push_back({{name}, "", false, 0, false});
    state_ = readings_.size();
    for (const Input& input : system.inputs())
      readings_.push_back(
          {input.columns, sensor_of(system.sensors(), input.columns.front()), !input.required, input.fallback, false});
    for (int row = 0; row < system.pattern().rows; ++row)
      if (const int input = system.input_of(row); input >= 0) rows_[static_cast<std::size_t>(input)] = row;
    q_.resize(static_cast<std::size_t>(model.nq));
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  bool over_time() const override { return false; }

  LiveAnswer answer(const double* readings, double, double* out) noexcept override {
    const Model& model = solver_.system().model();
    has_innovations_ = false;
    std::fill_n(out, columns_.size(), no_number);
    const std::size_t due = solver_.takes_gaps() ? state_ : readings_.size();
    for (std::size_t k = 0; k < due; ++k)
      if (!std::isfinite(readings[k])) return {false, "no reading", static_cast<int>(k)};
    std::copy_n(readings, q_.size(), q_.begin());
    if (!normalise(model, q_.data())) return {false, "an orientation of no length", -1};
    const Answer found = solver_.solve(q_.data(), readings + q_.size(), readings + state_, results_.data());
    if (!found.ok) return {false, "no answer: what is read does not determine it, or not accurately", -1};
    std::copy_n(results_.begin(), columns_.size(), out);
    has_innovations_ = true;
    return {true, "", -1};
  }
  double innovation(std::size_t k) const noexcept override {
    if (!has_innovations_ || k < state_ || places_[k - state_] < 0) return no_number;
    return results_[static_cast<std::size_t>(places_[k - state_])];
  }
  bool set_sigma(std::size_t k, double sigma) noexcept override {
    return k >= state_ && k < readings_.size() && rows_[k - state_] >= 0 && solver_.set_sigma(rows_[k - state_], sigma);
  }

 private:
  SensorSolver solver_;
  std::vector<std::string> columns_;
  std::vector<int> places_, rows_;  // by input
  std::vector<double> results_, q_;
  std::size_t state_ = 0;  // readings before the sensors'
  bool has_innovations_ = false;
};

class OverTime : public LiveEstimate {
 public:
  OverTime(Tracker tracker, const System& system) : tracker_(std::move(tracker)) {
    for (const TrackerInput& input : tracker_.inputs()) {
      const bool stands = input.is_flag;  // a contact without a flag always stands
      readings_.push_back({input.columns, sensor_of(system.sensors(), input.columns.front()), !input.required && !stands,
                           input.fallback, input.is_flag});
    }
  }

  const std::vector<std::string>& columns() const override { return tracker_.columns(); }
  bool over_time() const override { return true; }
  LiveAnswer answer(const double* readings, double dt, double* out) noexcept override {
    const TrackerStep step = tracker_.step(readings, dt, out);
    if (!step.ok) std::fill_n(out, columns().size(), no_number);
    return {step.ok, step.why, -1};
  }
  double innovation(std::size_t) const noexcept override { return no_number; }
  bool set_sigma(std::size_t k, double sigma) noexcept override { return tracker_.set_sigma(k, sigma); }

 private:
  Tracker tracker_;
};

}  // namespace

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
