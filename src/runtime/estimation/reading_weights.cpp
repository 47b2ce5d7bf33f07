#include "runtime/estimation/reading_weights.hpp"

#include <algorithm>

namespace sparsedyn {

ReadingWeights::ReadingWeights(const System& system)
    : sigma_(system.pattern().rows), inverse_sigma_(sigma_.size()), weight_(sigma_.size()), share_(sigma_.size(), 1.0) {
  for (int r = 0; r < rows(); ++r) {
    if (system.equations()[r].measurement < 0) continue;
    sigma_[r] = system.sigma_of(r);
    inverse_sigma_[r] = 1.0 / sigma_[r];
  }
  stated_ = sigma_;
}

bool ReadingWeights::set_sigma(int row, double sigma) noexcept {
  const bool is_deviation = sigma >= 1e-100 && sigma <= 1e100;
  if (!is_noisy(row) || !is_deviation) return false;
  changed_ += static_cast<int>(sigma != stated_[row]) - static_cast<int>(sigma_[row] != stated_[row]);
  sigma_[row] = sigma;
  inverse_sigma_[row] = 1.0 / sigma;
  return true;
}

void ReadingWeights::weigh(const std::vector<char>& missing, const std::vector<char>& left_out,
                           const Augmented& augmented) noexcept {
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    const bool idle = missing[r] || left_out[r] || augmented.exact(static_cast<int>(r));
    weight_[r] = idle ? 0.0 : share_[r] * inverse_sigma_[r];
  }
}

void ReadingWeights::count_all_fully() noexcept {
  if (!all_full_) std::fill(share_.begin(), share_.end(), 1.0);
  all_full_ = true;
}

}  // namespace sparsedyn
