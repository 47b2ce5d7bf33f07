// A batch as vectors of the processor.
#pragma once

#include "sparsedyn/scalar/detail/simd.hpp"
#include "sparsedyn/sparse/detail/batch.hpp"

namespace sparsedyn {

/// A Batch in memory is one of these, read and written as either.
template <int width>
using BatchVectors = simd<double, Batch::lanes, width>;

template <int width>
[[gnu::always_inline]] inline BatchVectors<width>* as_vectors(Batch* batch) {
  static_assert(sizeof(BatchVectors<width>) == sizeof(Batch) && alignof(BatchVectors<width>) <= alignof(Batch),
                "a Batch is vectors");
  return reinterpret_cast<BatchVectors<width>*>(batch);
}
template <int width>
[[gnu::always_inline]] inline const BatchVectors<width>* as_vectors(const Batch* batch) {
  return reinterpret_cast<const BatchVectors<width>*>(batch);
}

}  // namespace sparsedyn
