#include "track_rows.hpp"

#include <chrono>
#include <cmath>
#include <deque>
#include <limits>

#include "cli/logs/log_columns.hpp"
#include "cli/rows/comparison.hpp"
#include "cli/rows/track_counts.hpp"
#include "cli/rows/track_truth.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"

namespace sparsedyn::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A row that is written later.
struct WaitingRow {
  double time;
  bool timed, ok;
  std::vector<double> measured;  // for the comparison
  BaseTruth truth;
};

class TrackLoop {
 public:
  TrackLoop(Tracker& tracker, CsvReader& log, CsvWriter& out, const TrackMode& mode, const CommonOptions& common)
      : tracker_(tracker),
        log_(log),
        out_(out),
        mode_(mode),
        common_(common),
        rows_(tracker, log, common),
        comparison_(log, tracker.columns(), [&](const std::string& column) { return rows_.uses(column); }),
        truth_(log, tracker.columns()),
        results_(tracker.columns().size()),
        failed_(log.path()),
        progress_(common) {
    warn_of_other_columns();
    std::vector<std::string> header{"time"};
    header.insert(header.end(), tracker.columns().begin(), tracker.columns().end());
    out.header(header);
  }

  TrackSummary run() {
    const auto start = Clock::now();
    while (log_.next()) row();
    if (mode_.batch)
      write_batch();
    else
      for (; !waiting_.empty(); waiting_.pop_front()) write_front();
    out_.commit();
    progress_.clear();
    failed_.tell_rest();
    return summary(seconds_since(start));
  }

 private:
  void warn_of_other_columns() {
    std::vector<std::string> other;
    for (const std::string& column : log_.columns()) {
      const bool state = column.rfind("q.", 0) == 0 || column.rfind("dq.", 0) == 0;
      if (column != "time" && !state && !rows_.uses(column)) other.push_back(column);
    }
    if (!other.empty())
      warn(common_, log_.path() + ":" + std::to_string(log_.header_line()) + ": columns passed over: " + listing(other));
  }

  void row() {
    WaitingRow row;
    row.timed = rows_.read();
    row.time = rows_.time(), row.ok = false;
    comparison_.read(row.measured);
    row.truth = truth_.read();
    if (!started_) tracker_.start(row.truth.placed ? row.truth.q : nullptr, row.truth.moving ? row.truth.v : nullptr);
    double dt = row.time - last_;
    if (started_ && dt > 0) counts_.add_interval(dt);
    if (mode_.uniform) dt = mode_.uniform->interval(dt);
    if (!row.timed)
      failed_.add(log_.line(), "time is no number");
    else if (mode_.batch)
      keep(row, dt);
    else
      step(row, dt);
    ++summary_rows_;
    progress_.row();
    waiting_.push_back(std::move(row));
    if (!mode_.batch) write_what_is_due();
    if (log_.waits()) out_.flush();
  }

  void step(WaitingRow& row, double dt) {
    const auto start = Clock::now();
    const TrackerStep step = tracker_.step(rows_.readings().data(), dt, results_.data());
    counts_.add_step_time(seconds_since(start));
    if (!accept(step, log_.line())) return;
    row.ok = true;
    started_ = true, last_ = row.time, ++ready_;
    if (mode_.lag == 0) {
      truth_.align(results_.data(), row.truth);
      truth_.add(row.time, results_.data(), row.truth, row.truth.placed ? nees(row.truth) : std::nan(""));
    }
  }

  double nees(const BaseTruth& truth) const { return tracker_.nees(truth.q, truth.moving ? truth.v : nullptr); }

  bool accept(const TrackerStep& step, long line) {
    counts_.add(step);
    if (!step.ok) failed_.add(line, step.why);
    return step.ok;
  }

  /// Rows of a batch: readings and intervals; a stamp that does not go on fails there.
  void keep(WaitingRow& row, double dt) {
    readings_.insert(readings_.end(), rows_.readings().begin(), rows_.readings().end());
    intervals_.push_back(dt), lines_.push_back(log_.line());
    row.ok = true;
    if (dt > 0 || !started_) started_ = true, last_ = row.time;
  }

