#include "sparsedyn/json/joint_physics.hpp"

#include <algorithm>

#include "io/text_file.hpp"
#include "sparsedyn/json/detail/document.hpp"

namespace sparsedyn {
namespace {

using json::Node;

/// Refuses what is no moving joint of one freedom.
void check_joint(const Node& node, const std::string& name, const Model& model) {
  const char* const expected = "a joint of the robot with one freedom";
  if (const int j = model.find_joint(name); j >= 0) {
    const int freedoms = model.joints[j].nv;
    if (freedoms != 1) node.refuse("joint \"" + name + "\" with " + std::to_string(freedoms) + " freedoms", expected);
    return;
  }
  for (const Link& link : model.links)
    if (link.joint == name && link.parent >= 0) node.refuse("joint \"" + name + "\", which is fixed", expected);
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  node.refuse_name(name, names, expected);
}

double not_negative(const Node& of, const char* key) {
  if (!of.has(key)) return 0;
  const double x = of.at(key).number();
  if (!(x >= 0)) of.at(key).refuse(of.at(key).found(), "a number >= 0");
  return x;
}

JointPhysics read_physics(const Node& node) {
  node.only_keys({"armature", "damping", "friction", "offset", "smoothing"});
  JointPhysics p;
  p.armature = not_negative(node, "armature");
  p.damping = not_negative(node, "damping");
  p.friction = not_negative(node, "friction");
  if (node.has("offset")) p.offset = node.at("offset").number();
  if (!node.has("smoothing")) return p;
  const Node smoothing = node.at("smoothing");
  p.smoothing = smoothing.number();
  if (!(p.smoothing >= 1e-100) || !(p.smoothing <= 1e100)) smoothing.refuse(smoothing.found(), "a speed from 1e-100 to 1e100");
  return p;
}

void read_joints(const json::Document& document, Model& model, const std::vector<std::string>& absent) {
  const Node root = document.root();
  root.only_keys({"joints"});
  const Node joints = root.at("joints");
  for (const std::string& name : joints.keys()) {
    const Node node = joints.at(name);
    const JointPhysics physics = read_physics(node);
    if (std::find(absent.begin(), absent.end(), name) != absent.end()) continue;
    check_joint(node, name, model);
    try {
      set_joint_physics(model, name, physics);
    } catch (const std::invalid_argument& error) {
      node.refuse(error.what(), "numbers of a joint");
    }
  }
}

}  // namespace

void load_joint_physics(const std::string& path, Model& model, const std::vector<std::string>& absent) {
  read_joints(json::Document::load(path), model, absent);
}

void parse_joint_physics(const std::string& text, const std::string& name, Model& model,
                         const std::vector<std::string>& absent) {
  read_joints(json::Document::parse(text, name), model, absent);
}

}  // namespace sparsedyn
