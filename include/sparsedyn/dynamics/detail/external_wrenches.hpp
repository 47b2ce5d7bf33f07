// Wrenches on links, as users and logs have them, become wrenches on bodies, as the algorithms take them.
#pragma once

#include "sparsedyn/code.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// links: one wrench a link in Model::links order, of the world on the link, in the link's frame about its origin.
/// bodies: one a body, in the body's frame, written (the sum over the links that the body carries). What acts on links that
/// are fixed to the world moves nothing and is left out.
template <class S>
void link_wrenches_to_bodies(const Model& model, const Force<S>* links, Force<S>* bodies) noexcept {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) bodies[b] = {zero3<S>(), zero3<S>()};
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.body >= 0) bodies[link.body] = bodies[link.body] + to_parent(cast<Constant<S>>(link.pose), links[i]);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
