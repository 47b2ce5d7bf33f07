// Something that moves, to be watched: bodies by their shapes or as boxes, forces as arrows, a slider for the time. Drawn by
// the page's own script from numbers of 16 bits, so that a minute of a humanoid fits in a page of about a megabyte.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "report/meshes/mesh.hpp"

namespace sparsedyn::report {

struct AnimatedBody {
  std::string name;
  int parent = -1;                             // a line goes there; −1: none
  std::vector<std::array<double, 3>> corners;  // of its box in its own frame (m), corner k: bit 0, 1, 2 of k its side; or none
  int limb = 0, depth = 0;                     // colour: 0 is the trunk; bodies of a limb in turns lighter
  double mass = 0;                             // kg
  std::array<double, 3> centre{{0, 0, 0}};     // of mass, in its own frame, m
  bool turns = false;                          // about or along its z, which may be drawn
};

/// A shape that moves with a body. Box: edges; sphere: radius; cylinder and capsule, along z: radius, length; mesh: scale.
struct AnimatedShape {
  int body = -1;               // −1: it stands in the world
  std::string link, kind;      // of the pointer's word; "box", "sphere", "cylinder", "capsule" or "mesh"
  std::array<double, 3> size;  // m
  std::array<double, 7> pose;  // in the body's frame: position (m), quaternion x, y, z, w
  int mesh = -1;               // place in `meshes`
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
  std::vector<AnimatedShape> shapes;  // bodies without one are drawn by their boxes
  std::vector<Mesh> meshes;
  std::vector<std::string> forces;
  std::vector<AnimatedPlane> planes;
  double unit_force = 1;       // N: drawn as long as a fourth of what is seen
  std::vector<double> times;   // s, of the frames
  std::vector<double> frames;  // times.size() · (7 bodies + 6 forces)
  std::size_t numbers() const { return 7 * bodies.size() + 6 * forces.size(); }
};

/// The figure with its controls. Positions are kept to 1/32767 of the largest coordinate, those of meshes to 1/65535 of their
/// extent. Meshes have at most 65535 points.
std::string animation(const Animation& shown);

}  // namespace sparsedyn::report
