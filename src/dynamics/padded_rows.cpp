#include "sparsedyn/dynamics/detail/padded_rows.hpp"

namespace sparsedyn {

RowBlocks row_blocks(int columns) noexcept {
  const int blocks = std::max(1, (columns + 8 * widest_block - 1) / (8 * widest_block));
  return {blocks, std::max(1, ((columns + 7) / 8 + blocks - 1) / blocks)};
}

}  // namespace sparsedyn
