// H = Lᵀ D L, tips first (Featherstone 2008, §6.5): without fill where H has the tree's pattern; where rows tie two branches
// together, or a joint of one follows a joint of the other, with the fill that their paths bring, found once. Or in another
// order, which may bring less.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of each freedom those that share an entry of H with it: on one way to the base, or in one of the sets.
std::vector<std::vector<int>> tied_freedoms(const Model& model, const std::vector<std::vector<int>>& coupled);

class InertiaFactor {
 public:
  /// `coupled`: sets of freedoms (entries of v) that share an entry of H beyond the tree's. `order`: the freedoms as they are
  /// eliminated; empty: tips first. Throws std::invalid_argument where it is no permutation of them.
  InertiaFactor(const Model& model, const std::vector<std::vector<int>>& coupled, std::vector<int> order = {});

  /// H, nv × nv; of the lower triangle what lies within the pattern is read; both are overwritten by the factors. -1, or the
  /// freedom whose pivot is not positive beside what was summed into it.
  int factor(double* H) noexcept;
  /// x ← H⁻¹ x, of W columns side by side: n × W.
  template <int W = 1>
  void solve(const double* factors, double* x) const noexcept {
    for (int k : order_) {
      const std::array<double, W> from = columns<W>(x, k);
      for (int i : before_[k]) subtract<W>(factors[static_cast<std::ptrdiff_t>(k) * n_ + i], from, x + i * W);
    }
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const int k = *at;
      std::array<double, W> value = columns<W>(x, k);
      for (double& number : value) number /= factors[static_cast<std::ptrdiff_t>(k) * n_ + k];
      for (int i : before_[k]) subtract<W>(factors[static_cast<std::ptrdiff_t>(k) * n_ + i], columns<W>(x, i), value.data());
      std::copy_n(value.data(), W, x + k * W);
    }
  }

 private:
  template <int W>
  static std::array<double, W> columns(const double* x, int k) noexcept {
    std::array<double, W> row;
    std::copy_n(x + k * W, W, row.data());
    return row;
  }
  template <int W>
  static void subtract(double factor, const std::array<double, W>& row, double* from) noexcept {
    for (int l = 0; l < W; ++l) from[l] -= factor * row[static_cast<std::size_t>(l)];
  }

  int n_;
  std::vector<int> order_;                  // of elimination
  std::vector<std::vector<int>> before_;    // of each freedom: those that share an entry and stay longer, the last first
  std::vector<std::pair<int, int>> above_;  // entries (k, i), k < i, that the factors need
  std::vector<double> diagonal_;            // of H
};

}  // namespace sparsedyn
