#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/number.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

/// 0 without a minus: what is not written.
bool is_plain_zero(double x) { return x == 0 && !std::signbit(x); }

/// A minus before a whole 0 is lost where JSON is read: it takes the number for an integer.
std::string exact(double x) { return x == 0 && std::signbit(x) ? "-0.0" : number_text(x); }

template <class Numbers>
std::string list(const Numbers& numbers) {
  std::string text;
  for (double x : numbers) text += (text.empty() ? "[" : ", ") + exact(x);
  return text + "]";
}
std::string list(const Vec3<double>& x) { return list(std::vector<double>{x[0], x[1], x[2]}); }

std::string quoted_json(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("a name that is no UTF-8; expected one that a file can hold");
  }
}

/// `"key": value` with a comma before all but the first.
class Members {
 public:
  void add(const std::string& key, const std::string& value) { text_ += (text_.empty() ? "" : ", ") + key_of(key) + value; }
  void add(const std::string& key, double value) { add(key, exact(value)); }
  /// On a line of its own.
  void add_line(const std::string& indent, const std::string& key, const std::string& value) {
    text_ += (text_.empty() ? "" : ",\n" + indent) + key_of(key) + value;
  }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  static std::string key_of(const std::string& key) { return "\"" + key + "\": "; }
  std::string text_;
};

std::string pose_text(const Pose<double>& pose) {
  std::vector<double> R;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) R.push_back(pose.R(i, k));
  Members members;
  members.add("rotation", list(R));
  members.add("xyz", list(pose.d));
  return members.object();
}

bool says_something(const JointPhysics& p) {
  const FrictionShape usual;
  return !p.none() || !is_plain_zero(p.armature) || !is_plain_zero(p.damping) || !is_plain_zero(p.friction) ||
         !is_plain_zero(p.offset) || p.stiffness || p.smoothing != usual.smoothing || !is_plain_zero(p.stribeck) ||
         p.stribeck_velocity != usual.stribeck_velocity;
}

std::string physics_text(const JointPhysics& p) {
  Members members;
  if (!is_plain_zero(p.armature)) members.add("armature", p.armature);
  if (!is_plain_zero(p.damping)) members.add("damping", p.damping);
  if (!is_plain_zero(p.friction)) members.add("friction", p.friction);
  if (!is_plain_zero(p.offset)) members.add("offset", p.offset);
  if (p.stiffness) members.add("stiffness", *p.stiffness);
  const FrictionShape usual;
  if (p.smoothing != usual.smoothing) members.add("smoothing", p.smoothing);
  if (!is_plain_zero(p.stribeck)) members.add("stribeck", p.stribeck);
  if (p.stribeck_velocity != usual.stribeck_velocity) members.add("stribeck_velocity", p.stribeck_velocity);
  return members.object();
}

/// The limits that are finite.
std::string limits_text(const JointLimits& l) {
  Members members;
  if (std::isfinite(l.lower)) members.add("lower", l.lower);
  if (std::isfinite(l.upper)) members.add("upper", l.upper);
  if (std::isfinite(l.velocity)) members.add("velocity", l.velocity);
  if (std::isfinite(l.effort)) members.add("effort", l.effort);
  return members.object();
}

/// text(entry) of the joint's entries of v: of a joint with one freedom itself, of others a list; nothing where all are
/// `empty`.
template <class Entries, class Text>
std::string by_freedom(const Joint& joint, const Entries& entries, const Text& text) {
  if (entries.empty()) return "";
  const std::string empty = "{}";
  std::string all;
  bool any = false;
  for (int k = joint.v; k < joint.v + joint.nv; ++k) {
    const std::string one = text(entries[static_cast<std::size_t>(k)]);
    any = any || one != empty;
    all += (all.empty() ? "" : ", ") + one;
  }
  return !any ? "" : joint.nv == 1 ? all : "[" + all + "]";
}

std::string body_text(const Body& body) {
  Members members;
  members.add("type", quoted_json(kind_name(static_cast<JointKind>(body.joint))));
  members.add("placement", pose_text(body.placement));
  if (!is_plain_zero(body.pitch)) members.add("pitch", body.pitch);
  return members.object();
}

std::string joint_text(const Model& tree, const Link& link) {
  Members members;
  members.add("name", quoted_json(link.joint));
  if (link.moving_joint < 0) {
    members.add("kind", "\"fixed\"");
    return members.object();
  }
  const Joint& joint = tree.joints[static_cast<std::size_t>(link.moving_joint)];
  const std::string indent(5, ' ');
  members.add("kind", quoted_json(kind_name(joint.kind)));
  std::string bodies;
  for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b)
    bodies += (bodies.empty() ? "[\n      " : ",\n      ") + body_text(tree.bodies[static_cast<std::size_t>(b)]);
  members.add_line(indent, "bodies", bodies + "]");
  const std::string physics =
      by_freedom(joint, tree.physics, [](const JointPhysics& p) { return says_something(p) ? physics_text(p) : "{}"; });
  if (!physics.empty()) members.add_line(indent, "physics", physics);
  const std::string limits = by_freedom(joint, tree.limits, limits_text);
  if (!limits.empty()) members.add_line(indent, "limits", limits);
  return members.object();
}