  /// Of `ready_` samples in the queue the oldest is written once `lag` more are there.
  void write_what_is_due() {
    while (!waiting_.empty() && (!waiting_.front().ok || ready_ > mode_.lag)) {
      write_front();
      waiting_.pop_front();
    }
  }

  void write_front() {
    const WaitingRow& row = waiting_.front();
    bool done = row.ok;
    if (row.ok) {
      --ready_;
      if (mode_.lag > 0) {
        done = tracker_.delayed(static_cast<int>(ready_), results_.data());
        truth_.align(results_.data(), row.truth);
        truth_.add(row.time, results_.data(), row.truth, std::nan(""));
      }
    }
    write(row, done ? results_.data() : nullptr);
  }

  void write(const WaitingRow& row, const double* results) {
    row.timed ? out_.number(row.time) : out_.empty();
    for (std::size_t k = 0; k < results_.size(); ++k)
      results&& std::isfinite(results[k]) ? out_.number(results[k]) : out_.empty();
    out_.end_row();
    if (results) comparison_.add(results, row.measured);
  }

  void write_batch() {
    const std::size_t columns = results_.size();
    std::vector<double> all(intervals_.size() * columns);
    const auto start = Clock::now();
    const std::vector<TrackerStep> steps = smooth(tracker_, readings_, intervals_, mode_.iterations, all.data());
    if (!steps.empty()) counts_.add_step_time(seconds_since(start) / static_cast<double>(steps.size()));
    std::size_t k = 0;
    for (; !waiting_.empty(); waiting_.pop_front()) {
      const WaitingRow& row = waiting_.front();
      if (!row.ok) {
        write(row, nullptr);
        continue;
      }
      double* const results = all.data() + k * columns;
      const bool done = accept(steps[k], lines_[k]);
      if (done) {
        truth_.align(results, row.truth);
        truth_.add(row.time, results, row.truth, std::nan(""));
      }
      write(row, done ? results : nullptr);
      ++k;
    }
  }

  TrackSummary summary(double seconds) {
    TrackSummary s;
    s.rows = summary_rows_, s.rows_failed = failed_.count(), s.seconds = seconds;
    const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
    s.json["median_step_us"] = counts_.median_step_us(), s.json["worst_step_us"] = counts_.worst_step_us();
    s.json["consistency"] = {
        {"nis_mean", number(counts_.nis_mean())}, {"inside", number(counts_.inside())}, {"nees", truth_.nees()}};
    s.json["slips"] = counts_.slips();
    s.json["time_jitter"] = counts_.jitter();
    s.json["compared"] = comparison_.json();
    truth_.describe(s.json);
    char text[160];
    std::snprintf(text, sizeof text, "%ld rows, %ld failed, %.3g us a step (worst %.3g); nis %.3g, %.0f %% inside, %ld slips\n",
                  s.rows, s.rows_failed, counts_.median_step_us(), counts_.worst_step_us(), counts_.nis_mean(),
                  100 * counts_.inside(), counts_.slips());
    s.text = text + truth_.text() + comparison_.text("difference from the log's columns");
    if (!mode_.uniform && counts_.jitter() > 0.05 * counts_.mean_interval()) {
      std::snprintf(text, sizeof text, ": time jitters by %.3g s; --uniform-time takes an even clock instead",
                    counts_.jitter());
      warn(common_, log_.path() + text);
    }
    return s;
  }

  Tracker& tracker_;
  CsvReader& log_;
  CsvWriter& out_;
  const TrackMode& mode_;
  const CommonOptions& common_;
  TrackLog rows_;
  Comparison comparison_;
  TrackTruth truth_;
  TrackCounts counts_;
  std::vector<double> results_;
  FailedRows failed_;
  Progress progress_;
  std::deque<WaitingRow> waiting_;
  long ready_ = 0;  // rows of it that are ok
  long summary_rows_ = 0;
  bool started_ = false;
  double last_ = 0;
  std::vector<double> readings_, intervals_;  // of a batch
  std::vector<long> lines_;
};

}  // namespace

TrackSummary track_rows(Tracker& tracker, CsvReader& log, CsvWriter& out, const TrackMode& mode, const CommonOptions& common) {
  return TrackLoop(tracker, log, out, mode, common).run();
}

}  // namespace sparsedyn::cli
