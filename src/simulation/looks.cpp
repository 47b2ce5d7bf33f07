#include "simulation/looks.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "io/text/how_many.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/report/page.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t most_triangles = 30000, least_triangles = 200;  // of all meshes, and of each
constexpr double density = 1000;                                      // kg/m³, of boxes along links

std::array<double, 7> seven(const Pose<double>& pose) {
  const std::array<double, 4> q = quaternion_from_rotation(pose.R);
  return {pose.d[0], pose.d[1], pose.d[2], q[0], q[1], q[2], q[3]};
}

/// A pose whose z looks along d, at its middle.
Pose<double> along(const Vec3<double>& d, double length) {
  const Vec3<double> z = (1 / length) * d;
  const Vec3<double> other = std::abs(z[0]) < 0.7 ? Vec3<double>{{1, 0, 0}} : Vec3<double>{{0, 1, 0}};
  Vec3<double> x = cross(other, z);
  x = (1 / std::sqrt(dot(x, x))) * x;
  const Vec3<double> y = cross(z, x);
  Pose<double> pose = identity_pose<double>();
  for (int i = 0; i < 3; ++i) pose.R(i, 0) = x[i], pose.R(i, 1) = y[i], pose.R(i, 2) = z[i];
  pose.d = 0.5 * d;
  return pose;
}

class ShapeCollector {
 public:
  ShapeCollector(const Model& model, const MeshPlaces& places)
      : model_(model), places_(places), has_shape_(model.bodies.size() + 1), lacks_mesh_(has_shape_.size()) {}

  RobotLooks looks() {
    for (const Link& link : model_.links)
      for (const VisualShape& visual : link.visuals) add(link, visual);
    decimate();
    stand_ins();
    say();
    return std::move(looks_);
  }

 private:
  void add(const Link& link, const VisualShape& visual) {
    int mesh = -1;
    if (visual.shape == "mesh") {
      mesh = mesh_of(visual.file);
      if (mesh < 0) lacks_mesh_[static_cast<std::size_t>(link.body + 1)] = true;
      if (mesh < 0) return;
    }
    const Pose<double> pose = link.pose * visual.pose;
    looks_.shapes.push_back(
        {link.body, link.name, visual.shape, {visual.size[0], visual.size[1], visual.size[2]}, seven(pose), mesh});
    has_shape_[static_cast<std::size_t>(link.body + 1)] = true;
  }

  /// Its place among the meshes, each file once; −1: it cannot be had.
  int mesh_of(const std::string& named) {
    const auto known = read_.find(named);
    if (known != read_.end()) return known->second;
    int place = -1;
    const std::string path = places_.wanted ? found_mesh(named, places_) : "";
    if (!path.empty() && read(path)) place = static_cast<int>(looks_.meshes.size()) - 1;
    if (path.empty()) missing_.push_back(named);
    return read_[named] = place;
  }

  /// The file, or where it cannot be read, an STL or OBJ of its name.
  bool read(const std::string& path) {
    std::string why;
    for (const std::string& each : {path, mesh_beside(path)}) {
      if (each.empty()) continue;
      try {
        looks_.meshes.push_back(report::read_mesh(each, places_.kinds));
        return true;
      } catch (const InputError& error) {
        why += std::string(why.empty() ? "" : "; ") + error.what();
      }
    }
    unread_ += (unread_.empty() ? "" : "; ") + why;
    return false;
  }

  void decimate() {
    if (looks_.meshes.empty()) return;
    const std::size_t each = std::max(least_triangles, most_triangles / looks_.meshes.size());
    for (report::Mesh& mesh : looks_.meshes) {
      triangles_ += mesh.triangles.size();
      mesh = report::decimated(mesh, each);
      kept_ += mesh.triangles.size();
    }
  }

  void put(int body, const char* kind, const std::array<double, 3>& size, const Pose<double>& pose) {
    const int link = body < 0 ? 0 : model_.leading_link(body);
    looks_.shapes.push_back({body, model_.links[static_cast<std::size_t>(link)].name, kind, size, seven(pose), -1});
  }

