// Fitted bodies as the inertias of a URDF's links.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The links whose <inertial> changes, each in its own frame. A body's change goes to the link that leads it, the links on its
/// fixed joints stay; where the leading link then could not exist, it takes the whole body and the others none. Of a body that
/// holds joints which are locked for the fit alone, `locked`, every link takes its share (shared_out), so that the robot has
/// masses where these joints move again. `value`: π as in regressor.hpp.
std::map<std::string, std::optional<Inertia<double>>> fitted_links(const Model& model, const std::vector<double>& value,
                                                                   const std::vector<std::string>& locked);

}  // namespace sparsedyn
