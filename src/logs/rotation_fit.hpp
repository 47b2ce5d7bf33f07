// Angular velocities and accelerations from windows of orientations.
//
// In a window around sample i the orientations are written as vectors s_k, by the fitted orientation C there and a constant
// spin w (an angle a sample):
//
//   q_k = C Exp(w k) Exp(s_k),   so that at k = 0, where s is zero,   ω = w + ṡ,   ω̇ = s̈ + w × ṡ.
//
// Rotation vectors are unique up to half a turn. Windows that turn less need no spin, w = 0. In those that turn more the spin
// is what the samples beside i show, and s holds what remains.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "local_fit.hpp"

namespace sparsedyn {

using Three = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x y z w, of any length but zero

Three cross(const Three& a, const Three& b);
/// Rᵀ x.
Three in_body(const Quaternion& q, const Three& x);

/// The samples of an orientation, a column each of qx … qw.
struct Orientations {
  std::array<const std::vector<double>*, 4> column;
  Quaternion at(std::size_t i) const;
  /// The angle between two samples, at most π.
  double angle(std::size_t i, std::size_t k) const;
  /// Whether one of `count` samples from `first` on is turned by more than this angle (< π) from sample i.
  bool turns_beyond(double angle, std::size_t i, std::size_t first, std::size_t count) const;
};

/// The largest angle from a window's sample at hand for which no spin is taken off.
constexpr double most_turning = 2.6;

struct RotationFit {
  Quaternion centre;  // the fitted orientation, or the sample's own
  Three value;        // of s at the sample: how far the fitted orientation is from `centre`
  Three rate;         // ω, in the body's axes, by the sample's index
  Three second;       // ω̇, likewise
};

/// Whether a window turns so far that a spin is taken off.
bool needs_spin(const Orientations& q, std::size_t i, const FitWeights& fit);
/// What noise of deviation 1 in the orientations of such a window makes of value, rate and second, by differences: root mean
/// squares over the axes. (Errors of the spin across itself are seen by no polynomial.)
std::array<double, 3> gains_with_spin(const Orientations& q, std::size_t i, const FitWeights& fit);

/// Around the sample itself. The value is the fitted less the measured orientation.
RotationFit fit_around_sample(const Orientations& q, std::size_t i, const FitWeights& fit);
/// Around what that gives, which is the fit that counts.
RotationFit fit_rotation(const Orientations& q, std::size_t i, const FitWeights& fit);

}  // namespace sparsedyn
