// What sensors read at a state with given accelerations, pushed by given wrenches; without noise.
#pragma once

#include <vector>

#include "determinacy/predicted_readings.hpp"
#include "determinacy/reduced_rows.hpp"
#include "determinacy/state_readings.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A state, its accelerations, and the wrenches that the world puts on links, each in its link's frame about its origin.
struct PushedState {
  std::vector<double> q, v, a;          // nq, nv, nv
  std::vector<Force<double>> wrenches;  // by link
};

/// Where a wrench on a link enters a system.
struct WrenchPlace {
  int link = -1;         // on whose wrench it counts; -1: on none
  int first = -1;        // unknown fx of that link, or
  int measurement = -1;  // the one that reads it, a number known to the laws of motion
};

class ExactMotionReadings {
 public:
  /// grounded: by link, whether a constraint of the simulation ties it to the world, or may press it. The system must outlive
  /// it.
  ExactMotionReadings(const System& system, const std::vector<char>& grounded);

  void at(const PushedState& s);
  /// Of an input of the system, and by how much noise of 1 in its row moves it.
  double input(int k) const { return y_[static_cast<std::size_t>(k)]; }
  double slope(int k) const { return readings_.slope()[static_cast<std::size_t>(k)]; }
  /// Of the columns of state().
  double of_state(int k) const { return of_state_[k]; }
  const StateReadings& state() const { return state_; }

 private:
  const Measurement& measurement(int m) const { return system_.measurements()[static_cast<std::size_t>(m)]; }
  void put_wrenches(const PushedState& s);
  void put_through_fixed_joint(const Measurement& m, const PushedState& s);
  void put_known(const Measurement& m, const Force<double>& on_link);

  const System& system_;
  std::vector<WrenchPlace> places_;  // by link
  ReducedRows rows_;
  PredictedReadings readings_;
  StateReadings state_;
  SystemWorkspace<double> work_;
  std::vector<double> values_, right_side_, z_, given_, x_, y_, known_;  // given_: by unknown, of ddq and fx
  const double* of_state_ = nullptr;
};

}  // namespace sparsedyn
