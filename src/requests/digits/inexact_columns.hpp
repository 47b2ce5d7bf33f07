// Which numbers of a sensor set's program are not those that the solver gives.
//
// A program solves in one order and does not look at its solution; Solver and Estimator refine until nothing moves. Where the
// sigmas of a set span many decades, the pivots of that order are small beside what is taken off them, and a program loses the
// digits of deviations first: a deviation is a solve for an output that the readings may hardly determine. In single precision
// orders lose them sooner.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// A column of a program that is off by more than it may be at some posture.
struct InexactColumn {
  std::string column;   // as the program names it: `tau.knee`, `sd.tau.knee`, `innovation.tau.knee`, `chi2`
  double off = 0;       // as a share of what it is judged beside
  double share = 0;     // of what it may be off
  int postures = 0;     // at which it is off by more than asked
  std::string posture;  // where it is off most (posture_name)
  double health = 1;    // of the program there
};

/// How a program is compared.
struct ColumnComparison {
  std::vector<double> pi = {};   // where parameters are inputs: those of the solver's robot
  double least_health = 0;       // of what is compared
  double share = 1;              // of what a column may be off: beyond it is found
  bool single = false;           // the program is evaluated in single precision, from inputs that are floats
  double most_operations = 4e5;  // of a program that refines: what compilers do in a minute or two
};

/// Of a program of `solver` that reads these inputs, with `health` as its last output, at up to 268 postures, random and
/// right-angled ones, beside a Solver or Estimator with the same plan. A column may be off by 1e-6, in single precision by
/// 1e-3: an output beside the largest of its kind, a deviation beside itself and 1e-8 (1e-4) of the largest of its kind, an
/// innovation and chi2 beside themselves and 1. The worst column comes first. Passed over are postures at which the solver
/// finds no accurate order in the plan, those at which the program has no finite answer or its health is not above
/// `least_health`, and numbers that move as far where coordinates and readings move by roundings. Cost: an evaluation and a
/// solve a posture, and so few postures of a long program that this takes some tenths of a second.
std::vector<InexactColumn> inexact_columns(const SensorSolver& solver, const Program& program, const ReadInputs& read,
                                           const ColumnComparison& how = {});

/// "the deviation of tau.knee loses digits at all joints at 90° (off by 4e-04, health 2e-05), and so do 3 others".
std::string in_words(const std::vector<InexactColumn>& lost);

}  // namespace sparsedyn
