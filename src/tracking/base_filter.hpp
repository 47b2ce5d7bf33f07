// The base, its offsets and its footholds: a knot and the Gaussian of its errors, carried over intervals and moved by rows.
#pragma once

#include <vector>

#include "tracking/inertial_step.hpp"
#include "tracking/point_kinematics.hpp"

namespace sparsedyn::tracking {

/// What is kept of a step, for going back over it.
struct BaseRecord {
  explicit BaseRecord(const Layout& layout);

  Knot x;                    // about which errors are
  std::vector<double> mean;  // of them after the step's rows; zero where x was moved by them
  Covariance P;
  StepJacobian F;               // over the interval that ends here
  std::vector<RowRecord> rows;  // room for all; the first `taken` are filled
  int taken = 0;
};

/// Sums over the rows of a step.
struct Innovations {
  double sum = 0;
  int rows = 0;
};

/// Standard deviations of the start, world axes.
struct StartDeviations {
  Vector3 place, turn, velocity;
};

class BaseFilter {
 public:
  explicit BaseFilter(const Layout& layout);

  /// The start: base (root link) at `base`, errors of place, turn and velocity independent; footholds where the encoders put
  /// them.
  void start(const Knot& x, const Vector3& base, const StartDeviations& sd, const PointKinematics& points) noexcept;
  /// Deviation `mean` about another knot, for a start linearised anew.
  void start_about(const Knot& about) noexcept;

  /// The knot after the interval, not yet taken: for judging what feet should read. turned: as inertial_step() has it.
  const Knot& predict(const InertialReading& reading, const Matrix3* turned) noexcept;
  /// Takes it. about: null, or the knot about which errors are from now on.
  void carry_on(const InertialReading& reading, const StepNoise& noise, const Knot* about, BaseRecord* record) noexcept;

  /// Rows Rᵀ (d_i − p) = r_i of a group; `counts`: by point, whether its innovation counts.
  void take_points(std::size_t group, const PointKinematics& points, const std::vector<char>& counts, Innovations& sum,
                   BaseRecord* record) noexcept;
  /// Rows of a link's pose; reading: seven numbers, NaN: none.
  void take_pose(const TrackedPose& pose, const PointKinematics& points, const double* reading, Innovations& sum,
                 BaseRecord* record) noexcept;
  /// Moves the knot by the mean of its errors, which become zero.
  void settle() noexcept;

  /// Becomes what the other one is, of the same layout. No heap.
  void take_state(const BaseFilter& other) noexcept;
  bool sound() const noexcept;
  void keep(BaseRecord& record) const noexcept;

  const Knot& knot() const noexcept { return x_; }
  const double* mean() const noexcept { return mean_.data(); }
  const Covariance& covariance() const noexcept { return P_; }

 private:
  void take(const SparseRow& row, bool counts, Innovations& sum, BaseRecord* record) noexcept;

  const Layout& layout_;
  Knot x_, next_;
  std::vector<double> mean_, offset_, scratch_, inverse_;
  StepJacobian F_;
  Covariance P_;
};

/// λ and Λ of all that came after a knot: its errors' mean becomes mean − P λ, their covariance P − P Λ P (Bryson & Frazier
/// 1963; no inverse, so certain directions and free ones do no harm).
struct Adjoint {
  explicit Adjoint(int size) : n(size), lambda(static_cast<std::size_t>(size), 0.0), information(size) {}
  void clear() noexcept;
  /// Back over the rows of `record` and the interval that ends there. with_covariance: Λ too.
  void back_over(const Layout& layout, const BaseRecord& record, bool with_covariance, std::vector<double>& scratch) noexcept;

  int n;
  std::vector<double> lambda;
  Covariance information;
};

/// The record's knot and covariance given all that came after. P: null where it is not wanted. scratch: n × n.
void smoothed(const Layout& layout, const BaseRecord& record, const Adjoint& after, Knot& x, Covariance* P,
              std::vector<double>& scratch) noexcept;

}  // namespace sparsedyn::tracking
