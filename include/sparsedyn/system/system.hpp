// The dynamics of a robot and what is measured on it as one sparse linear system: named equations × named unknowns.
//
// Unknowns of body i, in coordinates of the link that leads it (the child link of its joint):
//   a_i (6, proper acceleration: gravity enters as base acceleration −g), f_i (6, parent on i), τ_i, q̈_i (one a freedom) and
//   fx_i (6, the world on the link); also fx of lumped links that the sensor set names. Equations:
//
//   (a)  a_i − iX_λ a_λ − S_i q̈_i                = c_i = v_i × S_i v_Ji
//   (f)  f_i − I_i a_i + Σ_l iX_l* fx_l − Σ_j jX_iᵀ f_j = p_i = v_i ×* I_i v_i      (j: children of i, l: links lumped into i)
//   (τ)  τ_i − S_iᵀ f_i − armature q̈_i            = load_i(v), what the joint takes (model/detail/joint_physics.hpp)
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

#include "sparsedyn/model/detail/coordinate_map.hpp"
#include "sparsedyn/model/detail/is_index.hpp"
#include "sparsedyn/scalar/detail/counting_scalar.hpp"
#include "sparsedyn/sparse/detail/pattern.hpp"
#include "sparsedyn/system/detail/closure.hpp"
#include "sparsedyn/system/detail/joint_basis.hpp"
#include "sparsedyn/system/detail/measurement.hpp"
#include "sparsedyn/system/detail/rigid_group.hpp"
#include "sparsedyn/system/formulation.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

/// As the names of unknowns begin; net: the net force fB of the formulation net-forces.
enum class VariableKind { acc, f, tau, fx, ddq, net, lambda };

/// One unknown.
struct Variable {
  VariableKind kind;  // what it is
  int owner;          // link (acc, fx, net), joint (f, tau, ddq) or closure (lambda)
  int body;           // the body it belongs to
  int component;      // 0 … 5 of a spatial vector; the index in v (of Model::tree) for tau and ddq
};

/// kinematics (a), wrench (f), torque (τ), a sensor's, net: fB = I a + p, or a hard constraint's.
enum class EquationKind { kinematics, wrench, torque, sensor, net, constraint };
/// Whether it is said beside the laws of motion.
constexpr bool is_added(EquationKind kind) { return kind == EquationKind::sensor || kind == EquationKind::constraint; }

/// One equation.
struct Equation {
  EquationKind kind;  // which law, or a sensor
  int body;           // -1 for sensors
  int component;      // as in Variable; the component in the sensor's list
  int measurement;    // index in System::measurements(), or -1
};

/// One entry of the input vector y.
struct Input {
  std::vector<std::string>
      columns;      // of the log, best first: `y.SENSOR…`, then `tau.*`, `ddq.*` or `fx.*` where they may stand in
  bool required;    // where no column is in the log: an error, or
  double fallback;  // this number
  int measurement;  // index in System::measurements()
  int component;    // in that measurement's list
};

/// Constants of one body's rows. Its unknowns are in the frame of the link that leads it, or, where the formulation has axis
/// frames, in the body's own; "leading frame" below is the one or the other.
struct BodyTerms {
  Body joint;                      // of Model::tree, `placement` in the parent's leading frame instead of its body frame
  int tau, ddq;                    // first columns of its freedoms; those of its leader's q̈ where it follows another joint,
  double multiplier;               // which then counts so often
  int leader;                      // the body whose torque row bears its torque, or -1
  bool turned;                     // the leading frame is turned against the body's frame, by
  Mat3<double> link_R;             // (its origin is the body's)
  Inertia<double> inertia;         // in the leading frame
  bool massless;                   // no inertia: an intermediate body
  int parent;                      // body, or -1
  int acc, f, fx, net;             // first columns; −1: none (fx: of an intermediate body, or in another frame)
  int kinematics, wrench, torque;  // first rows; −1 where the formulation has none
  int inertial;                    // first row that I a and p stand in: that of the net force, else `wrench`
  Motion<double> subspace[6];      // columns of S in the leading frame
  JointBasis basis;                // maximal coordinates: B
};

