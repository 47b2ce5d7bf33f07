// Random sparse systems with a known regular order.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "sparsedyn/sparse/pattern.hpp"

namespace sparsedyn::test {

struct RandomSystem {
  Pattern pattern;
  Order order;                 // has a structurally nonzero diagonal
  std::vector<double> values;  // diagonally dominant in that order
  std::vector<double> right_side;
};

/// `density`: the chance of an entry off the pivots.
inline RandomSystem random_system(int n, double density, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::normal_distribution<double> normal;
  RandomSystem system;
  system.order.rows.resize(n), system.order.columns.resize(n);
  std::iota(system.order.rows.begin(), system.order.rows.end(), 0);
  system.order.columns = system.order.rows;
  std::shuffle(system.order.rows.begin(), system.order.rows.end(), rng);
  std::shuffle(system.order.columns.begin(), system.order.columns.end(), rng);
  std::vector<int> pivot_of_row(n);
  for (int k = 0; k < n; ++k) pivot_of_row[system.order.rows[k]] = system.order.columns[k];
  Pattern& pattern = system.pattern;
  pattern.rows = pattern.columns = n;
  pattern.row_start.push_back(0);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      const bool pivot = c == pivot_of_row[r];
      if (!pivot && unit(rng) >= density) continue;
      pattern.column.push_back(c);
      system.values.push_back(pivot ? 2 + n * density : normal(rng));
    }
    pattern.row_start.push_back(pattern.entries());
    system.right_side.push_back(normal(rng));
  }
  return system;
}

}  // namespace sparsedyn::test
