// Outputs by column name, also those that are not unknowns of the system: accelerations and external wrenches of links on fixed
// joints, wrenches through fixed joints (`f.JOINT`), the world's wrench on a fixed root (`f.world`), and the acceleration and
// velocity of mimic joints (`ddq.JOINT`, `dq.JOINT`). At the end, where derivatives of outputs go.
#pragma once

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "sparsedyn/system/rigid_group.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// A name that no output has; what() lists near ones.
struct UnknownOutput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Outputs by name, computed from a solution x.
class Outputs {
 public:
  /// `requests`: kinds (`tau`: that kind's unknowns), kind and name (`f.JOINT`, `acc.LINK`, `ddq.base`), or whole columns, in
  /// the order wanted, each once; empty: every unknown. The system must outlive it. Throws UnknownOutput.
  Outputs(const System& system, const std::vector<std::string>& requests);

  /// Their names, in the order asked for.
  const std::vector<std::string>& columns() const { return columns_; }
  /// The unknowns that the columns are computed from, ascending.
  const std::vector<int>& unknowns() const { return unknowns_; }
  /// Those that column c is computed from. Throws std::out_of_range.
  const std::vector<int>& unknowns_of(int c) const { return reads_.at(static_cast<std::size_t>(c)); }

  /// Whether every column is an unknown, so that no column moves with the state but through x.
  bool only_unknowns() const { return derived_.empty() && !reads_velocities_; }

  /// out (columns().size()) from the solution x and the y and workspace of the same state. No heap.
  /// S: double, Dual or Expr.
  template <class S>
  void write(const S* x, const S* y, const SystemWorkspace<S>& work, S* out) const noexcept;
  /// ∂(column c)/∂x at the state of y and work, in the entries unknowns_of(c) of `gradient` (others are left as they are).
  /// Columns are affine in x. `zero`: as many zeros as unknowns; they are zeros again afterwards. No heap.
  template <class S>
  void gradient(int c, const S* y, const SystemWorkspace<S>& work, S* zero, S* gradient) const noexcept;

 private:
  /// A spatial quantity that is no unknown, in the link's frame.
  struct Derived {
    VariableKind kind;  // acc, fx or f
    int link;
  };
  /// A column: an unknown, a component of a derived quantity, or a multiple of either the leader's acceleration (an unknown) or
  /// its velocity (an entry of v of Model::tree) for a joint that follows it.
  struct Column {
    int unknown, derived, component;
    double multiplier = 1;  // of the unknown
    int velocity = -1;      // of the tree
  };

  void add(const std::string& request);
  bool add_unknowns(const std::string& request);
  bool add_derived(const std::string& request);
  bool add_follower(const std::string& request);
  void note_unknowns(const Derived& derived);
  template <class S>
  Motion<S> acceleration(int link, const S* x) const;
  template <class S>
  Force<S> external_wrench(int link, const S* x, const S* y) const;
  template <class S>
  S derived_value(const Column& column, const S* x, const S* y, const SystemWorkspace<S>& work) const;
  template <class S>
  Force<S> joint_wrench(int derived, const S* x, const S* y, const SystemWorkspace<S>& work) const;

  const System& system_;
  std::vector<std::string> columns_;
  std::unordered_set<std::string> named_;  // columns_, to be found at once
  std::vector<int> unknowns_;
  std::vector<Column> sources_;
  std::vector<std::vector<int>> reads_;  // beside columns_
  std::vector<Derived> derived_;
  std::vector<RigidGroup> rigid_groups_;  // beside derived_; empty but for f
  bool reads_velocities_ = false;
};

/// The default outputs: the torques, joint accelerations and forces of closed loops that the set does not state exactly.
std::vector<std::string> default_outputs(const System& system);

extern template void Outputs::write<double>(const double*, const double*, const SystemWorkspace<double>&,
                                            double*) const noexcept;

// Derivatives of outputs with respect to the state, the readings and the parameters, for optimisation and filtering.
// With A(q) x = b(q, v, y, π) solved, each direction θ costs one right-hand side with the same factors,
//   forward   A dx/dθ = ∂b/∂θ − ∂A/∂θ x,        or, for an output o = gᵀ x, one transposed solve serves every direction,
//   adjoint   Aᵀ λ = g,   do/dθ = λᵀ (∂b/∂θ − ∂A/∂θ x).
// An estimate solves the augmented system (sparse/augmented.hpp) in place of A x = b; weights are constants.

/// How derivatives are computed. The results are equal up to rounding.
enum class DerivativeMode {
  automatic,  // the way with fewer solves
  forward,    // a solve a direction
  adjoint     // a solve an output
};

/// Arrays for derivatives, row by row, SI units; null: not wanted.
struct DerivativeArrays {
  double* dq = nullptr;  // outputs × nv, on the tangent: q ⊕ δ (model/configuration.hpp)
  double* dv = nullptr;  // outputs × nv
  double* dy = nullptr;  // outputs × System::inputs(); 0 for readings that are missing
  double* dp = nullptr;  // outputs × parameters, in the order of parameter_names (dynamics/regressor.hpp): ten numbers are
                         // added to the link that leads each body, four to each joint
};

}  // namespace sparsedyn
