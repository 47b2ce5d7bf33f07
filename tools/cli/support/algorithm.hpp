// What `sparsedyn compute` can evaluate: the library's catalogue, and algorithms that ask for more than a state.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/columns.hpp"
#include "sparsedyn/algorithms/algorithm.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// One row's inputs. v, a, tau, lambda (nv each) and pi (the parameters) are null unless the algorithm reads them; fx (a wrench
/// a body, in body coordinates) is null where it does not, or where no external wrench is in the log; q where it may be missing
/// and is.
struct State {
  const double* q;
  const double* v;
  const double* a;
  const double* tau;
  const Force<double>* fx;
  const double* lambda;       // multipliers that outputs are contracted with
  const double* more_lambda;  // of ComputedAlgorithm::more_multipliers, or null where the log has none of them
  const double* pi;           // parameters of all bodies
  const Pose<double>* poses;  // of the targets
};

/// An algorithm made ready for one model: what it allocates, it allocates when it is built.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  /// Writes one value for each output column; false where the state is singular, why() then says so.
  virtual bool evaluate(const State& state, double* out) noexcept = 0;
  virtual std::string why() const { return "the outputs are not finite"; }
  /// What to warn of after the last row, or nothing.
  virtual std::string remark() const { return ""; }
  /// Whether out is worth writing although evaluate() returned false.
  virtual bool has_best() const { return false; }
};

struct ComputedAlgorithm {
  const char* name;
  const char* summary;
  AlgorithmReads reads;
  std::function<std::vector<std::string>(const Model&)> outputs;
  std::function<std::unique_ptr<Evaluation>(const Model&)> prepare;
  /// Outputs named TENSOR.i.j.k are written one a line, under row, tensor, i, j, k, value, instead of one a column.
  bool long_form = false;
  /// The same columns with every index as a number, for NumPy files: `J.3.0.1` of the third link. Null: they are as they stand.
  std::function<std::vector<std::string>(const Model&)> numbered = nullptr;
  /// A log without q will do.
  bool q_may_be_missing = false;
  /// What is computed instead with --contract: Σ_a λ_a [a,b,c]; null where there is nothing to contract.
  std::shared_ptr<const ComputedAlgorithm> contracted = nullptr;
  /// Output columns that have no meaning for a robot, and why: their cells stay empty. Null: all always have one.
  MeaninglessColumns (*meaningless)(const Model&) = nullptr;
  /// What of a robot the algorithm has no meaning for, and what it needs; empty texts where there is nothing. Null: all will
  /// do.
  AlgorithmMisfit (*misfit)(const Model&) = nullptr;
  /// The algorithm under constraints, for those that need --constraints; throws InputError where they do not suit it. Null: it
  /// needs none.
  ComputedAlgorithm (*constrained)(const ConstraintSet&, const ConstraintOptions&) = nullptr;
  /// The algorithm for links with target poses, for those that need --target; throws UsageError. Null: it needs none.
  ComputedAlgorithm (*towards)(const Model&, const std::vector<std::string>& links) = nullptr;
  /// Links whose poses are read: `pose.LINK.x .y .z .qx .qy .qz .qw`.
  std::vector<std::string> targets = {};
  /// The log's columns of multipliers: this, and the names of the velocities. contracts: --contract says another.
  const char* multipliers = "lambda";
  bool contracts = false;
  /// Columns of more multipliers, which a log may leave out: zeros. Null: there are none.
  std::function<std::vector<std::string>(const Model&)> more_multipliers = nullptr;
  /// Outputs NAME.i.k, i ≥ k, are lower triangles of symmetric matrices: NumPy files hold all of them.
  bool lower_triangles = false;
  /// Of CMake, which brings an algorithm that this build leaves out; null: it is there.
  const char* option = nullptr;
};

// Those that ask for more than a state.
extern const ComputedAlgorithm contact_dynamics_algorithm, contact_inverse_dynamics_algorithm, contact_derivatives_algorithm;
extern const ComputedAlgorithm contact_second_derivatives_algorithm, inverse_kinematics_algorithm;

/// All of them, in the order in which they are listed to the user.
const std::vector<ComputedAlgorithm>& computed_algorithms();

}  // namespace sparsedyn::cli
