#include "torque_fit.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::inspection {
namespace {

/// What the other four columns do not explain of the first one's squares: A00 − A01 A11⁻¹ A10, by elimination.
double own_squares(std::array<std::array<double, 5>, 5> A) {
  for (std::size_t p = 4; p > 0; --p) {
    if (!(A[p][p] > 0)) continue;
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t k = 0; k < p; ++k) A[i][k] -= A[i][p] * A[p][k] / A[p][p];
  }
  return std::max(0.0, A[0][0]);
}

}  // namespace

TorqueRegressors::TorqueRegressors(const ModelTorques& model) : model_(model), of_(model.tau.size()) {
  double largest = 0;
  for (const Series& tau : model.tau) largest = std::max(largest, rms_of(tau));
  for (std::size_t k = 0; k < of_.size(); ++k) {
    OfFreedom& one = of_[k];
    one.torque = rms_of(model.tau[k]), one.a = rms_of(model.a[k]), one.v = rms_of(model.v[k]);
    one.bound = 0.5 * one.torque + 0.02 * largest;
    const double slow = 0.1 * one.v;
    for (double v : model.v[k]) one.dry.push_back(slow > 0 ? std::tanh(v / slow) : 0.0);
    for (std::size_t s = 0; s < samples(); ++s) one.products.add(row(k, s), 0);
  }
}

TorqueFit::TorqueFit(const TorqueRegressors& regressors, const Series& column) : regressors_(regressors) {
  for (const std::size_t sample : regressors.model().sample) {
    y_.push_back(column[sample]);
    if (std::isfinite(y_.back())) size_ += y_.back() * y_.back(), ++count_;
  }
}

double TorqueFit::noise_of_model(std::size_t k) const { return static_cast<double>(count_) * regressors_.model().noise[k]; }

BoundedFit<5> TorqueFit::products_with(std::size_t k) const {
  BoundedFit<5> fit;
  if (count_ == static_cast<long>(y_.size())) {
    fit = regressors_.of(k).products;
    for (std::size_t s = 0; s < y_.size(); ++s) {
      const std::array<double, 5> row = regressors_.row(k, s);
      for (std::size_t i = 0; i < 5; ++i) fit.b[i] += row[i] * y_[s];
    }
    fit.yy = size_;
  } else {
    for (std::size_t s = 0; s < y_.size(); ++s)
      if (std::isfinite(y_[s])) fit.add(regressors_.row(k, s), y_[s]);
  }
  for (std::size_t i = 1; i < 5; ++i) fit.A[i][i] *= 1 + 1e-4;  // what both explain is the model's
  return fit;
}

TorqueReading TorqueFit::read(std::size_t k, double scale) const {
  BoundedFit<5> fit = products_with(k);
  fit.lower[0] = fit.upper[0] = scale;
  limit(fit, k, scale);
  const double left = fit.solve();
  return reading_of(fit, k, left, 0);
}

TorqueReading TorqueFit::scaled(std::size_t k, double sign) const {
  BoundedFit<5> fit = products_with(k);
  for (double& b : fit.b) b *= sign;                                           // of −τ
  const double taken = std::min(noise_of_model(k), 0.5 * own_squares(fit.A));  // so that the fit stays convex
  fit.A[0][0] -= taken;
  fit.lower[0] = 0;
  limit(fit, k, 1e12);
  for (int pass = 0; pass < 4; ++pass) fit.solve(), limit(fit, k, fit.c[0]);
  const double left = fit.solve();
  for (double& c : fit.c) c *= sign;
  return reading_of(fit, k, left, taken);
}

void TorqueFit::limit(BoundedFit<5>& fit, std::size_t k, double s) const {
  const TorqueRegressors::OfFreedom& of = regressors_.of(k);
  const double most[] = {of.a > 0 ? of.bound / of.a : 0, of.v > 0 ? of.bound / of.v : 0, of.bound, of.bound};
  for (std::size_t i = 0; i < 4; ++i) {
    fit.lower[i + 1] = i == 3 ? -std::abs(s) * of.bound : std::min(0.0, s * most[i]);
    fit.upper[i + 1] = std::max(0.0, s * most[i]);
  }
}

TorqueReading TorqueFit::reading_of(const BoundedFit<5>& fit, std::size_t k, double left, double taken) const {
  const double noise = noise_of_model(k), square = fit.c[0] * fit.c[0];
  return {std::max(left - square * (noise - taken), 1e-6 * size_) + 0.5 * square * noise, fit.c[0], fit.c};
}

Series TorqueFit::residual(std::size_t k, const TorqueReading& reading) const {
  Series left;
  for (std::size_t s = 0; s < y_.size(); ++s) {
    const std::array<double, 5> row = regressors_.row(k, s);
    double sum = y_[s];
    for (std::size_t i = 0; i < 5; ++i) sum -= reading.c[i] * row[i];
    left.push_back(sum);
  }
  return left;
}

}  // namespace sparsedyn::inspection
