#include "track_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>

#include "cli/logs/log_columns.hpp"
#include "cli/logs/track_log.hpp"
#include "cli/rows/comparison.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "io/text/how_many.hpp"
#include "model/names/units.hpp"

namespace sparsedyn::cli {
namespace {

/// A row that is written later.
struct WaitingRow {
  TrackedRow row;
  std::vector<double> measured;  // for the comparison
};

/// All joints' positions and velocities as the log has them beside what is read.
class JointTruth {
 public:
  JointTruth(CsvReader& log, const Model& model, const TrackLog& rows) : log_(log) {
    const std::vector<std::string> coordinates = coordinate_names(model), velocities = velocity_names(model);
    ask("q.", coordinates, rows, q_slots_);
    ask("dq.", velocities, rows, v_slots_);
    there_ = !q_slots_.empty() && q_slots_.size() == coordinates.size() && v_slots_.size() == velocities.size();
    q_.resize(q_slots_.size()), v_.resize(v_slots_.size());
  }

  /// nees of the tracker's newest estimate beside the log's current row; NaN where the row lacks something.
  double nees(const Tracker& tracker) {
    if (!there_ || !read(q_slots_, q_) || !read(v_slots_, v_)) return std::nan("");
    return tracker.nees(q_.data(), v_.data());
  }

 private:
  void ask(const char* prefix, const std::vector<std::string>& names, const TrackLog& rows, std::vector<int>& slots) {
    for (const std::string& name : names)
      if (const std::string column = prefix + name; log_.has(column) && !rows.uses(column)) {
        slots.push_back(log_.ask(column));
        log_.take_gap_words(slots.back());
      }
  }
  bool read(const std::vector<int>& slots, std::vector<double>& x) const {
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (log_.state(slots[k]) != CellState::number) return false;
      x[k] = log_.value(slots[k]);
    }
    return true;
  }

  CsvReader& log_;
  bool there_;
  std::vector<int> q_slots_, v_slots_;
  std::vector<double> q_, v_;
};

class TrackLoop {
 public:
  TrackLoop(Tracker& tracker, const Model& model, CsvReader& log, CsvWriter& out, const TrackedLogOptions& mode,
            const TrackFiles& files, const CommonOptions& common)
      : tracker_(tracker),
        model_(model),
        log_(log),
        out_(out),
        even_(mode.clock != nullptr),
        waits_(!mode.batch),
        common_(common),
        rows_(tracker, log, common),
        columns_(files.columns),
        comparison_(log, tracker.columns(),
                    [&](const std::string& column) { return rows_.uses(column) || !is_written(column); }),
        joint_truth_(log, model, rows_),
        beside_joints_(tracker.rows() == TrackRows::whole_body && !mode.batch && mode.lag == 0),
        failed_(log.path()),
        progress_(common),
        tracked_(tracker, mode, [this](const double* results, const char* why) { write(results, why); }) {
    warn_of_other_columns();
    for (const std::string& column : tracker.columns()) shown_.push_back(is_written(column));
    std::vector<std::string> header{"time"};
    for (std::size_t k = 0; k < shown_.size(); ++k)
      if (shown_[k]) header.push_back(tracker.columns()[k]);
    out.header(header);
    if (files.report)
      report_ = std::make_shared<TrackReport>(model, log, tracker.columns(),
                                              [&](const std::string& column) { return rows_.uses(column); });
  }

