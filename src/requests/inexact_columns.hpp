// Which numbers of an estimate's program are not those that the solver gives.
//
// A program solves in one order and does not refine; an Estimator refines until nothing moves. Where the sigmas of a set span
// many decades, the pivots of that order are small beside what is taken off them, and a program loses the digits of deviations
// first: a deviation is a solve for an output that the readings may hardly determine.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"
#include "sparsedyn/codegen/programs.hpp"

namespace sparsedyn {

/// A column of a program that is off by more than 1e-6 at some posture.
struct InexactColumn {
  std::string column;   // as the program names it: `tau.knee`, `sd.tau.knee`
  double off = 0;       // a deviation beside itself and 1e-8 of the largest of its kind, an estimate beside the largest
  std::string posture;  // where it is off most (posture_name)
  double health = 1;    // of the program there
};

/// Of a program of `solver` that reads these inputs, with `health` as its last output, at up to 268 postures, random and
/// right-angled ones, beside an Estimator with the same plan, which refines. The worst column comes first; none where the set
/// is not estimated. Passed over are postures at which the Estimator finds no accurate order in the plan, those at which the
/// program has no finite answer or its health is not above `least_health`, and numbers that move as far where the posture
/// moves by roundings. Where parameters are inputs, `pi` are those of the solver's robot. Cost: an evaluation and an estimate a
/// posture, and so few postures of a long program that this takes some tenths of a second.
std::vector<InexactColumn> inexact_columns(const SensorSolver& solver, const Program& program, const ReadInputs& read,
                                           const std::vector<double>& pi = {}, double least_health = 0);

/// "the deviation of tau.knee loses digits at all joints at 90° (off by 4e-04, health 2e-05), and so do 3 others".
std::string in_words(const std::vector<InexactColumn>& lost);

}  // namespace sparsedyn
