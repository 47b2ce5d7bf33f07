// How often the torques of a log are beyond the effort limits.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace sparsedyn {

class BeyondLimits {
 public:
  /// limits: of each freedom (N m, N), or none at all.
  explicit BeyondLimits(std::vector<double> limits) : limits_(std::move(limits)), rows_of_(limits_.size(), 0) {}
  void look(const double* tau) noexcept {
    bool any = false;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      if (std::abs(tau[i]) > limits_[i]) ++rows_of_[i], any = true;
    rows_ += any;
  }
  /// Samples with a torque beyond its limit, and how many of them each torque has.
  long rows() const { return rows_; }
  const std::vector<long>& rows_of() const { return rows_of_; }

 private:
  std::vector<double> limits_;
  std::vector<long> rows_of_;
  long rows_ = 0;
};

}  // namespace sparsedyn
