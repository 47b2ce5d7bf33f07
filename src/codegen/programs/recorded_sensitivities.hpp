// Derivatives of what a sensor set determines, recorded. A x = b holds at every state, so that along a direction θ
//   A dx/dθ = ∂b/∂θ − ∂A/∂θ x,
// solved by the recorded factors of A. Changes of A and b are the assembly run on dual numbers of expressions: what is zero at
// every state leaves nothing in the program. Parameters enter the equations of bodies and joints linearly and by hand, as in
// SystemDerivatives (system/detail/system_derivatives.hpp).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sensor_ports.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/outputs.hpp"

namespace sparsedyn {

/// What changes of A and b along one direction.
struct RecordedChange {
  struct Entry {
    int row, column;
    Expr value;
  };
  std::vector<Entry> matrix;
  std::vector<std::pair<int, Expr>> right_side;  // by row
};

/// What is differentiated.
struct RecordedSolution {
  const SensorInputs& in;
  const ReadInputs& read;
  const SystemWorkspace<Expr>& work;  // of the assembly
  std::vector<Expr> x;                // as A multiplies it, before System::unshift
  /// dx for a change, by the factors; of an estimate the weighted residuals' change behind it.
  std::function<std::vector<Expr>(const RecordedChange&)> change_of_x;
};

/// dx along q (nv), v (nv) and the inputs read, as far as they are wanted, one after the other: what change_of_x gives for
/// each.
std::vector<std::vector<Expr>> solution_slopes(const System& system, const Outputs& outputs, const RecordedSolution& solution,
                                               const DerivativesBy& by);

/// Adds the outputs dx_dq, dx_dv (outputs × nv, q by its tangent), dx_dy (× the inputs read) and dx_dp (× parameters) as far as
/// they are wanted, row by row: `dx_dq.i.k`. Throws std::invalid_argument where dx_dp is not known.
void record_sensitivities(Recorder& recorder, const System& system, const Outputs& outputs, const RecordedSolution& solution,
                          const DerivativesBy& by);

}  // namespace sparsedyn
