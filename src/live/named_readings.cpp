#include "named_readings.hpp"

#include <algorithm>

#include "io/suggestions.hpp"
#include "logs/column_map.hpp"

namespace sparsedyn {

bool NamedReadings::all_have_named() const {
  return std::none_of(from_.begin(), from_.end(), [](const std::vector<int>& each) { return each.empty(); });
}

bool NamedReadings::is_named(std::size_t reading) const {
  return std::any_of(from_.begin(), from_.end(), [&](const std::vector<int>& each) { return each[reading] >= 0; });
}

std::string NamedReadings::lacking(const NamedColumns& newest) const {
  std::vector<std::string> missing, near;
  for (std::size_t r = 0; r < readings_.size(); ++r) {
    if (!readings_[r].is_required() || is_named(r)) continue;
    missing.push_back(any_of_these(readings_[r].columns));
    if (near.empty()) near = readings_[r].columns;
  }
  if (missing.empty()) return "";
  std::vector<std::string> unread;
  for (std::size_t c = 0; c < newest.names.size(); ++c)
    if (!newest.is_read[c]) unread.push_back(newest.names[c]);
  std::string meant = suggestions_text(near.back(), unread);
  if (meant.empty()) meant = suggestions_text(near.back(), newest.names);
  return "no column " + listing(missing, missing.size()) + meant + (from_.size() > 1 ? ", nor in another input" : "");
}

std::string NamedReadings::standing() const {
  std::vector<std::string> flags;
  for (std::size_t r = 0; r < readings_.size(); ++r)
    if (readings_[r].is_flag && !is_named(r)) flags.push_back(readings_[r].columns.front());
  return flags.empty() ? "" : "no column " + listing(flags) + ": these feet always stand";
}

}  // namespace sparsedyn
