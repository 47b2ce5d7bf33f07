// What gaps in a sample leave open, so that one order serves every pattern of them.
//
// Where the noisy rows that are left no longer determine all unknowns, the least-squares problem has many solutions. A unit
// precision on as many unknowns as there are open directions picks one of them. What is determined does not change: along the
// open directions the noisy rows see nothing, so that these precisions are met with 0 = 0.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/runtime/estimator_plan.hpp"

namespace sparsedyn {

/// Decides ranks at one general state. What is open there is open at every state; where a special state leaves more open, the
/// Estimator finds the sample's matrix singular.
class GapCloser {
 public:
  /// Throws std::invalid_argument without a system. Cost: the rows at one state.
  explicit GapCloser(std::shared_ptr<const System> system);
  ~GapCloser();
  GapCloser(GapCloser&&) noexcept;
  GapCloser& operator=(GapCloser&&) noexcept;

  /// `missing`: a flag for each row of the system; exact rows have none. Throws std::invalid_argument where one does. Cost: one
  /// dense factorisation of (noisy rows left) × (free unknowns); allocates.
  GapClosing close(const std::vector<char>& missing) const;

 private:
  struct Decided;
  std::unique_ptr<Decided> decided_;
};

}  // namespace sparsedyn
