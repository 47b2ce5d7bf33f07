// By how much each row counts in a least-squares estimate.
#pragma once

#include <vector>

#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// w = share/σ of each noisy row that is there, else 0. The shares are what robust estimates change (huber.hpp).
class ReadingWeights {
 public:
  /// σ as the set states it.
  explicit ReadingWeights(const System& system);

  int rows() const noexcept { return static_cast<int>(weight_.size()); }
  /// False, and nothing is changed, for a row that is none or exact, and for a σ beyond 1e-100 to 1e100.
  bool set_sigma(int row, double sigma) noexcept;
  bool is_noisy(int row) const noexcept { return row >= 0 && row < rows() && sigma_[row] > 0; }
  const std::vector<double>& sigma() const noexcept { return sigma_; }
  /// Whether every reading counts as the set states it: with its σ, and fully.
  bool as_stated() const noexcept { return changed_ == 0 && all_full_; }

  /// The weights of a sample that lacks the rows flagged, under a plan that does without others.
  void weigh(const std::vector<char>& missing, const std::vector<char>& left_out, const Augmented& augmented) noexcept;
  /// As weigh() left them.
  const std::vector<double>& weights() const noexcept { return weight_; }
  double operator[](int row) const noexcept { return weight_[row]; }

  /// The root of the share with which each reading counts, at most 1.
  const std::vector<double>& shares() const noexcept { return share_; }
  /// To be changed; they enter at the next weigh().
  std::vector<double>& change_shares() noexcept {
    all_full_ = false;
    return share_;
  }
  /// Whether no share was changed since count_all_fully().
  bool all_full() const noexcept { return all_full_; }
  void count_all_fully() noexcept;

 private:
  std::vector<double> sigma_, inverse_sigma_, weight_, share_;  // a row of the system
  std::vector<double> stated_;                                  // likewise: σ of the set
  int changed_ = 0;                                             // rows of another σ
  bool all_full_ = true;
};

}  // namespace sparsedyn
