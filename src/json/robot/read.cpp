#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "io/text_file.hpp"
#include "json/joint_physics.hpp"
#include "model/joint_numbers.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "values.hpp"

namespace sparsedyn {
namespace {

using json::Kind;
using json::Node;

/// What a robot's names stand for.
using Index = std::unordered_map<std::string, int>;

std::vector<std::string> names_in(const Index& index) {
  std::vector<std::string> names;
  for (const auto& [name, at] : index) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

/// Reads the links, parents first, each with its joint; what moves gets its bodies.
class RobotReader {
 public:
  RobotFile read(const Node& root) {
    root.only_keys({"format", "version", "name", "gravity", "links", "couplings", "held"});
    if (root.at("format").string() != "sparsedyn-robot")
      root.at("format").refuse(root.at("format").found(), "\"sparsedyn-robot\"");
    if (root.at("version").integer() != 1) root.at("version").refuse(root.at("version").found(), "version 1");
    RobotFile file;
    model_.name = root.at("name").string();
    if (root.has("gravity")) model_.gravity = json::vector_of_three(root.at("gravity"));
    const std::vector<Node> links = root.at("links").array();
    if (links.empty()) root.at("links").refuse(root.at("links").found(), "at least the root");
    for (const Node& link : links) add_link(link);
    check_columns(links);
    check_finite(links);
    file.model = coupled_as(root);
    if (root.has("held")) file.held = held(root.at("held"), file.model);
    return file;
  }

 private:
  /// A name that no other has.
  std::string name_of(const Node& node, std::unordered_set<std::string>& taken) {
    const std::string& name = node.string();
    if (name.empty()) node.refuse(node.found(), "a name");
    if (!taken.insert(name).second) node.refuse(node.found() + " a second time", "a name of its own");
    return name;
  }

  void add_link(const Node& node) {
    const bool is_root = model_.links.empty();
    std::vector<std::string> keys{"name", "pose", "mass", "first_moments", "second_moments", "joint", "visuals"};
    if (!is_root) keys.insert(keys.begin() + 1, "parent");
    node.only_keys(keys);
    Link link{name_of(node.at("name"), link_names_), -1, "", -1, -1, identity_pose<double>(), zero_inertia<double>(), {}};
    if (!is_root) link.parent = parent_of(node.at("parent"));
    link.body = is_root ? -1 : model_.links[static_cast<std::size_t>(link.parent)].body;
    if (node.has("pose")) link.pose = json::pose_of(node.at("pose"));
    if (node.has("mass")) link.inertia.m = node.at("mass").number();
    if (node.has("first_moments")) link.inertia.h = json::vector_of_three(node.at("first_moments"));
    if (node.has("second_moments")) {
      const std::array<double, 6> s = json::list_of<6>(node.at("second_moments"));
      link.inertia.moments = {s[0], s[1], s[2], s[3], s[4], s[5]};
    }
    if (node.has("visuals"))
      for (const Node& each : node.at("visuals").array()) link.visuals.push_back(json::read_visual(each));
    add_joint(node.at("joint"), link);
    if (link.body >= 0) {
      Inertia<double>& lumped = model_.bodies[static_cast<std::size_t>(link.body)].inertia;
      // a root that floats is its body: its numbers are not carried anywhere
      lumped = is_root ? link.inertia : lumped + to_parent(link.pose, link.inertia);
    }
    model_.links.push_back(link);
    links_.emplace(link.name, static_cast<int>(links_.size()));
  }

  int parent_of(const Node& node) const {
    const auto found = links_.find(node.string());
    if (found == links_.end()) node.refuse_name(node.string(), names_in(links_), "a link that stands before this one");
    return found->second;
  }

  void add_joint(const Node& node, Link& link) {
    node.only_keys({"name", "kind", "bodies", "physics", "limits"});
    link.joint = name_of(node.at("name"), joint_names_);
    const JointKind kind = json::joint_kind(node.at("kind"));
    if (link.parent < 0) check_root(node, kind, link.joint);
    if (kind == JointKind::fixed) {
      for (const char* key : {"bodies", "physics", "limits"})
        if (node.has(key)) node.at(key).refuse("\"" + std::string(key) + "\" of a fixed joint", "none");
      return;
    }
    if (link.pose.d[0] != 0 || link.pose.d[1] != 0 || link.pose.d[2] != 0)
      node.refuse("a joint whose link has its origin elsewhere",
                  "\"xyz\" of [0, 0, 0]: other frames are links on fixed joints");
    const int index = static_cast<int>(model_.links.size());
    Joint joint{link.joint, kind, link.parent, index, static_cast<int>(model_.bodies.size()), 0, model_.nq, 0, model_.nv, 0};
    add_bodies(node.at("bodies"), joint, link.body);
    link.body = static_cast<int>(model_.bodies.size()) - 1;
    link.moving_joint = static_cast<int>(model_.joints.size());
    model_.joints.push_back(joint);
    model_.leading_links.resize(model_.bodies.size(), index);
    if (node.has("physics")) numbers_.push_back({node.at("physics"), link.moving_joint, true});
    if (node.has("limits")) numbers_.push_back({node.at("limits"), link.moving_joint, false});
  }

  /// The root is fixed by "world", or floats on "base".
  static void check_root(const Node& node, JointKind kind, const std::string& name) {
    const bool floats = kind == JointKind::floating;
    if (!floats && kind != JointKind::fixed)
      node.at("kind").refuse(node.at("kind").found() + " of the root", "\"fixed\" or \"floating\"");
    if (name != (floats ? "base" : "world"))
      node.at("name").refuse(node.at("name").found() + " of the root", floats ? "\"base\"" : "\"world\"");
  }

  void add_bodies(const Node& node, Joint& joint, int parent) {
    const std::vector<Node> bodies = node.array();
    json::check_bodies(node, bodies, joint.kind);
    for (const Node& each : bodies) {
      each.only_keys({"type", "placement", "pitch"});
      const BodyJoint type = static_cast<BodyJoint>(json::joint_kind(each.at("type")));
      const double pitch = each.has("pitch") ? each.at("pitch").number() : 0.0;
      model_.bodies.push_back(
          {parent, type, model_.nq, model_.nv, pitch, json::pose_of(each.at("placement")), zero_inertia<double>()});
      parent = static_cast<int>(model_.bodies.size()) - 1;
      model_.nq += coordinates(type), joint.nq += coordinates(type);
      model_.nv += freedoms(type), joint.nv += freedoms(type);
      ++joint.bodies;
    }
  }

  /// Two joints whose names make the same column, such as "base.x" beside a floating base.
  void check_columns(const std::vector<Node>& links) const {
    for (const auto& names : {coordinate_names(model_), velocity_names(model_), force_names(model_)}) {
      std::unordered_set<std::string> taken;
      for (const std::string& name : names)
        if (!taken.insert(name).second)
          links.front().refuse("two joints with the column " + name, "joints whose columns have names of their own");
    }
  }

  void check_finite(const std::vector<Node>& links) const {
    for (std::size_t l = 0; l < model_.links.size(); ++l) {
      if (model_.links[l].body < 0) continue;
      const Inertia<double>& I = model_.bodies[static_cast<std::size_t>(model_.links[l].body)].inertia;
      const Sym3<double>& s = I.moments;
      if (!std::isfinite(I.m + I.h[0] + I.h[1] + I.h[2] + s.xx + s.xy + s.xz + s.yy + s.yz + s.zz))
        links[l].refuse("lengths or masses that overflow", "the size of a robot");
    }
  }

  void set_numbers() {
    for (const auto& [node, j, physics] : numbers_) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
      const std::vector<Node> each = joint.nv == 1 ? std::vector<Node>{node} : node.array();
      if (static_cast<int>(each.size()) != joint.nv)
        node.refuse("a list of " + std::to_string(each.size()), std::to_string(joint.nv) + ", one a freedom");
      try {
        if (physics)
          set_physics_of(model_, j, all_of<JointPhysics>(each, json::read_physics));
        else
          set_limits_of(model_, j, all_of<JointLimits>(each, json::read_limits));
      } catch (const std::invalid_argument& error) {
        node.refuse(error.what(), "numbers of a joint");
      }
    }
  }

  template <class Number>
  static std::vector<Number> all_of(const std::vector<Node>& nodes, Number (*read)(const Node&)) {
    std::vector<Number> numbers;
    for (const Node& node : nodes) numbers.push_back(read(node));
    return numbers;
  }

  Model coupled_as(const Node& root) {
    set_numbers();
    if (!root.has("couplings")) return model_;
    std::vector<JointCoupling> couplings;
    for (const Node& node : root.at("couplings").array()) {
      node.only_keys({"joint", "of", "multiplier", "offset"});
      couplings.push_back({node.at("joint").string(), node.at("of").string(), 1, 0});
      if (node.has("multiplier")) couplings.back().multiplier = node.at("multiplier").number();
      if (node.has("offset")) couplings.back().offset = node.at("offset").number();
    }
    try {
      return coupled(model_, couplings);
    } catch (const std::invalid_argument& error) {
      root.at("couplings").refuse(error.what(), "couplings of joints with one freedom");
    }
  }

  /// The fixed joints that are held, by name.
  static std::vector<std::pair<std::string, double>> held(const Node& node, const Model& model) {
    std::vector<std::pair<std::string, double>> all;
    std::vector<std::string> fixed;
    for (const Link& link : model.links)
      if (link.moving_joint < 0 && link.parent >= 0) fixed.push_back(link.joint);
    std::sort(fixed.begin(), fixed.end());
    std::unordered_set<std::string> taken;
    for (const Node& each : node.array()) {
      each.only_keys({"joint", "value"});
      const std::string& name = each.at("joint").string();
      if (!std::binary_search(fixed.begin(), fixed.end(), name))
        each.at("joint").refuse_name(name, fixed, "a fixed joint of the robot");
      if (!taken.insert(name).second) each.at("joint").refuse(each.at("joint").found() + " a second time", "each joint once");
      all.emplace_back(name, each.at("value").number());
    }
    return all;
  }

  struct Numbers {
    Node node;
    int joint;
    bool physics;  // or limits
  };
  Model model_;
  Index links_;
  std::unordered_set<std::string> link_names_, joint_names_;
  std::vector<Numbers> numbers_;  // read once all freedoms are counted
};

}  // namespace

RobotFile parse_robot(const std::string& text, const std::string& file) {
  const json::Document document = json::Document::parse(text, file);
  return RobotReader().read(document.root());
}

Model load_robot(const std::string& path) { return parse_robot(read_text_file(path, "a robot file"), path).model; }

bool is_robot_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

}  // namespace sparsedyn
