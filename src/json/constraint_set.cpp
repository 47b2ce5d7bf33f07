#include <algorithm>
#include <cmath>
#include <set>

#include "sparsedyn/json/document.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
namespace {

using json::Kind;
using json::Node;

const std::vector<std::string> type_names{"contact", "connect", "weld", "joint", "limit", "dry_friction"};

/// What each type may have beside name, type, solref, solimp.
std::vector<std::string> own_keys(ConstraintType type) {
  switch (type) {
    case ConstraintType::contact: return {"link", "points", "radius", "friction", "plane", "margin", "inverse_weight"};
    case ConstraintType::connect: return {"links", "xyz", "hard", "stabilisation", "inverse_weight"};
    case ConstraintType::weld: return {"links", "xyz", "rpy", "hard", "stabilisation", "inverse_weight"};
    case ConstraintType::joint: return {"joint", "of", "polynomial", "linear", "hard", "stabilisation", "inverse_weight"};
    case ConstraintType::limit: return {"joint", "margin", "inverse_weight"};
    case ConstraintType::dry_friction: return {"joint", "loss", "inverse_weight"};
    case ConstraintType::link_contact: break;  // not in files
  }
  return {};
}

template <std::size_t N>
std::array<double, N> numbers(const Node& node) {
  const std::vector<double> x = node.kind() == Kind::array ? node.numbers() : std::vector<double>{};
  if (x.size() != N) node.refuse(node.found(), "a list of " + std::to_string(N) + " numbers");
  std::array<double, N> out{};
  std::copy(x.begin(), x.end(), out.begin());
  return out;
}

Vec3<double> vector(const Node& node) {
  const std::array<double, 3> x = numbers<3>(node);
  return {{x[0], x[1], x[2]}};
}

double at_least_zero(const Node& node) {
  if (!(node.number() >= 0)) node.refuse(node.found(), "a number >= 0");
  return node.number();
}

double above_zero(const Node& node) {
  if (!(node.number() > 0)) node.refuse(node.found(), "a number > 0");
  return node.number();
}

SolverReference reference(const Node& node) {
  const SolverReference x = numbers<2>(node);
  if (!((x[0] > 0 && x[1] > 0) || (x[0] < 0 && x[1] < 0)))
    node.refuse("[" + node.array()[0].found() + ", " + node.array()[1].found() + "]",
                "a time constant and a damping ratio, both > 0, or minus stiffness and minus damping, both < 0");
  return x;
}

SolverImpedance impedance(const Node& node) {
  const SolverImpedance x = numbers<5>(node);
  const auto refuse = [&](int k, const char* expected) { node.array()[k].refuse(node.array()[k].found(), expected); };
  for (int k : {0, 1, 3})
    if (!(x[k] > 0 && x[k] < 1)) refuse(k, "a number between 0 and 1");
  if (!(x[2] > 0)) refuse(2, "a width > 0");
  if (!(x[4] >= 1)) refuse(4, "a power >= 1");
  return x;
}

ConstraintParameters parameters(const Node& node) {
  node.only_keys({"cone", "impratio", "solref", "solimp", "timestep"});
  ConstraintParameters p;
  if (node.has("cone")) {
    const std::string& cone = node.at("cone").string();
    if (cone != "elliptic" && cone != "pyramidal")
      node.at("cone").refuse_name(cone, {"elliptic", "pyramidal"}, "elliptic or pyramidal");
    p.cone = cone == "pyramidal" ? Cone::pyramidal : Cone::elliptic;
  }
  if (node.has("impratio")) p.impratio = above_zero(node.at("impratio"));
  if (node.has("solref")) p.solref = reference(node.at("solref"));
  if (node.has("solimp")) p.solimp = impedance(node.at("solimp"));
  p.timestep_given = node.has("timestep");
  if (p.timestep_given) p.timestep = above_zero(node.at("timestep"));
  return p;
}

/// Reads constraints of one robot.
class Reader {
 public:
  explicit Reader(const Model& model) : model_(model) {}

  ConstraintSet set(const Node& root) const {
    root.only_keys({"name", "parameters", "constraints"});
    ConstraintSet set;
    if (root.has("name")) set.name = root.at("name").string();
    if (root.has("parameters")) set.parameters = parameters(root.at("parameters"));
    std::set<std::string> names;
    for (const Node& node : root.at("constraints").array()) {
      set.constraints.push_back(constraint(node));
      if (!names.insert(set.constraints.back().name).second)
        node.at("name").refuse(node.at("name").found() + " a second time", "each constraint by a name of its own");
    }
    return set;
  }

