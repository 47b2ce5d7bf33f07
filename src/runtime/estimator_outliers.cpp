// Readings that disagree with the others: judged by chi-square, named by their innovations, and made to count less.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "chi_square.hpp"
#include "sparsedyn/runtime/estimator.hpp"

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

void Estimator::judge(const PlannedOrder& replayed, EstimateStatus& status) const noexcept {
  const int n = replayed.augmented.unknowns(), m = replayed.augmented.equations();
  status.chi_square = 0;
  const EstimatorPlan& plan = *replayed.plan;
  status.redundancy = replayed.closing ? replayed.closing->redundancy : plan.redundancy;
  for (int r = 0; r < m; ++r) {
    if (replayed.augmented.exact(r)) continue;
    const double residual = weight_[r] == 0 ? 0.0 : sample_->solution[n + r] / share_[r];
    status.chi_square += residual * residual;
    if (sample_->missing[r] && !plan.left_out[r]) --status.redundancy;
  }
  status.outlier = is_outlier(status.chi_square, status.redundancy);
}

bool Estimator::is_outlier(double chi_square, int redundancy) const noexcept {
  const int freedoms = std::min<int>(redundancy, static_cast<int>(quantile_.size()) - 1);
  return freedoms > 0 && chi_square > quantile_[freedoms];
}

void Estimator::count_all_fully() noexcept {
  if (reweighted_) std::fill(share_.begin(), share_.end(), 1.0);
  reweighted_ = false;
}

/// Whether the sample was solved anew. last_ is then the order that it was solved by.
bool Estimator::remedy_outliers(EstimateStatus& status) noexcept {
  suspects_.clear();
  if (options_.huber > 0) {
    const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
    for (int r = 0; r < m; ++r)
      if (weight_[r] != 0 && std::abs(sample_->solution[n + r]) > options_.huber) {
        reweigh(status);
        return true;
      }
    return false;
  }
  if (!options_.gate || !status.outlier) return false;
  const int gaps = sample_->gaps;
  snoop(status);
  sample_->gaps = gaps;
  status.reweighted = static_cast<int>(suspects_.size());
  return true;
}

/// Huber's weights k/|r| of residuals r beyond k, as roots. Returns how many there are.
int Estimator::weigh_by_residuals(double& change) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
  int fewer = 0;
  change = 0;
  for (int r = 0; r < m; ++r) {
    if (weight_[r] == 0) continue;
    const double residual = std::abs(sample_->solution[n + r]) / share_[r];
    const double share = residual > options_.huber ? std::sqrt(options_.huber / residual) : 1.0;
    change = std::max(change, std::abs(share / share_[r] - 1));
    fewer += share < 1;
    share_[r] = share;
  }
  reweighted_ = true;
  return fewer;
}

/// What Huber's estimate minimises: Σ r²/2 of residuals up to k, k |r| − k²/2 beyond.
double Estimator::huber_sum() const noexcept {
  const std::size_t n = zero_.size();
  double sum = 0;
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    if (weight_[r] == 0) continue;
    const double residual = std::abs(sample_->solution[n + r]) / share_[r], k = options_.huber;
    sum += residual > k ? k * (residual - k / 2) : residual * residual / 2;
  }
  return sum;
}

/// The `most` readings furthest beyond the threshold k, or fewer, are given at once the residuals ρ that they will have: each
/// then pulls with the constant force k t, t = ±1, and Newton's step (Madsen & Nielsen 1990) is exact where these readings and
/// signs stay the same. With weights s² and G = ∂ν/∂(s y), ν = s ρ the weighted residuals,
///   s ρ* = G⁻¹ (ν − u) + u,  u = k t / s.
/// All others will count fully. False where there are none, or G has lost its digits.
bool Estimator::predict_shares(int most) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
  FarReadings far;
  const auto size = [&](int r) { return std::abs(sample_->solution[n + r]) / share_[r]; };
  for (int r = 0; r < m; ++r)
    if (weight_[r] != 0 && size(r) > options_.huber) far.add(r, size, most);
  std::array<std::array<double, most_together>, most_together> G = {};
  std::array<double, most_together> w = {}, u = {};
  for (int i = 0; i < far.count; ++i) {
    const double residual = sample_->solution[n + far.row[i]];
    u[i] = std::copysign(options_.huber / share_[far.row[i]], residual), w[i] = residual - u[i];
    std::fill(unit_.begin(), unit_.end(), 0.0);
    unit_[far.row[i]] = 1.0;
    if (!last_lu().solve(unit_.data(), response_.data()).ok()) return false;
    for (int j = 0; j < far.count; ++j) G[j][i] = response_[n + far.row[j]];
  }
  if (far.count == 0 || !solve_small(far.count, G, w)) return false;
  std::fill(predicted_share_.begin(), predicted_share_.end(), 1.0);
  for (int i = 0; i < far.count; ++i) {
    const double residual = std::abs(w[i] + u[i]) / share_[far.row[i]];
    if (residual > options_.huber) predicted_share_[far.row[i]] = std::sqrt(options_.huber / residual);
  }
  return true;
}

