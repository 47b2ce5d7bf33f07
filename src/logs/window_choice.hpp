// Which windows a joint's positions are differentiated with, and how far these bend the motion.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "motion_columns.hpp"

namespace sparsedyn {

/// Runs of samples without a gap, first and end, that are long enough for a window of so many samples.
std::vector<std::pair<std::size_t, std::size_t>> stretches_of(const JointMotion& motion, std::size_t shortest);

/// The deviation of the noise in each freedom's positions: what a fit with this window leaves of them, taken for white.
std::vector<double> position_noise(const JointMotion& motion, int half);

/// The windows of one joint, and what is known of their errors. Derivatives are by the sample's index.
struct WindowChoice {
  std::array<int, 2> half;                  // for velocities and accelerations
  std::array<std::vector<double>, 2> bias;  // of each, by freedom: root mean square of what the window bends off the motion
  std::vector<double> noise;                // of the positions, by freedom
  bool bounded = false;                     // smaller than stated, as the joint turns too far in such a window
};

/// Windows as large as the motion allows: the error of a smoothed derivative is noise, which falls with the window, and bias,
/// which grows; the largest window is taken with which the bias is small beside the noise. Let a_k be the derivative with half
/// window k. Of white noise of deviation σ and a motion that is smooth beside the window,
///   E |a_K − a_k|² = (b_K − b_k)² + σ² ‖w_K − w_k‖²,   b ∝ (k (k + 1))²,
/// so that a larger window K tells the bias b_k (Katkovnik & Shmulevich 2002 choose by such differences). A motion that the
/// window has lost altogether changes no more with K; that is seen beside smaller windows s, where |a_k − a_s|² is beyond what
/// noise makes of it (Lepski 1991). Joints with an orientation have windows in which they turn by a quarter at most to either
/// side, if the smallest allows it. `stated`: a half window to be used for both instead; 0: none.
WindowChoice choose_windows(const JointMotion& motion, int stated);

}  // namespace sparsedyn
