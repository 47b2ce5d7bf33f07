// Which vectors of a program begin with the robot's coordinates.
#pragma once

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// q, or x of a step of time: q, then dq.
inline bool begins_with_q(const Port& port, const Model& model) {
  return port.name == "q" || (port.name == "x" && port.elements.size() == static_cast<std::size_t>(model.nq + model.nv));
}

}  // namespace sparsedyn
