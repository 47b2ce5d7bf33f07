#include "support/linkages.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/constraints/closed_loops.hpp"

namespace sparsedyn::test {
namespace {

const double quarter = std::acos(-1.0) / 2;

Inertia<double> bar(double mass) { return inertia_about_com(mass, {{0.15, 0.04, -0.02}}, {0.02, 0.001, 0, 0.03, 0.002, 0.04}); }

/// The same shape of 10⁻⁷ kg.
const Inertia<double> light_bar = inertia_about_com(1e-7, {{0.15, 0.04, -0.02}}, {4e-9, 2e-10, 0, 6e-9, 4e-10, 8e-9});

JointSpec moves(JointKind kind, const Vec3<double>& axis) {
  JointSpec spec;
  spec.kind = kind, spec.axis = axis;
  return spec;
}

Pose<double> placed(const Vec3<double>& rpy, const Vec3<double>& d) { return {rotation_from_rpy(rpy), d}; }

Constraint joined(const std::string& name, ConstraintType type, const std::string& one, const Vec3<double>& there,
                  const std::string& other, const Vec3<double>& here) {
  Constraint c;
  c.name = name, c.type = type, c.links = {one, other}, c.hard = true, c.omega = 0;
  c.frames[0].d = there, c.frames[1].d = here;
  return c;
}

}  // namespace

ModelBuilder trunk_with_limb(bool floating) {
  return ModelBuilder("robot")
      .root("trunk", bar(3), floating)
      .link("upper", bar(1), "trunk", "shoulder", moves(JointKind::revolute, {{0, 0, 1}}), placed({{0, 0, 0}}, {{0.1, 0.2, 0}}))
      .link("slide", bar(0.8), "upper", "extend", moves(JointKind::prismatic, {{1, 0, 0}}),
            placed({{quarter, 0, 0}}, {{0.3, 0, 0}}))
      .link("hand", bar(0.5), "slide", "wrist", moves(JointKind::revolute, {{1, 2, 0}}), placed({{0, 0.4, 0}}, {{0, 0, 0.2}}));
}

Constraint add_four_bar(ModelBuilder& robot, const std::string& name, const std::string& on, const Vec3<double>& rpy,
                        const Inertia<double>& coupler) {
  const JointSpec hinge = moves(JointKind::revolute, {{0, 1, 0}});
  const Vec3<double> there = rotation_from_rpy(rpy) * Vec3<double>{{0.5, 0, 0.03}};
  robot.link(name + "crank", bar(0.4), on, name + "a", hinge, placed(rpy, zero3<double>()));
  robot.link(name + "coupler", coupler, name + "crank", name + "b", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  robot.link(name + "rocker", bar(0.6), on, name + "c", hinge, placed(rpy, there));
  return joined(name + "rod", ConstraintType::connect, name + "coupler", {{0.6, 0, 0}}, name + "rocker", {{0.4, 0, 0}});
}

Constraint add_four_bar(ModelBuilder& robot, const std::string& name, const std::string& on, const Vec3<double>& rpy) {
  return add_four_bar(robot, name, on, rpy, bar(0.5));
}

namespace {

/// The same with two more bars, closed by a weld whose frames are turned in the plane.
Constraint add_six_bar(ModelBuilder& robot, const std::string& on, const Vec3<double>& rpy) {
  add_four_bar(robot, "", on, rpy);
  const JointSpec hinge = moves(JointKind::revolute, {{0, 1, 0}});
  robot.link("fourth", bar(0.3), "coupler", "d", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  robot.link("fifth", bar(0.3), "fourth", "e", hinge, placed({{0, 0, 0}}, {{0.3, 0, 0}}));
  Constraint grip = joined("rod", ConstraintType::weld, "fifth", {{0.02, 0, 0}}, "rocker", {{0.4, 0, 0}});
  grip.frames[1].R = rotation_from_rpy({{0, 0.4, 0}});
  return grip;
}

/// Hinges whose axes all meet in one point, joined at two points of the same distance from it.
Constraint add_spherical(ModelBuilder& robot, const std::string& on) {
  const Pose<double> centre = placed({{0.3, -0.5, 0.2}}, {{0.1, 0, 0.1}}), same = identity_pose<double>();
  robot.link("crank", bar(0.4), on, "a", moves(JointKind::revolute, {{0.3, 1, 0.2}}), centre);
  robot.link("coupler", bar(0.5), "crank", "b", moves(JointKind::revolute, {{1, 0.3, -0.4}}), same);
  robot.link("rocker", bar(0.6), on, "c", moves(JointKind::revolute, {{-0.2, 0.4, 1}}), centre);
  return joined("rod", ConstraintType::connect, "coupler", {{0, 0.4, 0}}, "rocker", {{0.24, 0, 0.32}});
}

}  // namespace

Linkage linkage_on(const std::string& where, const std::string& how, bool floating) {
  ModelBuilder robot = trunk_with_limb(floating);
  Linkage made;
  std::vector<Constraint>& all = made.loops.constraints;
  if (how == "upright") all = {add_four_bar(robot, "", where, {{0, 0, 0}})};
  if (how == "quarter turn") all = {add_four_bar(robot, "", where, {{quarter, 0, quarter}})};
  if (how == "oblique") all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}})};
  if (how == "nearly upright") all = {add_four_bar(robot, "", where, {{1e-5, 0, 0}})};
  if (how == "light") all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}}, light_bar)};
  if (how == "free end") {
    all = {add_four_bar(robot, "", where, {{0.5, 0.3, -0.7}})};
    robot.link("end", bar(0.3), "coupler", "d", moves(JointKind::revolute, {{1, 0.4, 0}}),
               placed({{0, 0, 0}}, {{0.4, 0.1, 0}}));
  }
  if (how == "weld") all = {add_six_bar(robot, where, {{0.5, 0.3, -0.7}})};
  if (how == "upright weld") all = {add_six_bar(robot, where, {{0, 0, 0}})};
  if (how == "about a point") all = {add_spherical(robot, where)};
  if (how == "one on the other") {
    all = {add_four_bar(robot, "", where, {{0, quarter, 0}})};
    all.push_back(add_four_bar(robot, "next ", "coupler", {{0.2, 0.4, 0.6}}));
  }
  made.model = robot.build();
  return made;
}

std::vector<State> states_on_loops(const Linkage& robot) {
  std::mt19937 rng(3);
  LoopProjection loops(robot.model, robot.loops);
  std::vector<State> states;
  for (int k = 0; k < 24 && states.size() < 8; ++k) {
    State s = random_state(robot.model, rng);
    for (const Joint& joint : robot.model.joints) {
      const bool of_limb = joint.name == "shoulder" || joint.name == "extend" || joint.name == "wrist";
      if (of_limb && k % 4 == 1) s.q[joint.q] = 0;
      if (of_limb && k % 4 == 2) s.q[joint.q] = quarter * (k % 3);
      const char which = joint.name.back();
      if (!of_limb && joint.nv == 1)
        s.q[joint.q] = (which == 'a' ? -0.9 : which == 'b' ? 0.7 : which == 'c' ? -1.1 : 0.3) + 0.05 * k;
    }
    if (robot.model.floating() && k % 4 == 1) std::fill_n(s.q.begin(), 6, 0.0), s.q[6] = 1;
    if (k % 2) std::fill(s.v.begin(), s.v.end(), 0.0);
    if (!loops.project(s.q.data(), s.v.data()).ok()) continue;
    states.push_back(s);
  }
  REQUIRE(states.size() >= 6);
  return states;
}

}  // namespace sparsedyn::test
