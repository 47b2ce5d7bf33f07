#include "weight_on.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

double length(const Vec3<double>& x) { return std::hypot(x[0], x[1], x[2]); }

}  // namespace

double weight_on(const Model& model, int freedom) {
  const Model& tree = model.tree();
  struct Way {
    double turns = 0, shifts = 0, lever = 0;  // by how much the freedom's rate moves the body, and how far its joint is
  };
  std::vector<Way> ways(tree.bodies.size());
  double sum = 0;
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const Body& body = tree.bodies[b];
    Way& way = ways[b];
    if (body.parent >= 0) way = ways[static_cast<std::size_t>(body.parent)];
    if (way.turns > 0) way.lever += length(body.placement.d);
    for (int k = 0; k < freedoms(body.joint); ++k) {
      const CoordinateMap::Entry e = entry_of(model, body.v + k);
      if (e.index != freedom) continue;
      const Motion<double> s = motion_subspace(body, k);
      way.turns += std::fabs(e.multiplier) * length(s.w), way.shifts += std::fabs(e.multiplier) * length(s.v);
    }
    sum += way.turns * (body.inertia.m * way.lever + length(body.inertia.h)) + way.shifts * body.inertia.m;
  }
  return length(tree.gravity) * sum;
}

}  // namespace sparsedyn
