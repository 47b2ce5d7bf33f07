// Names of matrix and tensor entries: M.0.1, d2tau_dqdq.0.1.2.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sparsedyn {

struct IndexedName {
  std::string tensor;
  std::vector<int> indices;
};

/// Nothing where what follows the first dot are not numbers.
std::optional<IndexedName> indexed_name(const std::string& name);

}  // namespace sparsedyn