  TrackSummary run() {
    const auto start = std::chrono::steady_clock::now();
    for (; log_.next(); progress_.row()) {
      rows_.read();
      waiting_.push_back({{rows_.time(), log_.line(), {}, rows_.truth()}, {}});
      comparison_.read(waiting_.back().measured);
      if (report_) report_->read(waiting_.back().row.truth);
      tracked_.add(rows_.readings().data(), rows_.time(), waiting_.back().row.base);
      ++count_;
      if (waits_ && log_.waits()) out_.flush();
    }
    tracked_.finish();
    if (report_) report_->finish();
    out_.commit();
    progress_.clear();
    failed_.tell_rest();
    return summary(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

 private:
  bool is_written(const std::string& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  void warn_of_other_columns() {
    std::vector<std::string> other;
    for (const std::string& column : log_.columns()) {
      const bool state = column.rfind("q.", 0) == 0 || column.rfind("dq.", 0) == 0;
      if (column != "time" && !state && !is_written(column) && !rows_.uses(column)) other.push_back(column);
    }
    if (!other.empty())
      warn(common_, log_.path() + ":" + std::to_string(log_.header_line()) + ": columns passed over: " + listing(other));
  }

  /// Of the row that waits longest.
  void write(const double* results, const char* why) {
    const TrackedRow& row = waiting_.front().row;
    if (why) failed_.add(row.line, why);
    std::isfinite(row.time) ? out_.number(row.time) : out_.empty();
    for (std::size_t k = 0; k < shown_.size(); ++k)
      if (shown_[k]) results&& std::isfinite(results[k]) ? out_.number(results[k]) : out_.empty();
    out_.end_row();
    if (results) comparison_.add(results, waiting_.front().measured);
    if (report_) report_->add(results, row, tracked_.slips());
    if (results && beside_joints_) add_nees(joint_truth_.nees(tracker_));  // the log stands at this row
    waiting_.pop_front();
  }

  void add_nees(double nees) {
    if (std::isfinite(nees)) nees_sum_ += nees, ++nees_rows_;
  }

  static Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

  static void add_errors(const TrackFigures& f, Json& json) {
    if (f.compared == 0) return;
    json["errors"] = {{"position", f.position}, {"tilt", f.tilt}, {"yaw", f.yaw}, {"yaw_end", f.yaw_end}};
    json["drift"] = {
        {"over_1s", number_or_null(f.over_1s)}, {"end", f.end}, {"per_metre", f.path > 0 ? Json(f.end / f.path) : Json()}};
  }

  static std::string errors_text(const TrackFigures& f) {
    if (f.compared == 0) return "";
    constexpr double degree = 57.29577951308232;
    char text[300];
    std::snprintf(text, sizeof text,
                  "beside the log's base: position %.4g m, tilt %.3g deg, yaw %.3g deg (rms; %.3g deg at the end); %.4g m off "
                  "after %.3g m, %.4g m over 1 s\n",
                  f.position, degree * f.tilt, degree * f.yaw, degree * f.yaw_end, f.end, f.path,
                  std::isfinite(f.over_1s) ? f.over_1s : 0.0);
    return text;
  }

  TrackSummary summary(double seconds) {
    const TrackFigures f = tracked_.figures();
    TrackSummary s;
    s.rows = count_, s.rows_failed = failed_.count(), s.seconds = seconds, s.report = report_;
    s.json["median_step_us"] = f.median_step_us, s.json["worst_step_us"] = f.worst_step_us;
    s.json["consistency"] = {{"nis_mean", number_or_null(f.innovation_mean)},
                             {"inside", number_or_null(f.innovations_inside)},
                             {"surprise", number_or_null(f.surprise)},
                             {"nees", number_or_null(nees_rows_ ? nees_sum_ / static_cast<double>(nees_rows_) : f.nees)}};
    s.json["slips"] = f.slips;
    s.at_prior = f.at_prior;
    s.json["time_jitter"] = f.jitter;
    s.json["compared"] = comparison_.json();
    add_errors(f, s.json);
    char text[160];
    std::snprintf(text, sizeof text, "%s, %ld failed, %.3g us a step (worst %.3g); nis %.3g, %.0f %% inside, %s\n",
                  how_many(s.rows, "row", "rows").c_str(), s.rows_failed, f.median_step_us, f.worst_step_us, f.innovation_mean,
                  100 * f.innovations_inside, how_many(f.slips, "slip", "slips").c_str());
    s.text = text + errors_text(f) + comparison_.text("difference from the log's columns", [&](const std::string& column) {
      return unit_of(model_, column);
    });
    if (!even_ && f.jitter > 0.05 * f.mean_interval) {
      std::snprintf(text, sizeof text, ": time jitters by %.3g s; --uniform-time takes an even clock instead", f.jitter);
      warn(common_, log_.path() + text);
    }
    return s;
  }

  Tracker& tracker_;
  const Model& model_;
  CsvReader& log_;
  CsvWriter& out_;
  bool even_, waits_;
  const CommonOptions& common_;
  TrackLog rows_;
  std::vector<std::string> columns_;  // that are written
  Comparison comparison_;
  std::vector<char> shown_;  // by the tracker's columns
  std::shared_ptr<TrackReport> report_;
  JointTruth joint_truth_;
  bool beside_joints_;
  double nees_sum_ = 0;
  long nees_rows_ = 0;
  FailedRows failed_;
  Progress progress_;
  TrackedLog tracked_;
  std::deque<WaitingRow> waiting_;
  long count_ = 0;
};

}  // namespace

TrackSummary track_rows(Tracker& tracker, const Model& model, CsvReader& log, CsvWriter& out, const TrackedLogOptions& mode,
                        const TrackFiles& files, const CommonOptions& common) {
  return TrackLoop(tracker, model, log, out, mode, files, common).run();
}

}  // namespace sparsedyn::cli
