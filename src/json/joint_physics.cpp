#include "joint_physics.hpp"

#include <algorithm>

#include "io/text_file.hpp"
#include "model/change_tree.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn {
namespace {

using json::Node;

/// Refuses what is no moving joint of one freedom.
void check_joint(const Node& node, const std::string& name, const Model& model) {
  const char* const expected = "a joint of the robot with one freedom";
  if (const int j = model.find_joint(name); j >= 0) {
    const int freedoms = model.tree().joints[j].nv;
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

void read_within(const Node& of, const char* key, double least, double most, const char* expected, double& x) {
  if (!of.has(key)) return;
  const Node node = of.at(key);
  const double number = node.number();
  if (!(number >= least) || !(number <= most)) node.refuse(node.found(), expected);
  x = number;
}

}  // namespace

JointPhysics json::read_physics(const Node& node) {
  node.only_keys({"armature", "damping", "friction", "offset", "smoothing", "stribeck", "stribeck_velocity", "stiffness"});
  JointPhysics p;
  p.armature = not_negative(node, "armature");
  p.damping = not_negative(node, "damping");
  p.friction = not_negative(node, "friction");
  if (node.has("offset")) p.offset = node.at("offset").number();
  if (node.has("stiffness")) p.stiffness = not_negative(node, "stiffness");
  p.stribeck = not_negative(node, "stribeck");
  if (p.stribeck > 1) node.at("stribeck").refuse(node.at("stribeck").found(), "a share from 0 to 1");
  read_within(node, "smoothing", 1e-100, 1e100, "a speed from 1e-100 to 1e100", p.smoothing);
  read_within(node, "stribeck_velocity", 1e-10, 1e10, "a speed from 1e-10 to 1e10", p.stribeck_velocity);
  return p;
}

namespace {

void read_joints(const json::Document& document, Model& model, const std::vector<std::string>& absent) {
  // at once: each change of a robot whose joints are coupled copies its tree
  if (model.coordinate_map) return change_tree(model, [&](Model& tree) { read_joints(document, tree, absent); });
  const Node root = document.root();
  root.only_keys({"joints"});
  const Node joints = root.at("joints");
  for (const auto& [name, node] : joints.members()) {
    const JointPhysics physics = json::read_physics(node);
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
