// Derivatives of outputs with respect to all that they are computed from: for optimisation and filtering over any sensor set.
// With A(q) x = b(q, v, y, π) solved, each direction θ costs one right-hand side under the factors at hand,
//   forward   A dx/dθ = ∂b/∂θ − ∂A/∂θ x,        or, for an output o = gᵀ x, one transposed solve serves every direction,
//   adjoint   Aᵀ λ = g,   do/dθ = λᵀ (∂b/∂θ − ∂A/∂θ x).
// An estimate solves the augmented system (sparse/detail/augmented.hpp) in place of A x = b; weights are constants.
#pragma once

namespace sparsedyn {

/// Which way derivatives are found. The numbers are the same but for rounding.
enum class DerivativeMode {
  automatic,  // the way with fewer solves
  forward,    // a solve a direction
  adjoint     // a solve an output
};

/// Where derivatives go, row by row, SI units; null: not wanted.
struct DerivativeArrays {
  double* dq = nullptr;  // outputs × nv, on the tangent: q ⊕ δ (model/configuration.hpp)
  double* dv = nullptr;  // outputs × nv
  double* dy = nullptr;  // outputs × System::inputs(); 0 for readings that are missing
  double* dp = nullptr;  // outputs × parameters, in the order of parameter_names (dynamics/regressor.hpp): ten numbers are
                         // added to the link that leads each body, four to each joint
};

}  // namespace sparsedyn
