#include "values.hpp"

#include <cmath>
#include <map>

namespace sparsedyn::json {
namespace {

constexpr double turn_tolerance = 1e-6;

/// Whether R Rᵀ = 1 and R turns right-handed axes into right-handed ones.
bool turns(const Mat3<double>& R) {
  const Mat3<double> S = R * transpose(R);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(S(i, k) - (i == k ? 1 : 0)) <= turn_tolerance)) return false;
  const Vec3<double> x{{R(0, 0), R(1, 0), R(2, 0)}}, y{{R(0, 1), R(1, 1), R(2, 1)}}, z{{R(0, 2), R(1, 2), R(2, 2)}};
  return dot(cross(x, y), z) > 0;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(JointKind::composite); ++k) names.push_back(kind_name(static_cast<JointKind>(k)));
  return names;
}

}  // namespace

Vec3<double> vector_of_three(const Node& node) {
  const std::array<double, 3> x = list_of<3>(node);
  return {{x[0], x[1], x[2]}};
}

Pose<double> pose_of(const Node& node) {
  node.only_keys({"rotation", "xyz"});
  Pose<double> pose = identity_pose<double>();
  if (node.has("rotation")) {
    const std::array<double, 9> R = list_of<9>(node.at("rotation"));
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) pose.R(i, k) = R[static_cast<std::size_t>(3 * i + k)];
    if (!turns(pose.R)) node.at("rotation").refuse("a matrix that does not turn", "a rotation, row by row");
  }
  if (node.has("xyz")) pose.d = vector_of_three(node.at("xyz"));
  return pose;
}

JointKind joint_kind(const Node& node) {
  const std::vector<std::string> names = kind_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == node.string()) return static_cast<JointKind>(k);
  node.refuse_name(node.string(), names, "a kind of joint");
}

void check_bodies(const Node& node, const std::vector<Node>& bodies, JointKind kind) {
  const bool composite = kind == JointKind::composite;
  const std::size_t count = kind == JointKind::universal ? 2 : 1;
  if (composite ? bodies.empty() : bodies.size() != count)
    node.refuse("a list of " + std::to_string(bodies.size()),
                composite ? "at least one body" : std::to_string(count) + " of a joint that is " + kind_name(kind));
  const JointKind type = kind == JointKind::universal || kind == JointKind::continuous ? JointKind::revolute : kind;
  for (const Node& each : bodies) {
    const JointKind found = joint_kind(each.at("type"));
    const bool one_body = found != JointKind::fixed && found < JointKind::continuous;
    if (composite ? !one_body : found != type)
      each.at("type").refuse(each.at("type").found(), composite ? "a joint of one body that moves" : kind_name(type));
  }
}

JointLimits read_limits(const Node& node) {
  node.only_keys({"lower", "upper", "velocity", "effort"});
  JointLimits limits;
  if (node.has("lower")) limits.lower = node.at("lower").number();
  if (node.has("upper")) limits.upper = node.at("upper").number();
  if (node.has("velocity")) limits.velocity = node.at("velocity").number();
  if (node.has("effort")) limits.effort = node.at("effort").number();
  return limits;
}

VisualShape read_visual(const Node& node) {
  VisualShape visual;
  visual.shape = node.at("shape").string();
  const std::map<std::string, std::vector<std::string>> keys{{"mesh", {"file", "scale"}},
                                                             {"box", {"size"}},
                                                             {"sphere", {"radius"}},
                                                             {"cylinder", {"radius", "length"}},
                                                             {"capsule", {"radius", "length"}}};
  const auto found = keys.find(visual.shape);
  if (found == keys.end())
    node.at("shape").refuse_name(visual.shape, {"mesh", "box", "sphere", "cylinder", "capsule"}, "a shape");
  std::vector<std::string> known{"name", "shape", "pose"};
  known.insert(known.end(), found->second.begin(), found->second.end());
  node.only_keys(known);
  if (node.has("name")) visual.name = node.at("name").string();
  if (node.has("pose")) visual.pose = pose_of(node.at("pose"));
  if (visual.shape == "mesh") {
    visual.file = node.at("file").string();
    if (node.has("scale")) visual.size = vector_of_three(node.at("scale"));
  } else if (visual.shape == "box") {
    visual.size = vector_of_three(node.at("size"));
  } else {
    visual.size = {{node.at("radius").number(), node.has("length") ? node.at("length").number() : 0.0, 0}};
    if (visual.shape != "sphere") node.at("length");
  }
  return visual;
}

}  // namespace sparsedyn::json
