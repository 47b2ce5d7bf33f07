// What a SensorSolver says of itself and of the samples that it has answered: plain numbers and names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/logs/agreement.hpp"
#include "sparsedyn/logs/reading_faults.hpp"
#include "sparsedyn/runtime/solver.hpp"

namespace sparsedyn {

/// What is worth knowing of how a SensorSolver was made.
struct SolverMaking {
  bool plan_of_other_numbers = false;  // the stored plan was made for other masses, lengths …: its health was sampled anew
  bool plan_is_weak = false;           // the stored order is not healthy for this robot's numbers; answers are checked
  bool plan_solves_only = false;       // the stored order solves, where an estimate is wanted: another was searched
  bool search_is_weak = false;         // no order is healthy at every sampled state; answers are checked
  std::vector<std::string> left_out;   // outputs that the sensors do not determine, where none was asked for by name
};

/// A sensor's constant offset, as the samples of a log show it.
struct OffsetFound {
  std::string column;               // y.SENSOR…
  bool determined = false;          // the rest only where it is
  double value = 0, deviation = 0;  // in the units of the reading: the offset; its posterior standard deviation
  std::optional<bool> trusted;      // what log and sensor say of the stated noise; false too where the reading drifts
};

/// A sample whose chi-square is an outlier.
struct OutlierFound {
  long line = 0;          // as the caller numbered it
  std::string column;     // of the reading that disagrees most with the others; empty: none can be named
  double chi_square = 0;  // of the sample
};

/// A sensor that is out of order.
struct FaultFound {
  std::string column;                 // its reading
  FaultKind kind = FaultKind::stuck;  // what is wrong with it
  long from_line = 0;                 // of the first sample that shows it
  long samples = 0;                   // in which it was seen
  double change = 0;                  // drift: of the reading over the log, in its unit
  std::vector<std::string> or_else;   // drift: columns that would show the same, and one of which may be the one at fault
};

/// What a sensor's innovations say of the noise that it states, as SensorNoise.
struct NoiseFound {
  std::string sensor;                 // its name
  ChiSquare innovations;              // squares; expected: how many
  std::optional<bool> agrees;         // trusted(), of the sensor and of each component
  std::vector<std::string> rejected;  // columns that do not agree
};

/// How far a sensor's readings are from what all others predict.
struct InnovationsOf {
  std::string sensor;  // its name
  double rms = 0;      // in standard deviations: 1 where the noise is what the set says
  long count = 0;      // readings that others predict; 0: rms says nothing
};

/// Of all samples since construction, or since what is learnt of a log was complete. Columns are called what the log calls them
/// (SensorSolver::name_columns).
struct SolveReport {
  SolverMaking making;      // how it was made
  bool estimated = false;   // by an Estimator; else by a Solver, and only strategy, formulation and remedies say something
  std::string strategy;     // who proposed the order; empty: no order serves, and every sample fails
  std::string formulation;  // of a stored plan that names one
  SolverCounts remedies;    // of states that the order does not serve well

  // of an estimate
  long replanned = 0, searched = 0;      // plans for gaps: asked for, and searched
  long with_gaps = 0;                    // samples that lack a reading
  long at_singular_states = 0;           // samples that no planned order serves: answered by rank decisions there
  double chi_square = 0;                 // sum over the samples
  std::int64_t expected_chi_square = 0;  // its expectation, where the noise is what the set says
  bool redundant = false;                // the sensors say more than is needed, so that they can contradict each other
  std::optional<bool> trusted;           // whether the chi-square agrees with the stated noise (agreement.hpp)
  std::vector<NoiseFound> noise;         // of sensors with noisy readings
  std::vector<OffsetFound> offsets;      // of the sensors with "bias": true
  /// Of the n offsets that are determined, n × n, in their order.
  std::vector<double> offset_covariance;
  long not_learnt = 0;              // samples that offsets could not be learnt from
  long outliers = 0;                // samples whose chi-square is one
  std::vector<OutlierFound> worst;  // of them, at most ten, worst first
  std::vector<FaultFound> faults;   // sensors that are out of order
  /// Readings that disagree most in a large part of the outliers, and in how many.
  std::vector<std::pair<std::string, long>> often_off;
  bool bounded = false;                // Huber's threshold was set; the next three are of these
  long reweighted = 0, unsettled = 0;  // samples with readings that count less; whose reweighting ended before it had settled
  bool has_innovations = false;        // they were asked for
  std::vector<InnovationsOf> innovations;  // of each sensor with noise that has been seen
};

}  // namespace sparsedyn
