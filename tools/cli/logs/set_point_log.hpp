// Set points from a log.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/simulation/set_points.hpp"

namespace sparsedyn::cli {

/// Columns time, and q.JOINT, dq.JOINT, tau.JOINT as far as the log has them; a joint with a position and no velocity is to
/// rest. Throws InputError, also where the log has none of them, or its time does not grow.
SetPoints read_set_points(const Model& model, const std::string& path, bool repeat);

}  // namespace sparsedyn::cli
