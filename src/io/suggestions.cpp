#include "suggestions.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace sparsedyn {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  // Row i of the table: d[k] = distance between the first i letters of a and the first k of b.
  const std::size_t columns = b.size() + 1;
  std::vector<int> before(columns), last(columns), d(columns);
  for (std::size_t k = 0; k < columns; ++k) d[k] = static_cast<int>(k);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(d);
    d[0] = static_cast<int>(i);
    for (std::size_t k = 1; k < columns; ++k) {
      const int replaced = last[k - 1] + (same_letter(a[i - 1], b[k - 1]) ? 0 : 1);
      d[k] = std::min({last[k] + 1, d[k - 1] + 1, replaced});
      if (i > 1 && k > 1 && same_letter(a[i - 1], b[k - 2]) && same_letter(a[i - 2], b[k - 1]))
        d[k] = std::min(d[k], before[k - 2] + 1);
    }
  }
  return d.back();
}

std::vector<std::string> suggestions(const std::string& name, const std::vector<std::string>& candidates) {
  const int reach = std::max(2, static_cast<int>(name.size()) / 3);
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& candidate : candidates) {
    const int length = static_cast<int>(candidate.size()), difference = length - static_cast<int>(name.size());
    if (std::abs(difference) > reach) continue;
    const int distance = edit_distance(name, candidate);
    if (distance <= reach && distance < std::max(length, static_cast<int>(name.size()))) near.push_back({distance, candidate});
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> names;
  for (std::size_t k = 0; k < near.size() && names.size() < 3; ++k)
    if (std::find(names.begin(), names.end(), near[k].second) == names.end()) names.push_back(near[k].second);
  return names;
}

std::string suggestions_text(const std::string& name, const std::vector<std::string>& candidates) {
  std::string text;
  for (const std::string& near : suggestions(name, candidates)) text += (text.empty() ? " (near: " : ", ") + near;
  return text.empty() ? text : text + ")";
}

}  // namespace sparsedyn
