#include "cheapest_matching.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace sparsedyn {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Hungarian method: costs less the potentials of their row and column stay ≥ 0 and vanish on the entries matched.
class Matching {
 public:
  Matching(const Pattern& pattern, const std::vector<double>& cost)
      : pattern_(pattern),
        cost_(cost),
        row_potential_(pattern.rows, 0.0),
        column_potential_(pattern.columns, 0.0),
        row_of_(pattern.columns, -1),
        column_of_(pattern.rows, -1) {}

  /// Along the shortest path from the row to a column that is free.
  void augment(int row) {
    std::vector<double> distance(pattern_.columns, infinite);
    std::vector<int> from(pattern_.columns, -1);  // row before a column on its path
    std::vector<int> reached;                     // columns whose distance is final
    std::vector<char> final(pattern_.columns, 0);
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> front;
    const auto leave = [&](int r, double travelled) {
      for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) {
        const int c = pattern_.column[e];
        const double d = travelled + cost_[e] - row_potential_[r] - column_potential_[c];
        if (final[c] || d >= distance[c]) continue;
        distance[c] = d, from[c] = r;
        front.push({d, c});
      }
    };
    leave(row, 0.0);
    int end = -1;
    while (!front.empty() && end < 0) {
      const auto [d, c] = front.top();
      front.pop();
      if (final[c]) continue;
      final[c] = 1, reached.push_back(c);
      row_of_[c] < 0 ? void(end = c) : leave(row_of_[c], d);
    }
    if (end < 0) return;
    row_potential_[row] += distance[end];
    for (int c : reached) {
      if (row_of_[c] >= 0) row_potential_[row_of_[c]] += distance[end] - distance[c];
      column_potential_[c] -= distance[end] - distance[c];
    }
    for (int c = end; c >= 0;) {
      const int r = from[c];
      row_of_[c] = r;
      std::swap(column_of_[r], c);
    }
  }

  const std::vector<int>& column_of() const { return column_of_; }

 private:
  const Pattern& pattern_;
  const std::vector<double>& cost_;
  std::vector<double> row_potential_, column_potential_;
  std::vector<int> row_of_, column_of_;
};

}  // namespace

std::vector<int> cheapest_matching(const Pattern& pattern, const std::vector<int>& rows, const std::vector<double>& cost) {
  Matching matching(pattern, cost);
  for (int r : rows) matching.augment(r);
  return matching.column_of();
}

}  // namespace sparsedyn
