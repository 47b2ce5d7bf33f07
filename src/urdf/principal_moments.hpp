// Moments of inertia about the axes in which the tensor is diagonal.
#pragma once

#include <string>

#include "sparsedyn/spatial/vec3.hpp"

namespace sparsedyn::urdf {

/// Eigenvalues of a rotational inertia (kg m²), ascending.
Vec3<double> principal_moments(const Sym3<double>& I);

/// "0.01, 0.02, 0.02", for messages.
std::string text_of(const Vec3<double>& moments);

}  // namespace sparsedyn::urdf
