// A column of torques as the model's torque, a scale and what models leave out:
//   τ = s (τ_mk + x),   x = A q̈ + D q̇ + F tanh(q̇ / v0) + O,   0 ≤ A q̈, D q̇, F, |O| ≤ B.
// x is a rotor, damping, dry friction and an offset, each bounded by B, half of the model's torque at joint k and a fiftieth of
// the largest one's. Bounds and signs are what tells a rotor or friction from a unit or a sign.
//
// The model's torque has noise of its own, of mean square N: n samples leave n s² N more than the reading's faults do, and a
// fitted s would be too small by S² / (S² + N), S² being what moves. So n s² N is taken off; half of it is added again for
// what is left by chance, and because deviations are not stated exactly.
#pragma once

#include <array>

#include "inspection/bounded_fit.hpp"
#include "model_torques.hpp"

namespace sparsedyn::inspection {

/// Times the model's noise: what a reading has to leave, to be told from that noise.
constexpr double beyond_noise = 4;

/// The columns of these fits, which all columns of torques share.
class TorqueRegressors {
 public:
  explicit TorqueRegressors(const ModelTorques& model);
  const ModelTorques& model() const { return model_; }
  std::size_t freedoms() const { return of_.size(); }
  std::size_t samples() const { return model_.sample.size(); }
  /// τ_mk, q̈, q̇, tanh(q̇ / v0), 1 at sample s.
  std::array<double, 5> row(std::size_t k, std::size_t s) const {
    return {model_.tau[k][s], model_.a[k][s], model_.v[k][s], of_[k].dry[s], 1.0};
  }

  struct OfFreedom {
    Series dry;                                  // tanh(q̇ / v0), v0 a tenth of the velocity's rms
    BoundedFit<5> products;                      // of all samples, without y
    double torque = 0, bound = 0, a = 0, v = 0;  // rms of τ_mk, q̈, q̇; B
  };
  const OfFreedom& of(std::size_t k) const { return of_[k]; }

 private:
  const ModelTorques& model_;
  std::vector<OfFreedom> of_;
};

/// A reading of a column, and what it leaves.
struct TorqueReading {
  double left = 1e300, scale = 1;
  std::array<double, 5> c{};
};

/// Fits of one column. Holds references.
class TorqueFit {
 public:
  TorqueFit(const TorqueRegressors& regressors, const Series& column);
  /// Σ τ², and of how many samples.
  double size() const { return size_; }
  long count() const { return count_; }
  /// n N of the model's torque at joint k.
  double noise_of_model(std::size_t k) const;

  /// τ = s (τ_mk + x).
  TorqueReading read(std::size_t k, double scale) const;
  /// The same with s of this `sign` fitted, by as many passes as the bounds of x, which grow with s, need.
  TorqueReading scaled(std::size_t k, double sign) const;
  Series residual(std::size_t k, const TorqueReading& reading) const;

 private:
  BoundedFit<5> products_with(std::size_t k) const;
  /// The bounds of x at this scale.
  void limit(BoundedFit<5>& fit, std::size_t k, double s) const;
  /// `taken`: of the noise, in the fit already.
  TorqueReading reading_of(const BoundedFit<5>& fit, std::size_t k, double left, double taken) const;

  const TorqueRegressors& regressors_;
  Series y_;
  double size_ = 0;
  long count_ = 0;
};

}  // namespace sparsedyn::inspection
