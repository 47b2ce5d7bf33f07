// M⁻¹ X for many right-hand sides at once, with the sparse factors M = Lᵀ D L of ltdl.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "sparsedyn/recursive/ltdl.hpp"

namespace sparsedyn {

/// n rows of right-hand sides, each padded to whole blocks so that loops over a block have a fixed length and vectorise.
template <class S>
class RightHandSides {
 public:
  static constexpr int block = 32;
  RightHandSides(int n, int columns)
      : blocks_((columns + block - 1) / block), values_(static_cast<std::size_t>(n) * blocks_ * block, S(0.0)) {}
  int blocks() const { return blocks_; }
  S* row(int i) { return values_.data() + static_cast<std::size_t>(i) * blocks_ * block; }

 private:
  int blocks_;
  std::vector<S> values_;
};

/// X ← M⁻¹ X = L⁻¹ D⁻¹ L⁻ᵀ X, block after block of columns. LD as ltdl_factor leaves it. O(columns · n · depth), no heap.
template <class S>
void ltdl_solve_blocks(int n, const int* parent, const S* LD, RightHandSides<S>& X) noexcept {
  constexpr int B = RightHandSides<S>::block;
  for (int b = 0; b < X.blocks(); ++b) {
    for (int k = n - 1; k >= 0; --k) {  // L⁻ᵀ: row k is complete; it leaves the rows of the freedoms above it
      S own[B];
      const S* from = X.row(k) + b * B;
      for (int c = 0; c < B; ++c) own[c] = from[c];
      for (int j = parent[k]; j >= 0; j = parent[j]) {
        S* row = X.row(j) + b * B;
        const S factor = LD[k * n + j];
        for (int c = 0; c < B; ++c) row[c] = row[c] - factor * own[c];
      }
    }
    for (int k = 0; k < n; ++k) {  // D⁻¹, then L⁻¹: row k takes from the rows above it
      S own[B];
      S* to = X.row(k) + b * B;
      const S inverse = S(1.0) / LD[k * n + k];
      for (int c = 0; c < B; ++c) own[c] = inverse * to[c];
      for (int j = parent[k]; j >= 0; j = parent[j]) {
        const S* row = X.row(j) + b * B;
        const S factor = LD[k * n + j];
        for (int c = 0; c < B; ++c) own[c] = own[c] - factor * row[c];
      }
      for (int c = 0; c < B; ++c) to[c] = own[c];
    }
  }
}

}  // namespace sparsedyn
