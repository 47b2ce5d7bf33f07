// Motions from which the torques tell parameters well: Fourier series of each joint within the limits of the robot (Swevers,
// Ganseman, Tükel, de Schutter & van Brussel 1997), the best of those that a search of bounded length finds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// q_i(t) = offset_i + Σ_k (sine_ik sin kωt + cosine_ik cos kωt), ω = 2π / period, k from 1. At t = 0 it is at rest: velocity
/// and acceleration are zero.
struct FourierMotion {
  double period = 0;                 // s
  int harmonics = 0;                 // k goes to this
  std::vector<double> offset;        // by freedom
  std::vector<double> sine, cosine;  // by freedom, then by harmonic

  /// q, v, a at time t: as many numbers as there are freedoms, written.
  void evaluate(double t, double* q, double* v, double* a) const noexcept;
};

/// What is made small: −log det of the information, so that all directions of parameters gain from motions that are large and
/// different; or the condition number alone.
enum class ExcitationCriterion { determinant, condition };

/// `determinant` or `condition`; none for other names.
std::optional<ExcitationCriterion> criterion_named(const std::string& name);

/// Rows of a log of so many seconds at so many rows a second; none unless both are positive and make 1 to 1e9 rows.
std::optional<long> rows_of_log(double seconds, double rate);

/// The period (s) of the motion that a log of so many seconds (> 0) repeats a whole number of times: at most ten.
double repeated_period(double seconds);

/// How the search goes.
struct ExcitationOptions {
  double period = 10;                                                // s; > 0
  int harmonics = 5;                                                 // of each joint, at least 3
  std::uint64_t seed = 1;                                            // the same seed, the same motion
  int budget = 1000;                                                 // motions that are tried; > 0
  ExcitationCriterion criterion = ExcitationCriterion::determinant;  // see above
  std::vector<char> fitted;                                          // of all parameters, those to be told; empty: all
  double margin = 0.02;                                              // share of each limit that is left
  std::function<bool(const double* q)> allowed = nullptr;            // whether the robot may stand so; null: always
  std::function<void(double)> progress = nullptr;                    // share of the budget used
};

/// What was found.
struct Excitation {
  bool found = false;       // otherwise no motion that was tried keeps the limits, and nothing below is to be used
  FourierMotion motion;     // the best
  int base_parameters = 0;  // how many there are
  double condition = 0;     // of their regressor along the motion, columns of unit length, torques in shares of their limits
  double random_condition = 0;  // the same of the first motion that keeps the limits, a random one
  int motions = 0;              // that were tried
};

/// Limits of position and velocity are those of the model (±π rad or ±0.5 m, 2 rad/s or 0.5 m/s where it has none), those of
/// effort hold for the torques of inverse dynamics. A velocity or effort of 0 counts as none. Robots with one-freedom joints on
/// a fixed base. Throws std::invalid_argument, naming the joint or the option. Offline; about 3 ms a motion for seven joints.
Excitation excite(const Model& model, const ExcitationOptions& options = {});

}  // namespace sparsedyn
