// The dynamics of a robot and what is measured on it as one sparse linear system: named equations × named unknowns.
//
// Unknowns of body i, in coordinates of the link that leads it (the child link of its joint):
//   a_i (6, proper acceleration: gravity enters as base acceleration −g), f_i (6, parent on i), τ_i, q̈_i (one a freedom) and
//   fx_i (6, the world on the link); also fx of lumped links that the sensor set names. Equations:
//
//   (a)  a_i − iX_λ a_λ − S_i q̈_i                = c_i = v_i × S_i v_Ji
//   (f)  f_i − I_i a_i + Σ_l iX_l* fx_l − Σ_j jX_iᵀ f_j = p_i = v_i ×* I_i v_i      (j: children of i, l: links lumped into i)
//   (τ)  τ_i − S_iᵀ f_i − armature q̈_i            = load_i(v), what the joint takes (model/joint_physics.hpp)
//   and the rows of the sensors, Y(q, v, y) x = y − b(q, v).
//
// Hard constraints of the set add the forces λ that hold them, Jᵀλ in the rows (f) or (τ), and the rows J a = … (closure.hpp).
//
// A joint that follows another has a, f and τ_i, what the coupling supplies, but no q̈: its leader's column stands in its rows
// with the multiplier, S_i m q̈_l. In its leader's row (τ) the torque is driven for both: τ_l − Σ m τ_i − …
//
// The intermediate massless bodies of universal and composite joints have a, f, τ and q̈ too, in their own frame.
// This is the formulation newton-euler; the others (formulation.hpp) write other rows for other unknowns with the same answers.
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "sparsedyn/model/detail/is_index.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"
#include "sparsedyn/sparse/pattern.hpp"
#include "sparsedyn/system/body_terms.hpp"
#include "sparsedyn/system/closure.hpp"
#include "sparsedyn/system/detail/tables.hpp"
#include "sparsedyn/system/equations.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/measurement.hpp"
#include "sparsedyn/system/rigid_group.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

template <class S>
struct SystemWorkspace;

/// Whose numbers a system's robot has: its own, or examples that stand for the inputs of a program (system_with_inputs in
/// sparsedyn/codegen/programs.hpp). Plans are made of both; Solver, Estimator, Tracker and programs without these inputs
/// refuse the latter by std::invalid_argument, since their answers would be those of another robot.
enum class RobotNumbersOf { robot, examples };

/// Never changes once built; threads share it.
class System {
 public:
  /// Throws InputError, with the set's file and line, where the set names what the robot lacks or does not fit together.
  /// Throws FormulationMisfit where the formulation cannot hold the robot's joints or what the set measures.
  System(const Model& model, const SensorSet& sensors, const Formulation& formulation = {},
         RobotNumbersOf numbers = RobotNumbersOf::robot);

  /// The robot in the formulation: `formulated(model, formulation)`.
  const Model& model() const { return tables_.model; }
  /// How it is written down.
  const Formulation& formulation() const { return tables_.formulation; }
  /// Whether the matrix holds sums of inertias so unlike that digits of small ones may be gone before anything is factored:
  /// joint space, and canonical frames of some robots. Small residuals do not tell that; Solver and Estimator look.
  bool sums_inertias() const { return tables_.sums_inertias; }
  /// Whether numbers of the robot are examples that stand for inputs of a program.
  bool stands_for_inputs() const { return tables_.stands_for_inputs; }
  /// The same system of a robot whose own numbers are these examples. Cost: a copy.
  System of_examples() const;
  /// The set that it was built from.
  const SensorSet& sensors() const { return tables_.sensors; }

  /// Standard deviations of the state that the set states, by entry of v: of q's tangent and of v; empty where it states none.
  const std::vector<double>& position_sigma() const { return tables_.position_sigma; }
  /// The same of v.
  const std::vector<double>& velocity_sigma() const { return tables_.velocity_sigma; }

  /// The columns, in order.
  const std::vector<Variable>& unknowns() const { return tables_.unknowns; }
  /// The rows, in order.
  const std::vector<Equation>& equations() const { return tables_.equations; }
  /// `acc.LINK.wx`, `f.JOINT.nz`, `tau.JOINT`, `fx.LINK.fx`, `ddq.JOINT`; `acc.JOINT.k.wx` and `f.JOINT.k.nx` on the k-th
  /// (from 1) of several bodies of one joint, but its last; `reaction.JOINT.0` … `.5` for φ of maximal coordinates.
  const std::vector<std::string>& unknown_names() const { return tables_.unknown_names; }
  /// `kinematics.LINK.wx`, `wrench.LINK.nx`, `torque.JOINT`, and a sensor's rows by the name of their column, `y.SENSOR…`.
  const std::vector<std::string>& equation_names() const { return tables_.equation_names; }

