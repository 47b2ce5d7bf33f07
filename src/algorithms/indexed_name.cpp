#include "indexed_name.hpp"

#include <charconv>

namespace sparsedyn {

std::optional<IndexedName> indexed_name(const std::string& name) {
  std::size_t dot = name.find('.');
  IndexedName parts{name.substr(0, dot), {}};
  while (dot < name.size()) {
    const char *from = name.data() + dot + 1, *end = name.data() + name.size();
    int index = -1;
    const auto [stopped, error] = std::from_chars(from, end, index);
    if (error != std::errc() || index < 0 || (stopped != end && *stopped != '.')) return std::nullopt;
    parts.indices.push_back(index);
    dot = static_cast<std::size_t>(stopped - name.data());
  }
  if (parts.indices.empty()) return std::nullopt;
  return parts;
}

}  // namespace sparsedyn
