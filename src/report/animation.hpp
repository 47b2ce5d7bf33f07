// Something that moves, to be watched: bodies as lines and boxes, forces as arrows, a slider for the time. Drawn by the page's
// own script from numbers of 16 bits, so that a minute of a humanoid fits in a page of less than a megabyte.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace sparsedyn::report {

struct AnimatedBody {
  std::string name;
  int parent = -1;                             // a line goes there; −1: none
  std::vector<std::array<double, 3>> corners;  // of its box in its own frame (m), corner k: bit 0, 1, 2 of k its side; or none
};

/// A plane that points may touch: a grid is drawn in it, around the point that is nearest to what moves.
struct AnimatedPlane {
  std::array<double, 3> point, normal;  // m; of unit length
};

/// `frames`, one after the other: position (m) and quaternion x, y, z, w of each body in the world, then point (m) and force
/// (N) of each force. z points up.
struct Animation {
  std::string title, hint;
  std::vector<AnimatedBody> bodies;
  std::vector<std::string> forces;
  std::vector<AnimatedPlane> planes;
  double unit_force = 1;       // N: drawn as long as a fourth of what is seen
  std::vector<double> times;   // s, of the frames
  std::vector<double> frames;  // times.size() · (7 bodies + 6 forces)
  std::size_t numbers() const { return 7 * bodies.size() + 6 * forces.size(); }
};

/// The figure with its controls. Positions are kept to 1/32767 of the largest coordinate.
std::string animation(const Animation& shown);

}  // namespace sparsedyn::report
