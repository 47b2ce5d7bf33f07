// The kinematic tree, in two views of one robot:
//   bodies  the moving rigid bodies, as numbers in one array, for the algorithms. A joint of several axes (universal,
//   composite)
//           is a chain of bodies, of which only the last has mass. Each body's frame has z along its joint's axis.
//   links   the links that the user named: every link of the file, including links lumped by fixed joints. Each has its own
//           frame, its pose in the body that it belongs to, and its own inertia.
// Mimic joints (`coupled`) have no entries in q and v, and their bodies count as fixed here. Their motion is given by the tree,
// in which every joint is independent, and by the map from q to the tree's coordinates. A Model never changes after it is
// built, and can be shared by threads. Units SI.
#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sparsedyn/model/detail/is_index.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/model/joint_physics.hpp"
#include "sparsedyn/model/joint_types.hpp"
#include "sparsedyn/model/visual_shape.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

/// A rigid body: the links that fixed joints hold together. Numbers only.
struct Body {
  int parent;               // body, or -1 for the world; parent < own index
  BodyJoint joint;          // to the parent; fixed for a mimic joint
  int q, v;                 // first entry in q (nq) and in v (nv)
  double pitch;             // m/rad, of screws only
  Pose<double> placement;   // of the joint's frame (the body's frame at q = 0) in the parent's body frame
  Inertia<double> inertia;  // of all links lumped into it, in the body's frame
};

/// A joint as the user states it. `axis` need not be of unit length (it is normalised) but must not vanish.
struct JointSpec {
  JointKind kind = JointKind::fixed;  // what joint it is
  Vec3<double> axis{{1, 0, 0}};       // in the child link's frame; the normal of a planar joint
  double pitch = 0;                   // of a screw, m/rad
  Vec3<double> axis2{{0, 1, 0}};      // universal: the second axis, fixed in the child
  struct Part;
  std::vector<Part> parts;  // composite: from the parent's side to the child's
};
/// One of the joints in a row.
struct JointSpec::Part {
  Pose<double> placement;  // of this part in the frame after the part before it
  JointSpec joint;         // of any kind that moves
};

/// A moving joint of the model.
struct Joint {
  std::string name;        // "base" for the joint between the world and a floating root
  JointKind kind;          // as the user stated it
  int parent_link;         // the link (possibly a lumped one) that the joint is attached to; -1: the world
  int child_link;          // the link that it moves
  int first_body, bodies;  // its bodies are first_body … first_body + bodies - 1
  int q, nq, v, nv;        // its entries in q and v; none for a mimic joint

  /// Whether it is a mimic joint.
  bool follows() const { return nv == 0; }
};

/// A link of the file. A link on a fixed joint belongs to the same body as its parent.
struct Link {
  std::string name;         // unique
  int parent;               // link, or -1 for the root
  std::string joint;        // the joint (fixed ones too) between the parent and this link; "base" or "world" at the root
  int moving_joint;         // index of that joint in joints, or -1 where it is fixed
  int body;                 // -1: fixed to the world
  Pose<double> pose;        // of the link's frame in its body's frame (in the world's where body = -1)
  Inertia<double> inertia;  // its own, in the link's frame
  std::vector<VisualShape> visuals = {};  // what it looks like
};

struct CoordinateMap;

/// A robot. Build one by ModelBuilder or load_urdf.
struct Model {
  std::string name;                     // of the robot
  std::vector<Body> bodies;             // parents first
  std::vector<Joint> joints;            // in the order of v
  std::vector<Link> links;              // parents first; links[0] is the root
  int nq = 0, nv = 0;                   // entries of q, and of v, a and tau
  Vec3<double> gravity{{0, 0, -9.81}};  // in the world's frame, m/s²
  std::vector<JointPhysics> physics;    // by entry of v; empty without joint physics, and with mimic joints
  std::vector<JointLimits> limits;      // by entry of v; empty without limits
  // The couplings of mimic joints; null without any. The physics of all joints are then in its tree.
  std::shared_ptr<const CoordinateMap> coordinate_map;

  /// The robot with every joint independent: itself without mimic joints.
  const Model& tree() const;

