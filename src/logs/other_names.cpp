#include "other_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/suggestions.hpp"

namespace sparsedyn {
namespace {

/// What recordings call components of readings.
const std::map<std::string, std::vector<std::string>>& words_for() {
  static const std::map<std::string, std::vector<std::string>> words{{"fx", {"force.x", "force_x", "Fx"}},
                                                                     {"fy", {"force.y", "force_y", "Fy"}},
                                                                     {"fz", {"force.z", "force_z", "Fz"}},
                                                                     {"nx", {"torque.x", "torque_x", "Tx", "tx", "mx", "Mx"}},
                                                                     {"ny", {"torque.y", "torque_y", "Ty", "ty", "my", "My"}},
                                                                     {"nz", {"torque.z", "torque_z", "Tz", "tz", "mz", "Mz"}},
                                                                     {"x", {"ax", "gx", "wx"}},
                                                                     {"y", {"ay", "gy", "wy"}},
                                                                     {"z", {"az", "gz", "wz"}}};
  return words;
}

/// NAME and the rest, ".COMPONENT", at each dot of y.NAME.COMPONENT.
std::vector<std::pair<std::string, std::string>> partings(const std::string& column) {
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t dot = column.find('.', 2); dot != std::string::npos; dot = column.find('.', dot + 1))
    found.push_back({column.substr(0, dot), column.substr(dot)});
  return found;
}

/// The ends that a column for this one may have.
std::vector<std::string> ends_like(const std::string& rest) {
  std::vector<std::string> ends{rest};
  const std::size_t dot = rest.rfind('.');
  if (const auto words = words_for().find(rest.substr(dot + 1)); words != words_for().end())
    for (const std::string& word : words->second) ends.push_back(rest.substr(0, dot + 1) + word);
  return ends;
}

/// Columns of the robot's motion, whose names are no sensors'.
bool is_of_motion(const std::string& column) {
  for (const char* kind : {"time", "q.", "dq.", "ddq.", "tau.", "fx.", "f.", "acc.", "sd.", "pose."})
    if (column.rfind(kind, 0) == 0) return true;
  return false;
}

}  // namespace

std::string other_names_text(const std::vector<std::string>& readings, const std::vector<std::string>& unused) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> fits;  // of two names: the log's columns
  for (const std::string& reading : readings)
    for (const auto& [name, rest] : partings(reading))
      for (const std::string& end : ends_like(rest))
        for (const std::string& column : unused) {
          const std::size_t size = column.size();
          if (is_of_motion(column) || size <= end.size() || column.compare(size - end.size() + 1, end.size() - 1, end, 1) != 0)
            continue;
          if (std::string("./_").find(column[size - end.size()]) == std::string::npos) continue;
          fits[{name, column.substr(0, size - end.size())}].insert(column);
        }
  std::size_t most = 0;
  for (const auto& [names, columns] : fits) most = std::max(most, columns.size());
  std::string text;
  int told = 0;
  std::set<std::string> seen;  // of columns: longer names that part at another dot say the same
  for (const auto& [names, columns] : fits) {
    if (columns.size() < most || !seen.insert(*columns.begin()).second) continue;
    if (++told > 3) break;
    text += (told == 1 ? "; it has " : ", or ") + listing({columns.begin(), columns.end()}, 3) + ", which may be " +
            names.first + ".*";
  }
  return text;
}

}  // namespace sparsedyn
