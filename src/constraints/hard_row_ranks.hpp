// Which hard rows of a set say something of their own, posture by posture.
#pragma once

#include <vector>

#include "rows.hpp"
#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn {

class HardRowRanks {
 public:
  /// The model must outlive it. Throws as ConstrainedDynamics does.
  HardRowRanks(const Model& model, const ConstraintSet& set);
  const std::vector<RowBlock>& blocks() const { return rows_.blocks(); }
  /// Of each row, whether it is independent of those before it at q. Each is scaled to one where it is largest of 21 postures;
  /// 1e-9 of that counts as zero.
  std::vector<char> independent(const double* q);
  int rank(const double* q);

 private:
  std::vector<std::vector<double>> rows_at(const double* q);

  ConstraintRows rows_;
  Workspace<double> ws_;
  std::vector<double> still_, size_;  // no velocity; by row
};

}  // namespace sparsedyn
