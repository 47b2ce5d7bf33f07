// Postures and the recursive algorithms on Eigen vectors and matrices, by reference: nothing is copied but external wrenches,
// and nothing is allocated but by random_configuration. Compiled without NDEBUG, a vector or matrix of the wrong size ends the
// program with its name and both sizes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cassert>
#include <cstdio>
#include <random>
#include <vector>

#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {

/// A vector that is read.
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;
/// A vector that is written.
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
/// A whole nv × nv matrix: symmetric ones read the same by rows and by columns.
using SymmetricMatrix = Eigen::MatrixXd;
/// A matrix whose rows lie one after the other, as the algorithms write them.
using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Six numbers of a motion or wrench, the angular ones first.
using Vector6 = Eigen::Matrix<double, 6, 1>;
/// A column for each link, in the order of Model::links.
using ConstLinkWrenchesRef = const Eigen::Ref<const Eigen::Matrix<double, 6, Eigen::Dynamic>>&;

namespace detail {

/// For assert, whose own message names no number.
inline bool has_size(const char* name, Eigen::Index rows, Eigen::Index columns, Eigen::Index expected_rows,
                     Eigen::Index expected_columns) {
  const bool right = rows == expected_rows && columns == expected_columns;
  if (!right)
    std::fprintf(stderr, "%s is %ld x %ld; expected %ld x %ld\n", name, static_cast<long>(rows), static_cast<long>(columns),
                 static_cast<long>(expected_rows), static_cast<long>(expected_columns));
  return right;
}
template <class Matrix>
bool has_size(const char* name, const Matrix& x, Eigen::Index rows, Eigen::Index columns = 1) {
  return has_size(name, x.rows(), x.cols(), rows, columns);
}

inline bool is_state(const Model& model, ConstVectorRef q, ConstVectorRef v) {
  return has_size("q", q, model.nq) && has_size("v", v, model.nv);
}

}  // namespace detail

/// The same numbers as Eigen's: a position or direction, a motion or wrench (angular part first), a link's frame.
/// @{
inline Eigen::Vector3d to_eigen(const Vec3<double>& x) { return {x[0], x[1], x[2]}; }
inline Vector6 to_eigen(const Motion<double>& x) {
  return (Vector6() << x.w[0], x.w[1], x.w[2], x.v[0], x.v[1], x.v[2]).finished();
}
inline Vector6 to_eigen(const Force<double>& x) {
  return (Vector6() << x.n[0], x.n[1], x.n[2], x.f[0], x.f[1], x.f[2]).finished();
}
inline Eigen::Isometry3d to_eigen(const Pose<double>& X) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) pose.linear()(r, c) = X.R(r, c);
  pose.translation() = to_eigen(X.d);
  return pose;
}
/// @}

/// External wrenches on links as the algorithms take them: on bodies. Allocated once for a model; one a thread.
class ExternalWrenches {
 public:
  /// All zero. The model is not kept.
  explicit ExternalWrenches(const Model& model)
      : links_(model.links.size(), Force<double>{zero3<double>(), zero3<double>()}), bodies_(model.bodies.size(), links_[0]) {}

  /// fx: 6 × links; of the world on each link, moment first, in the link's frame about its origin. No heap.
  void set(const Model& model, ConstLinkWrenchesRef fx) noexcept {
    assert(detail::has_size("fx", fx, 6, static_cast<Eigen::Index>(model.links.size())));
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto x = fx.col(static_cast<Eigen::Index>(i));
      links_[i] = {{{x[0], x[1], x[2]}}, {{x[3], x[4], x[5]}}};
    }
    link_wrenches_to_bodies(model, links_.data(), bodies_.data());
  }
  /// One a body.
  const Force<double>* data() const noexcept { return bodies_.data(); }

 private:
  std::vector<Force<double>> links_, bodies_;
};

/// Zeros, quaternions 0 0 0 1. q: nq, written.
inline void neutral(const Model& model, VectorRef q) noexcept {
  assert(detail::has_size("q", q, model.nq));
  neutral(model, q.data());
}
/// Within the joints' limits, as the function of pointers says. q: nq, written.
inline void random_configuration(const Model& model, std::mt19937& rng, VectorRef q) {
  assert(detail::has_size("q", q, model.nq));
  random_configuration(model, rng, q.data());
}
/// Quaternions to unit length; false if one is zero or not finite (q is then unchanged). q: nq.
inline bool normalise(const Model& model, VectorRef q) noexcept {
  assert(detail::has_size("q", q, model.nq));
  return normalise(model, q.data());
}
/// out = q ⊕ delta. q, out: nq (may be the same vector); delta: nv, on the tangent space, as v times a step of time.
inline void integrate(const Model& model, ConstVectorRef q, ConstVectorRef delta, VectorRef out) noexcept {
  assert(detail::has_size("q", q, model.nq) && detail::has_size("delta", delta, model.nv) &&
         detail::has_size("out", out, model.nq));
  integrate<double>(model, q.data(), delta.data(), out.data());
}
/// delta with q0 ⊕ delta = q1. q0, q1: nq; delta: nv.
inline void difference(const Model& model, ConstVectorRef q0, ConstVectorRef q1, VectorRef delta) noexcept {
  assert(detail::has_size("q0", q0, model.nq) && detail::has_size("q1", q1, model.nq) &&
         detail::has_size("delta", delta, model.nv));
  difference(model, q0.data(), q1.data(), delta.data());
}