  /// The box that has a body's mass and inertia, no half side beyond `most`.
  void put_inertia(int body, double most) {
    const InertiaBox box = inertia_box(model_.bodies[static_cast<std::size_t>(body)].inertia, most);
    put(body, "box", {2 * box.half[0], 2 * box.half[1], 2 * box.half[2]}, box.pose);
  }

  /// Of the box from a body's parent to the body, by bodies; 0 where none is drawn. It is as heavy as the parent where water
  /// is, and not much thinner than what the parent carries without a branch: a URDF's masses may sit in the joints.
  std::vector<double> sides_of_boxes(const std::vector<bool>& drawn, const std::vector<int>& children,
                                     const std::vector<int>& long_ones, double size) const {
    constexpr double of_carried = 0.8, of_size = 0.12;  // shares of what is carried, and at most of the robot's reach
    constexpr double thinnest = 0.12, thickest = 0.45;  // shares of the length
    std::vector<double> sides(model_.bodies.size()), carried(children.size());
    for (std::size_t b = sides.size(); b-- > 0;) {
      const auto of = static_cast<std::size_t>(model_.bodies[b].parent + 1);
      double side = carried[b + 1];
      if (drawn[b]) {
        const double length = length_of(model_.bodies[b]);
        const double mass = of == 0 || long_ones[of] > 1 ? 0 : model_.bodies[of - 1].inertia.m;
        side = std::max(std::min(std::sqrt(mass / (density * length)), of_size * size), of_carried * carried[b + 1]);
        sides[b] = std::clamp(side, thinnest * length, thickest * length);
      }
      if (children[of] == 1) carried[of] = side;
    }
    return sides;
  }

  static double length_of(const Body& body) { return std::sqrt(dot(body.placement.d, body.placement.d)); }

  /// Bodies whose shapes are not known: boxes from a body's frame to those that follow it, a ball where the next frame is the
  /// same, and the inertia's box where none follows or the tree branches.
  void stand_ins() {
    const double reach = reach_of(model_), size = std::isfinite(reach) ? reach : 0;
    std::vector<int> children(model_.bodies.size() + 1), long_ones(children.size());
    for (const Body& body : model_.bodies) {
      const auto of = static_cast<std::size_t>(body.parent + 1);
      ++children[of], long_ones[of] += length_of(body) > 0.02 * size;
    }
    const auto bare = [&](std::size_t of) { return !has_shape_[of] || lacks_mesh_[of]; };
    std::vector<bool> drawn;
    for (const Body& body : model_.bodies)
      drawn.push_back(bare(static_cast<std::size_t>(body.parent + 1)) && length_of(body) > 0.02 * size &&
                      !(body.parent < 0 && model_.floating()));
    const std::vector<double> sides = sides_of_boxes(drawn, children, long_ones, size);
    for (std::size_t b = 0; b < drawn.size(); ++b) {
      const Body& body = model_.bodies[b];
      const double length = length_of(body);
      if (drawn[b]) put(body.parent, "box", {sides[b], sides[b], length}, along(body.placement.d, length));
    }
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const double m = model_.bodies[b].inertia.m;
      if (!bare(b + 1)) {
        ++shown_;
      } else if (m > 0) {
        ++stood_in_;
        if (children[b + 1] != 1)
          put_inertia(static_cast<int>(b), std::isfinite(reach) ? 0.07 * reach : reach);
        else if (!long_ones[b + 1])
          put(static_cast<int>(b), "sphere", {std::min(std::cbrt(0.24 * m / density), 0.07 * size), 0, 0},
              identity_pose<double>());
      }
    }
  }

  void say() {
    std::string& words = looks_.words;
    const auto bodies = [](std::size_t n) { return how_many(static_cast<long>(n), "body is", "bodies are"); };
    if (shown_) words += bodies(shown_) + " drawn by the shapes of the robot's file";
    if (!looks_.meshes.empty())
      words += std::string(words.empty() ? "" : ", ") + "meshes with " + std::to_string(kept_) + " of " +
               std::to_string(triangles_) + " triangles";
    if (stood_in_)
      words += (words.empty() ? "" : "; ") + bodies(stood_in_) + " drawn by boxes along " +
               (stood_in_ == 1 ? "its link" : "their links");
    if (!words.empty()) words += ".";
    if (!missing_.empty() && places_.wanted)
      words += " No mesh that can be read is found for " + missing_.front() +
               (missing_.size() > 1 ? " and " + std::to_string(missing_.size() - 1) + " more" : "") + " (--package-path).";
    if (!unread_.empty()) words += " Not drawn: " + unread_ + ".";
  }

  const Model& model_;
  const MeshPlaces& places_;
  std::vector<bool> has_shape_, lacks_mesh_;  // have shapes, miss some: by body + 1, the world is the first
  std::map<std::string, int> read_;
  std::vector<std::string> missing_;
  std::string unread_;
  std::size_t triangles_ = 0, kept_ = 0, shown_ = 0, stood_in_ = 0;
  RobotLooks looks_;
};

}  // namespace

