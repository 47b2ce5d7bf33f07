// What a joint can pass, in parts: B = (T, A) with Sᵀ T = 0, the constraint forces, and Sᵀ A = 1, the forces along its
// freedoms.
#pragma once

#include <array>

#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {

/// f = B φ. Column k of B lies near the unit wrench k: of the six entries of φ those at `along` are Sᵀf, the others constraint
/// forces. The same columns take motions apart: Bᵀ S q̈ is q̈ at `along`, and zero elsewhere.
struct JointBasis {
  std::array<std::array<double, 6>, 6> B{};    // row by row
  std::array<int, 6> along{0, 1, 2, 3, 4, 5};  // entries of φ along the freedoms, in their order
  bool identity = true;                        // B is the identity

  /// Column k of B, a wrench.
  Force<double> column(int k) const { return {{{B[0][k], B[1][k], B[2][k]}}, {{B[3][k], B[4][k], B[5][k]}}}; }
};

/// B is the identity; what joints of formulations other than maximal coordinates have.
JointBasis identity_basis();

/// Of a joint's S (n columns, none of which the others see: Sᵀ S is diagonal). A = S (SᵀS)⁻¹; T is orthonormal (Gram and
/// Schmidt, from the unit wrenches whose place no freedom takes), so that wrenches that S does not touch stay as they are.
JointBasis joint_basis(const Motion<double>* S, int n);

}  // namespace sparsedyn
