#include "runtime/estimation/huber.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sparsedyn {
namespace {

constexpr int most_reweightings = 100;
constexpr double settled = 1e-9;   // relative change of a reading's share
constexpr int most_together = 24;  // readings that are reweighted at once, as one
constexpr int few_at_first = 3;    // as long as it is not known which

/// A few readings beyond Huber's threshold.
struct FarReadings {
  int count = 0;
  std::array<int, most_together> row = {};
  std::array<double, most_together> residual = {};  // that they will have, in σ

  /// Keeps the `most` largest, in their order.
  template <class Size>
  void add(int r, const Size& size, int most) {
    int place = count < most ? count++ : count;
    for (; place > 0 && size(row[place - 1]) < size(r); --place)
      if (place < most) row[place] = row[place - 1];
    if (place < most) row[place] = r;
  }
};

/// A small dense system, G w = b, in place; false where G has lost its digits.
bool solve_small(int n, std::array<std::array<double, most_together>, most_together>& G, std::array<double, most_together>& b) {
  constexpr double least_pivot = 1e-8;  // G is a part of a projector
  for (int k = 0; k < n; ++k) {
    if (!(G[k][k] > least_pivot)) return false;
    for (int i = k + 1; i < n; ++i) {
      const double factor = G[i][k] / G[k][k];
      for (int j = k; j < n; ++j) G[i][j] -= factor * G[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= G[k][j] * b[j];
    b[k] /= G[k][k];
  }
  return true;
}

}  // namespace

HuberEstimate::HuberEstimate(double threshold, int rows) : threshold_(threshold), sure_share_(rows), predicted_share_(rows) {}

bool HuberEstimate::is_needed(const SampleSolver& solver) const noexcept {
  const ReadingWeights& weights = solver.weights();
  for (int r = 0; r < solver.rows(); ++r)
    if (weights[r] != 0 && std::abs(solver.residuals()[r]) > threshold_) return true;
  return false;
}

/// The weights k/|r| of residuals r beyond k, as roots. Returns how many there are.
int HuberEstimate::weigh_by_residuals(SampleSolver& solver, double& change) const noexcept {
  const ReadingWeights& weights = solver.weights();
  std::vector<double>& shares = solver.weights().change_shares();
  int fewer = 0;
  change = 0;
  for (int r = 0; r < solver.rows(); ++r) {
    if (weights[r] == 0) continue;
    const double residual = std::abs(solver.residuals()[r]) / shares[r];
    const double share = residual > threshold_ ? std::sqrt(threshold_ / residual) : 1.0;
    change = std::max(change, std::abs(share / shares[r] - 1));
    fewer += share < 1;
    shares[r] = share;
  }
  return fewer;
}

/// What is minimised.
double HuberEstimate::sum(const SampleSolver& solver) const noexcept {
  const ReadingWeights& weights = solver.weights();
  double sum = 0;
  for (int r = 0; r < solver.rows(); ++r) {
    if (weights[r] == 0) continue;
    const double residual = std::abs(solver.residuals()[r]) / weights.shares()[r], k = threshold_;
    sum += residual > k ? k * (residual - k / 2) : residual * residual / 2;
  }
  return sum;
}

/// The `most` readings furthest beyond the threshold k, or fewer, are given at once the residuals ρ that they will have: each
/// then pulls with the constant force k t, t = ±1, and Newton's step (Madsen & Nielsen 1990) is exact where these readings and
/// signs stay the same. With weights s² and G = ∂ν/∂(s y), ν = s ρ the weighted residuals,
///   s ρ* = G⁻¹ (ν − u) + u,  u = k t / s.
/// All others will count fully. False where there are none, or G has lost its digits.
bool HuberEstimate::predict_shares(SampleSolver& solver, int most) noexcept {
  const ReadingWeights& weights = solver.weights();
  const std::vector<double>& shares = weights.shares();
  const double* residuals = solver.residuals();
  FarReadings far;
  const auto size = [&](int r) { return std::abs(residuals[r]) / shares[r]; };
  for (int r = 0; r < solver.rows(); ++r)
    if (weights[r] != 0 && size(r) > threshold_) far.add(r, size, most);
  std::array<std::array<double, most_together>, most_together> G = {};
  std::array<double, most_together> w = {}, u = {};
  for (int i = 0; i < far.count; ++i) {
    const double residual = residuals[far.row[i]];
    u[i] = std::copysign(threshold_ / shares[far.row[i]], residual), w[i] = residual - u[i];
    const double* response = solver.response_to(far.row[i]);
    if (!response) return false;
    for (int j = 0; j < far.count; ++j) G[j][i] = response[solver.unknowns() + far.row[j]];
  }
  if (far.count == 0 || !solve_small(far.count, G, w)) return false;
  std::fill(predicted_share_.begin(), predicted_share_.end(), 1.0);
  for (int i = 0; i < far.count; ++i) {
    const double residual = std::abs(w[i] + u[i]) / shares[far.row[i]];
    if (residual > threshold_) predicted_share_[far.row[i]] = std::sqrt(threshold_ / residual);
  }
  return true;
}

/// Iteratively reweighted least squares (Holland & Welsch 1977) from the plain estimate; Huber's sum has one minimum, and no
/// step leads away from it. That converges slowly where a reading is far off: so Newton's steps are tried (predict_shares).
/// One that leads uphill is taken back, and the next ones wait.
void HuberEstimate::find(SampleSolver& solver, EstimateStatus& status) noexcept {
  constexpr double rounding = 1e-12;
  double least = std::numeric_limits<double>::infinity();
  int before = -1, failures = 0, next = 0;
  bool predicted = false;
  for (int k = 0; k < most_reweightings; ++k) {
    if (predicted && !(status.ok() && sum(solver) <= least * (1 + rounding))) {
      solver.weights().change_shares().swap(sure_share_);
      predicted = false;
      next = k + (1 << std::min(++failures, 6));
    } else {
      least = sum(solver);
      const bool is_known = status.reweighted == before && before <= most_together;  // which readings are far off
      const int together = is_known ? most_together : k < few_at_first ? k + 1 : 0;
      before = status.reweighted;
      predicted = together > 0 && k >= next && k + 2 < most_reweightings && predict_shares(solver, together);
      status.reweighted = weigh_by_residuals(solver, status.unsettled);
      if (status.unsettled < settled) {
        status.unsettled = 0;
        return;
      }
      if (predicted) {
        std::vector<double>& shares = solver.weights().change_shares();
        sure_share_.swap(shares);
        shares.swap(predicted_share_);
      }
    }
    const SolverStatus again = solver.solve_again();
    status.state = again.state, status.unknown = again.unknown, status.equation = again.equation;
    if (!status.ok() && predicted) continue;
    if (!status.ok()) return;
    status.growth = std::max(status.growth, again.growth);
    status.backward_error = again.backward_error, status.componentwise_error = again.componentwise_error;
  }
}

}  // namespace sparsedyn
