// Deviations that a set states of a base at the start.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sparsedyn::tracking {

/// "start": {"q.base": turns and places, "dq": rates}: one number for all axes, or six, angular first. Writes three numbers
/// each of what is stated; what is not stays as it is.
inline void take_stated_start(const std::map<std::string, std::vector<double>>& stated, double* place, double* turn,
                              double* velocity) {
  const auto q = stated.find("q.base"), dq = stated.find("dq");
  const auto each = [](const std::vector<double>& values, std::size_t k) { return values[values.size() == 1 ? 0 : k]; };
  for (std::size_t k = 0; k < 3; ++k) {
    if (q != stated.end()) place[k] = each(q->second, k), turn[k] = each(q->second, 3 + k);
    if (dq != stated.end()) velocity[k] = each(dq->second, 3 + k);
  }
}

}  // namespace sparsedyn::tracking
