// The outputs of rows of the whole body by name: q, dq, bias, nis, and all that Outputs (runtime) knows, as means over the
// interval that ends at the sample.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/runtime/outputs.hpp"
#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {

/// What an output is written from. P: layout.size², row by row; null: not known. dt 0: there is no interval.
struct WholeSnapshot {
  const WholeKnot& x;
  const double* P;
  const double *y, *stands;  // of the system; by contact
  double dt, nis;
};

class WholeOutputs {
 public:
  /// Throws UnknownTrackOutput.
  WholeOutputs(const WholeLayout& layout, const TrackerOptions& options);

  const std::vector<std::string>& columns() const noexcept { return columns_; }
  /// Of the state: all that can be asked for but the means of an interval.
  std::vector<std::string> names() const;
  /// One number a column; NaN for means where there is no interval. No heap.
  void write(const WholeSnapshot& sample, double* out) noexcept;

 private:
  enum class Kind {
    place,
    quaternion,
    turn,
    position,
    group_shift,
    group_quaternion,
    group_turn,
    base_rate,
    base_velocity,
    velocity,
    offset,
    foothold,
    contact,
    wrench,
    nis,
    mean
  };
  struct Output {
    std::string name;
    Kind kind;
    int index;  // of q, v, the offsets, points, contacts; the column of means_
    int component = 0;
  };
  void catalogue();
  void add_group_coordinate(const std::string& name, int k);
  bool add_state(const std::string& asked);
  void add_means(const std::string& asked);
  double value(const Output& output, const WholeSnapshot& sample) const noexcept;
  double variance(const Output& output, const WholeSnapshot& sample) noexcept;
  double mean_variance(int column, const WholeSnapshot& sample) noexcept;
  void find_means(const WholeSnapshot& sample) noexcept;

  const WholeLayout& layout_;
  void list_deviations();
  void list_pairs();
  static bool is_of_pose(const Output& output) { return output.kind == Kind::place || output.kind == Kind::turn; }
  static bool is_of_velocity(const Output& output) {
    return output.kind == Kind::base_rate || output.kind == Kind::base_velocity;
  }
  void put_base_row(const Output& output, const WholeSnapshot& sample) noexcept;
  void put_place_row(int error, const Vector3& x, int c) noexcept;
  double shift_variance(const WholeSnapshot& sample, const GroupJoint& group, int coordinate) noexcept;
  double quadratic(const WholeSnapshot& sample) const noexcept { return bilinear(sample, h_, h_); }
  double bilinear(const WholeSnapshot& sample, const std::vector<double>& a, const std::vector<double>& b) const noexcept;
  std::vector<Output> all_, chosen_, deviations_of_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // of deviations_of_, whose covariances are written
  std::vector<std::string> columns_, requests_;
  std::optional<Outputs> means_;
  std::optional<IntervalRows> rows_;
  bool deviations_;
  std::vector<double> q_, v_, step_, mean_, zero_, gradient_, h_, other_;
  std::vector<GroupStep> back_;  // of joints of several freedoms, from the interval's end to its middle
};

/// e² beside its variance, of all joints' positions and velocities, or of a floating base's turn, place and velocity: of a
/// truth q (nq), v (nv). NaN where P is singular.
double nees_of(const WholeLayout& layout, const WholeSnapshot& sample, const double* q, const double* v,
               std::vector<double>& scratch) noexcept;

}  // namespace sparsedyn::tracking
