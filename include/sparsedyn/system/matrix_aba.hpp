// The articulated-body algorithm as five sparse transformations of the forward-dynamics system A x = b (Nori et al. 2017,
// Property 2 and its proof, here for the unknowns a, f, τ, fx, q̈ of system.hpp, for any tree and any joints):
//
//   step 1   x = W₁ x̃        f_i is replaced by p_i, where f_i = I_i^A a_i + p_i
//   step 2   W₂ from the left  row (τ)_i + S_iᵀ I_i^A row (a)_i: a_i leaves, D_i = S_iᵀ I_i^A S_i appears before q̈_i
//   step 3   W₃                row (τ)_i times D_i⁻¹: it now gives q̈_i
//   step 4   W₄                row (a)_i − S_i row (τ)_i: q̈_i leaves
//   step 5   W₅                row (f)_i + Σ_j jX_iᵀ I_j^A row (a)_j over the children j: a_j leaves, and a_i too, as
//                              I_i^A = I_i + Σ_j jX_iᵀ (I_j^A − I_j^A S_j D_j⁻¹ S_jᵀ I_j^A) jX_i
//
// W₅ W₄ W₃ W₂ A W₁ is lower triangular with a ±1 diagonal in the order: what is given, p from tips to base, then q̈_i and a_i
// from base to tips. Forward substitution through it is the algorithm's two passes.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <array>

#include "sparsedyn/sparse/order.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The system at one state and the five transformations.
struct MatrixAba {
  using Matrix = Eigen::SparseMatrix<double>;  // unknowns × unknowns, rows and columns as in the System

  Matrix system;                                     // A
  Eigen::VectorXd right_side;                        // b
  std::array<Matrix, 5> step;                        // W₁ … W₅
  Order order;                                       // in which after(5) is lower triangular
  std::vector<Eigen::Matrix<double, 6, 6>> inertia;  // I_i^A, in the coordinates of the body's leading link
  std::vector<Eigen::MatrixXd> D;                    // S_iᵀ I_i^A S_i, freedoms × freedoms

  /// The matrix after so many steps, 0 to 5; entries that cancelled to rounding (1e-13 of the largest) are removed.
  Matrix after(int steps) const;
  /// x by forward substitution through after(5).
  Eigen::VectorXd solve() const;
};

/// At q (nq), v (nv), y (inputs). Dense in nothing: time and memory proportional to the bodies. Throws std::invalid_argument
/// unless every joint torque and every external wrench is given, each by a row of its own.
MatrixAba matrix_aba(const System& system, const double* q, const double* v, const double* y);

}  // namespace sparsedyn
