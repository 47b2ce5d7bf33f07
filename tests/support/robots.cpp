#include "robots.hpp"

#include <algorithm>
#include <filesystem>

namespace sparsedyn::test {

JointSpec random_joint(std::mt19937& rng, JointKind kind) {
  JointSpec spec;
  spec.kind = kind;
  spec.axis = random_vector(rng);
  const Vec3<double> across = random_vector(rng);
  spec.pitch = 0.3;
  if (rng() % 2) spec.axis = {{rng() % 2 ? 1.0 : 0.0, 0, 0}}, spec.axis[static_cast<int>(rng() % 3)] = -1.0;
  spec.axis2 = cross(spec.axis, across);  // a universal joint's axes cross at a right angle
  if (kind == JointKind::composite)
    for (JointKind part : {JointKind::prismatic, JointKind::spherical, JointKind::revolute})
      spec.parts.push_back({random_pose(rng), random_joint(rng, part)});
  return spec;
}

std::vector<JointKind> every_joint_kind() {
  return {JointKind::revolute,  JointKind::continuous, JointKind::prismatic, JointKind::helical,  JointKind::universal,
          JointKind::spherical, JointKind::planar,     JointKind::floating,  JointKind::composite};
}

Vec3<double> random_vector(std::mt19937& rng, double scale) {
  std::normal_distribution<double> normal(0.0, scale);
  return {{normal(rng), normal(rng), normal(rng)}};
}

Pose<double> random_pose(std::mt19937& rng) {
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  return {rotation_from_rpy({{angle(rng), 0.5 * angle(rng), angle(rng)}}), random_vector(rng, 0.4)};
}

Inertia<double> random_inertia(std::mt19937& rng) {
  Inertia<double> sum = zero_inertia<double>();
  for (int k = 0; k < 6; ++k) {
    const Inertia<double> point{0.2 + 0.1 * k, zero3<double>(), {0, 0, 0, 0, 0, 0}};
    sum = sum + shifted(point, random_vector(rng, 0.3));
  }
  return sum;
}

// The order in which arguments are evaluated is the compiler's: what is drawn is drawn in statements, so that a seed means
// one tree.
Model random_tree(int n, unsigned seed, const TreeOptions& options) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  ModelBuilder builder("tree" + std::to_string(n));
  builder.root("root", random_inertia(rng), options.floating);
  std::vector<std::string> chain{"root"};  // the path to the newest link: depth first, as a file would be read
  int lumped = 0;
  for (int i = 0; i < n; ++i) {
    while (chain.size() > 1 && unit(rng) < options.branching) chain.pop_back();
    if (options.lumped && unit(rng) < 0.3) {
      const std::string name = "pad" + std::to_string(++lumped);
      const Pose<double> placement = random_pose(rng);
      builder.link(name, random_inertia(rng), chain.back(), "weld" + std::to_string(lumped), {}, placement);
      chain.push_back(name);
    }
    const JointKind kind = options.kinds[rng() % options.kinds.size()];
    const std::string name = "link" + std::to_string(i + 1);
    const Pose<double> placement = random_pose(rng);
    const JointSpec joint = random_joint(rng, kind);
    builder.link(name, random_inertia(rng), chain.back(), "joint" + std::to_string(i + 1), joint, placement);
    chain.push_back(name);
  }
  return builder.build();
}

Model with_wheels(Model model) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const auto carried = [&](const Body& b) { return b.parent == static_cast<int>(i); };
    if (model.bodies[i].joint != BodyJoint::revolute || std::any_of(model.bodies.begin(), model.bodies.end(), carried))
      continue;
    Inertia<double>& I = model.bodies[i].inertia;
    I = {I.m, {{0, 0, I.h[2]}}, {I.moments.xx, 0, 0, I.moments.xx, 0, I.moments.zz}};
  }
  return model;
}

