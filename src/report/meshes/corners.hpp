// Triangles as a file gives them, corner by corner, become a mesh in which equal points are one.
#pragma once

#include <array>
#include <map>

#include "report/meshes/mesh.hpp"

namespace sparsedyn::report {

/// Coordinates beyond it are refused, so that products of three stay within double.
constexpr double largest_coordinate = 1e30;

class Corners {
 public:
  int place(const std::array<float, 3>& p) {
    const auto [at, is_new] = places_.emplace(p, static_cast<int>(mesh.points.size()));
    if (is_new) mesh.points.push_back(p);
    return at->second;
  }
  Mesh mesh;

 private:
  std::map<std::array<float, 3>, int> places_;
};

}  // namespace sparsedyn::report
