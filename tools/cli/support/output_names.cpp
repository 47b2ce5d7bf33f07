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

std::vector<std::string> listed_if_given(const std::string& option, const std::string& list) {
  return list.empty() ? std::vector<std::string>() : listed(option, list);
}

}  // namespace sparsedyn::cli
