#include "sparsedyn/model/coordinate_map.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "change_tree.hpp"
#include "near_names.hpp"
#include "sparsedyn/model/payload.hpp"

namespace sparsedyn {
namespace {

[[noreturn]] void refuse(const JointCoupling& c, const std::string& text) {
  throw std::invalid_argument("joint " + c.joint + " follows " + c.leader + ": " + text);
}

/// A joint's position from that of the joint at the head of its chain.
struct Followed {
  int joint = -1;  // itself: it follows none
  double multiplier = 1, offset = 0;
};

/// What a joint follows, if it does.
struct Follows {
  const JointCoupling* coupling = nullptr;
  int leader = -1;  // joint of the tree
};

/// Finds the joints of couplings. Gathered once: a robot may have as many couplings as joints.
class JointsByName {
 public:
  explicit JointsByName(const Model& tree) : tree_(tree) {
    for (std::size_t j = 0; j < tree.joints.size(); ++j) index_.emplace(tree.joints[j].name, static_cast<int>(j));
  }
  int of_one_freedom(const JointCoupling& c, const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) refuse(c, "the robot has no moving joint " + name + near_joints(tree_, name));
    if (tree_.joints[static_cast<std::size_t>(found->second)].nv != 1) refuse(c, name + " has several freedoms; expected one");
    return found->second;
  }

 private:
  const Model& tree_;
  std::unordered_map<std::string, int> index_;
};

std::vector<Follows> by_joint(const Model& tree, const std::vector<JointCoupling>& couplings) {
  const JointsByName joints(tree);
  std::vector<Follows> of(tree.joints.size());
  for (const JointCoupling& c : couplings) {
    Follows& own = of[static_cast<std::size_t>(joints.of_one_freedom(c, c.joint))];
    const int leader = joints.of_one_freedom(c, c.leader);
    if (own.coupling) refuse(c, "it follows " + own.coupling->leader + " already");
    if (c.multiplier == 0 || !std::isfinite(c.multiplier) || !std::isfinite(c.offset))
      refuse(c, "multiplier " + std::to_string(c.multiplier) + ", offset " + std::to_string(c.offset) +
                    "; expected finite numbers, and a multiplier that is not 0");
    own = {&c, leader};
  }
  return of;
}

/// Chains followed to their heads: q = m₁ (m₂ q' + o₂) + o₁. A chain is climbed only as far as no other has been before.
std::vector<Followed> heads(const std::vector<Follows>& of) {
  std::vector<Followed> followed(of.size());
  std::vector<char> on_the_way(of.size(), 0);
  std::vector<std::size_t> chain;
  for (std::size_t j = 0; j < of.size(); ++j) {
    auto up = j;
    while (followed[up].joint < 0 && of[up].coupling) {
      if (on_the_way[up]) refuse(*of[j].coupling, "a circle");
      on_the_way[up] = 1;
      chain.push_back(up);
      up = static_cast<std::size_t>(of[up].leader);
    }
    if (followed[up].joint < 0) followed[up].joint = static_cast<int>(up);
    for (; !chain.empty(); chain.pop_back()) {
      const Follows& own = of[chain.back()];
      const Followed& leader = followed[static_cast<std::size_t>(own.leader)];
      const double multiplier = own.coupling->multiplier, offset = own.coupling->offset;
      followed[chain.back()] = {leader.joint, multiplier * leader.multiplier, multiplier * leader.offset + offset};
    }
  }
  return followed;
}

/// Numbers bodies and joints anew without the followers.
void renumber(Model& model, const std::vector<Followed>& followed) {
  model.nq = model.nv = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    Joint& joint = model.joints[j];
    const bool follows = followed[j].joint != static_cast<int>(j);
    joint.q = model.nq, joint.v = model.nv;
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b) {
      Body& body = model.bodies[static_cast<std::size_t>(b)];
      if (follows) body.joint = BodyJoint::fixed;
      body.q = model.nq, body.v = model.nv;
      model.nq += coordinates(body.joint), model.nv += freedoms(body.joint);
    }
    joint.nq = model.nq - joint.q, joint.nv = model.nv - joint.v;
  }
}

void set_entries(const Model& model, const std::vector<Followed>& followed, CoordinateMap& map) {
  const Model& tree = map.tree;
  map.q.resize(static_cast<std::size_t>(tree.nq)), map.v.resize(static_cast<std::size_t>(tree.nv));
  map.joined.resize(static_cast<std::size_t>(model.nv));
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const Joint& own = tree.joints[j];
    const Followed& f = followed[j];
    const Joint& head = model.joints[static_cast<std::size_t>(f.joint)];
    for (int k = 0; k < own.nq; ++k) map.q[static_cast<std::size_t>(own.q + k)] = {head.q + k, f.multiplier, f.offset};
    for (int k = 0; k < own.nv; ++k) {
      map.v[static_cast<std::size_t>(own.v + k)] = {head.v + k, f.multiplier, 0};
      std::vector<int>& joined = map.joined[static_cast<std::size_t>(head.v + k)];
      const bool head_itself = f.joint == static_cast<int>(j);
      joined.insert(head_itself ? joined.begin() : joined.end(), own.v + k);
    }
  }
}

}  // namespace

const Model& Model::tree() const { return coordinate_map ? coordinate_map->tree : *this; }

Model coupled(const Model& model, const std::vector<JointCoupling>& couplings) {
  if (couplings.empty()) return model;
  auto map = std::make_shared<CoordinateMap>();
  map->tree = model.tree();
  if (model.coordinate_map) map->couplings = model.coordinate_map->couplings;
  map->couplings.insert(map->couplings.end(), couplings.begin(), couplings.end());
  const std::vector<Followed> followed = heads(by_joint(map->tree, map->couplings));
  Model result = map->tree;
  renumber(result, followed);
  result.physics.clear();
  set_entries(result, followed, *map);
  if (!map->tree.limits.empty()) {
    result.limits.clear();
    for (const std::vector<int>& joined : map->joined)
      result.limits.push_back(map->tree.limits[static_cast<std::size_t>(joined.front())]);
  }
  result.coordinate_map = std::move(map);
  return result;
}

namespace {

/// The model changed, and its tree with it.
template <class Change>
Model changed(Model model, const Change& change) {
  change(model);
  if (model.coordinate_map) change_tree(model, change);
  return model;
}

}  // namespace

Model with_gravity(const Model& model, const Vec3<double>& gravity) {
  return changed(model, [&](Model& each) { each.gravity = gravity; });
}

Model with_payload(const Model& model, int link, const Inertia<double>& payload) {
  if (link < 0 || link >= static_cast<int>(model.links.size())) throw std::invalid_argument("no link " + std::to_string(link));
  return changed(model, [&](Model& each) {
    Link& carrier = each.links[static_cast<std::size_t>(link)];
    carrier.inertia = carrier.inertia + payload;
    if (carrier.body < 0) return;  // fixed to the world: it moves nothing
    Body& body = each.bodies[static_cast<std::size_t>(carrier.body)];
    body.inertia = body.inertia + to_parent(carrier.pose, payload);
  });
}

Model without_forces_at_rest(const Model& model) {
  return changed(model, [](Model& each) {
    each.gravity = zero3<double>();
    for (JointPhysics& p : each.physics) p.offset = 0, p.stiffness.reset();
  });
}

}  // namespace sparsedyn
