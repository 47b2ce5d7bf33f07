// The matrix at a state that differs by roundings, which tells entries that are rounding from those that are small.
#pragma once

#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// No double is π: the sine of the one next to it is 1.2e-16, where 0 is meant. Such an entry moves by far more than itself
/// when q moves by a few hundred roundings; an inertia of 1e-15 stays. One a thread.
class RoundingProbe {
 public:
  /// Takes all memory. The system must outlive it.
  explicit RoundingProbe(const System& system);

  /// The matrix (in pattern order) at q_i + s_i max(1, |q_i|), 1e-13 ≤ |s_i| < 2e-13: shares of all sizes, lest two joints turn
  /// back what each other turned, and the same in every call. (Quaternions: their length changes by no more.) q: nq; y: the
  /// readings, at which centres of pressure enter the matrix. Valid until the next call. Heap-free; one assembly.
  const double* values(const double* q, const double* y) noexcept;

 private:
  const System& system_;
  std::vector<double> share_, q_;  // nq
  std::vector<double> v_;          // nv zeros: the matrix does not depend on velocities
  std::vector<double> values_, right_side_;
  SystemWorkspace<double> work_;
};

/// Entries that move by a tenth of themselves or more become 0. values: of the matrix at a state; moved: of RoundingProbe.
void clear_rounding(const double* moved, std::vector<double>& values) noexcept;

}  // namespace sparsedyn