RobotLooks looks_of(const Model& model, const MeshPlaces& places) { return ShapeCollector(model, places).looks(); }

InertiaBox inertia_box(const Inertia<double>& inertia, double most) {
  const Sym3<double>& about_origin = inertia.moments;
  const Eigen::Vector3d centre = Eigen::Vector3d(inertia.h[0], inertia.h[1], inertia.h[2]) / inertia.m;
  Eigen::Matrix3d spread;
  spread << about_origin.xx, about_origin.xy, about_origin.xz, about_origin.xy, about_origin.yy, about_origin.yz,
      about_origin.xz, about_origin.yz, about_origin.zz;
  spread -= inertia.m * centre * centre.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(spread);
  const Eigen::Vector3d half = (3 / inertia.m * principal.eigenvalues()).cwiseMax(0.0).cwiseSqrt().cwiseMin(most);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  InertiaBox box{{{half[0], half[1], half[2]}}, identity_pose<double>()};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) box.pose.R(i, k) = axes(i, k);
    box.pose.d[i] = centre[i];
  }
  return box;
}

std::vector<int> limbs_of(const Model& model) {
  std::vector<int> limbs, children(model.bodies.size());
  for (const Body& body : model.bodies)
    if (body.parent >= 0) ++children[static_cast<std::size_t>(body.parent)];
  int last = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int parent = model.bodies[b].parent;
    const bool goes_on =
        parent >= 0 && children[static_cast<std::size_t>(parent)] == 1 && limbs[static_cast<std::size_t>(parent)] > 0;
    limbs.push_back(b == 0 && model.floating() ? 0 : goes_on ? limbs[static_cast<std::size_t>(parent)] : ++last);
  }
  return limbs;
}

std::vector<int> depths_of(const Model& model) {
  std::vector<int> depths;
  for (const Body& body : model.bodies)
    depths.push_back(body.parent < 0 ? 0 : depths[static_cast<std::size_t>(body.parent)] + 1);
  return depths;
}

double reach_of(const Model& model) {
  if (model.bodies.size() < 2) return std::numeric_limits<double>::infinity();
  std::vector<double> reach(model.bodies.size());
  double most = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const Vec3<double>& d = body.placement.d;
    reach[b] = body.parent < 0 ? 0.0 : reach[static_cast<std::size_t>(body.parent)] + std::sqrt(dot(d, d));
    const Vec3<double> com = body.inertia.m > 0 ? (1 / body.inertia.m) * body.inertia.h : zero3<double>();
    most = std::max(most, reach[b] + std::sqrt(dot(com, com)));
  }
  return most > 0 ? most : std::numeric_limits<double>::infinity();
}

}  // namespace sparsedyn
