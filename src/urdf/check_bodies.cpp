#include <algorithm>
#include <cmath>
#include <limits>

#include "check_model.hpp"
#include "principal_moments.hpp"

namespace sparsedyn::urdf {
namespace {

double length(const Vec3<double>& v) { return std::hypot(v[0], v[1], v[2]); }

/// The tensor about the centre of mass c, from second moments Σ m r rᵀ about the origin of the body's frame:
/// I = tr(Σ) 1 − Σ with Σ = moments − m c cᵀ.
Sym3<double> about_centre(const Inertia<double>& I, const Vec3<double>& c) {
  const Sym3<double>& s = I.moments;
  const Vec3<double>& h = I.h;
  return trace_minus(Sym3<double>{s.xx - h[0] * c[0], s.xy - h[0] * c[1], s.xz - h[0] * c[2], s.yy - h[1] * c[1],
                                  s.yz - h[1] * c[2], s.zz - h[2] * c[2]});
}

/// The radius of a ball of that mass of osmium, 22 590 kg/m³: a body of less size does not exist.
double smallest_radius(double mass) {
  const double volume = mass / 22590.0;
  return std::cbrt(volume * 3.0 / (4.0 * 3.14159265358979323846));
}

/// Divided, since 1/m overflows before m vanishes.
Vec3<double> centre(const Inertia<double>& I) {
  return I.m > 0 ? Vec3<double>{{I.h[0] / I.m, I.h[1] / I.m, I.h[2] / I.m}} : zero3<double>();
}

/// Of each body: the largest distance from its centre of mass to the frames, centres of mass and joints that it carries.
std::vector<double> extents(const Model& model) {
  std::vector<double> extent(model.bodies.size());
  const auto reach = [&](int body, const Vec3<double>& point) {
    if (body < 0) return;
    extent[body] = std::max(extent[body], length(point - centre(model.bodies[body].inertia)));
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    extent[b] = smallest_radius(model.bodies[b].inertia.m);
    reach(static_cast<int>(b), zero3<double>());
  }
  for (const Body& body : model.bodies) reach(body.parent, body.placement.d);
  for (const Link& link : model.links) {
    reach(link.body, link.pose.d);
    if (link.inertia.m > 0) reach(link.body, link.pose.R * centre(link.inertia) + link.pose.d);
  }
  return extent;
}

/// Of each body: how many links it consists of, and the one whose own moments are the worst.
struct Parts {
  int count = 0, worst = -1;
  double smallest = 0;
};
std::vector<Parts> parts_of_bodies(const Model& model) {
  std::vector<Parts> parts(model.bodies.size());
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.body < 0) continue;
    Parts& body = parts[link.body];
    const double own = principal_moments(about_centre(link.inertia, centre(link.inertia)))[0];
    if (body.count++ == 0 || own < body.smallest) body.worst = static_cast<int>(i), body.smallest = own;
  }
  return parts;
}

}  // namespace

void check_bodies(const XmlFile& file, const RobotElements& robot, const Model& model, bool lenient, LoadReport& report) {
  const std::vector<double> extent = extents(model);
  const std::vector<Parts> parts = parts_of_bodies(model);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Inertia<double>& I = model.bodies[b].inertia;
    const Vec3<double> p = principal_moments(about_centre(I, centre(I)));
    constexpr double smallest = std::numeric_limits<double>::min();  // below it numbers lose digits
    if (p[0] >= -std::max(smallest, 1e-8 * (p[2] + I.m * extent[b] * extent[b]))) continue;
    const std::string& name = model.links[parts[b].worst].name;
    const LinkElement* const element = &robot.links[static_cast<std::size_t>(robot.link_index.at(name))];
    const std::string owner = "link \"" + name + "\" <inertia>";
    const long line = element->has_inertial ? element->tensor_line : element->line;
    const std::string others = parts[b].count > 1 ? " of its body, " + std::to_string(parts[b].count) + " links" : "";
    const std::string found = "principal moments " + text_of(p) + others;
    if (!lenient) file.fail(line, owner, found, "none that is negative (--lenient warns only)");
    warn(file, line, owner, found + ": negative where it moves; used as it stands", report);
  }
}

}  // namespace sparsedyn::urdf
