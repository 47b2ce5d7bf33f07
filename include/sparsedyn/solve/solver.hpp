// The runtime: state and inputs in, every variable by name out. Assemble, replay the plan, check each equation beside its own
// terms, and, where a state is bad for the plan's order, refine, turn to the plan's second order, and at last to a dense LU
// with pivoting; each such step is counted, and what no step cures is reported, never handed on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/solve/dense_lu.hpp"
#include "sparsedyn/solve/outputs.hpp"
#include "sparsedyn/solve/zero_fill_lu.hpp"

namespace sparsedyn {

struct SolverOptions {
  std::vector<std::string> outputs;  // as Outputs takes them; empty: every unknown
  double tolerance = 1e-12;          // of both backward errors, above which the next remedy is tried
  int dense_limit = 2500;            // most unknowns for which the dense LU's memory is taken (n² doubles)
};

/// How often each remedy was needed, since construction.
struct SolverCounts {
  long solved = 0, failed = 0;
  long refined = 0;  // steps of refinement
  long second_order = 0, dense = 0;
};

/// What one solve found. `state` is that of the last attempt; `unknown` (a column of the system) and `equation` name the
/// trouble.
struct SolverStatus {
  LUState state = LUState::ok;
  int unknown = -1, equation = -1;
  double backward_error = 0, componentwise_error = 0, growth = 1;  // SolutionErrors; LUStatus
  bool ok() const { return state == LUState::ok; }
};

class Solver {
 public:
  /// System and plan are shared and not changed; one Solver a thread. The plan must be the system's. Throws UnknownOutput,
  /// std::invalid_argument, ZeroPivot. All memory is taken here.
  Solver(std::shared_ptr<const System> system, std::shared_ptr<const Plan> plan, const SolverOptions& options = {});

  const System& system() const { return *system_; }
  const std::vector<std::string>& output_columns() const { return outputs_.columns(); }

  /// q (nq, unit quaternions), v (nv), y (system().inputs()) → out (output_columns()). Where the status is not ok, out is not
  /// written. Heap-free.
  SolverStatus solve(const double* q, const double* v, const double* y, double* out) noexcept;

  /// The unknowns of the last solve that was ok, all of them.
  const double* unknowns() const { return x_.data(); }
  const SolverCounts& counts() const { return counts_; }
  /// The status in words, with names: `the pivot of ddq.elbow vanishes`.
  std::string describe(const SolverStatus& status) const;

 private:
  SolverStatus attempt(ZeroFillLU<double>& lu) noexcept;
  SolverStatus attempt_dense() noexcept;
  void refine_dense() noexcept;
  bool accurate(const SolverStatus& status) const noexcept;

  std::shared_ptr<const System> system_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<const Plan> second_plan_;  // or none
  SolverOptions options_;
  Outputs outputs_;
  SystemWorkspace<double> work_;
  ZeroFillLU<double> lu_;
  std::unique_ptr<ZeroFillLU<double>> second_lu_;
  std::unique_ptr<DenseLU> dense_;
  std::vector<double> x_;
  std::vector<double> rest_, step_, first_step_;  // unknowns each, beside dense_
  SolverCounts counts_;
};

}  // namespace sparsedyn
