#include "spellings.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "logs/named_joints.hpp"

namespace sparsedyn::inspection {
namespace {

/// The column without what spellings differ in, or nothing where no letter of its name is left: `q.left_knee_joint` and
/// `q.LeftKnee` are `q.leftknee`. Numbers stay apart: `arm1_2` is not `arm12`.
std::string plain(const std::string& column) {
  static const std::string word = "joint";
  const std::size_t dot = column.find('.');
  std::string name;
  for (std::size_t k = dot + 1; k < column.size(); ++k) {
    const auto letter = static_cast<unsigned char>(column[k]);
    const bool parts = column[k] == '_' || column[k] == '-';
    const bool between_numbers = parts && !name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) &&
                                 k + 1 < column.size() && std::isdigit(static_cast<unsigned char>(column[k + 1]));
    if (!parts || between_numbers) name += static_cast<char>(between_numbers ? '_' : std::tolower(letter));
  }
  if (name.compare(0, word.size(), word) == 0) name.erase(0, word.size());
  if (name.size() >= word.size() && name.compare(name.size() - word.size(), word.size(), word) == 0)
    name.erase(name.size() - word.size());
  return name.empty() ? "" : column.substr(0, dot + 1) + name;
}

bool is_name_of_robot(const Model& model, const std::string& column) {
  const std::string name = column.substr(column.find('.') + 1);
  return is_of_fixed_joint(model, column) ||
         std::any_of(model.links.begin(), model.links.end(), [&](const Link& link) { return link.name == name; });
}

}  // namespace

std::vector<Spelling> other_spellings(const Model& model, const std::vector<std::string>& unknown,
                                      const std::vector<std::string>& log) {
  const std::set<std::string> there(log.begin(), log.end());
  std::map<std::string, std::vector<std::string>> of_robot, of_log;  // by plain spelling
  for (const auto& [column, joint] : joints_of_columns(model)) of_robot[plain(column)].push_back(column);
  for (const std::string& column : unknown)
    if (!is_name_of_robot(model, column)) of_log[plain(column)].push_back(column);
  std::vector<Spelling> found;
  for (const std::string& column : unknown) {
    const std::string key = plain(column);
    const auto own = of_robot.find(key), logged = of_log.find(key);
    if (key.empty() || own == of_robot.end() || logged == of_log.end()) continue;
    if (own->second.size() != 1 || logged->second.size() != 1 || logged->second[0] != column) continue;
    if (there.count(own->second[0]) == 0) found.push_back({column, own->second[0]});
  }
  return found;
}

}  // namespace sparsedyn::inspection
