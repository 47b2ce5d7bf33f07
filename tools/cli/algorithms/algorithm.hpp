// What `sparsedyn compute` can evaluate: a table of algorithms, each in a file of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// One row's inputs. v, a, tau, lambda (nv each) are null unless the algorithm reads them; fx (a wrench a body, in body
/// coordinates) is null where it does not, or where no external wrench is in the log; q where it may be missing and is.
struct State {
  const double* q;
  const double* v;
  const double* a;
  const double* tau;
  const Force<double>* fx;
  const double* lambda;       // multipliers that outputs are contracted with
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

struct Algorithm {
  const char* name;
  const char* summary;
  struct Reads {
    bool dq, ddq, tau, fx, lambda = false, q_may_be_missing = false;
  } reads;  // beside q
  std::function<std::vector<std::string>(const Model&)> outputs;
  std::function<std::unique_ptr<Evaluation>(const Model&)> prepare;
  /// Outputs named TENSOR.i.j.k are written one a line, under row, tensor, i, j, k, value, instead of one a column.
  bool long_form = false;
  /// What is computed instead with --contract: Σ_a λ_a [a,b,c]; null where there is nothing to contract.
  const Algorithm* contracted = nullptr;
  /// Output columns that have no meaning for a robot, and why: their cells stay empty. Null: all always have one.
  struct Meaningless {
    std::vector<int> columns;
    const char* why;
  };
  Meaningless (*meaningless)(const Model&) = nullptr;
  /// What of a robot the algorithm has no meaning for, and what it needs; empty texts where there is nothing. Null: all will
  /// do.
  struct Unfit {
    std::string element, found, expected;
  };
  Unfit (*unfit)(const Model&) = nullptr;
  /// The algorithm under constraints, for those that need --constraints; throws InputError where they do not suit it. Null: it
  /// needs none.
  Algorithm (*constrained)(const ConstraintSet&, const ConstraintOptions&) = nullptr;
  /// The algorithm for links with target poses, for those that need --target; throws UsageError. Null: it needs none.
  Algorithm (*towards)(const Model&, const std::vector<std::string>& links) = nullptr;
  /// Links whose poses are read: `pose.LINK.x .y .z .qx .qy .qz .qw`.
  std::vector<std::string> targets = {};
  /// Of CMake, which brings an algorithm that this build leaves out; null: it is there.
  const char* option = nullptr;
};

// The table's entries.
extern const Algorithm rnea_algorithm, aba_algorithm, crba_algorithm, minverse_algorithm;
extern const Algorithm rnea_derivatives_algorithm, aba_derivatives_algorithm;
extern const Algorithm rnea_second_derivatives_algorithm, aba_second_derivatives_algorithm;
extern const Algorithm coriolis_algorithm, christoffel_algorithm, hamilton_algorithm, regressor_algorithm;
extern const Algorithm contact_dynamics_algorithm, contact_inverse_dynamics_algorithm, contact_derivatives_algorithm;
extern const Algorithm inverse_kinematics_algorithm;
extern const Algorithm kinematics_algorithm, energy_algorithm, momentum_algorithm;

/// pose.LINK.x .y .z .qx .qy .qz .qw.
std::vector<std::string> pose_columns(const std::string& link);

/// All of them, in the order in which they are listed to the user.
const std::vector<const Algorithm*>& algorithms();

}  // namespace sparsedyn::cli
