#include "runtime/estimation/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/chi_square.hpp"

namespace sparsedyn {
namespace {

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
  double answer(int, int column) const { return ok ? response[column] : std::numeric_limits<double>::quiet_NaN(); }
};

/// The factored systems of a batch.
struct Together {
  static constexpr int samples = Batch::lanes;
  LUInLanes& lu;

  void set(int k, int row, double x) { lu.right_side()[row].lane[k] = x; }
  double right_side(int k, int row) { return lu.right_side()[row].lane[k]; }
  void solve() { lu.solve(); }
  double answer(int k, int column) const {
    return lu.ok(k) ? lu.solution()[column].lane[k] : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace

double variance_of_residual(double v, double share, const ReadingOffsets& offsets) noexcept {
  const double square = share * share;
  return v * (v + (1 - v) / square) - offsets.variance() / square;
}

bool is_checked(double v, double variance) noexcept { return v > no_redundancy && variance > no_redundancy; }

Deviations::Deviations(const Outputs& outputs, int unknowns, int rows)
    : outputs_(outputs), zero_(unknowns), gradient_(unknowns), response_(unknowns + rows) {}

/// sd² = cᵀ C c for the gradient c of an output, where the stationarity rows answer to c with x = −C c, and the residuals with
/// W Y C c: by W times that the output follows the readings, and their offsets, whose uncertainty adds to it.
template <class Systems>
void Deviations::of_outputs(Systems systems, EstimatorSample* samples, const ReadingWeights& weights,
                            ReadingOffsets& offsets) noexcept {
  const int n = static_cast<int>(zero_.size()), m = weights.rows();
  for (std::size_t c = 0; c < outputs_.columns().size(); ++c) {
    const std::vector<int>& unknowns = outputs_.unknowns_of(static_cast<int>(c));
    for (int k = 0; k < systems.samples; ++k) {
      outputs_.gradient(static_cast<int>(c), samples[k].y.data(), samples[k].work, zero_.data(), gradient_.data());
      for (int u : unknowns) systems.set(k, m + u, gradient_[u]);
    }
    systems.solve();
    for (int k = 0; k < systems.samples; ++k) {
      double variance = 0;
      for (int u : unknowns) variance -= systems.right_side(k, m + u) * systems.answer(k, u);
      offsets.follow(weights, [&](int o) { return systems.answer(k, n + o); });
      samples[k].follows_open_offset[c] = offsets.leave_open(std::sqrt(std::max(variance, 0.0)));
      samples[k].deviations[c] = std::sqrt(std::max(variance, 0.0) + offsets.variance());
      for (int u : unknowns) systems.set(k, m + u, 0.0);
    }
  }
}

/// (y − Y x)/σ over its own deviation.
template <class Systems>
void Deviations::of_rows(Systems systems, EstimatorSample* samples, const ReadingWeights& weights,
                         ReadingOffsets& offsets) noexcept {
  const int n = static_cast<int>(zero_.size());
  for (int r = 0; r < weights.rows(); ++r) {
    for (int k = 0; k < systems.samples; ++k) samples[k].innovations[r] = 0;
    if (weights[r] == 0) continue;
    for (int k = 0; k < systems.samples; ++k) systems.set(k, r, 1.0);
    systems.solve();
    const double share = weights.shares()[r];
    for (int k = 0; k < systems.samples; ++k) {
      offsets.follow(weights, [&](int o) { return systems.answer(k, n + o); });
      const double v = systems.answer(k, n + r), variance = variance_of_residual(v, share, offsets);
      if (is_checked(v, variance)) samples[k].innovations[r] = samples[k].solution[n + r] / (share * std::sqrt(variance));
      systems.set(k, r, 0.0);
    }
  }
}

void Deviations::find(EstimatorSample& sample, ZeroFillLU<double>& lu, int refinements, const ReadingWeights& weights,
                      ReadingOffsets& offsets, Spread wanted) noexcept {
  const Alone alone{lu, response_, refinements};
  std::fill_n(lu.right_side(), sample.solution.size(), 0.0);
  sample.state_entered = false;
  if (wanted.of_outputs) of_outputs(alone, &sample, weights, offsets);
  if (wanted.of_rows) of_rows(alone, &sample, weights, offsets);
}

void Deviations::find(EstimatorSample* samples, LUInLanes& lu, const ReadingWeights& weights, ReadingOffsets& offsets,
                      Spread wanted) noexcept {
  const Together together{lu};
  std::fill_n(lu.right_side(), samples->solution.size(), Batch(0.0));
  if (wanted.of_outputs) of_outputs(together, samples, weights, offsets);
  if (wanted.of_rows) of_rows(together, samples, weights, offsets);
}

}  // namespace sparsedyn
