// The estimate at one state by rank decisions at that state: for states at which the rows determine less than elsewhere and no
// order that was planned beforehand is accurate.
#pragma once

#include <utility>
#include <vector>

#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/runtime/taken_off.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The result of estimate_at_state.
struct StateEstimate {
  /// Equations: exact rows that depend on each other at this state and do not agree. Where there are any, nothing else is
  /// filled.
  std::vector<int> contradicting;
  std::vector<double> unknowns;  // x; along directions that no row sees, the shortest in scaled units
  std::vector<char> determined;  // of each output
  /// Of each output: undetermined because it depends on undetermined directions of the offsets.
  std::vector<char> follows_open_offset;
  std::vector<double> outputs;      // NaN where undetermined
  std::vector<double> deviations;   // posterior standard deviations, NaN likewise
  std::vector<double> covariances;  // of the pairs asked for, NaN where one of the two is undetermined
  std::vector<double> innovations;  // of each row of the system, as Estimator::innovations
  /// What the sample says of the n offsets taken off, as SensorOffsets adds it up: Eᵀ W (1 − H) W E, n × n, and
  /// Eᵀ W (1 − H) W y, with the offsets still on y.
  std::vector<double> information, moment;
  double chi_square = 0;      // Σ ((y_i − Y_i x) / σ_i)² over the noisy rows
  int redundancy = 0;         // its expectation
  int missing = 0;            // rows without a measurement
  int open = 0;               // directions of the unknowns that no row sees
  double backward_error = 0;  // of the exact rows: ‖b − Y x‖∞ / (‖Y‖∞ ‖x‖∞ + ‖b‖∞)
};

/// The most likely x given exact rows, noisy rows and priors, by an orthogonal null-space method on the free unknowns (ddq, fx;
/// Lawson & Hanson 1974, ch. 20). Entries of the matrix that are rounding (RoundingProbe) are taken for zero, and ranks are
/// judged after scaling rows and columns, as in `determinacy`. sigma: of each row of the system, 0: exact. q, v, y as
/// Estimator::estimate reads them (y NaN: missing). Exact rows that depend on each other contradict where they differ by more
/// than 1e-8 of their terms. Offsets are taken off the readings, and their uncertainty enters deviations and innovations as it
/// does in Estimator. learnt: whether this sample was one of those that the offsets come from; where it was not, their errors
/// are not its own noise, and readings that depend on undetermined offsets are not judged (chi_square, redundancy, innovations
/// 0). pairs: of outputs, by their index, whose covariances are wanted. Offline: allocates; dense factorisations of (sensor
/// rows) × (free unknowns). Input must be finite but for missing y.
StateEstimate estimate_at_state(const System& system, const Outputs& outputs, const std::vector<double>& sigma, const double* q,
                                const double* v, const double* y, const TakenOff& offsets = {}, bool learnt = true,
                                const std::vector<std::pair<int, int>>& pairs = {});

}  // namespace sparsedyn
