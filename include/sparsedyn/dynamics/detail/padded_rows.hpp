// Matrices in rows padded to whole blocks, so that loops over a row have fixed lengths and stay in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

inline namespace SPARSEDYN_CODE {

/// Calls f(std::integral_constant<int, W>()) for the W from 1 to `widest_block` that w is.
template <int W = 1, class F>
void with_width(int w, F&& f) {
  if constexpr (W < widest_block)
    if (w > W) return with_width<W + 1>(w, f);
  f(std::integral_constant<int, W>());
}

}  // namespace SPARSEDYN_CODE

/// Memory that begins where a cache line does.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
  friend bool operator!=(const CacheLineAllocator&, const CacheLineAllocator&) { return false; }
};

/// How PaddedRows cuts `columns` numbers into blocks of `width` eights. The library's choice, by the registers that it was
/// compiled for; whoever has narrower ones takes a block in pieces.
struct RowBlocks {
  int blocks, width;
};
RowBlocks row_blocks(int columns) noexcept;

/// n rows (and up to three more, of zeros), each padded with zeros to whole blocks of equal width.
template <class S>
class PaddedRows {
 public:
  PaddedRows(int n, int columns)
      : blocks_(row_blocks(columns)), values_(static_cast<std::size_t>((n + 3) / 4 * 4) * stride(), S(0.0)) {}
  int blocks() const { return blocks_.blocks; }
  /// Of a block, in eights.
  int width() const { return blocks_.width; }
  /// Numbers from one row to the next.
  int stride() const { return 8 * width() * blocks(); }
  const S* row(int i, int b = 0) const { return values_.data() + static_cast<std::size_t>(i) * stride() + 8 * width() * b; }
  S* row(int i, int b = 0) { return values_.data() + static_cast<std::size_t>(i) * stride() + 8 * width() * b; }
  /// Columns first … first + columns − 1 of n rows, row by row.
  void copy_columns(int n, int first, int columns, S* to) const {
    for (int i = 0; i < n; ++i) std::copy_n(row(i) + first, columns, to + i * columns);
  }

 private:
  RowBlocks blocks_;
  std::vector<S, CacheLineAllocator<S>> values_;
};

}  // namespace sparsedyn