 private:
  Constraint constraint(const Node& node) const {
    Constraint c;
    c.line = node.line();
    c.name = node.at("name").string();
    if (c.name.empty()) node.at("name").refuse(node.at("name").found(), "a name");
    const std::string& type = node.at("type").string();
    const auto found = std::find(type_names.begin(), type_names.end(), type);
    if (found == type_names.end())
      node.at("type").refuse_name(type, type_names, "contact, connect, weld, joint, limit or dry_friction");
    c.type = static_cast<ConstraintType>(found - type_names.begin());
    std::vector<std::string> keys = own_keys(c.type);
    if (c.type == ConstraintType::contact && node.has("hard"))
      node.at("hard").refuse("a contact held exactly", "\"hard\" with connect, weld or joint alone");
    keys.insert(keys.end(), {"name", "type", "solref", "solimp"});
    node.only_keys(keys);
    if (node.has("solref")) c.solref = reference(node.at("solref"));
    if (node.has("solimp")) c.solimp = impedance(node.at("solimp"));
    if (node.has("inverse_weight")) {
      const Node weight = node.at("inverse_weight");
      if (c.type >= ConstraintType::joint && c.type <= ConstraintType::dry_friction) {  // of joints
        c.inverse_weight = std::array<double, 2>{above_zero(weight), 0};
      } else {
        c.inverse_weight = numbers<2>(weight);
        for (const Node& each : weight.array()) above_zero(each);
      }
    }
    if (node.has("margin")) c.margin = at_least_zero(node.at("margin"));
    if (node.has("hard")) c.hard = node.at("hard").boolean();
    if (node.has("stabilisation")) {
      const Node how = node.at("stabilisation");
      how.only_keys({"omega"});
      if (how.has("omega")) c.omega = at_least_zero(how.at("omega"));
    }
    switch (c.type) {
      case ConstraintType::contact: contact(node, c); break;
      case ConstraintType::connect:
      case ConstraintType::weld: pair(node, c); break;
      case ConstraintType::joint: coupling(node, c); break;
      case ConstraintType::limit: joints(node.at("joint"), c); break;
      case ConstraintType::dry_friction:
        joints(node.at("joint"), c);
        c.loss = at_least_zero(node.at("loss"));
        break;
      case ConstraintType::link_contact: break;
    }
    return c;
  }

  void contact(const Node& node, Constraint& c) const {
    const Node link = node.at("link");
    c.links = {known_link(link)};
    const int index = model_.find_link(c.links[0]);
    if (index < 0 || model_.links[index].body < 0) link.refuse(link.found() + ", which does not move", "a link that moves");
    for (const Node& point : node.at("points").array()) c.points.push_back(vector(point));
    if (c.points.empty()) node.at("points").refuse(node.at("points").found(), "at least one point");
    if (node.has("radius")) c.radius = at_least_zero(node.at("radius"));
    if (node.has("friction")) friction(node.at("friction"), c);
    if (!node.has("plane")) return;
    const Node plane = node.at("plane");
    plane.only_keys({"xyz", "normal"});
    if (plane.has("xyz")) c.plane_point = vector(plane.at("xyz"));
    if (plane.has("normal")) c.plane_normal = vector(plane.at("normal"));
    if (dot(c.plane_normal, c.plane_normal) == 0) plane.at("normal").refuse("a normal of length 0", "a direction");
  }

  /// One number (0: none), or one to three: sliding, torsional, rolling.
  void friction(const Node& node, Constraint& c) const {
    if (node.kind() == Kind::number) {
      if (at_least_zero(node) > 0) c.friction = {node.number()};
      return;
    }
    if (node.kind() != Kind::array || node.array().empty() || node.array().size() > 3)
      node.refuse(node.found(), "a number, or a list of one to three: sliding, torsional, rolling");
    for (const Node& item : node.array()) c.friction.push_back(above_zero(item));
  }