std::string visual_text(const VisualShape& v) {
  Members members;
  if (!v.name.empty()) members.add("name", quoted_json(v.name));
  members.add("shape", quoted_json(v.shape));
  if (v.shape == "mesh") {
    members.add("file", quoted_json(v.file));
    members.add("scale", list(v.size));
  } else if (v.shape == "box") {
    members.add("size", list(v.size));
  } else {
    members.add("radius", v.size[0]);
    if (v.shape != "sphere") members.add("length", v.size[1]);
  }
  members.add("pose", pose_text(v.pose));
  return members.object();
}

std::string link_text(const Model& tree, const Link& link) {
  const std::string indent(5, ' ');
  const Sym3<double>& s = link.inertia.moments;
  Members members;
  members.add("name", quoted_json(link.name));
  if (link.parent >= 0) members.add("parent", quoted_json(tree.links[static_cast<std::size_t>(link.parent)].name));
  members.add_line(indent, "pose", pose_text(link.pose));
  members.add_line(indent, "mass", exact(link.inertia.m));
  members.add("first_moments", list(link.inertia.h));
  members.add_line(indent, "second_moments", list(std::vector<double>{s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}));
  members.add_line(indent, "joint", joint_text(tree, link));
  if (!link.visuals.empty()) {
    std::string all;
    for (const VisualShape& visual : link.visuals) all += (all.empty() ? "[\n      " : ",\n      ") + visual_text(visual);
    members.add_line(indent, "visuals", all + "]");
  }
  return members.object();
}

std::string coupling_text(const JointCoupling& c) {
  Members members;
  members.add("joint", quoted_json(c.joint));
  members.add("of", quoted_json(c.leader));
  members.add("multiplier", c.multiplier);
  members.add("offset", c.offset);
  return members.object();
}

template <class Items, class Text>
std::string lines(const Items& items, const Text& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "[\n    " : ",\n    ") + text(item);
  return all + "]";
}

/// Whether the file makes this robot: bodies follow from links.
bool made_by(const Model& read, const Model& tree) {
  if (read.bodies.size() != tree.bodies.size() || read.nq != tree.nq || read.nv != tree.nv) return false;
  const auto inertia = [](const Inertia<double>& I) {
    const Sym3<double>& s = I.moments;
    return std::vector<double>{I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz};
  };
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    const Body &x = read.bodies[b], &y = tree.bodies[b];
    if (x.parent != y.parent || x.joint != y.joint || x.q != y.q || x.v != y.v || inertia(x.inertia) != inertia(y.inertia))
      return false;
  }
  for (std::size_t l = 0; l < tree.links.size(); ++l)
    if (read.links[l].body != tree.links[l].body) return false;
  return true;
}

}  // namespace

std::string robot_text(const Model& model, const std::vector<std::pair<std::string, double>>& held) {
  const Model& tree = model.tree();
  Members members;
  const std::string indent(1, ' ');
  members.add("format", "\"sparsedyn-robot\"");
  members.add("version", "1");
  members.add_line(indent, "name", quoted_json(model.name));
  members.add("gravity", list(tree.gravity));
  members.add_line(indent, "links", lines(tree.links, [&](const Link& link) { return link_text(tree, link); }));
  if (model.coordinate_map) members.add_line(indent, "couplings", lines(model.coordinate_map->couplings, coupling_text));
  if (!held.empty())
    members.add_line(indent, "held", lines(held, [](const std::pair<std::string, double>& joint) {
                       Members one;
                       one.add("joint", quoted_json(joint.first));
                       one.add("value", joint.second);
                       return one.object();
                     }));
  std::string text = members.object() + "\n";
  bool same = false;
  try {
    same = made_by(parse_robot(text, model.name).model.tree(), tree);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument("robot " + model.name + ": no file can hold it: " + error.what());
  }
  if (!same)
    throw std::invalid_argument("robot " + model.name + ": its bodies are not what its links make them; expected a robot " +
                                "from a file or from ModelBuilder");
  return text;
}

void save_robot(const Model& model, const std::string& path, const std::vector<std::pair<std::string, double>>& held) {
  write_file(path, robot_text(model, held));
}

}  // namespace sparsedyn