template <class S>
struct SystemWorkspace;
class SystemDerivatives;

/// Never changes once built; threads share it.
class System {
 public:
  /// Throws InputError, with the set's file and line, where the set names what the robot lacks or does not fit together.
  /// Throws FormulationMisfit where the formulation cannot hold the robot's joints or what the set measures.
  System(const Model& model, const SensorSet& sensors, const Formulation& formulation = {});

  /// The robot in the formulation: `formulated(model, formulation)`.
  const Model& model() const { return model_; }
  /// How it is written down.
  const Formulation& formulation() const { return formulation_; }
  /// The set that it was built from.
  const SensorSet& sensors() const { return sensors_; }

  /// Standard deviations of the state that the set states, by entry of v: of q's tangent and of v; empty where it states none.
  const std::vector<double>& position_sigma() const { return position_sigma_; }
  /// The same of v.
  const std::vector<double>& velocity_sigma() const { return velocity_sigma_; }

  /// The columns, in order.
  const std::vector<Variable>& unknowns() const { return unknowns_; }
  /// The rows, in order.
  const std::vector<Equation>& equations() const { return equations_; }
  /// `acc.LINK.wx`, `f.JOINT.nz`, `tau.JOINT`, `fx.LINK.fx`, `ddq.JOINT`; `acc.JOINT.k.wx` and `f.JOINT.k.nx` on the k-th
  /// (from 1) of several bodies of one joint, but its last; `reaction.JOINT.0` … `.5` for φ of maximal coordinates.
  const std::vector<std::string>& unknown_names() const { return unknown_names_; }
  /// `kinematics.LINK.wx`, `wrench.LINK.nx`, `torque.JOINT`, and a sensor's rows by the name of their column, `y.SENSOR…`.
  const std::vector<std::string>& equation_names() const { return equation_names_; }

  /// Entries that are nonzero for some q, v, y. rows = equations, columns = unknowns.
  const Pattern& pattern() const { return pattern_; }
  /// The entries' values where they do not vary, 0 elsewhere (pattern().entries()).
  const std::vector<double>& constants() const { return constants_; }
  /// The vector y that assemble reads.
  const std::vector<Input>& inputs() const { return inputs_; }
  /// The sensors, one for each target.
  const std::vector<Measurement>& measurements() const { return measurements_; }
  /// The hard constraints.
  const std::vector<Closure>& closures() const { return closures_; }
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

  /// Columns by what they stand for; -1 where there is none. Compiled without NDEBUG, an index that is none ends the program.
  int acc_column(int body) const { return at("body", body, terms_).acc; }
  /// First of six: the wrench through the body's joint; φ in maximal coordinates.
  int f_column(int body) const { return at("body", body, terms_).f; }
  /// That wrench where the k-th of these is 1 and the others are 0.
  Force<double> unit_joint_wrench(int body, int k) const { return at("body", body, terms_).basis.column(k); }
  /// First of six: the external wrench on a link.
  int fx_column(int link) const { return at("link", link, fx_columns_); }
  /// The torque of freedom v (an index in v).
  int tau_column(int v) const { return at("freedom", v, tau_columns_); }
  /// The torque of a freedom of Model::tree, joints that follow others among them.
  int tree_tau_column(int v) const { return at("freedom", v, tree_tau_columns_); }
  /// The acceleration of freedom v.
  int ddq_column(int v) const { return at("freedom", v, ddq_columns_); }
  /// A link's frame in the leading frame of its body (links with a body).
  const Pose<double>& link_in_leading(int link) const { return at("link", link, link_in_leading_); }

  /// By body.
  const std::vector<BodyTerms>& terms() const { return terms_; }
  /// Wrenches of lumped links that are inputs (or constants) and no unknowns.
  const std::vector<KnownWrench>& known_wrenches() const { return known_wrenches_; }
  /// What hangs on the fixed joints that force_torque sensors sit on.
  const std::vector<RigidGroup>& rigid_groups() const { return rigid_groups_; }
  /// How many numbers assemble computes that depend on the state (each may stand at several places).
  std::size_t varying_entries() const { return varying_; }

