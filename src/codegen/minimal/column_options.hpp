// How columns of M pass from body to body (minimal_crba.hpp): the same values by other products.
#pragma once

#include <vector>

namespace sparsedyn {

struct ColumnOptions {
  /// Forces of prismatic joints are unit vectors beside the masses that they move: joints along one direction share them, and
  /// no force that turns holds an input.
  bool unit_forces = false;
  /// A constant turn about the parent's axis is made together with the turn of the parent's joint, whose sine and cosine are
  /// then made once, not each vector's turn.
  bool joined_turns = false;
  /// Bodies whose shift along the axis is made before the turn about it, n + d e_z × f: where f is not needed any further it is
  /// not turned then.
  std::vector<int> along_first = {};
};

}  // namespace sparsedyn