  /// Whether the root link floats.
  bool floating() const { return !bodies.empty() && links[0].body == 0; }
  /// The index of the link, or of the moving joint, with that name. Throws std::invalid_argument, which lists near names, if
  /// there is none. Cost: the links, the joints.
  /// @{
  int link(const std::string& called) const;
  int joint(const std::string& called) const;
  /// @}
  /// The same, but -1 if there is none. Functions that take an index do not accept -1.
  /// @{
  int find_link(const std::string& link) const;
  int find_joint(const std::string& joint) const;
  /// @}
  /// The link whose frame leads body b (the child of its joint).
  int leading_link(int body) const {
    assert(detail::is_index("body", body, leading_links.size()));
    return leading_links[static_cast<std::size_t>(body)];
  }
  std::vector<int> leading_links;  // by body
};

/// Armature of an entry of v, kg m² or kg.
inline double armature_of(const Model& model, int v) { return model.physics.empty() ? 0.0 : model.physics[v].armature; }

/// Sets the physics or the limits of a joint. They are part of the robot, so set them before an algorithm uses the model.
/// Throws std::invalid_argument if the model has no such joint, if it has several freedoms, or if a number is negative or not
/// finite (limits: if lower > upper).
/// @{
void set_joint_physics(Model& model, const std::string& joint, const JointPhysics& physics);
void set_joint_limits(Model& model, const std::string& joint, const JointLimits& limits);
/// @}

/// joint = multiplier · leader + offset. Both have one freedom; the leader may itself follow a third joint.
struct JointCoupling {
  std::string joint, leader;          // their names
  double multiplier = 1, offset = 0;  // not 0 and finite; rad or m a rad or m of the leader; rad or m
};

/// The robot with these joints coupled. Its other joints keep their order, limits and physics. Throws std::invalid_argument
/// with the joint's name and the reason: no such joint, several freedoms, coupled twice, a circle, a multiplier of 0.
Model coupled(const Model& model, const std::vector<JointCoupling>& couplings);

/// Names of the entries of q, without "q.": `panda_joint1`, `base.x`, `base.qw`, …
std::vector<std::string> coordinate_names(const Model& model);
/// Of the entries of v, without "dq.": `panda_joint1`, `base.wx`, …
std::vector<std::string> velocity_names(const Model& model);
/// Of the entries of tau, without "tau.": `panda_joint1`, `base.nx`, …
std::vector<std::string> force_names(const Model& model);

/// The same robot under another gravity (in the world's frame, m/s²).
Model with_gravity(const Model& model, const Vec3<double>& gravity);
/// The same robot without gravity, springs and offsets, the torques that act at rest: tau = M(q) a for v = 0.
Model without_forces_at_rest(const Model& model);

/// Builds a Model link by link, parents first; joints are numbered in the order of the calls (depth first, if the caller
/// goes depth first). Throws std::invalid_argument with the link or joint and the reason.
class ModelBuilder {
 public:
  /// `gravity`: in the world's frame, m/s².
  explicit ModelBuilder(std::string name, Vec3<double> gravity = {{0, 0, -9.81}});
  /// The root link: fixed to the world, or floating on a joint called "base".
  ModelBuilder& root(const std::string& link, const Inertia<double>& inertia, bool floating);
  /// A link on a joint. `placement` is the joint's frame in the parent link's frame (a URDF's <origin>).
  ModelBuilder& link(const std::string& link, const Inertia<double>& inertia, const std::string& parent,
                     const std::string& joint, const JointSpec& spec, const Pose<double>& placement);
  /// The finished model. More links may be added afterwards.
  Model build() const;

 private:
  void add_bodies(Joint& joint, const JointSpec& spec, int parent_body, const Pose<double>& placement,
                  Pose<double>& link_in_body);
  Model model_;
  std::unordered_map<std::string, int> link_index_;
  std::unordered_set<std::string> joint_names_;
};

/// The placement of a joint's child in its parent with the joint held at `value` (one-freedom joints).
Pose<double> locked_placement(const Pose<double>& placement, const JointSpec& spec, double value);

}  // namespace sparsedyn
