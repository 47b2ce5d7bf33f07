#include "track_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/logs/log_file.hpp"
#include "cli/support/messages.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::cli {
namespace {

int time_column(CsvReader& log) {
  const int slot = log.ask("time");
  if (slot < 0)
    throw InputError(log.path(), log.header_line(), "header", "no column time" + suggestions_text("time", log.columns()),
                     "a column for each input");
  log.take_gap_words(slot);
  return slot;
}

}  // namespace

UniformTime::UniformTime(const LogFile& file) {
  CsvReader log(file.path(), file.name());
  const int slot = time_column(log);
  std::vector<double> intervals;
  double last = std::numeric_limits<double>::quiet_NaN();
  while (log.next()) {
    if (log.state(slot) != CellState::number) continue;
    const double now = log.value(slot);
    if (now > last) intervals.push_back(now - last);
    if (!(now <= last)) last = now;
  }
  if (intervals.empty()) return;
  std::vector<double> sorted = intervals;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  longest_ = 5 * sorted[sorted.size() / 2];
  double sum = 0;
  long count = 0;
  for (double x : intervals)
    if (x < longest_) sum += x, ++count;
  mean_ = sum / static_cast<double>(std::max(count, 1L));
}

double UniformTime::interval(double stamped) const { return stamped > 0 && stamped < longest_ ? mean_ : stamped; }

TrackLog::TrackLog(const Tracker& tracker, CsvReader& log, const CommonOptions& common)
    : log_(log), time_slot_(time_column(log)), readings_(tracker.inputs().size(), std::numeric_limits<double>::quiet_NaN()) {
  std::vector<std::string> missing, standing;
  for (const TrackerInput& input : tracker.inputs()) {
    const auto found = std::find_if(input.columns.begin(), input.columns.end(), [&](const auto& c) { return log.has(c); });
    if (found == input.columns.end()) {
      (input.required ? missing : standing).push_back(input.columns.front());
      slots_.push_back(-1);
      continue;
    }
    slots_.push_back(log.ask(*found));
    log.take_gap_words(slots_.back());
    used_.push_back(*found);
  }
  if (!missing.empty())
    throw InputError(log.path(), log.header_line(), "header",
                     "no column " + listing(missing, missing.size()) + suggestions_text(missing.front(), log.columns()),
                     "a column for each input");
  if (!standing.empty()) note(common, log.path() + ": no column " + listing(standing) + ": these feet always stand");
}

bool TrackLog::read() {
  time_ = log_.value(time_slot_);
  for (std::size_t k = 0; k < slots_.size(); ++k)
    if (slots_[k] >= 0)
      readings_[k] =
          log_.state(slots_[k]) == CellState::number ? log_.value(slots_[k]) : std::numeric_limits<double>::quiet_NaN();
  return log_.state(time_slot_) == CellState::number;
}

bool TrackLog::uses(const std::string& column) const { return std::find(used_.begin(), used_.end(), column) != used_.end(); }

}  // namespace sparsedyn::cli
