// Matrices in padded rows, so that loops have fixed lengths and vectorise: M⁻¹ X with the sparse factors M = Lᵀ D L of
// ltdl.hpp, and products.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sparsedyn/recursive/ltdl.hpp"
#include "sparsedyn/scalar/lanes.hpp"

namespace sparsedyn {

/// n rows (and up to three more, of zeros), each padded with zeros to whole blocks.
template <class S>
class PaddedRows {
 public:
  static constexpr int block = 16;
  PaddedRows(int n, int columns)
      : blocks_((columns + block - 1) / block), values_(static_cast<std::size_t>((n + 3) / 4 * 4) * blocks_ * block, S(0.0)) {}
  int blocks() const { return blocks_; }
  const S* row(int i) const { return values_.data() + static_cast<std::size_t>(i) * blocks_ * block; }
  S* row(int i, int b) { return row(i) + b * block; }
  S* row(int i) { return values_.data() + static_cast<std::size_t>(i) * blocks_ * block; }

 private:
  int blocks_;
  std::vector<S> values_;
};

/// X = M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, n × n, block after block of columns; by symmetry only the rows down to a block's diagonal are solved
/// for. LD as ltdl_factor leaves it. O(n² depth), no heap.
template <class S>
void ltdl_inverse_blocks(int n, const int* parent, const S* LD, PaddedRows<S>& X) noexcept {
  constexpr int B = PaddedRows<S>::block;
  for (int b = 0; b < X.blocks(); ++b) {
    const int rows = std::min(n, (b + 1) * B);
    for (int k = 0; k < rows; ++k)
      for (int c = 0; c < B; ++c) X.row(k, b)[c] = S(b * B + c == k ? 1.0 : 0.0);
    for (int k = rows - 1; k >= 0; --k) {  // L⁻ᵀ: row k is complete; it leaves the rows of the freedoms above it
      const S* from = X.row(k, b);
      const Lanes<S> own[4] = {load(from), load(from + 4), load(from + 8), load(from + 12)};
      for (int j = parent[k]; j >= 0; j = parent[j]) {
        S* row = X.row(j, b);
        const S factor = LD[k * n + j];
        for (int c = 0; c < 4; ++c) store(load(row + 4 * c) - factor * own[c], row + 4 * c);
      }
    }
    for (int k = 0; k < rows; ++k) {  // D⁻¹, then L⁻¹: row k takes from the rows above it
      S* to = X.row(k, b);
      const S inverse = S(1.0) / LD[k * n + k];
      Lanes<S> own[4] = {inverse * load(to), inverse * load(to + 4), inverse * load(to + 8), inverse * load(to + 12)};
      for (int j = parent[k]; j >= 0; j = parent[j]) {
        const S* row = X.row(j, b);
        const S factor = LD[k * n + j];
        for (int c = 0; c < 4; ++c) own[c] = own[c] - factor * load(row + 4 * c);
      }
      for (int c = 0; c < 4; ++c) store(own[c], to + 4 * c);
    }
  }
  for (int i = B; i < n; ++i)
    for (int c = 0; c < i / B * B; ++c) X.row(i)[c] = X.row(c)[i];
}

/// For each eight columns of a matrix whose entry (k, c) may differ from zero only where `entry(k, c)`: the rows that matter.
class ColumnGroups {
 public:
  static constexpr int width = 8;
  template <class Entry>
  ColumnGroups(int rows, int columns, Entry&& entry) {
    for (int first = 0; first < columns; first += width) {
      first_.push_back(static_cast<int>(rows_.size()));
      for (int k = 0; k < rows; ++k)
        for (int c = first; c < std::min(columns, first + width); ++c)
          if (entry(k, c)) {
            rows_.push_back(k);
            break;
          }
    }
    first_.push_back(static_cast<int>(rows_.size()));
  }
  int groups() const { return static_cast<int>(first_.size()) - 1; }
  const int* begin(int group) const { return rows_.data() + first_[group]; }
  const int* end(int group) const { return rows_.data() + first_[group + 1]; }

 private:
  std::vector<int> first_, rows_;
};

/// C = −A B, A n × n, B with the given pattern. Four rows of C by eight columns stay in registers.
template <class S>
void minus_product(int n, const PaddedRows<S>& A, const PaddedRows<S>& B, const ColumnGroups& pattern,
                   PaddedRows<S>& C) noexcept {
  const Lanes<S> o = lanes(S(0.0), S(0.0), S(0.0), S(0.0));
  for (int g = 0; g < pattern.groups(); ++g) {
    const int c = g * ColumnGroups::width;
    for (int i = 0; i < n; i += 4) {
      Lanes<S> x[4] = {o, o, o, o}, y[4] = {o, o, o, o};
      const S* rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
      for (const int* k = pattern.begin(g); k != pattern.end(g); ++k) {
        const Lanes<S> bx = load(B.row(*k) + c), by = load(B.row(*k) + c + 4);
        for (int r = 0; r < 4; ++r) x[r] = x[r] - rows[r][*k] * bx, y[r] = y[r] - rows[r][*k] * by;
      }
      for (int r = 0; r < 4; ++r) store(x[r], C.row(i + r) + c), store(y[r], C.row(i + r) + c + 4);
    }
  }
}

}  // namespace sparsedyn
