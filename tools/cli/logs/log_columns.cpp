#include "log_columns.hpp"

#include <limits>

#include "cli/support/messages.hpp"
#include "io/suggestions.hpp"
#include "logs/column_map.hpp"
#include "logs/named_joints.hpp"
#include "logs/other_names.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "system/names.hpp"

namespace sparsedyn::cli {
namespace {

/// "--lock a --lock b".
std::string repeated(const std::string& option, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + option + " " + name;
  return text;
}

/// Whether a link hangs, however far down, on one of these.
bool is_behind(const Model& model, int link, const std::vector<int>& above) {
  for (int up = model.links[link].parent; up >= 0; up = model.links[up].parent)
    for (int a : above)
      if (up == a) return true;
  return false;
}

}  // namespace

void LogColumns::add(int slot, const std::string& column, double fallback) {
  slots_.push_back(slot);
  gap_allowed_.push_back(0);
  values_.push_back(fallback);
  if (slot != constant) used_.insert(column);
}

void LogColumns::need(const std::string& column) { need_one_of({column}, true, 0.0); }

const std::string* LogColumns::need_one_of(const std::vector<std::string>& columns, bool required, double fallback) {
  for (const std::string& column : columns)
    if (const int slot = log_.ask(column); slot >= 0) {
      add(slot, column);
      return &column;
    }
  if (required) missing_.push_back(columns);
  add(constant, columns.front(), fallback);
  return nullptr;
}

void LogColumns::zero_if_absent(const std::vector<std::string>& columns, const CommonOptions& common) {
  std::vector<std::string> absent;
  for (const std::string& column : columns)
    if (!need_one_of({column}, false, 0.0)) absent.push_back(column);
  if (!absent.empty() && absent.size() < columns.size()) warn_of_fallback(absent, common);
}

void LogColumns::warn_of_fallback(const std::vector<std::string>& absent, const CommonOptions& common) const {
  warn(common, log_.path() + ":" + std::to_string(log_.header_line()) + ": taken as zero: " + listing(absent));
}

void LogColumns::need_if_named(const std::string& column, double otherwise) {
  if (column.empty())
    add(constant, column, otherwise);
  else
    add(log_.ask(column), column);
}

void LogColumns::check(const Model& model, const std::vector<std::vector<std::string>>& more) const {
  std::vector<std::vector<std::string>> missing = missing_;
  missing.insert(missing.end(), more.begin(), more.end());
  if (missing.empty()) return;
  std::vector<std::string> names, readings;
  for (const std::vector<std::string>& columns : missing) {
    names.push_back(any_of_these(columns));
    for (const std::string& column : columns)
      if (column.compare(0, 2, "y.") == 0) readings.push_back(column);
  }
  std::vector<std::string> unused;
  for (const std::string& column : log_.columns())
    if (!used_.count(column)) unused.push_back(column);
  const std::string others = other_names_text(readings, unused);
  throw InputError(log_.path(), log_.header_line(), "header",
                   "no column " + listing(names, names.size()) +
                       (others.empty() ? suggestions_text(missing.front().back(), log_.columns()) : others) +
                       other_robot_hint(log_, model),
                   "a column for each input" + missing_joints_hint(log_, model));
}

bool LogColumns::read() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const int slot = slots_[i];
    if (slot == constant) continue;
    if (gap_allowed_[i] && log_.state(slot) == CellState::empty) {
      values_[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    if (log_.state(slot) != CellState::number) {
      failed_ = slot;
      return false;
    }
    values_[i] = log_.value(slot);
  }
  return true;
}

std::string LogColumns::why() const {
  return log_.name(failed_) + (log_.state(failed_) == CellState::empty ? ": empty" : ": not finite");
}

std::string other_robot_hint(const CsvReader& log, const Model& model) {
  const std::string named = other_robot_text(model, log.columns());
  return named.empty() ? "" : "; the log names " + named;
}

std::string missing_joints_hint(const CsvReader& log, const Model& model) {
  std::vector<std::string> locked, cut;
  std::vector<int> roots;  // links to be cut
  for (const Joint& joint : model.joints) {
    if (joint.nq != 1 || log.has("q." + joint.name)) continue;
    locked.push_back(joint.name);
    if (!is_behind(model, joint.child_link, roots)) roots.push_back(joint.child_link);
  }
  if (model.floating() && !log.has("q.base.qw") && locked.empty())
    return " (without --floating the root link is fixed, and needs none)";
  if (locked.empty() || locked.size() == model.joints.size()) return "";
  bool takes_others = false;  // joints that the log moves
  for (const Joint& joint : model.joints)
    takes_others = takes_others || (log.has("q." + joint.name) && is_behind(model, joint.child_link, roots));
  for (int link : roots) cut.push_back(model.links[link].name);
  return " (" + repeated("--lock", locked) + " holds what the log does not move" +
         (takes_others ? "" : ", " + repeated("--cut", cut) + " leaves it out") + ")";
}

std::vector<std::string> wrench_columns(const std::string& prefix, const std::string& name) {
  return with_prefix(prefix + "." + name, force_suffixes());
}

void warn_of_unknown_columns(const CsvReader& log, const Model& model, const std::vector<std::string>& also_known,
                             const CommonOptions& common) {
  std::set<std::string> known(also_known.begin(), also_known.end());
  const auto add = [&](const std::vector<std::string>& names) { known.insert(names.begin(), names.end()); };
  add({"time"});
  add(with_prefix("q", coordinate_names(model)));
  add(with_prefix("dq", velocity_names(model)));
  add(with_prefix("ddq", velocity_names(model)));
  add(with_prefix("tau", force_names(model)));
  for (const Link& link : model.links) {
    add(wrench_columns("fx", link.name));
    add(wrench_columns("f", link.joint));
    add(with_prefix("acc." + link.name, {"wx", "wy", "wz", "vx", "vy", "vz"}));
  }
  std::vector<std::string> unknown;
  for (const std::string& column : log.columns())
    if (!known.count(column)) unknown.push_back(column);
  if (!unknown.empty())
    warn(common, log.path() + ":" + std::to_string(log.header_line()) + ": columns passed over: " + listing(unknown));
}

}  // namespace sparsedyn::cli
