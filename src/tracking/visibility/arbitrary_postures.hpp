// Postures from which loops are closed.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::tracking {

/// The joints turned and shifted by several shares of an arbitrary step; nq numbers each.
std::vector<std::vector<double>> arbitrary_postures(const Model& model);

}  // namespace sparsedyn::tracking
