// How far estimates may be off, and how far measurements are: what the augmented system answers to unit right-hand sides, of
// one sample or of a batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The factored system of one sample.
struct Alone {
  static constexpr int samples = 1;
  ZeroFillLU<double>& lu;
  std::vector<double>& response;
  bool ok = false;

  void set(int, int row, double x) { lu.right_side()[row] = x; }
  double right_side(int, int row) { return lu.right_side()[row]; }
  void solve() { ok = lu.solve(response.data()).ok(); }
  double answer(int, int column) const { return ok ? response[column] : nan; }
};

/// The factored systems of a batch.
struct Together {
  static constexpr int samples = Batch::lanes;
  LUInLanes& lu;

  void set(int k, int row, double x) { lu.right_side()[row].lane[k] = x; }
  double right_side(int k, int row) { return lu.right_side()[row].lane[k]; }
  void solve() { lu.solve(); }
  double answer(int k, int column) const { return lu.ok(k) ? lu.solution()[column].lane[k] : nan; }
};

}  // namespace

/// sd² = cᵀ C c for the gradient c of an output, where the stationarity rows answer to c with x = −C c.
template <class Systems>
void Estimator::find_standard_deviations(Systems systems, Sample* samples) noexcept {
  const int m = static_cast<int>(weight_.size());
  for (std::size_t c = 0; c < determined_.size(); ++c) {
    const std::vector<int>& unknowns = outputs_.unknowns_of(static_cast<int>(c));
    for (int k = 0; k < systems.samples; ++k) {
      outputs_.gradient(static_cast<int>(c), samples[k].y.data(), samples[k].work, zero_.data(), gradient_.data());
      for (int u : unknowns) systems.set(k, m + u, gradient_[u]);
    }
    systems.solve();
    for (int k = 0; k < systems.samples; ++k) {
      double variance = 0;
      for (int u : unknowns) variance -= systems.right_side(k, m + u) * systems.answer(k, u);
      samples[k].deviations[c] = std::sqrt(std::max(variance, 0.0));
      for (int u : unknowns) systems.set(k, m + u, 0.0);
    }
  }
}

/// A noisy row's residual ν has the variance (1 − H)_ii, H = W Y C Yᵀ W: its own response to a unit measurement.
template <class Systems>
void Estimator::find_innovations(Systems systems, Sample* samples) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
  for (int r = 0; r < m; ++r) {
    for (int k = 0; k < systems.samples; ++k) samples[k].innovations[r] = 0;
    if (weight_[r] == 0) continue;
    for (int k = 0; k < systems.samples; ++k) systems.set(k, r, 1.0);
    systems.solve();
    for (int k = 0; k < systems.samples; ++k) {
      const double variance = systems.answer(k, n + r);
      if (variance > 1e-9) samples[k].innovations[r] = samples[k].solution[n + r] / std::sqrt(variance);
      systems.set(k, r, 0.0);
    }
  }
}

void Estimator::find_spread() noexcept {
  if (!options_.standard_deviations && !options_.innovations) return;
  const Alone alone{last_->lu, response_};
  std::fill_n(last_->lu.right_side(), response_.size(), 0.0);
  if (options_.standard_deviations) find_standard_deviations(alone, sample_);
  if (options_.innovations) find_innovations(alone, sample_);
}

void Estimator::find_spread_together() noexcept {
  if (!options_.standard_deviations && !options_.innovations) return;
  const Together together{prepared_->lu};
  std::fill_n(prepared_->lu.right_side(), response_.size(), Batch(0.0));
  if (options_.standard_deviations) find_standard_deviations(together, prepared_->samples.data());
  if (options_.innovations) find_innovations(together, prepared_->samples.data());
}

}  // namespace sparsedyn
