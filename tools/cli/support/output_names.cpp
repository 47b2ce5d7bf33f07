#include "output_names.hpp"

#include "exit_code.hpp"

namespace sparsedyn::cli {

std::vector<std::string> listed(const std::string& option, const std::string& list) {
  std::vector<std::string> items(1);
  bool quoted = false;
  for (char c : list) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      items.emplace_back();
    else
      items.back() += c;
  }
  for (const std::string& item : items)
    if (item.empty()) throw UsageError(option + " " + list + ": expected names separated by commas");
  return items;
}

std::vector<bool> held_exactly(const System& system) {
  std::vector<bool> held(system.unknowns().size(), false);
  const Pattern& pattern = system.pattern();
  for (std::size_t r = 0; r < system.equations().size(); ++r) {
    if (!is_added(system.equations()[r].kind) || pattern.row_start[r + 1] - pattern.row_start[r] != 1) continue;
    if (!(system.sigma_of(static_cast<int>(r)) > 0)) held[pattern.column[pattern.row_start[r]]] = true;
  }
  return held;
}

std::vector<std::string> default_outputs(const System& system) {
  const std::vector<bool> held = held_exactly(system);
  std::vector<std::string> names;
  for (VariableKind kind : {VariableKind::tau, VariableKind::ddq, VariableKind::lambda})
    for (std::size_t x = 0; x < held.size(); ++x)
      if (!held[x] && system.unknowns()[x].kind == kind) names.push_back(system.unknown_names()[x]);
  return names;
}

}  // namespace sparsedyn::cli
