#include "unit_entries.hpp"

namespace sparsedyn {

UnitEntries unit_entries(const System& system) {
  UnitEntries unit;
  for (double constant : system.constants()) unit.push_back(constant == 1.0 ? 1 : constant == -1.0 ? -1 : 0);
  return unit;
}

}  // namespace sparsedyn
