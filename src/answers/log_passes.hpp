// What a SensorSolver finds out of a whole log before its samples are solved.
#pragma once

#include <functional>
#include <vector>

#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn {

/// The next sample that can be used: writes q, v and y, one after the other; false after the last.
using NextSample = std::function<bool(std::vector<double>& sample)>;
/// The log from its beginning, as often as it is called.
using LogOfSamples = std::function<NextSample()>;

/// Goes through the log as many times as the solver needs to learn the sensors' offsets: not at all without offsets.
void learn_from(SensorSolver& solver, const LogOfSamples& log);

/// The factor by which standard deviations are multiplied to match the noise that the log shows. Goes through the log once,
/// unless no measurement is redundant; then the factor is 1.
double deviation_scale_of(const SensorSolver& solver, const LogOfSamples& log);

}  // namespace sparsedyn
