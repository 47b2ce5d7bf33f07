// Velocities and accelerations from positions, which is all that most logs hold.
//
// Around each sample a polynomial of degree 4 is fitted to a window of samples, and differentiated there (Savitzky & Golay
// 1964): linear, without phase lag, exact for polynomials up to degree 4 (the second derivative of whole windows: 5). With
// white noise of deviation σ in the positions, the k-th derivative has the deviation σ k! ‖c_k‖ / dt^k, c_k being the fit's
// weights. Orientations are fitted in the tangent space at the sample, q_i⁻¹ q_{i+k} = Exp(r_k), once more around what that
// gives: there ω = ṙ, ω̇ = r̈. Windows are short enough that r stays well below a whole turn, where the smallest allows it; of
// faster turning a constant spin is taken off first (src/logs/rotation_fit.hpp). Steps of less than half a turn are told.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// How much of the positions' noise, and of their motion, is smoothed away. Where both are stated the window counts; with
/// neither, each joint's windows are chosen from its own samples.
struct DifferentiateOptions {
  double cutoff = 0;  // Hz: the fitted positions' half-power frequency; 0: not stated
  double window = 0;  // s, instead of a cutoff; 0: not stated
};

/// The smallest window: a polynomial of degree 4 and two samples to tell noise by.
constexpr std::size_t fewest_samples = 7;

/// What differentiate() makes. Columns and samples are as in its input.
struct Differentiated {
  std::vector<std::string> columns;         // dq.*, then ddq.*, in the order of the q.*
  std::vector<std::vector<double>> values;  // of each column, a number a sample; NaN: a gap, or too near to one
  /// Of each column's error: noise estimated in the positions, what the window bends, and rounding; NaN where no sample has a
  /// value.
  std::vector<double> deviation;
  std::vector<double> window, cutoff;  // of each column, s and Hz: as used
  /// Where an angle jumped by nearly 2π from one sample to the next. Turns are taken off before anything is fitted.
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
/// body's axes, and accelerations are their components' rates. Without a cutoff or window, each joint's velocities and
/// accelerations have windows of their own: the largest with which what the window bends off the motion stays well below the
/// noise, as larger and smaller windows tell (src/logs/window_choice.hpp). Deviations are those in the middle of a window;
/// within half a window of a stretch's ends they grow, at the last sample to about 8 (velocities) and 6 times (accelerations)
/// as much. Noise is taken for white. Where no stretch of samples is as long as the window (fewest_samples at least), values
/// and deviations are NaN. Throws std::invalid_argument where there is nothing to differentiate, or the options are no numbers
/// ≥ 0. Cost: samples × window × columns.
Differentiated differentiate(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                             double step, const DifferentiateOptions& options = {});

}  // namespace sparsedyn
