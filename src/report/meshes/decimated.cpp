#include <algorithm>
#include <cmath>
#include <map>

#include "report/meshes/mesh.hpp"

namespace sparsedyn::report {
namespace {

using MeshCell = std::array<int, 3>;

/// Points of one cell become their mean.
Mesh clustered(const Mesh& mesh, const std::array<float, 3>& low, double edge) {
  struct Cluster {
    std::array<double, 3> sum{{0, 0, 0}};
    int count = 0, place = 0;
  };
  std::map<MeshCell, Cluster> cells;
  std::vector<Cluster*> of;
  for (const auto& p : mesh.points) {
    MeshCell cell;
    for (std::size_t k = 0; k < 3; ++k)
      cell[k] = static_cast<int>((static_cast<double>(p[k]) - static_cast<double>(low[k])) / edge);
    Cluster& cluster = cells[cell];
    for (std::size_t k = 0; k < 3; ++k) cluster.sum[k] += static_cast<double>(p[k]);
    ++cluster.count;
    of.push_back(&cluster);
  }
  Mesh out;
  for (auto& [cell, cluster] : cells) {
    cluster.place = static_cast<int>(out.points.size());
    std::array<float, 3> mean;
    for (std::size_t k = 0; k < 3; ++k) mean[k] = static_cast<float>(cluster.sum[k] / cluster.count);
    out.points.push_back(mean);
  }
  for (const auto& t : mesh.triangles) {
    std::array<int, 3> moved;
    for (std::size_t k = 0; k < 3; ++k) moved[k] = of[static_cast<std::size_t>(t[k])]->place;
    if (moved[0] != moved[1] && moved[1] != moved[2] && moved[2] != moved[0]) out.triangles.push_back(moved);
  }
  return out;
}

bool fits(const Mesh& mesh, std::size_t most) { return mesh.triangles.size() <= most && mesh.points.size() <= 65535; }

}  // namespace

Mesh decimated(const Mesh& mesh, std::size_t most) {
  if (fits(mesh, most) || mesh.points.empty()) return mesh;
  std::array<float, 3> low = mesh.points.front(), high = low;
  for (const auto& p : mesh.points)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  double extent = 0;
  for (std::size_t k = 0; k < 3; ++k) extent = std::max(extent, static_cast<double>(high[k]) - static_cast<double>(low[k]));
  if (!(extent > 0)) return {};  // one point: no triangle has an extent
  // cells along the longest side: bisection between one that is too coarse for any triangle and one that is too fine
  int coarse = 1, fine = 1024;
  Mesh best = clustered(mesh, low, extent * 1.0001);
  while (fine - coarse > 1) {
    const int middle = (coarse + fine) / 2;
    Mesh tried = clustered(mesh, low, extent * 1.0001 / middle);
    fits(tried, most) ? (best = std::move(tried), coarse = middle) : fine = middle;
  }
  return best;
}

}  // namespace sparsedyn::report