Model with_joint_physics(Model model, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  model.physics.resize(static_cast<std::size_t>(model.nv));
  for (const Body& body : model.bodies) {
    if (freedoms(body.joint) != 1) continue;
    JointPhysics p;
    p.armature = unit(rng), p.damping = unit(rng), p.friction = unit(rng), p.offset = unit(rng) - 0.5;
    p.smoothing = 0.2 + unit(rng);
    for (double* x : {&p.armature, &p.damping, &p.friction, &p.offset})
      if (rng() % 4 == 0) *x = 0;
    if (rng() % 2 == 0) p.stribeck = unit(rng), p.stribeck_velocity = 0.2 + unit(rng);
    if (rng() % 2 == 0) p.stiffness = unit(rng);
    if (rng() % 4 > 0) model.physics[body.v] = p;
  }
  return model;
}

namespace {

Model with_tip(const Inertia<double>& tip, const Vec3<double>& axis) {
  std::mt19937 rng(1);
  const Inertia<double> root = random_inertia(rng), arm = random_inertia(rng);
  const Pose<double> shoulder = random_pose(rng), wrist = random_pose(rng);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = axis;
  return ModelBuilder("tip")
      .root("root", root, false)
      .link("arm", arm, "root", "shoulder", hinge, shoulder)
      .link("tip", tip, "arm", "wrist", hinge, wrist)
      .build();
}

}  // namespace

Model massless_tip() { return with_tip(zero_inertia<double>(), {{0, 0, 1}}); }

Model point_tip() {
  const double length = std::sqrt(0.14);
  const Vec3<double> c{{0.1, 0.2, 0.3}};
  return with_tip(
      {1.3,
       1.3 * c,
       {1.3 * c[0] * c[0], 1.3 * c[0] * c[1], 1.3 * c[0] * c[2], 1.3 * c[1] * c[1], 1.3 * c[1] * c[2], 1.3 * c[2] * c[2]}},
      1 / length * c);
}

Model arm_like_ur5() {
  std::mt19937 rng(1);
  const auto at = [](double x, double y, double z) { return Pose<double>{identity3<double>(), {{x, y, z}}}; };
  const auto hinge = [](double x, double y, double z) {
    JointSpec spec;
    spec.kind = JointKind::revolute, spec.axis = {{x, y, z}};
    return spec;
  };
  ModelBuilder builder("ur5-like");
  builder.root("world_link", zero_inertia<double>(), false);
  builder.link("shoulder", random_inertia(rng), "world_link", "pan", hinge(0, 0, 1), at(0, 0, 0.089));
  builder.link("upper_arm", random_inertia(rng), "shoulder", "lift", hinge(0, 1, 0), at(0, 0.136, 0));
  builder.link("forearm", random_inertia(rng), "upper_arm", "elbow", hinge(0, 1, 0), at(0, -0.120, 0.425));
  builder.link("wrist1", random_inertia(rng), "forearm", "wrist_1", hinge(0, 1, 0), at(0, 0, 0.392));
  builder.link("wrist2", random_inertia(rng), "wrist1", "wrist_2", hinge(0, 0, 1), at(0, 0.093, 0));
  builder.link("wrist3", random_inertia(rng), "wrist2", "wrist_3", hinge(0, 1, 0), at(0, 0, 0.095));
  return builder.build();
}

std::string source_folder() { return SPARSEDYN_SOURCE_DIR; }

namespace {

std::vector<std::string> urdf_files(const std::filesystem::path& folder) {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    if (entry.path().extension() == ".urdf") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::string> shipped_robots() { return urdf_files(std::filesystem::path(source_folder()) / "robots"); }

std::vector<std::string> shared_robots() {
  return urdf_files(std::filesystem::path(source_folder()) / ".." / "shared" / "robots");
}

std::vector<std::string> all_robots() {
  std::vector<std::string> paths = shipped_robots();
  for (const std::string& path : shared_robots()) paths.push_back(path);
  return paths;
}

bool is_one_of(const std::string& path, const std::vector<std::string>& names) {
  const std::string file = std::filesystem::path(path).filename().string();
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return file.compare(0, name.size(), name) == 0; });
}

}  // namespace sparsedyn::test
