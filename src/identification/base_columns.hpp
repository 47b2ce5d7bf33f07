// Base parameters from sampled rows of a regressor.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// A length of the robot's own: the longest of its placements, of its bodies' centres and radii from their frames, to a power
/// of two, so that nothing is rounded by it; 1 m where all are 0.
double own_length(const Model& tree);

/// The size of the unit of each of π's numbers beside a mass, in powers of a length of the robot's own: m 1, h L, I L²; of the
/// joints L² where they turn and 1 where they shift, whose rows are a force. What is small is so beside these, and a robot of
/// millimetres has the base parameters of the same robot in metres.
std::vector<double> parameter_units(const Model& model);

/// Slides of a random posture in units of `length`, lest one of a metre be a lever in a robot of micrometres. Speeds stay:
/// those by which friction is smoothed are m/s.
void shift_by(const Model& model, double length, std::vector<double>& q);

/// Which columns of W, those of the parameters `which`, are independent, first ones first, and what the others share with them.
/// `unit`: of all of π.
BaseParameters independent_columns(const Eigen::MatrixXd& W, const std::vector<int>& which, const std::vector<double>& unit);

}  // namespace sparsedyn
