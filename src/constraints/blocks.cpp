#include "blocks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "model/near_names.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/natural_units.hpp"

namespace sparsedyn {
namespace {

constexpr double least_friction = 1e-5;  // as MuJoCo's mjMINMU

/// Builds the blocks of one set, one after the other.
class Resolver {
 public:
  Resolver(const Model& model, const ConstraintSet& set, const InverseWeights& weights, Freedoms of)
      : model_(model), tree_(model.tree()), set_(set), weights_(weights), of_(of) {}

  std::vector<RowBlock> blocks() {
    for (const Constraint& c : set_.constraints) {
      constraint_ = &c;
      if (c.hard && !is_loop(c.type)) refuse("only connect, weld and joint can be hard");
      switch (c.type) {
        case ConstraintType::contact: contacts(); break;
        case ConstraintType::connect:
        case ConstraintType::weld: pair(); break;
        case ConstraintType::joint: coupling(); break;
        case ConstraintType::limit:
        case ConstraintType::dry_friction: on_joints(); break;
        case ConstraintType::link_contact: between_links(); break;
      }
    }
    give_hard_rows_a_scale();
    return std::move(blocks_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument("constraint \"" + constraint_->name + "\": " + what);
  }

  int link(const std::string& name) const {
    const int found = model_.find_link(name);
    if (found < 0 && name != "world") refuse("the robot has no link \"" + name + "\"" + near_links(model_, name));
    if (name == "world" && body_of(found) >= 0)
      refuse("\"world\" is the world, and a link of the robot that moves; expected another name of this link");
    return found;
  }
  int body_of(int link) const { return link < 0 ? -1 : model_.links[link].body; }

  /// In the tree, where one that follows another has a freedom too.
  const Joint& joint(const std::string& name) const {
    const int found = tree_.find_joint(name);
    if (found < 0) refuse("the robot has no joint \"" + name + "\" that moves" + near_joints(tree_, name));
    if (tree_.joints[found].nv != 1) refuse("joint \"" + name + "\" has several freedoms");
    return tree_.joints[found];
  }
  /// Which entry of v moves freedom k of the tree.
  CoordinateMap::Entry entry(int k) const {
    return of_ == Freedoms::tree ? CoordinateMap::Entry{k, 1, 0} : entry_of(model_, k);
  }

  RowBlock block(const std::string& part) const {
    const Constraint& c = *constraint_;
    const ConstraintParameters& p = set_.parameters;
    RowBlock b;
    b.type = c.type, b.hard = c.hard, b.name = part.empty() ? c.name : c.name + "." + part;
    b.impedance = c.solimp.value_or(p.solimp);
    b.pull = stiffness(c.solref.value_or(p.solref), b.impedance, p.timestep);
    b.cone = p.cone, b.impratio = p.impratio, b.omega = c.omega, b.margin = c.margin, b.loss = c.loss;
    return b;
  }

  /// Soft rows are as soft as the inverse inertia says that they see; where what they hold moves no mass, it is infinite.
  void require_inertia(const std::string& what, int idle) const {
    if (constraint_->hard || idle < 0) return;
    const auto moves = [&](const Joint& j) { return j.v <= idle && idle < j.v + j.nv && !j.follows(); };
    const auto joint = std::find_if(model_.joints.begin(), model_.joints.end(), moves);
    const std::string found = "its softness takes the inverse inertia of " + what + ", which is infinite: joint \"" +
                              (joint == model_.joints.end() ? "base" : joint->name) + "\" moves it and no mass";
    const std::string loop = is_loop(constraint_->type) ? ", or \"hard\": true" : "";
    const std::string expected = "a mass that the joint moves" + loop;
    if (set_.file.empty()) refuse(found + "; expected " + expected);
    throw InputError(set_.file, constraint_->line, "constraint \"" + constraint_->name + "\"", found, expected);
  }

  /// Of hard rows the weight is a scale and no more: where all that theirs would be made of is held still, the largest of the
  /// others serves, or of the robot's.
  void give_hard_rows_a_scale() {
    double linear = 0, angular = 0;
    for (const InverseWeight& w : weights_.body) linear = std::max(linear, w.linear), angular = std::max(angular, w.angular);
    for (double w : weights_.freedom) angular = std::max(angular, w);
    for (RowBlock& b : blocks_) {
      if (!b.hard) continue;
      if (b.linear_weight == 0) b.linear_weight = b.type == ConstraintType::joint ? angular : linear;
      if (b.linear_weight == 0) b.linear_weight = 1;
      if (b.angular_weight == 0) b.angular_weight = angular > 0 ? angular : 1;
    }
  }

  /// Of hard rows the robot's own: far from it, proximal steps settle slowly or lose digits.
  bool states_weight() const { return constraint_->inverse_weight && !constraint_->hard; }

  void add_weight(RowBlock& b, const std::string& name, int body) {
    if (states_weight()) {
      b.linear_weight = (*constraint_->inverse_weight)[0], b.angular_weight = (*constraint_->inverse_weight)[1];
      return;
    }
    require_inertia("link \"" + name + "\"", weights_.body[body].idle);
    b.linear_weight += weights_.body[body].linear, b.angular_weight += weights_.body[body].angular;
  }

  /// Its weights, and its freedoms from body `up` (-1: the world) on.
  void add_link(RowBlock& b, int k, const std::string& name, int up = -1) {
    b.link[k] = link(name);
    const int body = body_of(b.link[k]);
    if (body < 0) return;
    add_weight(b, name, body);
    for (int i = body; i != up; i = tree_.bodies[i].parent)
      for (int d = 0; d < freedoms(tree_.bodies[i].joint); ++d) b.freedoms.push_back(entry(tree_.bodies[i].v + d).index);
  }

  void add_joint(RowBlock& b, int k, const Joint& joint) {
    const CoordinateMap::Entry moves = entry(joint.v);
    b.freedom[k] = moves.index, b.ratio[k] = moves.multiplier, b.coordinate[k] = joint.q;
    if (states_weight()) {
      b.linear_weight = (*constraint_->inverse_weight)[0];
    } else {
      require_inertia("joint \"" + joint.name + "\"", weights_.idle[joint.v]);
      b.linear_weight += weights_.freedom[joint.v];
    }
    b.freedoms.push_back(moves.index);
  }

  void place(RowBlock b, int rows, int forces) {
    std::sort(b.freedoms.begin(), b.freedoms.end());
    b.freedoms.erase(std::unique(b.freedoms.begin(), b.freedoms.end()), b.freedoms.end());
    b.rows = rows, b.forces = forces, b.first_row = rows_, b.first_force = forces_;
    rows_ += rows, forces_ += forces;
    blocks_.push_back(std::move(b));
  }

  void contacts() {
    const Constraint& c = *constraint_;
    if (c.links.size() != 1 || c.points.empty()) refuse("a contact has one link and points on it");
    for (std::size_t k = 0; k < c.points.size(); ++k) {
      RowBlock b = block(std::to_string(k));
      add_link(b, 0, c.links[0]);
      if (b.freedoms.empty()) refuse("link \"" + c.links[0] + "\" does not move");
      b.point = c.points[k], b.radius = c.radius, b.plane_point = c.plane_point, b.plane = axes_of(c.plane_normal);
      add_friction(b);
      place_contact(std::move(b));
    }
  }

  /// Sliding and rolling friction have two directions.
  void add_friction(RowBlock& b) const {
    for (std::size_t f = 0; f < constraint_->friction.size(); ++f) {
      const double mu = std::max(constraint_->friction[f], least_friction);
      b.friction.push_back(mu);
      if (f != 1) b.friction.push_back(mu);
    }
  }

  void place_contact(RowBlock b) {
    b.first_gap = gaps_++;
    const int sliding = static_cast<int>(b.friction.size()), directions = 1 + sliding;
    const int rows = sliding > 0 && b.cone == Cone::pyramidal ? 2 * sliding : directions;
    place(std::move(b), rows, directions > 3 ? 6 : 3);
  }

  Mat3<double> axes_of(const Vec3<double>& normal) const {
    const double size = std::sqrt(dot(normal, normal));
    if (!(size > 0) || !std::isfinite(size)) refuse("the plane's normal vanishes");
    const Vec3<double> n = (1 / size) * normal;
    return contact_axes(n, by_z(n));
  }

  void between_links() {
    const Constraint& c = *constraint_;
    if (!c.finder || c.most_points < 1) refuse("a contact between links has a finder and at least one point");
    if (c.friction.size() > 3) refuse("friction is sliding, torsional, rolling");
    for (double mu : c.friction)
      if (!(mu >= 0) || !std::isfinite(mu)) refuse("friction is a number >= 0");
    const RowBlock both = of_two_links("0", true);
    for (int k = 0; k < c.most_points; ++k) {
      RowBlock b = both;
      b.name = c.name + "." + std::to_string(k);
      b.found = found_++;
      if (k == 0) b.finder = c.finder, b.finder_points = c.most_points;
      add_friction(b);
      place_contact(std::move(b));
    }
  }

  RowBlock of_two_links(const std::string& part, bool apart) {
    const Constraint& c = *constraint_;
    if (c.links.size() != 2) refuse("two links are due");
    const int one = body_of(link(c.links[0])), other = body_of(link(c.links[1]));
    if (one == other) refuse("links \"" + c.links[0] + "\" and \"" + c.links[1] + "\" move as one");
    RowBlock b = block(part);
    for (int k = 0; k < 2; ++k)
      add_link(b, k, c.links[static_cast<std::size_t>(k)], apart ? common_body(tree_, one, other) : -1);
    return b;
  }

  void pair() {
    RowBlock b = of_two_links("", false);
    for (int k = 0; k < 2; ++k) b.frames[k] = constraint_->frames[k];
    b.unit = natural_units(model_).length;
    const int rows = constraint_->type == ConstraintType::weld ? 6 : 3;
    place(std::move(b), rows, rows);
  }

  void coupling() {
    const Constraint& c = *constraint_;
    if (c.joints.size() != 1) refuse("one joint is due");
    RowBlock b = block("");
    add_joint(b, 0, joint(c.joints[0]));
    if (!c.of.empty() && c.of == c.joints[0]) refuse("joint \"" + c.of + "\" of itself");
    for (const auto& [name, factor] : c.linear) {
      if (name == c.joints[0] || name == c.of) refuse("joint \"" + name + "\" a second time");
      add_joint(b, 1, joint(name));
      b.linear.push_back({b.freedom[1], b.ratio[1], b.coordinate[1], factor});
      b.freedom[1] = -1, b.ratio[1] = 1, b.coordinate[1] = -1;
    }
    if (!c.of.empty()) add_joint(b, 1, joint(c.of));
    b.polynomial = c.polynomial;
    if (joint(c.joints[0]).kind == JointKind::prismatic) b.unit = natural_units(model_).length;
    place(std::move(b), 1, 1);
  }

  void on_joints() {
    const Constraint& c = *constraint_;
    std::vector<std::string> names = c.joints;
    if (c.all)
      for (const Joint& j : model_.joints)  // those that follow others stop and rub where they are named
        if (j.nv == 1 && (c.type != ConstraintType::limit || limited(joint(j.name)))) names.push_back(j.name);
    for (const std::string& name : names) {
      const Joint& j = joint(name);
      if (c.type == ConstraintType::limit && !limited(j)) refuse("joint \"" + name + "\" has no limits");
      RowBlock b = block(c.in_list() ? name : "");
      add_joint(b, 0, j);
      if (c.type == ConstraintType::limit) b.lower = tree_.limits[j.v].lower, b.upper = tree_.limits[j.v].upper;
      place(std::move(b), c.type == ConstraintType::limit ? 2 : 1, 1);
    }
  }
  bool limited(const Joint& j) const {
    return !tree_.limits.empty() && (std::isfinite(tree_.limits[j.v].lower) || std::isfinite(tree_.limits[j.v].upper));
  }

  const Model &model_, &tree_;
  const ConstraintSet& set_;
  const InverseWeights& weights_;
  Freedoms of_;
  const Constraint* constraint_ = nullptr;
  std::vector<RowBlock> blocks_;
  int rows_ = 0, forces_ = 0, gaps_ = 0, found_ = 0;
};

}  // namespace

std::vector<std::string> equality_rows(const std::string& name, int rows) {
  if (rows == 1) return {name};
  std::vector<std::string> names;
  for (const char* part : rows == 3 ? std::vector<const char*>{".x", ".y", ".z"}
                                    : std::vector<const char*>{".fx", ".fy", ".fz", ".nx", ".ny", ".nz"})
    names.push_back(name + part);
  return names;
}

int common_body(const Model& model, int one, int other) {
  while (one != other) (one > other ? one : other) = model.bodies[static_cast<std::size_t>(std::max(one, other))].parent;
  return one;
}

ConstraintSet hard_part(const ConstraintSet& set) {
  ConstraintSet hard = set;
  hard.constraints.clear();
  std::copy_if(set.constraints.begin(), set.constraints.end(), std::back_inserter(hard.constraints),
               [](const Constraint& c) { return c.hard; });
  return hard;
}

std::vector<RowBlock> resolved(const Model& model, const ConstraintSet& set, const InverseWeights& weights, Freedoms freedoms) {
  return Resolver(model, set, weights, freedoms).blocks();
}

std::vector<std::vector<int>> freedoms_of(const std::vector<RowBlock>& blocks) {
  std::vector<std::vector<int>> sets;
  for (const RowBlock& b : blocks) sets.push_back(b.freedoms);
  return sets;
}

}  // namespace sparsedyn
