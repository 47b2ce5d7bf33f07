// Whether adding up inertias costs digits that the robot's own numbers have.
#pragma once

#include "sparsedyn/system/formulation.hpp"

namespace sparsedyn {

struct Model;

/// A small body that carries large ones has its inertia as a number of its own in the robot's equations, but as a part of a sum
/// in a mass matrix, or in base parameters, where what lies on a joint's axis has moved to the parent. True for joint space,
/// and in canonical frames if some body's own mass or least moment of inertia is below 1e-10 of what stands in its place:
/// rounding of that could then move an acceleration by more than 1e-6 of itself. Throws as formulated().
bool swallows_bodies(const Model& model, const Formulation& formulation);

}  // namespace sparsedyn
