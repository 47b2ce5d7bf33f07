// Robots that stand, slide and fall on spheres of their links: robots, constraints and states for tests of contact dynamics.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

struct ContactState {
  std::vector<double> q, v, tau;
};

inline const std::vector<std::vector<double>> all_frictions{{0.8}, {}, {0.5, 0.02}, {0.7, 0.02, 0.01}};

/// Two spheres on each of the first four links without children; friction: these in turn.
inline ConstraintSet spheres_on_leaves(const Model& model, const std::vector<std::vector<double>>& frictions) {
  ConstraintSet set;
  std::vector<char> carries(model.links.size(), 0);
  for (const Link& link : model.links)
    if (link.parent >= 0) carries[static_cast<std::size_t>(link.parent)] = 1;
  for (std::size_t l = 0; l < model.links.size() && set.constraints.size() < 4; ++l) {
    if (carries[l] || model.links[l].body < 0) continue;
    Constraint c;
    c.name = model.links[l].name, c.links = {c.name}, c.radius = 0.02;
    c.friction = frictions[set.constraints.size() % frictions.size()];
    c.points = {{{0.05, 0.02, -0.03}}, {{-0.04, 0.03, -0.02}}};
    set.constraints.push_back(c);
  }
  return set;
}

inline void add_stops_and_friction(ConstraintSet& set) {
  Constraint c;
  c.name = "rub", c.type = ConstraintType::dry_friction, c.all = true, c.loss = 0.4;
  set.constraints.push_back(c);
  c.name = "stops", c.type = ConstraintType::limit, c.margin = 0.05;
  set.constraints.push_back(c);
}

/// A stop and dry friction on the first joint that follows another, which `all` does not name.
inline void add_follower(const Model& model, ConstraintSet& set) {
  for (const Joint& joint : model.joints) {
    if (!joint.follows()) continue;
    Constraint c;
    c.name = "follower rubs", c.type = ConstraintType::dry_friction, c.joints = {joint.name}, c.loss = 0.3;
    set.constraints.push_back(c);
    c.name = "follower stops", c.type = ConstraintType::limit, c.margin = 0.3;
    set.constraints.push_back(c);
    return;
  }
}

/// With stops within half a radian or metre.
inline Model with_near_stops(Model model) {
  for (const Joint& j : std::vector<Joint>(model.joints))
    if (j.nv == 1) {
      JointLimits limits;
      limits.lower = -0.1, limits.upper = 0.4;
      set_joint_limits(model, j.name, limits);
    }
  return model;
}

/// Half of the spheres in the ground.
inline ContactState touching_state(const Model& model, const ConstraintSet& set, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  ContactState s{
      std::vector<double>(static_cast<std::size_t>(model.nq)), std::vector<double>(static_cast<std::size_t>(model.nv)), {}};
  std::vector<double> zero(s.q), step(s.v);
  neutral(model, zero.data());
  for (double& x : step) x = 0.3 * normal(rng);
  integrate(model, zero.data(), step.data(), s.q.data());
  for (double& x : s.v) x = normal(rng);
  s.tau = s.v;
  for (double& x : s.tau) x = 5 * normal(rng);
  if (!model.floating()) return s;
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  std::vector<double> heights;
  for (const Constraint& c : set.constraints)
    for (const Vec3<double>& p : c.points) {
      const Pose<double> pose = link_pose(model, ws, model.find_link(c.links[0]));
      heights.push_back((pose.R * p + pose.d)[2] - c.radius);
    }
  if (heights.empty()) return s;
  std::sort(heights.begin(), heights.end());
  s.q[2] -= heights[heights.size() / 2] + 0.001;
  return s;
}

inline double relative_difference(const std::vector<double>& x, const std::vector<double>& reference) {
  double size = 1, most = 0;
  for (double r : reference) size = std::max(size, std::abs(r));
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double off = std::abs(x[k] - reference[k]);
    if (std::isnan(off)) return off;
    most = std::max(most, off);
  }
  return most / size;
}

/// Forces, and the number of states, with contacts of each kind: open, sticking, sliding.
struct Seen {
  int open = 0, sticking = 0, sliding = 0;
};

inline void count_kinds(const ConstraintSet& set, const std::vector<double>& lambda, const std::vector<double>& gap,
                        Seen& seen) {
  std::size_t force = 0, point = 0;
  for (const Constraint& c : set.constraints)
    for (std::size_t p = 0; p<c.points.size(); ++p, force += c.friction.size()> 1 ? 6 : 3, ++point) {
      const double pressed = lambda[force + 2], slid = std::hypot(lambda[force], lambda[force + 1]);
      if (pressed <= 0) seen.open += gap[point] < 0;
      if (pressed > 0 && !c.friction.empty()) ++(slid > 0.999999 * c.friction[0] * pressed ? seen.sliding : seen.sticking);
    }
}

inline Model shipped_model(const std::string& name, bool floating) {
  LoadOptions load;
  load.floating = floating;
  return load_urdf(source_folder() + "/robots/" + name + ".urdf", load);
}

struct ContactRobot {
  Model model;
  ConstraintSet set;
};

/// A random tree of seven joints of every kind, floating for even seeds, whose spheres lie on a slope; with dry friction.
/// margin: of the contacts.
inline ContactRobot robot_on_a_slope(unsigned seed, double margin = 0) {
  TreeOptions options;
  options.kinds = every_joint_kind();
  options.floating = seed % 2 == 0;
  ContactRobot robot{random_tree(7, seed, options), {}};
  robot.set = spheres_on_leaves(robot.model, all_frictions);
  for (Constraint& c : robot.set.constraints)
    c.plane_normal = {{0.3, -0.2, 1}}, c.plane_point = {{0.1, 0, 0.2}}, c.margin = margin;
  Constraint rub;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.all = true, rub.loss = 0.4;
  robot.set.constraints.push_back(rub);
  return robot;
}

/// A random tree of eight joints of every kind, some of which follow others, floating for even seeds, with stops and dry
/// friction, also at a follower. margin: of the contacts.
inline ContactRobot robot_with_followers(unsigned seed, double margin = 0) {
  TreeOptions options;
  options.kinds = every_joint_kind();
  options.floating = seed % 2 == 0;
  ContactRobot robot{random_coupled_robot(with_near_stops(random_tree(8, seed, options)), seed).model, {}};
  robot.set = spheres_on_leaves(robot.model, all_frictions);
  for (Constraint& c : robot.set.constraints) c.plane_point = {{0.1, 0, 0.2}}, c.margin = margin;
  add_stops_and_friction(robot.set), add_follower(robot.model, robot.set);
  return robot;
}

/// The robots of all_robots() whose file names begin so, floating above flat ground.
inline std::vector<ContactRobot> standing_robots(const std::vector<std::string>& names) {
  std::vector<ContactRobot> robots;
  LoadOptions load;
  load.floating = true;
  for (const std::string& path : all_robots())
    if (is_one_of(path, names)) {
      const Model model = load_urdf(path, load);
      robots.push_back({model, spheres_on_leaves(model, {{0.8}})});
    }
  return robots;
}

}  // namespace sparsedyn::test
