// The runtime: state and inputs in, every variable by name out. It assembles the system, replays the plan and checks each
// equation relative to its own terms. If the plan's order is inaccurate at a state, it refines, then uses the plan's fallback
// order, then a dense LU with pivoting. Each of these remedies is counted. If all of them fail, the status says so, and no
// output is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/sparse/detail/dense_lu.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/system/detail/negligible_sizes.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"

namespace sparsedyn {

/// The outputs of a Solver, and when it applies a remedy.
struct SolverOptions {
  std::vector<std::string> outputs;  // as Outputs takes them; empty: every unknown
  double tolerance = 1e-12;          // of both backward errors, above which the next remedy is tried
  int dense_limit = 2500;            // the dense LU is allocated for at most so many unknowns (n² doubles)
  bool derivatives = false;          // allocates memory for derivatives()
};

/// How often each remedy was needed, since construction.
struct SolverCounts {
  long solved = 0, failed = 0;         // states
  long refined = 0;                    // steps of refinement
  long fallback_order = 0, dense = 0;  // states that needed the remedy
  /// Of an Estimator: samples whose sweep for deviations was repeated to see whether it kept its digits, and those whose
  /// deviations were left to solves because it did not.
  long sweeps_checked = 0, left_to_solves = 0;
};

/// The result of one solve. `state` is that of the last attempt; `unknown` (a column of the system) and `equation` locate the
/// failure.
struct SolverStatus {
  LUState state = LUState::ok;                                     // of the last attempt
  int unknown = -1, equation = -1;                                 // or -1
  double backward_error = 0, componentwise_error = 0, growth = 1;  // of the last attempt: SolutionErrors; LUStatus, ZeroFillLU
  bool ok() const { return state == LUState::ok; }                 // the outputs were written
};

struct SolverDerivatives;
/// Deletes it where its type is complete.
struct DeleteSolverDerivatives {
  void operator()(SolverDerivatives* derivatives) const noexcept;  // as delete does
};

/// Executes the plan of a square system at each state. Use one object for each thread.
class Solver {
 public:
  /// System and plan are shared and not changed. The plan must have been made for this system. Throws UnknownOutput,
  /// std::invalid_argument, ZeroPivot. All memory is allocated here.
  Solver(std::shared_ptr<const System> system, std::shared_ptr<const Plan> plan, const SolverOptions& options = {});

  /// The system that it solves.
  const System& system() const { return *system_; }
  /// The names of the outputs, in order.
  const std::vector<std::string>& output_columns() const { return outputs_.columns(); }

  /// q (nq, unit quaternions), v (nv), y (system().inputs()) → out (output_columns()). Where the status is not ok, out is not
  /// written. Heap-free.
  SolverStatus solve(const double* q, const double* v, const double* y, double* out) noexcept;

  /// Derivatives of the outputs at the last solve, from its factors (options.derivatives). If the status is not ok, as after a
  /// failed solve, the arrays hold no meaningful numbers. Cost: three assemblies; then, for each eight directions (forward) or
  /// outputs (adjoint), about two vectorised solves of plan().solve_flops(), and for each direction a pass over the bodies that
  /// it moves. Heap-free.
  SolverStatus derivatives(const DerivativeArrays& into, DerivativeMode mode = DerivativeMode::automatic) noexcept;
  /// The gradient of Σ weight[c] output c (weight: output_columns()), arrays of one row each: one transposed solve for all.
  SolverStatus gradient(const double* weight, const DerivativeArrays& into) noexcept;

  /// All unknowns of the last solve that was ok.
  const double* unknowns() const { return x_.data(); }
  /// Since construction.
  const SolverCounts& counts() const { return counts_; }
  /// The status in words, with names: `the pivot of ddq.elbow vanishes`.
  std::string describe(const SolverStatus& status) const;

 private:
  SolverStatus attempt(ZeroFillLU<double>& lu, const double* q, const double* y) noexcept;
  SolverStatus attempt_dense(const double* q, const double* y) noexcept;
  const double* moved_by_rounding(const double* q, const double* y) noexcept;
  int unknown_without_digits_dense() noexcept;
  bool accurate(const SolverStatus& status) const noexcept;
  bool prepare_derivatives() noexcept;
  /// What holds the factors of the last solve.
  enum class Factors { none, plan, fallback, dense };

  std::shared_ptr<const System> system_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<const Plan> fallback_plan_;  // or none
  SolverOptions options_;
  Outputs outputs_;
  SystemWorkspace<double> work_;
  RoundingProbe probe_;
  ZeroFillLU<double> lu_;
  std::unique_ptr<ZeroFillLU<double>> fallback_lu_;
  std::unique_ptr<DenseLU> dense_;
  std::vector<double> x_;
  RefinementMemory<double> refinement_;          // beside dense_
  std::vector<double> moved_;                    // entries, likewise
  std::unique_ptr<NegligibleSizes> negligible_;  // where the system sums inertias: each answer is asked for its digits
  SolverCounts counts_;
  Factors factors_ = Factors::none;
  std::unique_ptr<SolverDerivatives, DeleteSolverDerivatives> derivatives_;  // options.derivatives
};

}  // namespace sparsedyn
