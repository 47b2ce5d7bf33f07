// Quaternions of a log's rows, whose lengths may be off.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Brings the quaternions of q (model.nq) to unit length, as normalise() does; the name of the joint whose quaternion has
/// length zero, or nothing.
std::string joint_of_zero_quaternion(const Model& model, double* q);

}  // namespace sparsedyn
