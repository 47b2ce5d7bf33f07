#include "right_angles.hpp"

#include <algorithm>

namespace sparsedyn::inspection {

std::string RightAngle::words() const {
  std::string text;
  for (std::size_t k = 0; k < 3; ++k)
    text += std::string(k ? ", " : "") + "xyz"[k] + " reads " + (sign[k] < 0 ? "-" : "") + "xyz"[axis[k]];
  return text;
}

const std::vector<RightAngle>& right_angles() {
  static const std::vector<RightAngle> all = [] {
    std::vector<RightAngle> found;
    std::array<int, 3> axis{0, 1, 2};
    do {
      const int inversions = (axis[0] > axis[1]) + (axis[0] > axis[2]) + (axis[1] > axis[2]);
      for (int signs = 0; signs < 8; ++signs) {
        const std::array<int, 3> sign{signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, signs & 4 ? -1 : 1};
        if (sign[0] * sign[1] * sign[2] * (inversions % 2 ? -1 : 1) == 1) found.push_back({axis, sign});
      }
    } while (std::next_permutation(axis.begin(), axis.end()));
    return found;
  }();
  return all;
}

}  // namespace sparsedyn::inspection
