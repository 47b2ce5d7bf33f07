// A robot that carries something.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The same robot with a rigid body on a link: the body's inertia in the link's frame (inertia_about_com). On a link that is
/// fixed to the world it moves nothing. Throws std::invalid_argument where there is no such link. Cost: a copy of the model.
Model with_payload(const Model& model, int link, const Inertia<double>& payload);

}  // namespace sparsedyn
