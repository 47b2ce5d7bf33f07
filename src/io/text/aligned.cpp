#include "aligned.hpp"

#include <algorithm>

namespace sparsedyn {

int letters(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& sides, const std::string& indent,
                    const std::string& gap) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    if (row.size() > widths.size()) widths.resize(row.size(), 0);
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], letters(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string padding(static_cast<std::size_t>(widths[k] - letters(row[k])), ' ');
      line += (k ? gap : "") + (k < sides.size() && sides[k] == 'r' ? padding + row[k] : row[k] + padding);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace sparsedyn
