#include "sparsedyn/system/formulation.hpp"

#include "model/minimal_tree.hpp"
#include "rounding.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
namespace {

struct Part {
  const char* name;
  bool Formulation::*flag;
};
constexpr Part parts[] = {{"canonical", &Formulation::canonical},
                          {"intermediate-frames", &Formulation::intermediate_frames},
                          {"net-forces", &Formulation::net_forces},
                          {"shifted", &Formulation::shifted},
                          {"maximal-coordinates", &Formulation::maximal_coordinates},
                          {"joint-space", &Formulation::joint_space}};
const char* const no_part = "newton-euler";

bool contradicts_itself(const Formulation& f) {
  if (f.maximal_coordinates && (f.axis_frames() || f.joint_space)) return true;  // along axes a wrench is φ already
  return f.joint_space && (f.intermediate_frames || f.net_forces || f.shifted);
}

bool is_identity(const Pose<double>& p) { return is_identity(p.R) && p.d[0] == 0.0 && p.d[1] == 0.0 && p.d[2] == 0.0; }

/// The bodies of a formulated model, one after the other.
class Chain {
 public:
  explicit Chain(const Model& model) : model_(model) { model_.bodies.clear(), model_.leading_links.clear(); }

  /// A frame at `placement` in its parent, unless that is no other frame. Returns the body that stands there.
  int frame(int parent, const Pose<double>& placement, const MinimalBody& of, int link) {
    if (is_identity(placement)) return parent;
    return body({parent, BodyJoint::fixed, of.q, of.v, 0, placement, zero_inertia<double>()}, link);
  }
  int body(const Body& body, int link) {
    model_.bodies.push_back(body);
    model_.leading_links.push_back(link);
    return static_cast<int>(model_.bodies.size()) - 1;
  }
  Model& model() { return model_; }

 private:
  Model model_;
};

}  // namespace

std::string formulation_name(const Formulation& formulation) {
  std::string name;
  for (const Part& part : parts)
    if (formulation.*part.flag) name += (name.empty() ? "" : "+") + std::string(part.name);
  return name.empty() ? no_part : name;
}

Formulation formulation_named(const std::string& name) {
  Formulation formulation;
  std::string known = no_part;
  for (const Part& part : parts) {
    known += std::string(", ") + part.name;
    if (("+" + name + "+").find("+" + std::string(part.name) + "+") != std::string::npos) formulation.*part.flag = true;
  }
  if (formulation_name(formulation) != name || contradicts_itself(formulation))
    throw std::invalid_argument(
        "formulation \"" + name + "\": expected " + known +
        "; parts that go together joined by + in this order (joint-space: with canonical alone; maximal-coordinates: "
        "with net-forces and shifted)");
  return formulation;
}

const std::vector<Formulation>& all_formulations() {
  static const std::vector<Formulation> all = [] {
    std::vector<Formulation> list;
    for (const char* name :
         {no_part, "net-forces", "shifted", "intermediate-frames", "intermediate-frames+shifted", "canonical",
          "canonical+net-forces", "canonical+shifted", "canonical+intermediate-frames", "canonical+intermediate-frames+shifted",
          "maximal-coordinates", "joint-space", "canonical+joint-space"})
      list.push_back(formulation_named(name));
    return list;
  }();
  return all;
}

/// With intermediate frames each step of a body's pose in its parent is a body of its own, the last of them the joint's.
Model formulated(const Model& model, const Formulation& formulation) {
  if (!formulation.axis_frames()) return model;
  if (model.coordinate_map) return coupled(formulated(model.tree(), formulation), model.coordinate_map->couplings);
  if (!has_minimal_tree(model))
    throw FormulationMisfit(formulation_name(formulation) + ": a joint is neither revolute, prismatic nor a floating root");
  MinimalOptions options;
  options.canonical_frames = options.base_parameters = formulation.canonical;
  const MinimalTree tree = minimal_tree(model, options);
  Chain chain(model);
  std::vector<int> moved(tree.bodies.size());
  for (std::size_t i = 0, joint = 0; i < tree.bodies.size(); ++i) {
    const MinimalBody& b = tree.bodies[i];
    while (static_cast<int>(i) >= model.joints[joint].first_body + model.joints[joint].bodies) ++joint;
    Joint& own = chain.model().joints[joint];
    if (static_cast<int>(i) == model.joints[joint].first_body) own.first_body = static_cast<int>(chain.model().bodies.size());
    int parent = b.parent < 0 ? -1 : moved[b.parent];
    Pose<double> placement = zero_placement(b);
    const int link = model.leading_link(static_cast<int>(i));
    if (formulation.intermediate_frames && b.parent >= 0) {
      const std::vector<Pose<double>> steps = axial_steps(b);
      for (std::size_t k = 0; k + 1 < steps.size(); ++k) parent = chain.frame(parent, steps[k], b, link);
      placement = steps.back();
    }
    moved[i] = chain.body({parent, b.joint, b.q, b.v, 0, placement, b.inertia}, link);
    own.bodies = moved[i] + 1 - own.first_body;
  }
  for (Link& link : chain.model().links)
    if (link.body >= 0) {
      link.pose = tree.bodies[link.body].body_frame * link.pose;
      link.body = moved[link.body];
    }
  return chain.model();
}

}  // namespace sparsedyn
