// What a robot's sensors would read along a motion.
#pragma once

#include <memory>
#include <vector>

#include "predicted_readings.hpp"
#include "sparsedyn/model/detail/natural_units.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

class ReducedRows;

/// Finds, state by state, accelerations and external wrenches near the wished ones under which everything holds that the set
/// states as a constant (`"value": 0`, contacts), then what the sensors read. Wrenches give way before accelerations do: a
/// robot on its feet gets the ground forces that its motion takes. A constant that names one of them alone (a link in the air)
/// is simply put in; the others are met by the least change of what is left, which no entry of mere rounding decides. Cost: a
/// dense factorisation of (other constants) × (unknowns left).
class SimulatedSensors {
 public:
  /// fixed: one flag an unknown; those keep their wish. The system must outlive it.
  SimulatedSensors(const System& system, std::vector<char> fixed);
  ~SimulatedSensors();

  /// q (nq), v (nv); wish: one number an unknown, of which ddq and fx are read; x: the unknowns, written; y (inputs): exact
  /// readings, written, zero for inputs that no row reads (wrenches on lumped links). Returns the largest violation of a
  /// constant in its own unit: 0 up to rounding unless they contradict each other.
  double read(const double* q, const double* v, const double* wish, double* x, double* y);

  /// That violation, row by row beside 1 or what is of order one for this robot where that is less.
  double beside() const { return beside_; }

  /// By how much a row's noise of 1 moves each entry of y at the last state; 0 for entries without a row.
  const std::vector<double>& gain() const { return gain_; }

 private:
  /// A constant row that states one free unknown (its place in ReducedRows::free_unknowns()).
  struct Pin {
    int row, entry, place;
  };
  void sort_constant_rows();
  void obey(const std::vector<double>& violation);
  double violate(double* x, std::vector<double>& violation);
  double one_of_row(int row) const;

  const System& system_;
  std::vector<char> fixed_;
  NaturalUnits units_;
  double beside_ = 0;
  std::unique_ptr<ReducedRows> reduced_;
  SystemWorkspace<double> work_;
  RoundingProbe probe_;
  PredictedReadings readings_;
  std::vector<Pin> pinned_;
  std::vector<int> constant_rows_;  // the other rows that read no input
  std::vector<int> willing_;        // places of free unknowns that may leave their wish
  std::vector<double> z_;           // free unknowns
  std::vector<double> values_, right_side_, gain_;
};

}  // namespace sparsedyn
