// What a type of the catalogue says of itself: its name and summary, what it reads, its outputs, their columns in a log, and
// one template that evaluates it in any scalar. catalogue.hpp lists the types.
#pragma once

#include "algorithms/columns.hpp"
#include "sparsedyn/algorithms/algorithm.hpp"

namespace sparsedyn::catalogue {

/// What holds of most algorithms; a type says what differs.
struct AlgorithmDefaults {
  static constexpr const char* singular = "singular at ";
  static constexpr bool long_form = false;
  static constexpr bool recordable = true;           // as a program, on the scalar Expr
  static constexpr bool second_derivatives = false;  // which a build may leave out
  using Contracted = void;                           // a type that contracts its tensors
  static AlgorithmMisfit misfit(const Model&) { return {}; }
  static MeaninglessColumns meaningless(const Model&) { return {}; }
};

constexpr AlgorithmReads of_configuration{}, of_motion{true, false, false, false, false},
    of_inverse_dynamics{true, true, false, true, false}, of_forward_dynamics{true, false, true, true, false},
    of_accelerated_motion{true, true, false, false, false};
constexpr AlgorithmReads with_multipliers(AlgorithmReads reads) {
  reads.lambda = true;
  return reads;
}
constexpr AlgorithmReads with_parameters(AlgorithmReads reads) {
  reads.pi = true;
  return reads;
}

inline std::vector<Axis> vector() { return {Axis::nv}; }
inline std::vector<Axis> matrix() { return {Axis::nv, Axis::nv}; }
inline std::vector<Axis> tensor() { return {Axis::nv, Axis::nv, Axis::nv}; }

template <class S>
S* put(const Vec3<S>& x, S* out) {
  for (int k = 0; k < 3; ++k) *out++ = x[k];
  return out;
}

}  // namespace sparsedyn::catalogue
