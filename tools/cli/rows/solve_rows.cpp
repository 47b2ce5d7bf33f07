#include "solve_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "answers/log_passes.hpp"
#include "cli/logs/corrected_log.hpp"
#include "cli/logs/time_column.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "comparison.hpp"
#include "determinacy/state_readings.hpp"
#include "model/names/units.hpp"

namespace sparsedyn::cli {
namespace {

/// What is kept of a row of the log until its batch is solved.
struct LoggedRow {
  long line = 0;
  bool readable = false;
  std::string why;  // not readable
  std::string time;
  std::vector<double> inputs;  // q, v, y
  std::vector<double> measured,
      state_readings;              // the log's values of outputs and readings of sensors of the state, to be compared
  std::vector<double> truth;       // for the report
  std::vector<std::string> cells;  // all, for the corrected log
};

class RowLoop {
 public:
  RowLoop(LogAnswers& rows, SystemInputs& inputs, CsvReader& log, CsvWriter& out, const CommonOptions& common,
          const RowFiles& files)
      : rows_(rows),
        solver_(rows.solver()),
        inputs_(inputs),
        log_(log),
        out_(out),
        state_readings_(solver_.system()),
        comparison_(log, solver_.columns(), [&](const std::string& column) { return inputs.uses(column); }),
        state_comparison_(log, state_readings_.columns(), [](const std::string&) { return false; }),
        time_(log),
        results_(solver_.columns().size()),
        failed_(log.path()),
        common_(common),
        progress_(common),
        batch_(rows.batch()) {
    std::vector<std::string> known = state_readings_.columns();
    for (const Input& input : solver_.system().inputs()) known.insert(known.end(), input.columns.begin(), input.columns.end());
    warn_of_unknown_columns(log, solver_.system().model(), known, common);
    if (!files.corrected.empty()) corrected_ = std::make_unique<CorrectedLog>(files.corrected, log, inputs.read_from());
    if (files.report)
      summary_.report = std::make_shared<EstimateReport>(solver_.system().model(), log, solver_.columns(), time_.there(),
                                                         [&](const std::string& column) { return inputs.uses(column); });
    if (summary_.report && !files.beside.empty()) summary_.report->compare_with(log, solver_.columns(), files.beside);
    std::vector<std::string> header;
    for (const std::string& column : solver_.columns()) {
      const bool covariance = column.rfind("cov.", 0) == 0, deviation = column.rfind("sd.", 0) == 0 || covariance,
                 innovation = column == "chi2" || column.rfind("innovation.", 0) == 0;
      shown_.push_back((!deviation || files.deviations) && (!innovation || files.innovations));
      scale_.push_back(!deviation ? 1.0 : std::pow(files.deviation_scale, covariance ? 2 : 1));
      if (shown_.back()) header.push_back(column);
    }
    if (time_.there()) header.insert(header.begin(), "time");
    out.header(header);
  }

  SolveSummary run() {
    const auto start = std::chrono::steady_clock::now();
    for (bool more = true; more;) {
      std::size_t n = 0;
      more = read_batch(n);
      announce(n);
      for (std::size_t k = 0; k < n; ++k) answer(batch_[k]);
      if (more && log_.waits()) out_.flush();
    }
    out_.commit();
    if (corrected_) corrected_->commit();
    summary_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summary_.solving_seconds = std::chrono::duration<double>(solving_).count();
    progress_.clear();
    failed_.tell_rest();
    time_.warn_of_faults(common_);
    summary_.time_faults = time_.faults();
    if (warned_ > 10)
      warn(common_, log_.path() + ": " + std::to_string(warned_) + " rows in all whose state leaves more open than others");
    summary_.rows_failed = failed_.count();
    summary_.stand_ins = inputs_.stand_ins();
    summary_.compared = comparison_.json();
    summary_.compared.update(state_comparison_.json());
    summary_.compared_text =
        comparison_.text("difference from the log's measurements",
                         [&](const std::string& column) { return unit_of(solver_.system().model(), column); }) +
        state_comparison_.text(state_readings_.what() + ", difference from what q and dq make them read",
                               [&](const std::string& column) { return unit_of_reading(column); });
    return summary_;
  }

 private:
  std::string unit_of_reading(const std::string& column) const {
    const std::vector<std::string>& known = state_readings_.columns();
    const auto at = std::find(known.begin(), known.end(), column);
    return at == known.end() ? "" : state_readings_.units()[static_cast<std::size_t>(at - known.begin())];
  }

  /// The next n rows: a batch, or those of a pipe that have arrived. False where the log has ended.
  bool read_batch(std::size_t& n) {
    for (n = 0; n < batch_.size(); ++n) {
      if (n > 0 && log_.waits()) return true;
      if (!log_.next()) return false;
      read(batch_[n]);
    }
    return true;
  }

  void read(LoggedRow& logged) {
    logged.line = log_.line();
    logged.readable = inputs_.read();
    if (!logged.readable) logged.why = inputs_.why();
    logged.time = time_.read();
    logged.inputs = inputs_.values();
    comparison_.read(logged.measured);
    state_comparison_.read(logged.state_readings);
    if (summary_.report) summary_.report->read(logged.truth, logged.time);
    if (corrected_) logged.cells = corrected_->cells();
  }