 private:
  friend class SystemDerivatives;
  template <class T>
  static const T& at([[maybe_unused]] const char* what, int index, const std::vector<T>& of) {
    assert(detail::is_index(what, index, of.size()));
    return of[static_cast<std::size_t>(index)];
  }
  void add_bodies();
  void add_body(int body, int joint);
  void couple_bodies();
  void add_joint_rows();
  void check_formulation() const;
  std::vector<char> known_by_inputs() const;
  Pose<double> leading_frame(int body) const;
  void add_sensors();
  void add_unknown_lumped_wrenches();
  void check_columns() const;
  int row_read_from(const std::string& column) const;
  void take_off_known_offsets();
  void add_state_sigma();
  void add_lumped_wrench(int link);
  void add_measurement(const Sensor& sensor, const SensorType& type, Measurement measurement);
  void add_inputs(const Sensor& sensor, const SensorType& type, Measurement& measurement);
  void add_rows(const SensorType& type, Measurement& measurement);
  void add_closures();
  void anchor(const int* link, const Pose<double>* frames, Closure& c);
  void couple(const int* freedom, const int* coordinate, Closure& c);
  void derive_pattern();
  template <class S, class Sink>
  void write(const S* q, const S* v, const S* y, S* rhs, Sink& sink, SystemWorkspace<S>& work) const;
  template <class S, class Sink>
  void write_bodies(const S* q, const S* v, S* rhs, Sink& sink, SystemWorkspace<S>& work) const;
  template <class S>
  Motion<S> write_velocity(int b, const Motion<S>& joint_velocity, SystemWorkspace<S>& work) const;
  template <class S>
  void write_right_side(int b, const Motion<S>& joint_velocity, Motion<S> c, const S* q, const S* v, S* rhs,
                        SystemWorkspace<S>& work) const;
  template <class S, class Sink>
  void write_joint_space(const S* q, const S* v, const S* y, S* rhs, Sink& sink, SystemWorkspace<S>& work) const;
  template <class Sink>
  void write_constants(Sink& sink) const;
  template <class Sink>
  void write_body_constants(const BodyTerms& t, Sink& sink) const;
  template <class Sink>
  void write_lumped_wrenches(Sink& sink) const;

  Formulation formulation_;
  Model model_;
  SensorSet sensors_;
  std::vector<Variable> unknowns_;
  std::vector<Equation> equations_;
  std::vector<std::string> unknown_names_, equation_names_;
  std::vector<Input> inputs_;
  std::vector<Measurement> measurements_;
  std::vector<Closure> closures_;
  std::vector<KnownWrench> known_wrenches_;
  std::vector<BodyTerms> terms_;
  std::vector<int> fx_columns_, tau_columns_, ddq_columns_, tree_tau_columns_;
  std::vector<Pose<double>> link_in_leading_;
  int torque_rows_ = 0;        // joint space: the first of the tree's nv
  std::vector<char> related_;  // joint space, tree's nv × nv: one freedom moves the other's body
  std::vector<RigidGroup> rigid_groups_;
  Pattern pattern_;
  std::vector<double> constants_;  // values of the entries that do not vary, 0 elsewhere; in the pattern's order
  /// A varying entry: its place in the values, and among the numbers as they come.
  struct Placed {
    int value, varying;
  };
  std::vector<Placed> placed_;
  std::size_t varying_ = 0;
  /// The right-hand side of a sensor's row: an entry of y (input −1: none) plus a constant, which holds known offsets.
  struct Reading {
    int row, input;
    double constant;
  };
  std::vector<Reading> readings_;
  std::vector<int> varying_sensors_;  // measurements with rows() of their own
  /// Where a sensor reads an acceleration that is shifted: its row, the entry's place in the values, whose component.
  struct ShiftedReading {
    int row, value, body, component;
  };
  std::vector<ShiftedReading> shifted_readings_;
  bool needs_world_ = false;
  std::vector<double> position_sigma_, velocity_sigma_;
};

}  // namespace sparsedyn
