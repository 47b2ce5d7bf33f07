// Sizes below which an unknown is as good as zero.
#pragma once

#include <vector>

#include "sparsedyn/system/detail/one_of.hpp"

namespace sparsedyn {

/// An unknown stands beside those of its own unit: a wrench of 1e16 N m does not hide an acceleration. One a thread.
class NegligibleSizes {
 public:
  /// Takes all memory. more: unknowns beyond those of the system, of units that are not known.
  explicit NegligibleSizes(const System& system, std::size_t more = 0);

  /// 1e-10 of the largest unknown of the same unit, and of what is of order one of it (one_of); 1e-12 of the largest of all
  /// where the unit is not known. x: unknowns. Valid until the next call. Heap-free.
  const double* beside(const double* x) noexcept;

 private:
  std::vector<UnknownUnit> unit_;  // of each unknown
  std::vector<double> one_;        // likewise
  std::vector<double> size_;       // likewise
};

}  // namespace sparsedyn
