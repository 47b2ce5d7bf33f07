// The joints of a log, as its columns q.* tell them, and how each kind is differentiated.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "local_fit.hpp"

namespace sparsedyn {

/// Means over the samples of squares of velocities.
struct MeanSquares {
  explicit MeanSquares(std::size_t n) : sum(n, 0.0) {}
  void add(const std::vector<double>& v) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += v[c] * v[c];
    ++count;
  }
  double of(std::size_t c) const { return count > 0 ? sum[c] / count : 0.0; }
  std::vector<double> sum;
  double count = 0;
};

/// One joint's motion. Freedoms are in the order of the velocity columns.
struct JointMotion {
  enum class Kind { single, planar, orientation, floating };

  Kind kind = Kind::single;
  std::string name;                           // of the joint
  std::size_t samples = 0, kinds = 0;         // kinds: freedoms
  std::vector<std::string> velocity_columns;  // without dq.
  std::vector<std::vector<double>> position;  // planar x, y, angle; orientations qx … qw; floating x, y, z, qx … qw

  bool is_gap(std::size_t i) const;
  /// Positions that are angles.
  std::vector<std::size_t> angles() const;
  std::string q_column(std::size_t position) const;
  /// Whether it has an orientation that turns by more than this angle (< π) between sample i and one of `count` from `first`
  /// on.
  bool turns_beyond(double angle, std::size_t i, std::size_t first, std::size_t count) const;
  /// The fit at sample i in local coordinates, one a freedom: linear or, for rotations, in the body's axes there. What a
  /// velocity in the body's axes is made of is in the world's. value: fitted less measured; rate, second: by the sample's
  /// index.
  void local_derivatives(std::size_t i, const FitWeights& fit, double* value, double* rate, double* second) const;
  /// What noise of deviation 1 makes of value (0), rate or second of an orientation there, where that is more than the window's
  /// own gain: where it turns too far even in the smallest window; else 0.
  double gain_with_spin(std::size_t i, const FitWeights& fit, std::size_t k) const;
  /// Whether a freedom is one of an orientation.
  bool is_axis(std::size_t c) const;
  /// The size of such coordinates.
  double size(std::size_t c) const;
  /// What rounding leaves open of them: of their size, and of their way, as times are rounded too.
  double rounding(std::size_t c) const;
  /// Velocity and acceleration at sample i.
  void derivatives(std::size_t i, const FitWeights& fit, double step, double* v, double* a) const;
  /// The deviations of velocities (order 1) or accelerations (2), from those of local coordinates and the gains of the two
  /// derivatives; `v`: the motion's velocities.
  std::vector<double> deviations(const std::vector<double>& noise, const double* gains, const MeanSquares& v,
                                 std::size_t order) const;
  /// Root mean squares in the freedoms of derivatives(), from those in local coordinates.
  std::vector<double> in_columns(const std::vector<double>& local) const;
};

/// The joints that the columns `q.*` describe, in the order of their first columns.
std::vector<JointMotion> motions_in(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values);

}  // namespace sparsedyn
