#include "ground.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/report/page.hpp"

namespace sparsedyn {
namespace {

constexpr double same_plane = 1e-9;   // m, and of a unit normal
constexpr double least_depth = 1e-6;  // m; what is less deep lies in the plane, but for rounding
constexpr std::size_t most_named = 4;

std::string listed_names(const std::vector<std::string>& names) {
  std::string said;
  const std::size_t shown = std::min(names.size(), most_named);
  for (std::size_t k = 0; k < shown; ++k)
    said += (k == 0 ? "" : k + 1 == shown && shown == names.size() ? " and " : ", ") + names[k];
  return said + (shown < names.size() ? " and " + std::to_string(names.size() - shown) + " more" : "");
}

/// −0 and what rounding leaves of it are 0.
std::string coordinate(double x) { return report::with_minus(report::number(std::abs(x) < 1e-12 ? 0.0 : x, 3)); }

/// "the ground of lf and rf", "z = 0".
std::string named(const GroundPlane& plane) {
  if (plane.names.empty()) return "z = 0";
  const bool level = plane.normal[2] > 1 - same_plane;
  return "the plane of " + listed_names(plane.names) +
         (level ? " (z = " + coordinate(plane.point[2]) + " m)"
                : std::string(" (normal ") + coordinate(plane.normal[0]) + ", " + coordinate(plane.normal[1]) + ", " +
                      coordinate(plane.normal[2]) + ")");
}

}  // namespace

std::vector<GroundPlane> ground_planes(const ConstraintSet& set) {
  std::vector<GroundPlane> planes;
  for (const Constraint& constraint : set.constraints) {
    if (constraint.type != ConstraintType::contact) continue;
    const Vec3<double>& n = constraint.plane_normal;
    const Vec3<double> normal = (1 / std::sqrt(dot(n, n))) * n;
    const auto same = std::find_if(planes.begin(), planes.end(), [&](const GroundPlane& plane) {
      const Vec3<double> turned = plane.normal - normal;
      return dot(turned, turned) < same_plane * same_plane &&
             std::abs(dot(normal, constraint.plane_point - plane.point)) < same_plane;
    });
    if (same != planes.end())
      same->names.push_back(constraint.name);
    else
      planes.push_back({constraint.plane_point, normal, {constraint.name}});
  }
  if (planes.empty()) planes.push_back({{{0, 0, 0}}, {{0, 0, 1}}, {}});
  return planes;
}

BelowGround::BelowGround(const Model& model, std::vector<GroundPlane> planes)
    : model_(model), planes_(std::move(planes)), sunk_(planes_.size() * model.bodies.size()) {}

void BelowGround::add(double time, const std::vector<Pose<double>>& poses) {
  const std::size_t bodies = model_.bodies.size();
  for (std::size_t b = 0; b < bodies; ++b) {
    const Inertia<double>& inertia = model_.bodies[b].inertia;
    if (!(inertia.m > 0)) continue;
    const Vec3<double> centre = poses[b].R * ((1 / inertia.m) * inertia.h) + poses[b].d;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const double height = dot(planes_[p].normal, centre - planes_[p].point);
      Sunk& sunk = sunk_[p * bodies + b];
      if (!(height < -least_depth)) continue;
      if (sunk.depth == 0) sunk.since = time;
      sunk.depth = std::max(sunk.depth, -height);
    }
  }
}

std::string BelowGround::words() const {
  std::string said;
  const std::size_t bodies = model_.bodies.size();
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    std::vector<std::size_t> below;
    for (std::size_t b = 0; b < bodies; ++b)
      if (sunk_[p * bodies + b].depth > 0) below.push_back(b);
    if (below.empty()) continue;
    std::stable_sort(below.begin(), below.end(),
                     [&](std::size_t a, std::size_t b) { return sunk_[p * bodies + a].depth > sunk_[p * bodies + b].depth; });
    double since = sunk_[p * bodies + below.front()].since;
    std::vector<std::string> names;
    for (std::size_t b : below) {
      since = std::min(since, sunk_[p * bodies + b].since);
      names.push_back(model_.links[static_cast<std::size_t>(model_.leading_link(static_cast<int>(b)))].name);
    }
    said += " Below " + named(planes_[p]) + ", from " + report::number(since, 7) + " s at the earliest: the " +
            (names.size() == 1 ? "centre of mass of " : "centres of mass of ") + listed_names(names) + ", by up to " +
            report::with_minus(report::number(sunk_[p * bodies + below.front()].depth, 3)) + " m; " +
            (planes_[p].names.empty() ? "no constraint names a ground, and this one stops nothing."
                                      : "these contacts stop their own points alone.");
  }
  return said;
}

}  // namespace sparsedyn
