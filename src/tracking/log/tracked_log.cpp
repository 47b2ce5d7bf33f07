#include "sparsedyn/tracking/tracked_log.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "tracking/log/base_errors.hpp"
#include "tracking/log/stamped_time.hpp"
#include "tracking/log/track_counts.hpp"

namespace sparsedyn {

using namespace tracking;

EvenClock::EvenClock(const std::vector<double>& times) {
  std::vector<double> intervals;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (double now : times) {
    if (now > last) intervals.push_back(now - last);
    if (!(now <= last) && std::isfinite(now)) last = now;
  }
  if (intervals.empty()) return;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  longest_ = 5 * *middle;
  double sum = 0;
  long count = 0;
  for (double x : intervals)
    if (x < longest_) sum += x, ++count;
  mean_ = sum / static_cast<double>(std::max(count, 1L));
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

struct TrackedLog::Parts {
  /// A row whose results are not out.
  struct Waiting {
    double time;
    const char* why;  // null: it could be used
    BaseTruth truth;
    int slips = 0;
  };

  Parts(Tracker& with, const TrackedLogOptions& chosen, Use told)
      : tracker(with), options(chosen), use(std::move(told)), errors(with.columns()), results(with.columns().size()) {}

  /// A row whose time is far ahead waits for the next one, which tells a gap from a stamp that is wrong.
  void add(const double* y, double time, const BaseTruth& truth) {
    if (held) take_held(held->time < time || !std::isfinite(time) ? nullptr : "its time is far ahead of the next row's");
    if (stamps.is_far_ahead(time)) {
      held = Waiting{time, nullptr, truth};
      held_readings.assign(y, y + tracker.inputs().size());
    } else {
      take({time, std::isfinite(time) ? nullptr : "time is no number", truth}, y);
    }
  }

  void take_held(const char* why) {
    held->why = why;
    take(*held, held_readings.data());
    held.reset();
  }

  void take(Waiting row, const double* y) {
    if (!stamps.is_started()) tracker.start(row.truth.placed ? row.truth.q : nullptr, row.truth.moving ? row.truth.v : nullptr);
    double dt = stamps.since_last(row.time);
    if (!row.why && stamps.is_started() && dt > 0 && !stamps.is_far_ahead(row.time)) counts.add_interval(dt);
    if (options.clock) dt = options.clock->interval(dt);
    if (!row.why) options.batch ? keep(row, y, dt) : step(row, y, dt);
    waiting.push_back(row);
    if (options.batch) return;
    while (!waiting.empty() && (waiting.front().why || ready > options.lag)) out();  // the oldest, once `lag` more are there
  }

  void finish() {
    if (held) take_held(nullptr);
    if (options.batch) return all_at_once();
    while (!waiting.empty()) out();
    take_priors(tracker.at_prior(), options.lag > 0);
  }

  void take_priors(const std::vector<std::string>& names, bool later_rows) {
    for (const std::string& name : names)
      if (!later_rows || name.rfind("ddq.", 0) != 0) at_prior.push_back(name);
  }

  void step(Waiting& row, const double* y, double dt) {
    const auto start = Clock::now();
    const TrackerStep step = tracker.step(y, dt, results.data());
    counts.add_step_time(seconds_since(start));
    counts.add(step);
    if (step.ok || (stamps.is_started() && dt > 0)) stamps.take(row.time);
    if (!step.ok) {
      row.why = step.why;
      return;
    }
    ++ready, row.slips = step.slips;
    if (options.lag > 0) return;
    const bool known = row.truth.placed;
    errors.add(row.time, results.data(), row.truth,
               known ? tracker.nees(row.truth.q, row.truth.moving ? row.truth.v : nullptr) : std::nan(""));
  }

  /// A batch's readings and intervals; a stamp that does not go on fails there.
  void keep(const Waiting& row, const double* y, double dt) {
    readings.insert(readings.end(), y, y + tracker.inputs().size());
    intervals.push_back(dt);
    if (dt > 0 || !stamps.is_started()) stamps.take(row.time);
  }

  void out() {
    const Waiting row = waiting.front();
    waiting.pop_front();
    slips = row.slips;
    if (row.why) return use(nullptr, row.why);
    --ready;
    if (options.lag > 0) {
      if (!tracker.delayed(static_cast<int>(ready), results.data()))
        return use(nullptr, "flags that came late broke the estimate at this row; it started anew after it");
      errors.add(row.time, results.data(), row.truth, std::nan(""));
    }
    use(results.data(), nullptr);
  }

  void all_at_once() {
    const std::size_t columns = results.size();
    std::vector<double> all(intervals.size() * columns);
    const auto start = Clock::now();
    std::vector<std::string> kept;
    const std::vector<TrackerStep> steps = smooth(tracker, readings, intervals, options.iterations, all.data(), &kept);
    take_priors(kept, true);
    if (!steps.empty()) counts.add_step_time(seconds_since(start) / static_cast<double>(steps.size()));
    std::size_t k = 0;
    for (; !waiting.empty(); waiting.pop_front()) {
      const Waiting& row = waiting.front();
      if (row.why) {
        slips = 0;
        use(nullptr, row.why);
        continue;
      }
      slips = steps[k].slips;
      double* const found = all.data() + k * columns;
      counts.add(steps[k]);
      if (steps[k].ok) errors.add(row.time, found, row.truth, std::nan(""));
      use(steps[k].ok ? found : nullptr, steps[k].ok ? nullptr : steps[k].why);
      ++k;
    }
  }

  Tracker& tracker;
  TrackedLogOptions options;
  Use use;
  TrackCounts counts;
  BaseErrors errors;
  std::vector<double> results;
  std::deque<Waiting> waiting;
  long ready = 0;  // rows of it that could be used
  StampedTime stamps;
  std::optional<Waiting> held;  // until the next one is there
  std::vector<double> held_readings;
  int slips = 0;                            // of the row that is told of
  std::vector<double> readings, intervals;  // of a batch
  std::vector<std::string> at_prior;
};

TrackedLog::TrackedLog(Tracker& tracker, const TrackedLogOptions& options, Use use)
    : parts_(std::make_unique<Parts>(tracker, options, std::move(use))) {}
TrackedLog::~TrackedLog() = default;

void TrackedLog::add(const double* y, double time, const BaseTruth& truth) { parts_->add(y, time, truth); }
void TrackedLog::finish() { parts_->finish(); }

int TrackedLog::slips() const { return parts_->slips; }

TrackFigures TrackedLog::figures() const {
  TrackFigures figures;
  parts_->counts.tell(figures);
  parts_->errors.tell(figures);
  figures.at_prior = parts_->at_prior;
  return figures;
}

}  // namespace sparsedyn
