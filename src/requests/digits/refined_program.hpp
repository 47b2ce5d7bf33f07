// A sensor set's program that refines what it would lose digits of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "inexact_columns.hpp"

namespace sparsedyn {

/// A program, and what it does about lost digits.
struct RefinedProgram {
  Program program;
  RefinementSteps refined;          // the solves that it repeats on their residuals
  std::vector<InexactColumn> lost;  // what loses digits all the same, the worst first
};

/// A set's program with so many steps of refinement.
using RecordedWith = std::function<Program(const RefinementSteps&)>;

/// The program of `record` with one step of iterative refinement for each column that loses digits without, or is near to it,
/// up to three where one is not enough, and none where steps do not help. `solver` tells the truth, `read` are the inputs that
/// the program reads and `how` it is compared (inexact_columns). Each deviation that is refined adds at least one solve to the
/// program, so that of sets in which hundreds lose digits only the worst are refined, up to how.most_operations. Cost: a
/// recording and a comparison, and one or two of each for each step.
RefinedProgram refined_program(const SensorSolver& solver, const ReadInputs& read, const RecordedWith& record,
                               const ColumnComparison& how = {});

}  // namespace sparsedyn
