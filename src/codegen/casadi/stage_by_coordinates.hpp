// A step of time and its derivatives by coordinates, as solvers take them that add to states.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// (x, u, dt) and, for g and H, lambda (nq + nv) -> those of A, B, T, g and H that are asked for, as stage_program, by
/// semi-implicit Euler; but x and x⁺ are nq + nv numbers, and derivatives those of the function of quaternions scaled to norm
/// 1, at norm 1. `links`: with forces on them in u.
Program stage_by_coordinates(const Model& model, const std::vector<std::string>& outputs,
                             const std::vector<std::string>& links);

}  // namespace sparsedyn