  void pair(const Node& node, Constraint& c) const {
    const Node links = node.at("links");
    const std::vector<Node> two = links.kind() == Kind::array ? links.array() : std::vector<Node>{};
    if (two.size() != 2) links.refuse(links.found(), "a list of two links");
    int bodies[2];
    for (std::size_t k = 0; k < 2; ++k) {
      c.links.push_back(known_link(two[k]));
      const int link = model_.find_link(c.links[k]);
      bodies[k] = link < 0 ? -1 : model_.links[link].body;
    }
    if (bodies[0] == bodies[1])
      links.refuse("\"" + c.links[0] + "\" and \"" + c.links[1] + "\", two links that move as one",
                   "links that move against each other");
    if (node.has("xyz")) frames(node.at("xyz"), [&](std::size_t k, const Vec3<double>& x) { c.frames[k].d = x; });
    if (node.has("rpy"))
      frames(node.at("rpy"), [&](std::size_t k, const Vec3<double>& x) { c.frames[k].R = rotation_from_rpy(x); });
  }
  template <class Take>
  void frames(const Node& node, Take take) const {
    const std::vector<Node> two = node.kind() == Kind::array ? node.array() : std::vector<Node>{};
    if (two.size() != 2) node.refuse(node.found(), "a list for each of the two links");
    for (std::size_t k = 0; k < 2; ++k) take(k, vector(two[k]));
  }

  void coupling(const Node& node, Constraint& c) const {
    c.joints = {known_joint(node.at("joint"))};
    if (node.has("of")) {
      c.of = known_joint(node.at("of"));
      if (c.of == c.joints[0]) node.at("of").refuse(node.at("of").found() + ", the joint itself", "another joint");
    }
    c.polynomial = node.at("polynomial").numbers();
    if (c.polynomial.empty() || c.polynomial.size() > 5)
      node.at("polynomial").refuse(node.at("polynomial").found(), "one to five coefficients, the constant first");
    if (c.of.empty() && c.polynomial.size() > 1) node.refuse("a polynomial without \"of\"", "the joint that it is of");
    if (!node.has("linear")) return;
    for (const auto& [name, coefficient] : node.at("linear").members()) {
      check_joint_name(coefficient, name);
      if (name == c.joints[0] || name == c.of) coefficient.refuse("\"" + name + "\" a second time", "other joints");
      c.linear.emplace_back(name, coefficient.number());
    }
  }

  void joints(const Node& node, Constraint& c) const {
    c.all = node.kind() == Kind::string && node.string() == "*";
    if (c.all) return;
    c.listed = node.kind() == Kind::array;
    const std::vector<Node> items = node.kind() == Kind::array ? node.array() : std::vector<Node>{node};
    if (items.empty()) node.refuse(node.found(), "a name, a list of names, or \"*\"");
    for (const Node& item : items) {
      c.joints.push_back(known_joint(item));
      if (std::count(c.joints.begin(), c.joints.end(), c.joints.back()) > 1)
        item.refuse(item.found() + " a second time", "each joint once");
      const int v = model_.joints[model_.find_joint(c.joints.back())].v;
      const bool limited =
          !model_.limits.empty() && (std::isfinite(model_.limits[v].lower) || std::isfinite(model_.limits[v].upper));
      if (c.type == ConstraintType::limit && !limited)
        item.refuse(item.found() + ", which has no limits", "a joint with limits");
    }
  }

  std::string known_link(const Node& node) const {
    const std::string& name = node.string();
    const int found = model_.find_link(name);
    if (name == "world" && found >= 0 && model_.links[static_cast<std::size_t>(found)].body >= 0)
      node.refuse("\"world\", which is the world and a link of the robot that moves", "another name of this link");
    if (name == "world" || found >= 0) return name;
    std::vector<std::string> names{"world"};
    for (const Link& link : model_.links) names.push_back(link.name);
    node.refuse_name(name, names, "a link of the robot");
  }

  std::string known_joint(const Node& node) const {
    check_joint_name(node, node.string());
    return node.string();
  }
  void check_joint_name(const Node& node, const std::string& name) const {
    const int j = model_.find_joint(name);
    if (j >= 0 && model_.joints[j].nv == 1) return;
    if (j >= 0) node.refuse("\"" + name + "\", which has several freedoms", "a joint of one freedom");
    std::vector<std::string> names;
    for (const Joint& joint : model_.joints) names.push_back(joint.name);
    node.refuse_name(name, names, "a joint of the robot with one freedom");
  }

  const Model& model_;
};

ConstraintSet read(const json::Document& document, const Model& model) {
  ConstraintSet set = Reader(model.tree()).set(document.root());  // in which joints that follow others have freedoms too
  set.file = document.file();
  return set;
}

}  // namespace

ConstraintSet load_constraint_set(const std::string& path, const Model& model) {
  return read(json::Document::load(path), model);
}

ConstraintSet parse_constraint_set(const std::string& text, const std::string& file, const Model& model) {
  return read(json::Document::parse(text, file), model);
}

}  // namespace sparsedyn
