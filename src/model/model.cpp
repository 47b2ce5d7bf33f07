#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
namespace {

using Suffixes = std::vector<const char*>;

const Suffixes& coordinate_suffixes(BodyJoint j) {
  static const Suffixes one{""}, planar{".x", ".y", ".angle"}, spherical{".qx", ".qy", ".qz", ".qw"},
      floating{".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
  return j == BodyJoint::planar ? planar : j == BodyJoint::spherical ? spherical : j == BodyJoint::floating ? floating : one;
}
const Suffixes& velocity_suffixes(BodyJoint j) {
  static const Suffixes one{""}, planar{".vx", ".vy", ".w"}, spherical{".wx", ".wy", ".wz"},
      floating{".wx", ".wy", ".wz", ".vx", ".vy", ".vz"};
  return j == BodyJoint::planar ? planar : j == BodyJoint::spherical ? spherical : j == BodyJoint::floating ? floating : one;
}
const Suffixes& force_suffixes(BodyJoint j) {
  static const Suffixes one{""}, planar{".fx", ".fy", ".n"}, spherical{".nx", ".ny", ".nz"},
      floating{".nx", ".ny", ".nz", ".fx", ".fy", ".fz"};
  return j == BodyJoint::planar ? planar : j == BodyJoint::spherical ? spherical : j == BodyJoint::floating ? floating : one;
}

/// JOINT + suffix for joints of one body, JOINT.k + suffix for the k-th body (from 1) of a joint that has several. Frames on
/// the way do not count.
std::vector<std::string> names(const Model& model, const Suffixes& (*suffixes)(BodyJoint)) {
  std::vector<std::string> out;
  for (const Joint& joint : model.joints) {
    std::vector<BodyJoint> moving;
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b)
      if (freedoms(model.bodies[b].joint) > 0) moving.push_back(model.bodies[b].joint);
    for (std::size_t k = 0; k < moving.size(); ++k)
      for (const char* suffix : suffixes(moving[k]))
        out.push_back(joint.name + (moving.size() > 1 ? "." + std::to_string(k + 1) : "") + suffix);
  }
  return out;
}

}  // namespace

int Model::find_link(const std::string& link) const {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].name == link) return static_cast<int>(i);
  return -1;
}

int Model::find_joint(const std::string& joint) const {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == joint) return static_cast<int>(i);
  return -1;
}

std::vector<std::string> coordinate_names(const Model& model) { return names(model, coordinate_suffixes); }
std::vector<std::string> velocity_names(const Model& model) { return names(model, velocity_suffixes); }
std::vector<std::string> force_names(const Model& model) { return names(model, force_suffixes); }

}  // namespace sparsedyn
