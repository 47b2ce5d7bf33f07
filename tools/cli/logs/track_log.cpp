#include "track_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/logs/log_columns.hpp"
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

std::vector<int> slots_of_base(CsvReader& log, const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<int> slots;
  for (const std::string& name : names)
    if (!log.has(prefix + name)) return {};
  for (const std::string& name : names) slots.push_back(log.ask(prefix + name)), log.take_gap_words(slots.back());
  return slots;
}

}  // namespace

std::vector<double> times_of(const LogFile& file) {
  CsvReader log(file.path(), file.name());
  const int slot = time_column(log);
  std::vector<double> times;
  while (log.next()) times.push_back(log.state(slot) == CellState::number ? log.value(slot) : std::nan(""));
  return times;
}

TrackLog::TrackLog(const Tracker& tracker, CsvReader& log, const CommonOptions& common)
    : log_(log),
      time_slot_(time_column(log)),
      pose_(slots_of_base(log, "q.base.", {"x", "y", "z", "qx", "qy", "qz", "qw"})),
      rates_(slots_of_base(log, "dq.base.", {"wx", "wy", "wz", "vx", "vy", "vz"})),
      readings_(tracker.inputs().size(), std::numeric_limits<double>::quiet_NaN()) {
  std::vector<std::string> missing, standing;
  for (const TrackerInput& input : tracker.inputs()) {
    const auto found = std::find_if(input.columns.begin(), input.columns.end(), [&](const auto& c) { return log.has(c); });
    if (found == input.columns.end()) {
      if (input.required) missing.push_back(input.columns.front());
      if (input.is_flag) standing.push_back(input.columns.front());
      if (!input.required && !input.is_flag) readings_[slots_.size()] = input.fallback;
      slots_.push_back(-1);
      continue;
    }
    slots_.push_back(log.ask(*found));
    log.take_gap_words(slots_.back());
    used_.push_back(*found);
  }
  if (!missing.empty())
    throw InputError(log.path(), log.header_line(), "header",
                     "no column " + listing(missing, missing.size()) + suggestions_text(missing.front(), log.columns()) +
                         other_robot_hint(log, tracker.shared_system()->model()),
                     "a column for each input");
  if (!standing.empty()) note(common, log.path() + ": no column " + listing(standing) + ": these feet always stand");
}

double TrackLog::number(int slot) const {
  return slot >= 0 && log_.state(slot) == CellState::number ? log_.value(slot) : std::numeric_limits<double>::quiet_NaN();
}

void TrackLog::read() {
  time_ = number(time_slot_);
  for (std::size_t k = 0; k < slots_.size(); ++k) readings_[k] = number(slots_[k]);
}

BaseTruth TrackLog::truth() const {
  double q[7], v[6];
  for (std::size_t k = 0; k < pose_.size(); ++k) q[k] = number(pose_[k]);
  for (std::size_t k = 0; k < rates_.size(); ++k) v[k] = number(rates_[k]);
  return base_truth(pose_.empty() ? nullptr : q, rates_.empty() ? nullptr : v);
}

bool TrackLog::uses(const std::string& column) const { return std::find(used_.begin(), used_.end(), column) != used_.end(); }

}  // namespace sparsedyn::cli
