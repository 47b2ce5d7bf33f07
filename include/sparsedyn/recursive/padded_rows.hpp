// Matrices in rows padded to whole blocks, so that loops over a row have fixed lengths and stay in registers.
#pragma once

#include <cstddef>
#include <vector>

#include "sparsedyn/scalar/lanes.hpp"

namespace sparsedyn {

/// 4 W neighbours of a row.
template <class S, int W>
struct Block {
  Lanes<S> e[W];
};

template <class S, int W>
Block<S, W> zero_block() {
  Block<S, W> r;
  for (int i = 0; i < W; ++i) r.e[i] = lanes(S(0.0), S(0.0), S(0.0), S(0.0));
  return r;
}
/// factor × (a row's numbers).
template <int W, class S>
Block<S, W> load_block(const S& factor, const S* from) {
  Block<S, W> r;
  for (int i = 0; i < W; ++i) r.e[i] = factor * load(from + 4 * i);
  return r;
}
/// block −= factor × (a row's numbers).
template <class S, int W>
void subtract(const S& factor, const S* row, Block<S, W>& block) {
  for (int i = 0; i < W; ++i) block.e[i] = block.e[i] - factor * load(row + 4 * i);
}
template <class S, int W>
void store(const Block<S, W>& block, S* to) {
  for (int i = 0; i < W; ++i) store(block.e[i], to + 4 * i);
}

/// n rows (and up to three more, of zeros), each padded with zeros to whole blocks.
template <class S>
class PaddedRows {
 public:
  static constexpr int vectors = 6, block = 4 * vectors;
  PaddedRows(int n, int columns)
      : blocks_((columns + block - 1) / block), values_(static_cast<std::size_t>((n + 3) / 4 * 4) * blocks_ * block, S(0.0)) {}
  int blocks() const { return blocks_; }
  /// Numbers from one row to the next.
  int stride() const { return blocks_ * block; }
  const S* row(int i, int b = 0) const { return values_.data() + static_cast<std::size_t>(i) * stride() + b * block; }
  S* row(int i, int b = 0) { return values_.data() + static_cast<std::size_t>(i) * stride() + b * block; }

 private:
  int blocks_;
  std::vector<S> values_;
};

}  // namespace sparsedyn
