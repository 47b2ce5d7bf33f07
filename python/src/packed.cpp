#include <algorithm>
#include <cstdlib>

#include "packed_widths.hpp"
#include "scalar/processor.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::python {
namespace {

/// The widest registers that are wanted: SPARSEDYN_LANES in the environment, so that tests reach the narrow ones too.
[[maybe_unused]] int most_lanes() {
  static const int most = [] {
    const char* const text = std::getenv("SPARSEDYN_LANES");
    return text ? std::max(1, std::atoi(text)) : 8;
  }();
  return most;
}

}  // namespace

std::unique_ptr<PackedWorks> packed_works(const Model& model) {
  if (model.coordinate_map) return nullptr;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (most_lanes() >= 8 && processor_vectors().avx512f) return packed_works_avx512(model);
  if (most_lanes() >= 4 && processor_vectors().avx2) return packed_works_avx2(model);
#endif
  return nullptr;
}

}  // namespace sparsedyn::python
