// What iterative refinement works in; one for each object that refines.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn {

template <class S>
struct RefinementMemory {
  /// Takes all memory, for n unknowns; none for 0.
  explicit RefinementMemory(std::size_t n = 0)
      : rest(n, S(0)), step(n, S(0)), answer(n, S(0)), first(n, 0.0), noise(n, 0.0), floor(n, 0.0), zero(n, 0) {}
  std::vector<S> rest;        // b − A x, or another right-hand side
  std::vector<S> step;        // the last correction
  std::vector<S> answer;      // A⁻¹ rest of other right-hand sides
  std::vector<double> first;  // sizes of the first correction
  std::vector<double> noise;  // what rounding of the equations moves each unknown by
  std::vector<double> floor;  // sizes at which an unknown is no more than rounding of rounding
  std::vector<char> zero;     // flags: the unknown is zero but for that
};

}  // namespace sparsedyn
