// Velocities and accelerations from the positions of a log.
//
// Around each sample a polynomial of degree 4 is fitted to a window of samples, and differentiated there (Savitzky & Golay
// 1964): linear, without phase lag, exact for polynomials up to degree 4 (the second derivative of whole windows: 5). With
// white noise of deviation σ in the positions, the k-th derivative has the deviation σ k! ‖c_k‖ / dt^k, c_k being the fit's
// weights. Orientations are fitted in the tangent space at the sample, q_i⁻¹ q_{i+k} = Exp(r_k), and then once more around the
// fitted orientation, where ω = ṙ, ω̇ = r̈. Windows are short enough that r stays well below a whole turn, if the smallest window
// allows it. For faster rotation, a constant spin is subtracted first (src/logs/rotation_fit.hpp). Rotations of less than half
// a turn between samples are unambiguous.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// The amount of smoothing. If both are stated, the window counts; if neither is, the windows of each joint are chosen from its
/// own samples.
struct DifferentiateOptions {
  double cutoff = 0;  // Hz: the fitted positions' half-power frequency; 0: not stated
  double window = 0;  // s, instead of a cutoff; 0: not stated
};

/// The smallest window: the five samples of a polynomial of degree 4, and two more to estimate the noise.
constexpr std::size_t fewest_samples = 7;

/// The result of differentiate(). Columns and samples are as in its input.
struct Differentiated {
  std::vector<std::string> columns;         // dq.*, then ddq.*, in the order of the q.*
  std::vector<std::vector<double>> values;  // of each column, one number for each sample; NaN: in or too near to a gap
  /// Standard deviation of each column's error: noise estimated in the positions, distortion by the window, and rounding; NaN
  /// if no sample has a value.
  std::vector<double> deviation;
  std::vector<double> window, cutoff;  // of each column, s and Hz: as used
  /// An angle that jumped by nearly 2π from one sample to the next. Angles are unwrapped before the fit.
  struct Jump {
    std::string column;  // the position that jumped: `q.JOINT`
    std::size_t sample;  // the first after it
  };
  std::vector<Jump> unwrapped;  // by column, then by sample
  /// Joints that turn by more than a quarter within half of the window that was stated: theirs is as long as they allow.
  std::vector<std::string> bounded;
};

/// columns: names as in logs, of which those of positions are read (`q.J`; `q.J.x`, `q.J.y`, `q.J.angle`; `q.J.qx` to
/// `q.J.qw`, for floating joints with `q.J.x` to `q.J.z` too); values: of each column a number a sample (NaN: a gap), all of
/// one length, `step` seconds apart. Fits do not reach across gaps. Linear velocities of floating and planar joints are in the
/// body's axes, and accelerations are their components' rates. Without a cutoff or window, the velocities and accelerations of
/// each joint have windows of their own: the largest ones that distort the motion by much less than the noise, found by
/// comparing larger and smaller windows (src/logs/window_choice.hpp). Deviations are those in the middle of a window. Within
/// half a window of a gap or of the ends they grow, at the last sample to about 8 (velocities) and 6 times (accelerations) as
/// much. Noise is assumed white. If no stretch without gaps is as long as the window (fewest_samples at least), values and
/// deviations are NaN. Throws std::invalid_argument if there are no positions, or if an option is not a number ≥ 0. Cost:
/// samples × window × columns.
Differentiated differentiate(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                             double step, const DifferentiateOptions& options = {});

}  // namespace sparsedyn
