// Readings that disagree with the others: judged by chi-square, named by their innovations, and made to count less.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsedyn/runtime/estimator.hpp"

namespace sparsedyn {
namespace {

constexpr int most_reweightings = 100;
constexpr double settled = 1e-9;        // relative change of a reading's share
constexpr double no_redundancy = 1e-9;  // variance of a residual that no other row predicts

}  // namespace

void Estimator::judge(const EstimatorPlan& plan, EstimateStatus& status) const noexcept {
  const int n = plan.augmented.unknowns(), m = plan.augmented.equations();
  status.chi_square = 0;
  status.redundancy = plan.redundancy;
  for (int r = 0; r < m; ++r) {
    if (plan.augmented.exact(r)) continue;
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

/// Iteratively reweighted least squares (Holland & Welsch 1977) from the plain estimate; Huber's sum has one minimum.
void Estimator::reweigh(EstimateStatus& status) noexcept {
  for (int k = 0; k < most_reweightings; ++k) {
    double change;
    status.reweighted = weigh_by_residuals(change);
    if (change < settled) break;
    const EstimateStatus again = attempt_with_gaps();
    status.state = again.state, status.unknown = again.unknown, status.equation = again.equation;
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
  const double variance = v * (v + (1 - v) / share) - offsets_variance() / share;
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
    judge(*last_->plan, left);
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
  judge(*last_->plan, status);
  snoop(status);
  return suspects_;
}

}  // namespace sparsedyn
