// How far estimates may be off, and how far measurements are: what the augmented system answers to unit right-hand sides, of
// one sample or of a batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "chi_square.hpp"
#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The factored system of one sample.
struct Alone {
  static constexpr int samples = 1;
  ZeroFillLU<double>& lu;
  std::vector<double>& response;
  int refinements;  // an order for gaps multiplies Y with itself, which loses digits that these give back
  bool ok = false;

  void set(int, int row, double x) { lu.right_side()[row] = x; }
  double right_side(int, int row) { return lu.right_side()[row]; }
  void solve() {
    ok = lu.solve(response.data()).ok();
    for (int k = 0; k < refinements && ok; ++k) ok = lu.refine(response.data()).ok();
  }
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

bool Estimator::wants_spread() const noexcept { return options_.standard_deviations || !offsets_.open.empty(); }

/// sd² = cᵀ C c for the gradient c of an output, where the stationarity rows answer to c with x = −C c, and the residuals with
/// W Y C c: by W times that the output follows the readings, and their offsets, whose uncertainty adds to it.
template <class Systems>
void Estimator::find_standard_deviations(Systems systems, Sample* samples) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
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
      for (std::size_t o = 0; o < offsets_.rows.size(); ++o)
        toward_offsets_[o] = weight_[offsets_.rows[o]] * systems.answer(k, n + offsets_.rows[o]);
      samples[k].follows_open_offset[c] = offsets_.leave_open(toward_offsets_.data(), std::sqrt(std::max(variance, 0.0)));
      samples[k].deviations[c] = std::sqrt(std::max(variance, 0.0) + offsets_.variance(toward_offsets_.data()));
      for (int u : unknowns) systems.set(k, m + u, 0.0);
    }
  }
}

/// A noisy row's residual ν has the variance v = (1 − H)_ii, H = W Y C Yᵀ W: its own response to a unit measurement; less what
/// went into the offsets. A reading that counts with share s² has h = (1 − v)/s², and its residual (y − Y x)/σ then has the
/// variance v (v + h).
template <class Systems>
void Estimator::find_innovations(Systems systems, Sample* samples) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
  for (int r = 0; r < m; ++r) {
    for (int k = 0; k < systems.samples; ++k) samples[k].innovations[r] = 0;
    if (weight_[r] == 0) continue;
    for (int k = 0; k < systems.samples; ++k) systems.set(k, r, 1.0);
    systems.solve();
    const double share = share_[r] * share_[r];
    for (int k = 0; k < systems.samples; ++k) {
      for (std::size_t o = 0; o < offsets_.rows.size(); ++o)
        toward_offsets_[o] = weight_[offsets_.rows[o]] * systems.answer(k, n + offsets_.rows[o]);
      const double v = systems.answer(k, n + r),
                   variance = v * (v + (1 - v) / share) - offsets_.variance(toward_offsets_.data()) / share;
      if (v > no_redundancy && variance > no_redundancy)
        samples[k].innovations[r] = samples[k].solution[n + r] / (share_[r] * std::sqrt(variance));
      systems.set(k, r, 0.0);
    }
  }
}

void Estimator::find_spread() noexcept {
  if (!wants_spread() && !options_.innovations) return;
  const Alone alone{last_->lu, response_, last_ == main_.get() ? 0 : refinements_};
  std::fill_n(last_->lu.right_side(), response_.size(), 0.0);
  sample_->state_entered = false;
  if (wants_spread()) find_standard_deviations(alone, sample_);
  if (options_.innovations) find_innovations(alone, sample_);
}

void Estimator::find_spread_together() noexcept {
  if (!wants_spread() && !options_.innovations) return;
  const Together together{prepared_->lu};
  std::fill_n(prepared_->lu.right_side(), response_.size(), Batch(0.0));
  if (wants_spread()) find_standard_deviations(together, prepared_->samples.data());
  if (options_.innovations) find_innovations(together, prepared_->samples.data());
}

}  // namespace sparsedyn