/// Iteratively reweighted least squares (Holland & Welsch 1977) from the plain estimate; Huber's sum has one minimum, and no
/// step leads away from it. That converges slowly where a reading is far off: so Newton's steps are tried (predict_shares).
/// One that leads uphill is taken back, and the next ones wait.
void Estimator::reweigh(EstimateStatus& status) noexcept {
  constexpr double rounding = 1e-12;
  double least = std::numeric_limits<double>::infinity();
  int before = -1, failures = 0, next = 0;
  bool predicted = false;
  for (int k = 0; k < most_reweightings; ++k) {
    if (predicted && !(status.ok() && huber_sum() <= least * (1 + rounding))) {
      share_.swap(sure_share_);
      predicted = false;
      next = k + (1 << std::min(++failures, 6));
    } else {
      least = huber_sum();
      const bool is_known = status.reweighted == before && before <= most_together;  // which readings are far off
      const int together = is_known ? most_together : k < few_at_first ? k + 1 : 0;
      before = status.reweighted;
      predicted = together > 0 && k >= next && k + 2 < most_reweightings && predict_shares(together);
      status.reweighted = weigh_by_residuals(status.unsettled);
      if (status.unsettled < settled) {
        status.unsettled = 0;
        return;
      }
      if (predicted) {
        sure_share_.swap(share_);
        share_.swap(predicted_share_);
      }
    }
    const EstimateStatus again = attempt_with_gaps();
    status.state = again.state, status.unknown = again.unknown, status.equation = again.equation;
    if (!status.ok() && predicted) continue;
    if (!status.ok()) return;
    status.growth = std::max(status.growth, again.growth);
    status.backward_error = again.backward_error, status.componentwise_error = again.componentwise_error;
  }
}

/// By the order that loses no pivot with a reading's weight, or else by the last sample's.
EstimateStatus Estimator::attempt_with_gaps() noexcept {
  factored_ = true;
  if (last_ == main_.get() && missing_data_) {
    const EstimateStatus status = attempt(*missing_data_);
    if (status.ok()) {
      last_ = missing_data_.get();
      return status;
    }
  }
  return attempt(*last_);
}

Estimator::AgainstOthers Estimator::against_others(int row) noexcept {
  const AgainstOthers nothing{0, std::numeric_limits<double>::infinity()};
  const int n = static_cast<int>(zero_.size());
  if (!last_ || row < 0 || row >= static_cast<int>(weight_.size()) || weight_[row] == 0) return nothing;
  std::fill(unit_.begin(), unit_.end(), 0.0);
  unit_[row] = 1.0;
  if (!last_lu().solve(unit_.data(), response_.data()).ok()) return nothing;
  const double share = share_[row] * share_[row], v = response_[n + row];
  for (std::size_t o = 0; o < offsets_.rows.size(); ++o)
    toward_offsets_[o] = weight_[offsets_.rows[o]] * response_[n + offsets_.rows[o]];
  const double variance = v * (v + (1 - v) / share) - offsets_.variance(toward_offsets_.data()) / share;
  if (!(v > no_redundancy) || !(variance > no_redundancy)) return nothing;
  return {sample_->solution[n + row] / (share_[row] * v), std::sqrt(variance) / v};
}

int Estimator::suspect() noexcept {
  int worst = -1;
  double largest = 0;
  for (int r = 0; r < static_cast<int>(weight_.size()); ++r) {
    if (weight_[r] == 0) continue;
    const AgainstOthers reading = against_others(r);
    const double innovation = std::abs(reading.difference) / reading.deviation;
    if (innovation > largest) largest = innovation, worst = r;
  }
  return worst;
}

void Estimator::snoop(EstimateStatus left) noexcept {
  while (left.outlier && suspects_.size() < most_suspects) {
    const int row = suspect();
    if (row < 0) return;
    PlannedOrder* const before = last_;
    sample_->missing[row] = 1, ++sample_->gaps;
    left = attempt_with_gaps();
    if (!left.ok() || singular(*last_)) {
      sample_->missing[row] = 0, --sample_->gaps;
      last_ = before;
      attempt(*last_);
      return;
    }
    suspects_.push_back(row);
    judge(*last_, left);
  }
}

const std::vector<int>& Estimator::leave_out_suspects() noexcept {
  const bool left_out_already = options_.gate && !(options_.huber > 0);
  if (!last_ || left_out_already) return suspects_;
  suspects_.clear();
  if (reweighted_) {
    count_all_fully();
    if (!attempt_with_gaps().ok()) return suspects_;
  }
  EstimateStatus status;
  judge(*last_, status);
  snoop(status);
  return suspects_;
}

}  // namespace sparsedyn
