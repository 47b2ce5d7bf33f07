// A body on a joint of several freedoms, whose coordinates form a Lie group (spherical, planar, floating): its errors δ are
// from the right, q = q̂ ⊕ δ, in the axes of its velocities.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::tracking {

struct GroupJoint {
  BodyJoint joint;
  int q, v;                   // its first entries in q and v
  int freedoms, coordinates;  // how many
  double bracket[6][6][6];    // [e_a, e_b] of unit velocities
  int quaternion;             // where it begins among the coordinates; -1: none

  /// out = q ⊕ δ of its entries alone: whole arrays q and out, δ of its freedoms. No heap.
  void integrate(const double* q_all, const double* delta, double* out_all) const noexcept;
  /// δ with q0 ⊕ δ = q1, of its freedoms. No heap.
  void difference(const double* q0_all, const double* q1_all, double* delta) const noexcept;
  /// row: by its freedoms how a coordinate that is no quaternion's moves at q (whole array). No heap.
  void coordinate_row(const double* q_all, int coordinate, double* row) const noexcept;
  /// The coordinate whose deviation is that of a freedom: of a shift its own in metres, of turns the first ones of the
  /// quaternion, in rad, or the angle.
  int coordinate_beside(int freedom) const noexcept;
  /// Scales its quaternion in the whole array q. False: it is none.
  bool normalise(double* q_all) const noexcept;
};

/// All of a robot but the base's, if that floats.
std::vector<GroupJoint> group_joints(const Model& model);

/// How q⁺ = q ⊕ t u moves with q and u: δq⁺ = E δq + t J δu, E = exp(−t ad_u), J = Σ (−t ad_u)ᵏ / (k + 1)!.
struct GroupStep {
  double E[6][6] = {}, J[6][6] = {};

  /// u: velocities of its freedoms. No heap.
  void at(const GroupJoint& joint, const double* u, double t) noexcept;

 private:
  void double_step(int n) noexcept;
};

}  // namespace sparsedyn::tracking
