// Changes of robots whose joints are coupled.
#pragma once

#include <memory>
#include <utility>

#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {

/// change(tree) of a robot whose joints are coupled: models share their tree, so this one gets its own.
template <class Change>
void change_tree(Model& model, Change&& change) {
  auto map = std::make_shared<CoordinateMap>(*model.coordinate_map);
  change(map->tree);
  model.coordinate_map = std::move(map);
}

}  // namespace sparsedyn
