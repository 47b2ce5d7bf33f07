// The part of a simulated log that a sensor set adds: external wrenches, and noisy readings.
#pragma once

#include <string>
#include <vector>

#include "determinacy/simulated_sensors.hpp"
#include "determinacy/state_readings.hpp"
#include "trajectory.hpp"

namespace sparsedyn {

class SensorReadings {
 public:
  SensorReadings(const System& system, Random& random);

  /// fx.LINK.* of the links whose wrench is unknown, then y.* of sensors with noise or without a column of another name, then
  /// those of sensors of the state.
  const std::vector<std::string>& columns() const { return columns_; }

  /// At time t, with the state q, v and the wished acceleration a: writes the true a and tau (nv each) and the columns; returns
  /// the largest violation of the set's constants.
  double evaluate(double t, const double* q, const double* v, double* a, double* tau, double* results);
  /// That violation as SimulatedSensors::beside has it.
  double beside() const { return sensors_.beside(); }

 private:
  const System& system_;
  Random& random_;
  SimulatedSensors sensors_;
  StateReadings state_readings_;
  std::vector<std::string> columns_;
  std::vector<int> wrenches_;        // unknowns behind the first columns
  std::vector<int> readings_;        // inputs behind the others
  std::vector<double> sigma_;        // of each input
  std::vector<SmoothCurve> curves_;  // wish for each unknown (zero but for wrenches)
  std::vector<double> wish_, x_, y_;
};

}  // namespace sparsedyn
