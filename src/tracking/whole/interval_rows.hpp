// What the sensors of an interval should read, and how that moves with its accelerations and wrenches and with the state.
//
// The Newton-Euler rows, solved one after the other for accelerations of links, joint wrenches and torques, give all unknowns x
// in terms of the free ones z = (ddq, unknown fx, forces of closed loops), as in inverse dynamics. A contact of one point has
// no moment about it: n = r × f for the wrench about its link's origin, where no other contact has that link. Of a foot that
// rolls (rolling.hpp) r ends at the lowest point of the sphere, and what does not accelerate is a − r α × n. The same
// pass, a vector of derivatives in place of each number, gives
//   T = ∂x/∂(z, q, v)      and for every row of a sensor, Y(q, v) x = y − b(q, v),      D = ∂(Y x + b)/∂(z, q, v).
// Readings of gyroscopes, which have no row in x, follow after those of the others. Where loops are redundant the system makes
// their forces unique by parts that are zero; these rows are left out here.
#pragma once

#include <vector>

#include "determinacy/reduced_rows.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/system/detail/system_derivatives.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "tracking/rotation_vector.hpp"

namespace sparsedyn::tracking {

class IntervalRows {
 public:
  /// Of a system in the formulation newton-euler, which must outlive it. fx that a constant states exactly are known, but not
  /// that on `freed` (a link, or -1): the rows that state it are left out. Nothing drives a floating base of whose torque no
  /// sensor speaks.
  explicit IntervalRows(const System& system, int freed = -1);

  /// Unknowns of the system: z, in the order ddq by entry of v, then the others as the system has them.
  const std::vector<int>& free_unknowns() const noexcept { return free_; }
  /// Equations of the system: the rows.
  const std::vector<int>& equations() const noexcept { return rows_; }
  /// The components of gyroscopes, after them: measurement, and which of its components.
  struct TurnRow {
    int measurement, component;
  };
  const std::vector<TurnRow>& turn_rows() const noexcept { return turns_; }
  /// Rows between the two: torques of a free base, which are zero. Entries of v.
  const std::vector<int>& free_torques() const noexcept { return free_torques_; }
  int first_turn() const noexcept { return static_cast<int>(rows_.size() + free_torques_.size()); }
  int rows() const noexcept { return first_turn() + static_cast<int>(turns_.size()); }
  /// Of T and D: free unknowns, then the tangent of q, then v.
  int width() const noexcept { return width_; }
  int of_q() const noexcept { return static_cast<int>(free_.size()); }
  int of_v() const noexcept { return of_q() + nv_; }

  /// From now on find_derivatives() also finds how these outputs, which must outlive it, move with q and v while x is held.
  void watch(const Outputs& outputs);

  /// x at q (nq), v (nv), y (System::inputs(), finite), z. No heap. An assembly and a pass over the equations.
  void find(const double* q, const double* v, const double* y, const double* z) noexcept;
  /// find(), T and D. Three more assemblies, and a pass of `width()` numbers in place of each. No heap.
  void find_derivatives(const double* q, const double* v, const double* y, const double* z) noexcept;

  const double* unknowns() const noexcept { return x_.data(); }
  /// After find(), for Outputs.
  const SystemWorkspace<double>& work() const noexcept { return work_; }
  /// What a row predicts, beside its reading in y: y − b − Y x for equations; gyroscopes: ω.
  double residual(int row) const noexcept { return residual_[static_cast<std::size_t>(row)]; }
  /// Row of D: width() numbers. Row of T likewise.
  const double* derivative(int row) const noexcept { return at(D_, row); }
  const double* unknown_derivative(int unknown) const noexcept { return at(T_, unknown); }
  /// Of a watched output with x held: 2 nv numbers, by q and by v; null: it does not move.
  const double* output_derivative(int output) const noexcept {
    return E_.empty() ? nullptr : E_.data() + static_cast<std::size_t>(output) * 2 * static_cast<std::size_t>(nv_);
  }

 private:
  struct PointForce {
    int link;
    Vector3 r;      // of the point, in the link's frame
    int moment[3];  // unknowns; -1: stated
    int force[3];   // unknowns, free or stated
    int rolling;    // of rolling_; -1: it does not
  };
  /// A foot that rolls.
  struct Rolling {
    int measurement;
    double radius;
    int rows[3];          // in which its x, y, z do not accelerate; -1: none
    Vector3 up, turning;  // the vertical and the angular acceleration in the sensor's axes
  };
  std::vector<char> list_unknowns(int freed);
  void find_point_contacts(int freed);
  int add_rolling(int link, double radius, const ContactOverTime* settings);
  void add_point_force(int link, const Vector3& r, int rolling);
  bool belongs_to_point(int unknown);
  void find_free_torques();
  void find_rolling_rows();
  const double* at(const std::vector<double>& of, int row) const noexcept {
    return of.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
  }
  double* at(std::vector<double>& of, int row) noexcept {
    return of.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
  }
  void collect_changes() noexcept;
  void collect(const EquationChange& change, int direction) noexcept;
  template <class S>
  Vec3<S> up_in_sensor(const Rolling& of, const SystemWorkspace<S>& work) const;
  Vector3 arm_of(const PointForce& point) const noexcept;
  void turn_arm(const PointForce& point) noexcept;
  void roll() noexcept;
  void find_rolling_derivatives() noexcept;

  const System& system_;
  const Pattern& pattern_;
  int nv_, width_ = 0;
  std::vector<int> free_, rows_, free_torques_;
  std::vector<TurnRow> turns_;
  std::vector<PointForce> point_forces_;
  std::vector<Rolling> rolling_;
  std::vector<double> up_changes_;  // by rolling_: how `up` moves with q, 3 × nv row by row
  std::vector<SolvingStep> stated_, steps_;
  SystemWorkspace<double> work_;
  SystemDerivatives changes_;
  std::vector<double> values_, right_side_, x_, residual_;
  std::vector<double> T_, D_, change_;  // unknowns, rows, equations × width
  const Outputs* watched_ = nullptr;
  std::vector<double> E_;                                 // watched outputs × 2 nv
  std::vector<SystemDerivatives::Number> held_, output_;  // x; outputs
};

}  // namespace sparsedyn::tracking
