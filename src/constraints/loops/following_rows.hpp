// Of the three rows of a loop's point or turn, those that say the same as others at every posture: a linkage in a plane does
// not move across it, whatever its rows have to say of that.
#pragma once

#include <array>
#include <vector>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// Row k = Σ shares(k, j) row j, at every posture, where follows[k]. Forces λ without a part that moves nothing have the same
/// shares, λ_k = Σ shares(k, j) λ_j: what is left out, (e_k − Σ shares(k, j) e_j) μ, is at right angles to them.
struct FollowingRows {
  std::array<char, 3> follows{{0, 0, 0}};
  Mat3<double> shares{};  // zero but in rows that follow, and there for those that they follow from

  int count() const { return follows[0] + follows[1] + follows[2]; }
};

/// Of three rows, their largest sizes over the postures; in their place, what each is judged beside: nothing where it is
/// rounding beside the largest, and no less than a part of the largest, since what the rows are rounded to is of that.
void judge_beside_largest(double* sizes) noexcept;

/// rows: three of any one length, what they are at all postures one after the other. Of rows that say the same, those that say
/// it firmly are kept. What judge_beside_largest takes for rounding is rounding here too.
FollowingRows following_rows(std::array<std::vector<double>, 3> rows);

}  // namespace sparsedyn
