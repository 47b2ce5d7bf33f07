#include "held_exactly.hpp"

namespace sparsedyn {

std::vector<bool> held_exactly(const System& system) {
  std::vector<bool> held(system.unknowns().size(), false);
  const Pattern& pattern = system.pattern();
  for (std::size_t r = 0; r < system.equations().size(); ++r) {
    if (!is_added(system.equations()[r].kind) || pattern.row_start[r + 1] - pattern.row_start[r] != 1) continue;
    if (!(system.sigma_of(static_cast<int>(r)) > 0)) held[pattern.column[pattern.row_start[r]]] = true;
  }
  return held;
}

}  // namespace sparsedyn
