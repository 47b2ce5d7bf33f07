#include "tree_changes.hpp"

#include <algorithm>
#include <utility>

#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

/// Builds the changed robot link by link.
class TreeChanger {
 public:
  TreeChanger(const Model& tree, const TreeChanges& changes) : old_(tree), changes_(changes), frames_(tree.bodies.size()) {
    new_.name = tree.name;
    new_.gravity = tree.gravity;
    cut_ = changes.cut;
    cut_.resize(tree.links.size(), false);
    links_.resize(tree.links.size(), -1);
  }

  Model build() {
    for (std::size_t l = 0; l < old_.links.size(); ++l) {
      const int parent = old_.links[l].parent;
      if (parent >= 0 && cut_[static_cast<std::size_t>(parent)]) cut_[l] = true;
      if (!cut_[l]) add(old_.links[l], static_cast<int>(l));
    }
    take_entries(kept_);
    return std::move(new_);
  }

 private:
  /// Where a frame of the old robot is now: the pose in a body (-1: the world), or the body's frame itself, untouched.
  struct Frame {
    int body = -1;
    bool itself = true;
    Pose<double> pose = identity_pose<double>();
    Pose<double> of(const Pose<double>& inner) const { return itself ? inner : pose * inner; }
  };

  Frame frame_of(int body) const { return body < 0 ? world_ : frames_[static_cast<std::size_t>(body)]; }

  void add(const Link& old, int index) {
    Link link = old;
    const bool is_root = old.parent < 0;
    if (is_root && changes_.floating && old.moving_joint < 0) float_root(link);
    if (!is_root) link.parent = links_[static_cast<std::size_t>(old.parent)];
    const int j = old.moving_joint;
    const auto held = changes_.hold.find(j);
    if (j >= 0 && held == changes_.hold.end())
      move(old_.joints[static_cast<std::size_t>(j)], link);
    else {
      if (j >= 0) hold(old_.joints[static_cast<std::size_t>(j)], held->second, link);
      const Frame at = frame_of(old.body);
      link.body = at.body;
      link.pose = at.of(old.pose);
    }
    if (link.body >= 0) {
      Inertia<double>& lumped = new_.bodies[static_cast<std::size_t>(link.body)].inertia;
      lumped = is_root ? link.inertia : lumped + to_parent(link.pose, link.inertia);
    }
    links_[static_cast<std::size_t>(index)] = static_cast<int>(new_.links.size());
    new_.links.push_back(link);
  }

  /// The world's body becomes the root's.
  void float_root(Link& root) {
    Joint base{"base", JointKind::floating, -1, 0, 0, 0, 0, 0, 0, 0};
    const Body body{-1, BodyJoint::floating, 0, 0, 0, identity_pose<double>(), zero_inertia<double>()};
    add_body(base, body, body.placement, -1);
    root.joint = base.name;
    root.moving_joint = 0;
    new_.joints.push_back(base);
    new_.leading_links.assign(1, 0);
    for (int k = 0; k < base.nv; ++k) kept_.push_back(-1);
    world_.body = 0;
  }

  void add_body(Joint& joint, const Body& old, const Pose<double>& placement, int parent) {
    new_.bodies.push_back({parent, old.joint, new_.nq, new_.nv, old.pitch, placement, zero_inertia<double>()});
    new_.nq += coordinates(old.joint), joint.nq += coordinates(old.joint);
    new_.nv += freedoms(old.joint), joint.nv += freedoms(old.joint);
    ++joint.bodies;
  }

  void move(const Joint& old, Link& link) {
    Joint joint{old.name,
                old.kind,
                link.parent,
                static_cast<int>(new_.links.size()),
                static_cast<int>(new_.bodies.size()),
                0,
                new_.nq,
                0,
                new_.nv,
                0};
    for (int b = old.first_body; b < old.first_body + old.bodies; ++b) {
      const Body& body = old_.bodies[static_cast<std::size_t>(b)];
      const Frame up = frame_of(body.parent);
      add_body(joint, body, up.of(body.placement), up.body);
      frames_[static_cast<std::size_t>(b)].body = static_cast<int>(new_.bodies.size()) - 1;
    }
    for (int k = 0; k < old.nv; ++k) kept_.push_back(old.v + k);
    link.body = static_cast<int>(new_.bodies.size()) - 1;
    link.moving_joint = static_cast<int>(new_.joints.size());
    new_.joints.push_back(joint);
    new_.leading_links.resize(new_.bodies.size(), joint.child_link);
  }

  /// The joint's bodies stand still in the body above them.
  void hold(const Joint& old, double value, Link& link) {
    for (int b = old.first_body; b < old.first_body + old.bodies; ++b) {
      Body body = old_.bodies[static_cast<std::size_t>(b)];
      const Frame up = frame_of(body.parent);
      body.q = 0;
      const double q[7] = {value};
      const Pose<double> stands = old.nv == 1 ? joint_pose<double>(body, q) : body.placement;
      frames_[static_cast<std::size_t>(b)] = {up.body, false, up.of(stands)};
    }
    link.moving_joint = -1;
  }

  /// Physics and limits of the freedoms that stay.
  void take_entries(const std::vector<int>& kept) {
    for (std::size_t v = 0; v < kept.size(); ++v) {
      const auto from = static_cast<std::size_t>(std::max(kept[v], 0));
      if (!old_.physics.empty()) new_.physics.push_back(kept[v] < 0 ? JointPhysics() : old_.physics[from]);
      if (!old_.limits.empty()) new_.limits.push_back(kept[v] < 0 ? JointLimits() : old_.limits[from]);
    }
  }

  const Model& old_;
  const TreeChanges& changes_;
  std::vector<bool> cut_;
  std::vector<int> links_;     // by old link: the new one, or -1
  std::vector<Frame> frames_;  // by old body
  Frame world_;
  std::vector<int> kept_;  // by new entry of v: the old one, or -1
  Model new_;
};

}  // namespace

Model changed_tree(const Model& tree, const TreeChanges& changes) { return TreeChanger(tree, changes).build(); }

}  // namespace sparsedyn
