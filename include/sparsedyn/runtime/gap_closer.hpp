// The unknowns that gaps in a sample leave undetermined, so that one order serves every pattern of gaps.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/determinacy/regularisation.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// Decides ranks at one general state. What is open there is open at every state; where a special state leaves more open, the
/// Estimator finds the sample's matrix singular.
class GapCloser {
 public:
  /// Throws std::invalid_argument without a system. Cost: the rows at one state.
  explicit GapCloser(std::shared_ptr<const System> system);
  ~GapCloser();
  GapCloser(GapCloser&&) noexcept;             // a moved-from object may only be assigned to or destroyed
  GapCloser& operator=(GapCloser&&) noexcept;  // likewise

  /// What the rows that are left determine, and what closes the rest; redundancy: with the missing rows still counted.
  /// `missing`: a flag for each row of the system; exact rows have none. Throws std::invalid_argument where one does. Cost: one
  /// dense factorisation of (noisy rows left) × (free unknowns); allocates.
  Regularisation close(const std::vector<char>& missing) const;

 private:
  struct Decided;
  std::unique_ptr<Decided> decided_;
};

}  // namespace sparsedyn
