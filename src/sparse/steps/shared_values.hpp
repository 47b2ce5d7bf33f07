// Each value of a straight-line program once. Where a matrix is symmetric and its order keeps it so, elimination would compute
// nearly every value twice, on either side of the diagonal. Equal values are found by following the cells at exact fingerprints
// of random inputs (sparse/detail/modular_fingerprint.hpp), so that nothing has to be known of how they arose.
#pragma once

#include "sparse/steps/steps.hpp"
#include "sparsedyn/sparse/detail/modular_fingerprint.hpp"
#include "sparsedyn/sparse/lu_program.hpp"

namespace sparsedyn {

struct SharedValues {
  Steps steps;
  int cells = 0;
  int end_of_factor = 0;  // in the new steps
  std::vector<int> same;  // cell of the program given -> the cell that holds its value
};

/// Leaves out steps that compute what another cell holds already. Where a wanted value is a partial sum of a step, the step is
/// divided there. Each sum starts from its longest part that a cell holds already.
/// inputs: fingerprints of the first cells, equal where values are equal at every state.
SharedValues share_values(const Steps& steps, int cells, int end_of_factor, const std::vector<ModularFingerprint>& inputs);

/// Fingerprints of the entries of a symmetric matrix, equal across the diagonal, and of a right-hand side.
std::vector<ModularFingerprint> symmetric_inputs(const Pattern& pattern, const UnitEntries& unit);

}  // namespace sparsedyn
