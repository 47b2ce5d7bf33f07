#include "wildcards.hpp"

#include <algorithm>

#include "io/printable.hpp"

namespace sparsedyn {

bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

/// Each * takes as few letters as the rest allows: where the rest fails, the last * takes one more. Those before need not be
/// tried again, since what follows them is found as early as it can be.
bool matches(std::string_view pattern, std::string_view name) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t p = 0, n = 0, star = none, taken = 0;
  const auto letter = [&](std::size_t at) { return std::max<std::size_t>(1, utf8_length(name.substr(at))); };
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, taken = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p, n += letter(n);
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != none) {
      taken += letter(taken);
      p = star + 1, n = taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace sparsedyn