  void announce(std::size_t n) {
    coming_.clear();
    for (std::size_t k = 0; k < n; ++k)
      if (batch_[k].readable) coming_.push_back(batch_[k].inputs.data());
    const auto start = std::chrono::steady_clock::now();
    rows_.expect(coming_);
    solving_ += std::chrono::steady_clock::now() - start;
  }

  Answer solve(const double* q, const double* v, const double* y) {
    const auto start = std::chrono::steady_clock::now();
    const Answer answer = rows_.solve(q, v, y, results_.data());
    for (std::size_t k = 0; k < results_.size(); ++k) results_[k] *= scale_[k];
    solving_ += std::chrono::steady_clock::now() - start;
    return answer;
  }

  /// What is written of an answer that overflows, though its equations are solved; what the sensors leave open is no such
  /// thing.
  std::string what_is_not_finite(const Answer& answer) const {
    for (std::size_t k = 0; k < results_.size(); ++k)
      if (shown_[k] && (std::isinf(results_[k]) || (std::isnan(results_[k]) && !answer.partly_determined)))
        return solver_.columns()[k] + " is not finite";
    return "";
  }

  void answer(const LoggedRow& logged) {
    const Model& model = solver_.system().model();
    const double *q = logged.inputs.data(), *v = q + model.nq, *y = v + model.nv;
    solver_.at_line(logged.line);
    const Answer found = logged.readable ? solve(q, v, y) : Answer{};
    const bool done = found.ok;
    const std::string overflow = done ? what_is_not_finite(found) : "";
    if (time_.there()) out_.raw(logged.time);
    for (std::size_t k = 0; k < results_.size(); ++k)
      if (shown_[k]) done&& std::isfinite(results_[k]) ? out_.number(results_[k]) : out_.empty();
    out_.end_row();
    if (!done) std::fill(results_.begin(), results_.end(), std::numeric_limits<double>::quiet_NaN());
    if (summary_.report) summary_.report->add(results_.data(), logged.truth, logged.time, {done && found.outlier, !done});
    if (done) {
      comparison_.add(results_.data(), logged.measured);
      if (!state_comparison_.empty()) state_comparison_.add(state_readings_.predict(q, v), logged.state_readings);
      ++summary_.rows_answered;
      summary_.worst_backward_error = std::max(summary_.worst_backward_error, found.backward_error);
      summary_.worst_componentwise_error = std::max(summary_.worst_componentwise_error, found.componentwise_error);
      summary_.worst_growth = std::max(summary_.worst_growth, found.growth);
    }
    const std::string why = !logged.readable ? logged.why : overflow.empty() ? rows_.why() : overflow;
    const bool partly = found.partly_determined;
    summary_.rows_partly_determined += partly;
    if (found.failed || !overflow.empty())
      failed_.add(logged.line, why);
    else if (partly)
      warn_of_open(logged.line, why);
    if (corrected_) corrected_->add(logged.cells, done ? solver_.corrected(q, v, y) : nullptr);
    ++summary_.rows;
    progress_.row();
  }

  void warn_of_open(long line, const std::string& why) {
    constexpr long most_told = 10;
    if (++warned_ <= most_told) warn(common_, log_.path() + ":" + std::to_string(line) + ": " + why);
  }

  LogAnswers& rows_;
  SensorSolver& solver_;
  SystemInputs& inputs_;
  CsvReader& log_;
  CsvWriter& out_;
  StateReadings state_readings_;
  Comparison comparison_, state_comparison_;
  TimeColumn time_;
  std::vector<double> results_;
  std::vector<char> shown_;    // which of them are written
  std::vector<double> scale_;  // by which each is multiplied
  FailedRows failed_;
  const CommonOptions& common_;
  Progress progress_;
  std::vector<LoggedRow> batch_;
  std::vector<const double*> coming_;
  std::unique_ptr<CorrectedLog> corrected_;
  long warned_ = 0;
  std::chrono::steady_clock::duration solving_{};
  SolveSummary summary_;
};

}  // namespace

SolveSummary solve_rows(LogAnswers& rows, SystemInputs& inputs, CsvReader& log, CsvWriter& out, const CommonOptions& common,
                        const RowFiles& files) {
  return RowLoop(rows, inputs, log, out, common, files).run();
}

namespace {

/// The rows that can be used; what there is to say of the others is said when they are solved.
LogOfSamples samples_of(const System& system, const LogFile& file, CommonOptions common) {
  struct Reading {
    Reading(const System& of, const LogFile& file, const CommonOptions& quiet)
        : log(file.path(), file.name()), inputs(of, log, quiet, true) {}
    CsvReader log;
    SystemInputs inputs;
  };
  common.quiet = true;
  return [&system, &file, common] {
    const auto reading = std::make_shared<Reading>(system, file, common);
    return [reading](std::vector<double>& sample) {
      while (reading->log.next())
        if (reading->inputs.read()) return sample = reading->inputs.values(), true;
      return false;
    };
  };
}

}  // namespace

double learn_rows(SensorSolver& solver, const LogFile& file, const CommonOptions& common) {
  const auto start = std::chrono::steady_clock::now();
  learn_from(solver, samples_of(solver.system(), file, common));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double deviation_scale_of(const SensorSolver& solver, const LogFile& file, const CommonOptions& common) {
  return sparsedyn::deviation_scale_of(solver, samples_of(solver.system(), file, common));
}

}  // namespace sparsedyn::cli