  /// Entries that are nonzero for some q, v, y. rows = equations, columns = unknowns.
  const Pattern& pattern() const { return tables_.pattern; }
  /// The entries' values where they do not vary, 0 elsewhere (pattern().entries()).
  const std::vector<double>& constants() const { return tables_.constants; }
  /// The vector y that assemble reads.
  const std::vector<Input>& inputs() const { return tables_.inputs; }
  /// The sensors, one for each target.
  const std::vector<Measurement>& measurements() const { return tables_.measurements; }
  /// The hard constraints.
  const std::vector<Closure>& closures() const { return tables_.closures; }
  /// Standard deviation of what an equation says, 0: exact; the input that it reads, -1: none.
  /// @{
  double sigma_of(int equation) const;
  int input_of(int equation) const;
  /// @}

  /// The matrix's values (pattern().entries(), in its order) and right-hand side (equations) at q (nq), v (nv), y
  /// (inputs). Unit quaternions are taken for granted. No heap, no branch on values; `double` and `float` are compiled into the
  /// library, other scalars include system/assemble.hpp. Panda, inverse dynamics: about a microsecond.
  template <class S>
  void assemble(const S* q, const S* v, const S* y, S* values, S* rhs, SystemWorkspace<S>& work) const noexcept;

  /// Operations that assemble executes, which are the same at every state.
  OperationCounts assembly_counts() const;

  /// Adds to the solution x (unknowns) of the matrix assembled last what the formulation shifted its unknowns by. No heap.
  template <class S>
  void unshift(S* x, const SystemWorkspace<S>& work) const noexcept;

  /// 16 hexadecimal digits over names, tree, joint types, rows and worst-case pattern; numbers do not enter.
  std::string fingerprint() const;
  /// The same over the numbers that enter the matrix (placements, inertias, sensor frames), to nine digits.
  std::string numbers_fingerprint() const;
  /// The same over all that the equations and the weights of their rows are made of, to the last bit: equal ones have equal
  /// recordings.
  std::string exact_fingerprint() const;

  /// Columns by what they stand for; -1 where there is none. Compiled without NDEBUG, an index that is none ends the program.
  int acc_column(int body) const { return at("body", body, tables_.terms).acc; }
  /// First of six: the wrench through the body's joint; φ in maximal coordinates.
  int f_column(int body) const { return at("body", body, tables_.terms).f; }
  /// That wrench where the k-th of these is 1 and the others are 0.
  Force<double> unit_joint_wrench(int body, int k) const { return at("body", body, tables_.terms).basis.column(k); }
  /// First of six: the external wrench on a link.
  int fx_column(int link) const { return at("link", link, tables_.fx_columns); }
  /// The torque of freedom v (an index in v).
  int tau_column(int v) const { return at("freedom", v, tables_.tau_columns); }
  /// The torque of a freedom of Model::tree, joints that follow others among them.
  int tree_tau_column(int v) const { return at("freedom", v, tables_.tree_tau_columns); }
  /// The acceleration of freedom v.
  int ddq_column(int v) const { return at("freedom", v, tables_.ddq_columns); }
  /// A link's frame in the leading frame of its body (links with a body).
  const Pose<double>& link_in_leading(int link) const { return at("link", link, tables_.link_in_leading); }

  /// By body.
  const std::vector<BodyTerms>& terms() const { return tables_.terms; }
  /// Wrenches of lumped links that are inputs (or constants) and no unknowns.
  const std::vector<KnownWrench>& known_wrenches() const { return tables_.known_wrenches; }
  /// What hangs on the fixed joints that force_torque sensors sit on.
  const std::vector<RigidGroup>& rigid_groups() const { return tables_.rigid_groups; }
  /// How many numbers assemble computes that depend on the state (each may stand at several places).
  std::size_t varying_entries() const { return tables_.numbers; }
  /// All of it, for what assembles the system in its own way.
  const SystemTables& tables() const { return tables_; }

 private:
  template <class T>
  static const T& at([[maybe_unused]] const char* what, int index, const std::vector<T>& of) {
    assert(detail::is_index(what, index, of.size()));
    return of[static_cast<std::size_t>(index)];
  }
  SystemTables tables_;
};

}  // namespace sparsedyn
