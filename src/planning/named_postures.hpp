// Names for the states at which orders need help.
#pragma once

#include <vector>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

/// Writes OrderHelp::posture where there is an example.
void name_postures(std::vector<StrategyResult>& orders, const Model& model);

}  // namespace sparsedyn
