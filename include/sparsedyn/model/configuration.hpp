// The manifold that q lives on: for each joint a Lie group, with the tangent on the right: q ⊕ δ = q · exp(δ), δ in the body's
// frame like v. Quaternions are x y z w. One-freedom joints: q + δ. Planar: SE(2). Spherical: SO(3). Floating: SE(3).
// Also states for tests: random ones within the limits, and special ones, at which entries vanish that are nonzero elsewhere.
// dynamics/eigen.hpp has the same functions for Eigen's vectors.
#pragma once

#include <random>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"

namespace sparsedyn {

/// All zeros, quaternions 0 0 0 1. q: nq, written.
void neutral(const Model& model, double* q) noexcept;

/// A random posture within the joints' limits (Model::limits), including those of mimic joints; q: nq, written, or returned.
/// Each coordinate is uniform between its limits; with one, over 2π rad or 2 m from it; without limits, or where their range is
/// wider than 1e6, angles are in ±π, positions in ±1 m, orientations uniform on SO(3). The numbers are the same with every
/// compiler and standard library. Throws std::invalid_argument with the joint's name if no position is within the limits of a
/// leader and all its followers. Each call gathers the limits on the heap.
/// @{
void random_configuration(const Model& model, std::mt19937& rng, double* q);
std::vector<double> random_configuration(const Model& model, std::mt19937& rng);
/// @}

/// Scales u, x y z w, of any length to unit length. False if it is zero or not finite (u is then unchanged).
bool normalise_quaternion(double* u) noexcept;

/// Scales quaternions to unit length. False if one is zero or not finite (q is then unchanged).
bool normalise(const Model& model, double* q) noexcept;

/// δ with q0 ⊕ δ = q1, the shortest in rotations (angles of one-freedom joints and planar ones: q1 − q0). delta: nv, written.
void difference(const Model& model, const double* q0, const double* q1, double* delta) noexcept;

inline namespace SPARSEDYN_CODE {

/// out = q ⊕ δ. q, out: nq (may be the same array); delta: nv. Quaternions must be of unit length and stay so to rounding.
template <class S>
void integrate(const Model& model, const S* q, const S* delta, S* out) noexcept {
  for (const Body& body : model.bodies)
    with_joint(body.joint, [&](auto joint) { decltype(joint)::integrate(q + body.q, delta + body.v, out + body.q); });
}

}  // namespace SPARSEDYN_CODE

/// Every coordinate equal to one of 0, π/2, −π/2, π; then `mixed` states with each drawn from these (a spherical joint or a
/// base takes three of them as roll, pitch, yaw). 4 + mixed states of nq numbers.
std::vector<std::vector<double>> special_configurations(const Model& model, int mixed, std::mt19937& rng);

}  // namespace sparsedyn
