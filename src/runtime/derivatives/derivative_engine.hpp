// What Solver and Estimator share of their derivatives.
#pragma once

#include <vector>

#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/detail/block_solve.hpp"
#include "sparsedyn/sparse/detail/dense_lu.hpp"
#include "sparsedyn/system/detail/system_derivatives.hpp"

namespace sparsedyn {

/// K z = r, factored: K is a system's matrix, or an augmented one. A right-hand side a lane.
class FactoredEquations {
 public:
  virtual ~FactoredEquations() = default;
  /// r by rows, z by columns. False where the solution is not finite, or its backward error above what is asked for.
  virtual bool solve(const Batch* r, Batch* z) noexcept = 0;
  /// Kᵀ z = c: c by columns, z by rows.
  virtual bool solve_transposed(const Batch* c, Batch* z) noexcept = 0;
};

/// By the factors of a plan, refined.
class PlannedEquations : public FactoredEquations {
 public:
  /// size: of K. tolerance: of the backward error.
  PlannedEquations(int size, double tolerance) : rest_(size), step_(size), tolerance_(tolerance) {}
  void use(BlockSolve& block) { block_ = &block; }
  bool solve(const Batch* r, Batch* z) noexcept override;
  bool solve_transposed(const Batch* c, Batch* z) noexcept override;

 private:
  template <class Solve, class Residual>
  bool refined(Solve solve, Residual residual, const Batch* r, Batch* z) noexcept;
  BlockSolve* block_ = nullptr;
  std::vector<Batch> rest_, step_;
  double tolerance_;
};

/// By a dense LU, for states at which plans fail.
class DenseEquations : public FactoredEquations {
 public:
  explicit DenseEquations(int size) : right_(size), answer_(size) {}
  void use(DenseLU& dense) { dense_ = &dense; }
  bool solve(const Batch* r, Batch* z) noexcept override;
  bool solve_transposed(const Batch* c, Batch* z) noexcept override;

 private:
  DenseLU* dense_ = nullptr;
  std::vector<double> right_, answer_;
};

/// How a change of A x = b changes K z = r. For a Solver they are the same. In an augmented system, rows carry weights, and the
/// stationarity rows below them, YᵀW ν + …, move with Y too.
struct ChangedResidual {
  int rows;                  // of A
  const double* weight;      // by row, or null: 1
  const double* multiplier;  // ν by row, or null: no stationarity rows

  /// Calls f(row of K, r − K z there), z held, x: its first part.
  template <class F>
  void for_each(const EquationChange& change, const double* x, F&& f) const {
    const auto weighted = [&](int row, double value) { return weight ? weight[row] * value : value; };
    for (const EquationChange::RightSide& b : change.right_side) f(b.row, weighted(b.row, b.value));
    for (const EquationChange::Entry& a : change.matrix) {
      f(a.row, -weighted(a.row, a.value) * x[a.column]);
      if (multiplier) f(rows + a.column, -weighted(a.row, a.value) * multiplier[a.row]);
    }
  }
};

/// One a thread. All memory is taken by the constructor.
class DerivativeEngine {
 public:
  /// size: of K. The system must outlive it; the outputs are copied.
  DerivativeEngine(const System& system, const Outputs& outputs, int size);

  /// The state: as SystemDerivatives::at takes it.
  void at(const double* q, const double* v, const double* y, const double* x) noexcept;

  /// Of all outputs. False where an equation could not be solved; what was written is then without meaning.
  bool find(FactoredEquations& equations, const ChangedResidual& changed, const DerivativeArrays& into,
            DerivativeMode mode) noexcept;
  /// Of Σ_c weight[c] output_c; arrays of one row. One transposed solve.
  bool combine(FactoredEquations& equations, const ChangedResidual& changed, const double* weight,
               const DerivativeArrays& into) noexcept;
  /// NaN in a row of each array, for what is undetermined.
  void leave_open(const DerivativeArrays& into, std::size_t row) const noexcept;

 private:
  using Number = SystemDerivatives::Number;
  enum Of { of_q, of_v, of_y, of_p };
  struct Direction {
    Of of;
    int k;
  };
  int note_directions(const DerivativeArrays& into) noexcept;
  double* place(const DerivativeArrays& into, const Direction& d, std::size_t row) const noexcept;
  const EquationChange& along(const Direction& d) noexcept;
  void find_explicit(const Direction& d) noexcept;
  bool forward(FactoredEquations& equations, const ChangedResidual& changed, const DerivativeArrays& into) noexcept;
  bool adjoint(FactoredEquations& equations, const ChangedResidual& changed, const double* weight,
               const DerivativeArrays& into) noexcept;
  bool find_adjoints(FactoredEquations& equations, const double* weight) noexcept;

  SystemDerivatives system_;
  Outputs outputs_;
  int size_, count_[4];                      // of K; directions of each kind
  std::vector<Direction> directions_;        // wanted
  std::vector<int> first_;                   // of each output's coefficients, and the end
  std::vector<double> coefficient_;          // beside Outputs::unknowns_of
  std::vector<Number> zero_, gradient_, x_;  // of the system's unknowns
  std::vector<Number> out_;                  // outputs
  std::vector<double> explicit_;             // outputs × lanes: how each moves though x is held
  std::vector<Batch> right_, answer_;        // size_ each
  std::vector<Batch> adjoints_;              // blocks of outputs × size_
  std::vector<Batch> sum_;                   // blocks of outputs
};

}  // namespace sparsedyn
