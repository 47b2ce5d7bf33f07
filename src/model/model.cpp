#include "sparsedyn/model/model.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/suggestions.hpp"
#include "near_names.hpp"

namespace sparsedyn {
namespace {

/// JOINT + suffix for joints of one body, JOINT.k + suffix for the k-th body (from 1) of a joint that has several. Frames on
/// the way do not count. `suffixes(joint, append)` calls append(suffix) for each entry.
template <class Suffixes>
std::vector<std::string> names(const Model& model, Suffixes&& suffixes) {
  std::vector<std::string> out;
  for (const Joint& joint : model.joints) {
    std::vector<BodyJoint> moving;
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b)
      if (freedoms(model.bodies[b].joint) > 0) moving.push_back(model.bodies[b].joint);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const std::string body = joint.name + (moving.size() > 1 ? "." + std::to_string(k + 1) : "");
      suffixes(moving[k], [&](const char* suffix) { out.push_back(body + suffix); });
    }
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

std::string near_links(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Link& link : model.links) names.push_back(link.name);
  return suggestions_text(name, names);
}

std::string near_joints(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  return suggestions_text(name, names);
}

int Model::link(const std::string& called) const {
  if (const int found = find_link(called); found >= 0) return found;
  throw std::invalid_argument("link " + called + ": the robot has none of that name" + near_links(*this, called));
}

int Model::joint(const std::string& called) const {
  if (const int found = find_joint(called); found >= 0) return found;
  if (std::any_of(links.begin(), links.end(), [&](const Link& each) { return each.parent >= 0 && each.joint == called; }))
    throw std::invalid_argument("joint " + called + ": it is fixed; expected one that moves");
  throw std::invalid_argument("joint " + called + ": the robot has no moving joint of that name" + near_joints(*this, called));
}

std::vector<std::string> coordinate_names(const Model& model) {
  return names(model, [](BodyJoint joint, auto append) {
    for (int k = 0; k < coordinates(joint); ++k) append(coordinate_of(joint, k).suffix);
  });
}
std::vector<std::string> velocity_names(const Model& model) {
  return names(model, [](BodyJoint joint, auto append) {
    for (int k = 0; k < freedoms(joint); ++k) append(freedom_of(joint, k).velocity);
  });
}
std::vector<std::string> force_names(const Model& model) {
  return names(model, [](BodyJoint joint, auto append) {
    for (int k = 0; k < freedoms(joint); ++k) append(freedom_of(joint, k).force);
  });
}

const char* kind_name(JointKind kind) noexcept {
#define SPARSEDYN_CASE(name, type) \
  case JointKind::name: return #name;
  switch (kind) {
    SPARSEDYN_JOINT_TYPES(SPARSEDYN_CASE)
    case JointKind::continuous: return "continuous";
    case JointKind::universal: return "universal";
    case JointKind::composite: break;
  }
#undef SPARSEDYN_CASE
  return "composite";
}

}  // namespace sparsedyn
