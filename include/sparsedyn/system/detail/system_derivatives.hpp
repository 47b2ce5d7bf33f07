// How the equations A(q) x = b(q, v, y) of a system move with the state, the inputs and the robot's parameters. With x held,
//   d(b − A x) = δb − δA x,
// and few entries move: turning a joint changes its own body's pose and the velocities of what it carries, no more. Each
// direction is the assembly's own text on dual numbers, along the bodies that it moves.
#pragma once

#include <memory>
#include <vector>

#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// δA and δb in one direction, as far as they are not zero.
struct EquationChange {
  struct Entry {
    int row, column;
    double value;
  };
  struct RightSide {
    int row;
    double value;
  };
  std::vector<Entry> matrix;  // an entry may come in several parts
  std::vector<RightSide> right_side;
};

/// One a thread. All memory is taken by the constructor.
class SystemDerivatives {
 public:
  using Number = Dual<double, 1>;

  /// The system must outlive it.
  explicit SystemDerivatives(const System& system);

  /// Of π, as `regressor` orders it.
  int parameters() const { return index_.count; }

  /// The state at which everything below is taken. q (nq, unit quaternions), v (nv), y (System::inputs()), and x, the solution
  /// there (System::unknowns(), after unshift()). Three assemblies.
  void at(const double* q, const double* v, const double* y, const double* x) noexcept;
  /// x as A multiplies it: less what the formulation shifts.
  const double* solution() const { return x_.data(); }

  // Directions. What is returned is valid until the next one.
  /// q ⊕ δ, δ along entry k of the tangent (nv).
  const EquationChange& along_q(int k) noexcept;
  /// Entry k of v.
  const EquationChange& along_v(int k) noexcept;
  /// Entry k of y.
  const EquationChange& along_y(int k) noexcept;
  /// Entry k of π: ten numbers are added to the link that leads the body, four to the joint.
  const EquationChange& along_parameter(int k) noexcept;

  /// The workspace of the last direction and its y, by which outputs move that are no unknowns; `shift(k)`: how unknown k moves
  /// because the formulation shifts it.
  const SystemWorkspace<Number>& work() const { return work_; }
  const Number* inputs() const { return y_.data(); }
  double shift_of(int unknown) const noexcept;

 private:
  enum class Of { q, v };
  struct Sink;
  void begin() noexcept;
  const EquationChange& along(Of what, int k) noexcept;
  void seed_position(int tree_freedom, double multiplier) noexcept;
  void seed_own(Of what, int k) noexcept;
  void hold_own(int k) noexcept;
  void move_bodies(Of what, int k) noexcept;
  void move_sensors(int k) noexcept;
  void move_sensor(int measurement) noexcept;
  void move_closures() noexcept;
  void add_shifts(std::size_t first) noexcept;
  void move_shifts(int k) noexcept;
  const EquationChange& everything() noexcept;
  void add_right_side(int first_row, int count) noexcept;
  bool is_read_by(const Measurement& m, const std::vector<char>& moved) const noexcept;
  void add_entry(int row, int column, double x) noexcept;
  void add_right_side_of(int row, double x) noexcept;
  void body_parameter(int joint, const Inertia<double>& added) noexcept;
  void body_parameter_in_joint_space(int k, const Inertia<double>& added) noexcept;
  void body_parameter_in_sums(std::size_t body, const Inertia<double>& added) noexcept;
  void joint_parameter(int joint, int which) noexcept;
  Number* tree_q() noexcept { return model_.coordinate_map ? work_.tree.q.data() : q_.data(); }
  Number* tree_v() noexcept { return model_.coordinate_map ? work_.tree.v.data() : v_.data(); }

  const System& system_;
  const Model& model_;
  SystemWorkspace<Number> work_;
  std::vector<Number> q_, v_, y_, values_, right_side_;
  std::vector<double> x_;
  EquationChange change_;
  ParameterIndex index_;

  /// What a freedom moves.
  struct Moved {
    std::vector<int> own;     // entries of the tree's v
    std::vector<int> bodies;  // those whose velocity it changes, parents first
    std::vector<char> flags;  // by body
  };
  std::vector<Moved> moved_;              // by entry of v
  std::vector<int> body_of_;              // by entry of the tree's v
  std::vector<int> row_of_;               // by entry of the pattern
  int last_ = -1;                         // freedom of the last direction, of q or v
  int last_input_ = -1;                   // of y
  bool has_sums_ = false;                 // com_acceleration or momentum_rate
  RegressorWorkspace<double> regressor_;  // of joint-space, as what follows: of the tree
  std::vector<double> Y_, ddq_, tree_rates_, tree_positions_;
};

}  // namespace sparsedyn
