// Parts of a scene, each under the transform of its node, become one mesh.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "report/meshes/corners.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {

using Transform = Eigen::Matrix4d;

/// What a file may ask for: nodes that hold each other, or that are drawn again and again, end here.
constexpr int deepest_node = 64;
constexpr std::size_t most_nodes = 100000, most_scene_triangles = 20000000, most_scene_points = 20000000;

/// Triangles of one part: places of `points`.
struct ScenePart {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
};

class SceneMesh {
 public:
  explicit SceneMesh(std::string path) : path_(std::move(path)) {}

  /// One more node, at that depth.
  void enter(int depth) {
    if (depth > deepest_node) fail("nodes more than 64 deep, or that hold themselves", "a tree of nodes");
    if (++nodes_ > most_nodes) fail("more than 100000 nodes", "fewer");
  }
  /// Before parts with so many are read.
  void read(std::size_t points, std::size_t triangles) { count(read_, points, triangles); }
  /// The part where its node is. A mirror turns its triangles round.
  void add(const ScenePart& part, const Transform& at) {
    count(drawn_, part.points.size(), part.triangles.size());
    std::vector<int> places;
    places.reserve(part.points.size());
    for (const Eigen::Vector3d& p : part.points) {
      const Eigen::Vector3d moved = (at * p.homogeneous()).head<3>();
      if (!(moved.cwiseAbs().maxCoeff() < report::largest_coordinate))
        fail("a point that is not finite or not below 1e30", "a finite one below");
      places.push_back(
          corners_.place({static_cast<float>(moved[0]), static_cast<float>(moved[1]), static_cast<float>(moved[2])}));
    }
    const bool mirrors = at.topLeftCorner<3, 3>().determinant() < 0;
    for (const std::array<int, 3>& t : part.triangles) {
      const auto place = [&](std::size_t k) { return places[static_cast<std::size_t>(t[k])]; };
      corners_.mesh.triangles.push_back(mirrors ? std::array<int, 3>{place(0), place(2), place(1)}
                                                : std::array<int, 3>{place(0), place(1), place(2)});
    }
  }
  report::Mesh& mesh() { return corners_.mesh; }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw InputError(path_, 0, "", found, expected);
  }
  struct Counts {
    std::size_t points = 0, triangles = 0;
  };
  void count(Counts& so_far, std::size_t points, std::size_t triangles) const {
    if (points > most_scene_points - so_far.points) fail("more than 20000000 points", "fewer");
    if (triangles > most_scene_triangles - so_far.triangles) fail("more than 20000000 triangles", "fewer");
    so_far.points += points, so_far.triangles += triangles;
  }
  std::string path_;
  Counts read_, drawn_;
  report::Corners corners_;
  std::size_t nodes_ = 0;
};

/// Corners in the order of a strip or of a fan as triangles.
/// @{
inline void add_strip(const std::vector<int>& corners, std::vector<std::array<int, 3>>& to) {
  for (std::size_t k = 2; k < corners.size(); ++k)
    to.push_back({corners[k - 2], corners[k - (k % 2 == 0 ? 1 : 0)], corners[k - (k % 2 == 0 ? 0 : 1)]});
}
inline void add_fan(const std::vector<int>& corners, std::vector<std::array<int, 3>>& to) {
  for (std::size_t k = 2; k < corners.size(); ++k) to.push_back({corners[0], corners[k - 1], corners[k]});
}
inline void add_triangles(const std::vector<int>& corners, std::vector<std::array<int, 3>>& to) {
  for (std::size_t k = 2; k < corners.size(); k += 3) to.push_back({corners[k - 2], corners[k - 1], corners[k]});
}
/// @}

}  // namespace sparsedyn
