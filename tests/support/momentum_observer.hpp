// A generalised-momentum observer (De Luca & Mattone 2003), written anew: r = K (p − p(0) − ∫ (τ + Cᵀ(q, v) v − g + r) dt)
// follows the torques that the world makes, as a filter of the first order does, with no acceleration. v: differences of the
// positions.
#pragma once

#include <vector>

#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::test {

class MomentumObserver {
 public:
  /// gain: 1/s. smoothing: the low-pass's time constant, s; 0: none.
  MomentumObserver(const Model& model, double gain, double smoothing)
      : model_(model),
        work_(model),
        gain_(gain),
        smoothing_(smoothing),
        M_(static_cast<std::size_t>(model.nv * model.nv)),
        sum_(static_cast<std::size_t>(model.nv), 0.0),
        r_(sum_),
        v_(sum_) {}

  /// The residual after a sample: positions now, mean torques since the one before.
  const std::vector<double>& step(const double* q, const double* tau, double dt) {
    const auto n = static_cast<std::size_t>(model_.nv);
    if (last_.empty()) {
      last_.assign(q, q + n);
      return r_;
    }
    std::vector<double> middle(n), p(n, 0.0);
    for (std::size_t k = 0; k < n; ++k)
      v_[k] += dt / (dt + smoothing_) * ((q[k] - last_[k]) / dt - v_[k]), middle[k] = 0.5 * (q[k] + last_[k]);
    last_.assign(q, q + n);
    crba(model_, work_, middle.data(), M_.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) p[i] += M_[i * n + k] * v_[k];
    // dM/dt v = (C + Cᵀ) v, so Cᵀ v − g = dM/dt v − (C v + g)
    std::vector<double> bias(n), moved(n), rate(n, 0.0);
    bias_forces(model_, work_, middle.data(), v_.data(), static_cast<const Force<double>*>(nullptr), bias.data());
    const double h = 1e-5;
    for (const double side : {-1.0, 1.0}) {
      for (std::size_t k = 0; k < n; ++k) moved[k] = middle[k] + side * h * v_[k];
      crba(model_, work_, moved.data(), M_.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) rate[i] += side * M_[i * n + k] * v_[k] / (2 * h);
    }
    if (first_) start_ = p, first_ = false;
    for (std::size_t k = 0; k < n; ++k) {
      sum_[k] += dt * (tau[k] + rate[k] - bias[k] + r_[k]);
      r_[k] = gain_ * (p[k] - start_[k] - sum_[k]);
    }
    return r_;
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  double gain_, smoothing_;
  std::vector<double> M_, sum_, r_, v_, last_, start_;
  bool first_ = true;
};

}  // namespace sparsedyn::test