/// tau = M(q) a + bias(q, v) − Σ Jᵀ fx. q: nq; v, a, tau: nv.
/// @{
inline void rnea(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                 const ExternalWrenches& fx, VectorRef tau) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("a", a, model.nv) && detail::has_size("tau", tau, model.nv));
  rnea<double>(model, ws, q.data(), v.data(), a.data(), fx.data(), tau.data());
}
inline void rnea(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                 VectorRef tau) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("a", a, model.nv) && detail::has_size("tau", tau, model.nv));
  rnea<double>(model, ws, q.data(), v.data(), a.data(), nullptr, tau.data());
}
/// @}

/// a = M(q)⁻¹ (tau − bias(q, v) + Σ Jᵀ fx). q: nq; v, tau, a: nv.
/// @{
inline DynamicsStatus aba(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                          const ExternalWrenches& fx, VectorRef a) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv) && detail::has_size("a", a, model.nv));
  return aba<double>(model, ws, q.data(), v.data(), tau.data(), fx.data(), a.data());
}
inline DynamicsStatus aba(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                          VectorRef a) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv) && detail::has_size("a", a, model.nv));
  return aba<double>(model, ws, q.data(), v.data(), tau.data(), nullptr, a.data());
}
/// @}

/// tau = bias(q, v) − Σ Jᵀ fx: Coriolis, centrifugal and gravity forces. q: nq; v, tau: nv.
/// @{
inline void bias_forces(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v,
                        const ExternalWrenches& fx, VectorRef tau) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv));
  bias_forces<double>(model, ws, q.data(), v.data(), fx.data(), tau.data());
}
inline void bias_forces(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v, VectorRef tau) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv));
  bias_forces<double>(model, ws, q.data(), v.data(), nullptr, tau.data());
}
/// @}

/// tau = bias(q, 0). q: nq; tau: nv.
inline void gravity_torques(const Model& model, Workspace<double>& ws, ConstVectorRef q, VectorRef tau) noexcept {
  assert(detail::has_size("q", q, model.nq) && detail::has_size("tau", tau, model.nv));
  gravity_torques<double>(model, ws, q.data(), tau.data());
}

/// M(q), which must be nv × nv already.
inline void crba(const Model& model, Workspace<double>& ws, ConstVectorRef q, SymmetricMatrix& M) noexcept {
  assert(detail::has_size("q", q, model.nq) && detail::has_size("M", M, model.nv, model.nv));
  crba<double>(model, ws, q.data(), M.data());
}

/// M(q)⁻¹, which must be nv × nv already.
inline DynamicsStatus minverse(const Model& model, Workspace<double>& ws, ConstVectorRef q, SymmetricMatrix& inverse) noexcept {
  assert(detail::has_size("q", q, model.nq) && detail::has_size("inverse", inverse, model.nv, model.nv));
  return minverse<double>(model, ws, q.data(), inverse.data());
}

/// For link_pose, link_velocity, link_jacobian, momentum and others, which to_eigen turns. q: nq; v, a: nv; zero if left out.
/// @{
inline void forward_kinematics(const Model& model, Workspace<double>& ws, ConstVectorRef q) noexcept {
  assert(detail::has_size("q", q, model.nq));
  forward_kinematics<double>(model, ws, q.data(), nullptr, nullptr);
}
inline void forward_kinematics(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v) noexcept {
  assert(detail::is_state(model, q, v));
  forward_kinematics<double>(model, ws, q.data(), v.data(), nullptr);
}
inline void forward_kinematics(const Model& model, Workspace<double>& ws, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef a) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("a", a, model.nv));
  forward_kinematics<double>(model, ws, q.data(), v.data(), a.data());
}
/// @}

/// J, which must be 6 × nv already, as the function of pointers gives it. After forward_kinematics.
inline void link_jacobian(const Model& model, const Workspace<double>& ws, int link, Axes axes, RowMajorMatrix& J) noexcept {
  assert(detail::has_size("J", J, 6, model.nv));
  link_jacobian<double>(model, ws, link, axes, J.data());
}

