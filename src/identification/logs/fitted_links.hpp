// Fitted bodies as the inertias of a URDF's links.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// The links whose <inertial> changes, and their new inertias, each in the link's own frame. The change of a body goes to the
/// body's leading link, and the links on its fixed joints keep their inertias. Where such a leading link could not exist, it
/// takes the inertia of the whole body, and the other links take none. Joints in `locked` are locked for the fit alone. Every
/// link of a body that holds such a joint takes its share (shared_out), so that the links behind the joint have mass when it
/// moves again. `value`: π as in regressor.hpp.
std::map<std::string, std::optional<Inertia<double>>> fitted_links(const Model& model, const std::vector<double>& value,
                                                                   const std::vector<std::string>& locked);

}  // namespace sparsedyn
