// How large the terms are that an entry is the sum of, where the entry itself may be zero: |M_ik| ≤ √(M_ii M_kk), as M is
// positive definite, and a velocity's share of a torque is that times velocities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "comparison.hpp"
#include "sparsedyn/dynamics/momentum.hpp"

namespace sparsedyn::verification {

class TermSizes {
 public:
  /// M: nv × nv.
  TermSizes(const Model& model, const State& state, const std::vector<double>& M)
      : gravity_(std::sqrt(dot(model.gravity, model.gravity) * std::max(0.0, moving_mass(model)))) {
    const std::size_t n = state.v.size();
    for (double v : state.v) fastest_ = std::max(fastest_, std::abs(v));
    for (std::size_t i = 0; i < n; ++i) root_.push_back(std::sqrt(M[i * n + i]));
    for (std::size_t k = 0; k < n; ++k)
      moved_ += root_[k] * (std::abs(state.a[k]) + std::abs(state.v[k]) * fastest_),
          carried_ += root_[k] * std::abs(state.v[k]);
  }

  /// Of C_ik, ∂τ_i/∂v_k, and the rate of M_ik.
  double by_rate(std::size_t i, std::size_t k) const { return root_[i] * root_[k] * fastest_; }
  /// Of ∂τ_i/∂q_k.
  double by_posture(std::size_t i, std::size_t k) const { return root_[i] * moved_ + gravity_ * std::min(root_[i], root_[k]); }
  /// Of the torque of gravity.
  double gravity(std::size_t i) const { return root_[i] * gravity_; }
  /// Of the bias force.
  double bias(std::size_t i) const { return root_[i] * (carried_ * fastest_ + gravity_); }

  template <class Size>
  std::vector<double> matrix(const Size& size) const {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < root_.size(); ++i)
      for (std::size_t k = 0; k < root_.size(); ++k) sizes.push_back(size(i, k));
    return sizes;
  }

 private:
  double gravity_;  // m/s² √kg
  double fastest_ = 0, moved_ = 0, carried_ = 0;
  std::vector<double> root_;  // √M_ii
};

}  // namespace sparsedyn::verification
