// What a Solver keeps for its derivatives.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "derivative_engine.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn {

struct SolverDerivatives {
  SolverDerivatives(const System& system, const Outputs& outputs, const Plan& plan, const Plan* fallback,
                    const SolverOptions& options);
  /// The state of the last solve.
  void keep(const double* at_q, const double* at_v, const double* at_y) noexcept {
    std::copy_n(at_q, q.size(), q.data());
    std::copy_n(at_v, v.size(), v.data());
    std::copy_n(at_y, y.size(), y.data());
  }

  std::vector<double> q, v, y;
  DerivativeEngine engine;
  BlockSolve block;
  std::optional<BlockSolve> fallback_block;
  PlannedEquations planned;
  DenseEquations dense;
  FactoredEquations* equations = nullptr;  // of the last solve
};

std::unique_ptr<SolverDerivatives, DeleteSolverDerivatives> made_derivatives(const System& system, const Outputs& outputs,
                                                                             const Plan& plan, const Plan* fallback,
                                                                             const SolverOptions& options);

}  // namespace sparsedyn
