// The recursive algorithms on Eigen vectors and matrices, by reference: nothing is copied or allocated. Sizes are not checked.
#pragma once

#include <Eigen/Core>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/bias_forces.hpp"
#include "sparsedyn/dynamics/minverse.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {

/// A vector that is read.
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;
/// A vector that is written.
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
/// A whole nv × nv matrix: symmetric ones read the same by rows and by columns.
using SymmetricMatrix = Eigen::MatrixXd;

/// tau = M(q) a + bias(q, v). q: nq; v, a, tau: nv.
inline void rnea(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                 VectorRef tau) noexcept {
  rnea<double>(model, ws, q.data(), v.data(), a.data(), nullptr, tau.data());
}

/// a = M(q)⁻¹ (tau − bias(q, v)). q: nq; v, tau, a: nv.
inline DynamicsStatus aba(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                          VectorRef a) noexcept {
  return aba<double>(model, ws, q.data(), v.data(), tau.data(), nullptr, a.data());
}

/// tau = bias(q, v): Coriolis, centrifugal and gravity forces. q: nq; v, tau: nv.
inline void bias_forces(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, VectorRef tau) noexcept {
  bias_forces<double>(model, ws, q.data(), v.data(), nullptr, tau.data());
}

/// tau = bias(q, 0). q: nq; tau: nv.
inline void gravity_torques(const Model& model, Workspace<double>& ws, ConstVectorRef q, VectorRef tau) noexcept {
  gravity_torques<double>(model, ws, q.data(), tau.data());
}

/// M(q), which must be nv × nv already.
inline void crba(const Model& model, Workspace<double>& ws, ConstVectorRef q, SymmetricMatrix& M) noexcept {
  crba<double>(model, ws, q.data(), M.data());
}

/// M(q)⁻¹, which must be nv × nv already.
inline DynamicsStatus minverse(const Model& model, Workspace<double>& ws, ConstVectorRef q, SymmetricMatrix& inverse) noexcept {
  return minverse<double>(model, ws, q.data(), inverse.data());
}

}  // namespace sparsedyn
