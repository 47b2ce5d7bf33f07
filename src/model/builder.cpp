#include <stdexcept>
#include <utility>

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
namespace {

Vec3<double> unit(const Vec3<double>& axis, const std::string& joint) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 1e-9) || !std::isfinite(length))
    throw std::invalid_argument("joint " + joint + ": its axis has no direction; expected a vector of non-zero length");
  return {{axis[0] / length, axis[1] / length, axis[2] / length}};
}

Pose<double> turned(const Mat3<double>& R) { return {R, zero3<double>()}; }

/// Of a joint that is one body's.
BodyJoint body_joint(JointKind kind) {
#define SPARSEDYN_CASE(name, type) \
  case JointKind::name: return BodyJoint::name;
  switch (kind) {
    SPARSEDYN_JOINT_TYPES(SPARSEDYN_CASE)
    case JointKind::continuous: return BodyJoint::revolute;
    case JointKind::universal:
    case JointKind::composite: break;
  }
#undef SPARSEDYN_CASE
  throw std::invalid_argument("several joints in a row; expected one of one body");
}

/// The frame in which the joint's axis is z, in the child link's frame. Joints without an axis keep the link's.
Mat3<double> axis_frame(const JointSpec& spec, const std::string& joint) {
  const bool has_axis = with_joint(body_joint(spec.kind), [](auto type) { return decltype(type)::has_axis; });
  if (!has_axis) return identity3<double>();
  return shortest_rotation(unit(spec.axis, joint));
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name, Vec3<double> gravity) {
  model_.name = std::move(name);
  model_.gravity = gravity;
}

ModelBuilder& ModelBuilder::root(const std::string& link, const Inertia<double>& inertia, bool floating) {
  if (!model_.links.empty()) throw std::invalid_argument("link " + link + ": a second root; expected one");
  Link l{link, -1, floating ? "base" : "world", -1, -1, identity_pose<double>(), inertia};
  model_.links.push_back(l);
  link_index_.emplace(link, 0);
  joint_names_.insert(l.joint);
  if (floating) {
    Joint base{"base", JointKind::floating, -1, 0, 0, 0, 0, 0, 0, 0};
    Pose<double> link_in_body;
    add_bodies(base, {JointKind::floating, {}, 0, {}, {}}, -1, identity_pose<double>(), link_in_body);
    model_.links[0].body = 0;
    model_.links[0].moving_joint = 0;
    model_.bodies[0].inertia = inertia;
    model_.joints.push_back(base);
    model_.leading_links.assign(1, 0);
  }
  return *this;
}

/// Appends the bodies of one joint. `placement` is the joint's frame in the parent body's frame; `link_in_body` becomes the
/// pose of the child link's frame in the last body.
void ModelBuilder::add_bodies(Joint& joint, const JointSpec& spec, int parent_body, const Pose<double>& placement,
                              Pose<double>& link_in_body) {
  if (spec.kind == JointKind::universal || spec.kind == JointKind::composite) {
    std::vector<JointSpec::Part> parts = spec.parts;
    if (spec.kind == JointKind::universal)
      parts = {{identity_pose<double>(), {JointKind::revolute, spec.axis, 0, {}, {}}},
               {identity_pose<double>(), {JointKind::revolute, spec.axis2, 0, {}, {}}}};
    if (parts.empty()) throw std::invalid_argument("joint " + joint.name + ": a composite joint without parts");
    Pose<double> at = placement;
    for (const auto& part : parts) {
      if (part.joint.kind == JointKind::fixed) throw std::invalid_argument("joint " + joint.name + ": a fixed part");
      add_bodies(joint, part.joint, parent_body, at * part.placement, link_in_body);
      parent_body = static_cast<int>(model_.bodies.size()) - 1;
      at = link_in_body;
    }
    return;
  }
  const Mat3<double> C = axis_frame(spec, joint.name);  // link from body
  const BodyJoint kind = body_joint(spec.kind);
  if (joint.bodies == 0) {
    joint.first_body = static_cast<int>(model_.bodies.size());
    joint.q = model_.nq;
    joint.v = model_.nv;
  }
  model_.bodies.push_back({parent_body, kind, model_.nq, model_.nv, spec.pitch, placement * turned(C), zero_inertia<double>()});
  model_.nq += coordinates(kind);
  model_.nv += freedoms(kind);
  joint.nq += coordinates(kind);
  joint.nv += freedoms(kind);
  joint.bodies += 1;
  link_in_body = turned(transpose(C));
}

ModelBuilder& ModelBuilder::link(const std::string& name, const Inertia<double>& inertia, const std::string& parent,
                                 const std::string& joint_name, const JointSpec& spec, const Pose<double>& placement) {
  if (link_index_.count(name)) throw std::invalid_argument("link " + name + ": named twice");
  if (joint_names_.count(joint_name)) throw std::invalid_argument("joint " + joint_name + ": named twice");
  const auto above = link_index_.find(parent);
  if (above == link_index_.end())
    throw std::invalid_argument("joint " + joint_name + ": parent link " + parent + " is not there yet");
  const int up = above->second;
  const Link& p = model_.links[up];
  Link l{name, up, joint_name, -1, p.body, p.pose * placement, inertia};
  const int index = static_cast<int>(model_.links.size());
  if (spec.kind != JointKind::fixed) {
    Joint joint{joint_name, spec.kind, up, index, 0, 0, 0, 0, 0, 0};
    add_bodies(joint, spec, p.body, p.pose * placement, l.pose);
    l.moving_joint = static_cast<int>(model_.joints.size());
    l.body = static_cast<int>(model_.bodies.size()) - 1;
    model_.joints.push_back(joint);
    model_.leading_links.resize(model_.bodies.size(), index);
  }
  if (l.body >= 0) model_.bodies[l.body].inertia = model_.bodies[l.body].inertia + to_parent(l.pose, inertia);
  model_.links.push_back(std::move(l));
  link_index_.emplace(name, index);
  joint_names_.insert(joint_name);
  return *this;
}

Model ModelBuilder::build() const {
  if (model_.links.empty()) throw std::invalid_argument("model " + model_.name + ": no links; expected a root");
  return model_;
}

Pose<double> locked_placement(const Pose<double>& placement, const JointSpec& spec, double value) {
  const Mat3<double> C = axis_frame(spec, "to lock");
  const Body body{-1, body_joint(spec.kind), 0, 0, spec.pitch, placement * turned(C), zero_inertia<double>()};
  return joint_pose<double>(body, &value) * turned(transpose(C));
}

}  // namespace sparsedyn
