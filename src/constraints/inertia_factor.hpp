// H = Lᵀ D L, tips first (Featherstone 2008, §6.5): without fill where H has the tree's pattern; where rows tie two branches
// together, with the fill that their paths bring, found once.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

class InertiaFactor {
 public:
  /// `coupled`: sets of freedoms (entries of v) that share an entry of H beyond the tree's.
  InertiaFactor(const Model& model, const std::vector<std::vector<int>>& coupled);

  /// H, nv × nv; the lower triangle within the pattern is read and overwritten by the factors. -1, or the freedom whose pivot
  /// is not positive beside what was summed into it.
  int factor(double* H) noexcept;
  /// x ← H⁻¹ x.
  void solve(const double* factors, double* x) const noexcept;
  /// For each freedom those before it that share an entry with it.
  const std::vector<std::vector<int>>& before() const noexcept { return before_; }

 private:
  int n_;
  std::vector<std::vector<int>> before_;
  std::vector<double> diagonal_;  // of H
};

}  // namespace sparsedyn