/// How a link's velocity v and acceleration a change, in its own axes (LinkDerivatives). Allocated once for a model.
struct LinkDerivativeMatrices {
  /// Takes all memory.
  explicit LinkDerivativeMatrices(const Model& model)
      : dv_dq(6, model.nv), dv_dv(6, model.nv), da_dq(6, model.nv), da_dv(6, model.nv) {}
  RowMajorMatrix dv_dq, dv_dv, da_dq, da_dv;  // each 6 × nv; ∂a/∂a is dv_dv
};
/// After forward_kinematics with q, v and a.
inline void link_derivatives(const Model& model, const Workspace<double>& ws, int link, LinkDerivativeMatrices& out) noexcept {
  assert(detail::has_size("out", out.dv_dq, 6, model.nv));
  link_derivatives<double>(model, ws, link, {out.dv_dq.data(), out.dv_dv.data(), out.da_dq.data(), out.da_dv.data()});
}

/// Inverse dynamics and its derivatives. Allocated once for a model.
struct RneaDerivativeMatrices {
  /// Takes all memory.
  explicit RneaDerivativeMatrices(const Model& model)
      : tau(model.nv), dtau_dq(model.nv, model.nv), dtau_dv(model.nv, model.nv), M(model.nv, model.nv) {}
  Eigen::VectorXd tau;                 // nv
  RowMajorMatrix dtau_dq, dtau_dv, M;  // nv × nv; q on the tangent space; M = ∂τ/∂a
};
/// At (q, v, a), with wrenches that stay constant in their bodies' frames. q: nq; v, a: nv.
/// @{
inline void rnea_derivatives(const Model& model, MomentWorkspace<double>& ws, ConstVectorRef q, ConstVectorRef v,
                             ConstVectorRef a, const ExternalWrenches& fx, RneaDerivativeMatrices& out) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("a", a, model.nv) &&
         detail::has_size("out", out.M, model.nv, model.nv));
  rnea_derivatives<double>(model, ws, q.data(), v.data(), a.data(), fx.data(),
                           {out.tau.data(), out.dtau_dq.data(), out.dtau_dv.data(), out.M.data()});
}
inline void rnea_derivatives(const Model& model, MomentWorkspace<double>& ws, ConstVectorRef q, ConstVectorRef v,
                             ConstVectorRef a, RneaDerivativeMatrices& out) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("a", a, model.nv) &&
         detail::has_size("out", out.M, model.nv, model.nv));
  rnea_derivatives<double>(model, ws, q.data(), v.data(), a.data(), nullptr,
                           {out.tau.data(), out.dtau_dq.data(), out.dtau_dv.data(), out.M.data()});
}
/// @}

/// Forward dynamics and its derivatives. Allocated once for a model.
struct AbaDerivativeMatrices {
  /// Takes all memory.
  explicit AbaDerivativeMatrices(const Model& model)
      : a(model.nv), da_dq(model.nv, model.nv), da_dv(model.nv, model.nv), da_dtau(model.nv, model.nv) {}
  Eigen::VectorXd a;                     // nv
  RowMajorMatrix da_dq, da_dv, da_dtau;  // nv × nv; q on the tangent space; ∂a/∂τ = M⁻¹
};
/// At (q, v, tau), with wrenches that stay constant in their bodies' frames. q: nq; v, tau: nv. If a joint cannot be solved
/// for, no result is to be used.
/// @{
inline DynamicsStatus aba_derivatives(const Model& model, AbaDerivativeWorkspace<double>& ws, ConstVectorRef q,
                                      ConstVectorRef v, ConstVectorRef tau, const ExternalWrenches& fx,
                                      AbaDerivativeMatrices& out) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv) &&
         detail::has_size("out", out.da_dtau, model.nv, model.nv));
  return aba_derivatives<double>(model, ws, q.data(), v.data(), tau.data(), fx.data(),
                                 {out.a.data(), out.da_dq.data(), out.da_dv.data(), out.da_dtau.data()});
}
inline DynamicsStatus aba_derivatives(const Model& model, AbaDerivativeWorkspace<double>& ws, ConstVectorRef q,
                                      ConstVectorRef v, ConstVectorRef tau, AbaDerivativeMatrices& out) noexcept {
  assert(detail::is_state(model, q, v) && detail::has_size("tau", tau, model.nv) &&
         detail::has_size("out", out.da_dtau, model.nv, model.nv));
  return aba_derivatives<double>(model, ws, q.data(), v.data(), tau.data(), nullptr,
                                 {out.a.data(), out.da_dq.data(), out.da_dv.data(), out.da_dtau.data()});
}
/// @}

}  // namespace sparsedyn
