// Inverse kinematics beside forward kinematics: poses are reached within the limits, the nearest posture is nearest, and where
// nothing reaches them no small step does better.
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "model/samples.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/model.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/scaled_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

using Posture = std::vector<double>;

/// Poses of links at a posture.
std::vector<Pose<double>> poses_at(const Model& model, const std::vector<std::string>& links, const Posture& q) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q.data(), nullptr, nullptr);
  std::vector<Pose<double>> poses;
  for (const std::string& link : links) poses.push_back(link_pose(model, work, model.find_link(link)));
  return poses;
}

/// √(Σ |Δp|² + angle²), the angle from the matrices: |R − R*| = 2√2 sin(angle / 2).
double apart(const std::vector<Pose<double>>& a, const std::vector<Pose<double>>& b) {
  double squares = 0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    double frobenius = 0;
    for (int r = 0; r < 3; ++r) {
      squares += std::pow(a[t].d[r] - b[t].d[r], 2);
      for (int c = 0; c < 3; ++c) frobenius += std::pow(a[t].R(r, c) - b[t].R(r, c), 2);
    }
    squares += std::pow(2 * std::asin(std::min(1.0, std::sqrt(frobenius / 8))), 2);
  }
  return std::sqrt(squares);
}

/// Limits on two in three of the joints with one freedom.
Model with_limits(Model model) {
  for (const Joint& joint : std::vector<Joint>(model.joints))
    if (joint.nv == 1 && joint.v % 3) set_joint_limits(model, joint.name, {-1.2, 1.5, 2, 100});
  return model;
}

/// Uniform within the limits.
Posture posture(const Model& model, std::mt19937& rng) {
  Posture q(static_cast<std::size_t>(model.nq));
  uniform_sample(model, rng, q.data());
  for (const Joint& joint : model.joints)
    if (joint.nv == 1 && !model.limits.empty()) {
      const JointLimits& limits = model.limits[static_cast<std::size_t>(joint.v)];
      if (std::isfinite(limits.lower) && std::isfinite(limits.upper))
        q[static_cast<std::size_t>(joint.q)] = std::uniform_real_distribution<double>(limits.lower, limits.upper)(rng);
    }
  return q;
}

void check_within_limits(const Model& model, const Posture& q) {
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1 || model.limits.empty()) continue;
    INFO(joint.name);
    CHECK(q[static_cast<std::size_t>(joint.q)] >= model.limits[static_cast<std::size_t>(joint.v)].lower);
    CHECK(q[static_cast<std::size_t>(joint.q)] <= model.limits[static_cast<std::size_t>(joint.v)].upper);
  }
}

Model arm_that_ships() { return load_urdf(source_folder() + "/robots/arm.urdf"); }

/// Every third link that moves.
std::vector<std::string> some_links(const Model& model) {
  std::vector<std::string> links;
  for (std::size_t l = model.links.size(); l-- > 0 && links.size() < 3;)
    if (model.links[l].body >= 0 && l % 3 == 1) links.push_back(model.links[l].name);
  return links;
}

}  // namespace

TEST_CASE("Inverse kinematics reaches the poses of postures within the limits, from others") {
  const Model arm = arm_that_ships();
  REQUIRE_FALSE(arm.limits.empty());
  const std::vector<std::string> tip{arm.links.back().name};
  InverseKinematics ik(arm, tip);
  std::mt19937 rng(1);
  int reached = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::vector<Pose<double>> targets = poses_at(arm, tip, posture(arm, rng));
    const Posture start = posture(arm, rng);
    Posture q(start);
    const InverseKinematicsStatus status = ik.solve(targets.data(), start.data(), q.data());
    check_within_limits(arm, q);
    const double residual = apart(poses_at(arm, tip, q), targets);
    CHECK(status.residual == Approx(residual).margin(1e-13));
    CHECK(status.reached == (status.residual <= 1e-8));
    reached += residual <= 1e-8;
  }
  CHECK(reached >= 995);
}

TEST_CASE("Inverse kinematics of several links on any joints, fixed and floating") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 12; ++seed) {
      CAPTURE(floating, seed);
      TreeOptions options;
      options.floating = floating, options.kinds = every_joint_kind();
      const Model model = with_limits(random_tree(9, seed, options));
      const std::vector<std::string> links = some_links(model);
      REQUIRE_FALSE(links.empty());
      InverseKinematics ik(model, links);
      std::mt19937 rng(seed);
      for (bool given : {false, true}) {
        const std::vector<Pose<double>> targets = poses_at(model, links, posture(model, rng));
        const Posture start = posture(model, rng);
        Posture q(start);
        const InverseKinematicsStatus status = ik.solve(targets.data(), given ? start.data() : nullptr, q.data());
        CHECK(status.ok());
        CHECK(apart(poses_at(model, links, q), targets) <= 1e-8);
        CHECK(ik.residual(targets.data(), q.data()) == Approx(status.residual).margin(1e-13));
        check_within_limits(model, q);
      }
    }
}

TEST_CASE("Inverse kinematics keeps a posture that reaches the poses already") {
  const Model arm = arm_that_ships();
  InverseKinematics ik(arm, {arm.links.back().name});
  std::mt19937 rng(3);
  const Posture there = posture(arm, rng);
  const std::vector<Pose<double>> targets = poses_at(arm, {arm.links.back().name}, there);
  Posture q(there);
  REQUIRE(ik.solve(targets.data(), there.data(), q.data()).ok());
  for (std::size_t k = 0; k < q.size(); ++k) CHECK(q[k] == Approx(there[k]).margin(1e-9));
}

TEST_CASE("Inverse kinematics finds the posture nearest to the one given, in its neighbourhood") {
  const Model arm = arm_that_ships();
  const std::vector<std::string> tip{arm.links.back().name};
  InverseKinematicsOptions any;
  any.nearest = false;
  InverseKinematics ik(arm, tip), reach(arm, tip, any);
  std::mt19937 rng(4);
  const auto distance = [](const Posture& a, const Posture& b) {
    double squares = 0;
    for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(squares);
  };
  std::normal_distribution<double> normal;
  int compared = 0;
  for (int k = 0; k < 50; ++k) {
    const std::vector<Pose<double>> targets = poses_at(arm, tip, posture(arm, rng));
    const Posture start = posture(arm, rng);
    Posture q(start);
    if (!ik.solve(targets.data(), start.data(), q.data()).ok()) continue;
    // other postures that reach the poses, a little aside along what the poses leave free
    for (int aside = 0; aside < 20; ++aside) {
      Posture other(q), from(q);
      for (double& x : from) x += 1e-3 * normal(rng);
      if (!reach.solve(targets.data(), from.data(), other.data()).ok() || distance(other, q) > 0.01) continue;
      CHECK(distance(q, start) <= distance(other, start) + 1e-6);
      ++compared;
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("Inverse kinematics of a pose out of reach ends where no small step does better") {
  const Model arm = arm_that_ships();
  const std::vector<std::string> tip{arm.links.back().name};
  InverseKinematicsOptions options;
  options.restarts = 20;
  InverseKinematics ik(arm, tip, options);
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k) {
    std::vector<Pose<double>> targets = poses_at(arm, tip, posture(arm, rng));
    targets[0].d = targets[0].d + Vec3<double>{{3, 1, 1}};
    Posture q(static_cast<std::size_t>(arm.nq));
    const InverseKinematicsStatus status = ik.solve(targets.data(), nullptr, q.data());
    CHECK_FALSE(status.ok());
    CHECK(status.finite);
    CHECK(status.residual > 1);
    check_within_limits(arm, q);
    CHECK(ik.slope(targets.data(), q.data()) < 1e-6);
    for (int aside = 0; aside < 50; ++aside) {
      Posture other(q);
      for (double& x : other) x += 1e-3 * normal(rng);
      for (const Joint& joint : arm.joints) {
        const JointLimits& limits = arm.limits[static_cast<std::size_t>(joint.v)];
        double& x = other[static_cast<std::size_t>(joint.q)];
        x = std::min(std::max(x, limits.lower), limits.upper);
      }
      CHECK(apart(poses_at(arm, tip, other), targets) >= status.residual - 1e-9);
    }
  }
}

TEST_CASE("Inverse kinematics keeps the limits of joints that follow others") {
  TreeOptions hinges;
  hinges.kinds = {JointKind::revolute}, hinges.branching = 0;
  Model model = random_tree(7, 11, hinges);
  const std::string leader = model.joints[1].name, follower = model.joints[3].name;
  for (const Joint& joint : std::vector<Joint>(model.joints)) set_joint_limits(model, joint.name, {-1, 1, 1, 1});
  model = coupled(model, {{follower, leader, -2, 0.5}});
  const std::vector<std::string> tip{model.links.back().name};
  InverseKinematics ik(model, tip);
  const int v = model.joints[static_cast<std::size_t>(model.find_joint(leader))].v;
  CHECK(ik.lower()[static_cast<std::size_t>(v)] == Approx(-0.25));  // −1 ≤ −2 q + 0.5 ≤ 1
  CHECK(ik.upper()[static_cast<std::size_t>(v)] == Approx(0.75));
  std::mt19937 rng(6);
  Posture truth(static_cast<std::size_t>(model.nq)), q(truth);
  for (int k = 0; k < 20; ++k) {
    for (std::size_t i = 0; i < truth.size(); ++i)
      truth[i] = std::uniform_real_distribution<double>(ik.lower()[i], ik.upper()[i])(rng);
    const std::vector<Pose<double>> targets = poses_at(model, tip, truth);
    REQUIRE(ik.solve(targets.data(), nullptr, q.data()).ok());
    CHECK(apart(poses_at(model, tip, q), targets) <= 1e-8);
    for (std::size_t i = 0; i < q.size(); ++i) CHECK((q[i] >= ik.lower()[i] && q[i] <= ik.upper()[i]));
  }
  CHECK_THROWS_WITH(InverseKinematics(coupled(model, {{model.joints[0].name, model.joints[1].name, 1, 5}}), tip),
                    Contains("no position"));
}

TEST_CASE("Inverse kinematics takes no memory and gives the same answer again") {
  const Model model = with_limits(random_tree(8, 2, {true}));
  const std::vector<std::string> links = some_links(model);
  InverseKinematics ik(model, links);
  std::mt19937 rng(8);
  const Posture start = posture(model, rng);
  const std::vector<Pose<double>> targets = poses_at(model, links, posture(model, rng));
  Posture q(start), again(start);
  CHECK(allocations_of([&] { ik.solve(targets.data(), start.data(), q.data()); }) == 0);
  std::vector<Pose<double>> far(targets);
  far[0].d = {{100, 0, 0}};
  Posture lost(start);
  CHECK(allocations_of([&] { ik.solve(far.data(), nullptr, lost.data()); }) == 0);
  ik.solve(targets.data(), start.data(), again.data());
  CHECK(q == again);
}

TEST_CASE("Inverse kinematics refuses missing, unknown, fixed and repeated targets, and poses that are not finite") {
  const Model arm = arm_that_ships();
  const std::string tip = arm.links.back().name;
  CHECK_THROWS_WITH(InverseKinematics(arm, {}), Contains("no target"));
  CHECK_THROWS_WITH(InverseKinematics(arm, {"elbow"}), Contains("link elbow"));
  CHECK_THROWS_WITH(InverseKinematics(arm, {arm.links[0].name}), Contains("fixed to the world"));
  CHECK_THROWS_WITH(InverseKinematics(arm, {tip, tip}), Contains("twice"));
  InverseKinematicsOptions options;
  options.tolerance = 0;
  CHECK_THROWS_WITH(InverseKinematics(arm, {tip}, options), Contains("tolerance"));
  InverseKinematics ik(arm, {tip});
  Posture q(static_cast<std::size_t>(arm.nq), 0.25);
  std::vector<Pose<double>> targets = poses_at(arm, {tip}, q);
  targets[0].d[1] = std::numeric_limits<double>::quiet_NaN();
  const InverseKinematicsStatus status = ik.solve(targets.data(), nullptr, q.data());
  CHECK_FALSE(status.finite);
  CHECK_FALSE(status.ok());
  CHECK(q == Posture(q.size(), 0.25));
}

TEST_CASE("Inverse kinematics: a position alone, an orientation alone, and weights that divide what cannot be had together") {
  const Model arm = arm_that_ships();
  const std::vector<std::string> links{arm.links.back().name, "link4"};
  std::mt19937 rng(7);
  const Posture there = posture(arm, rng);
  std::vector<Pose<double>> targets = poses_at(arm, links, there);
  Workspace<double> work(arm);
  const auto offs = [&](const Posture& q, std::size_t t) {
    forward_kinematics<double>(arm, work, q.data(), nullptr, nullptr);
    const Pose<double> off = inverse(targets[t]) * link_pose(arm, work, arm.link(links[t]));
    const double cosine = 0.5 * (off.R(0, 0) + off.R(1, 1) + off.R(2, 2) - 1);
    return std::pair(std::sqrt(dot(off.d, off.d)), std::acos(std::min(1.0, std::max(-1.0, cosine))));
  };
  Posture q(there);
  for (const PoseWeights& part : {PoseWeights{1, 0}, PoseWeights{0, 1}}) {
    InverseKinematicsOptions options;
    options.weights = {part};
    InverseKinematics ik(arm, {links[0]}, options);
    REQUIRE(ik.solve(targets.data(), nullptr, q.data()).ok());
    const auto [moved, turned] = offs(q, 0);
    CHECK((part.position > 0 ? moved : turned) < 1e-7);
    CHECK((part.position > 0 ? turned : moved) > 1e-3);
    const long taken = allocations_of([&] { ik.solve(targets.data(), nullptr, q.data()); });
    CHECK(taken == 0);
  }
  targets[1].d[2] += 0.1;
  double last = 1;
  for (double weight : {1.0, 10.0, 100.0}) {
    InverseKinematicsOptions options;
    options.restarts = 0, options.weights = {{1, 0}, {weight, 0}};
    InverseKinematics ik(arm, links, options);
    const InverseKinematicsStatus status = ik.solve(targets.data(), there.data(), q.data());
    const double first = offs(q, 0).first, second = offs(q, 1).first;
    CHECK(status.residual == Approx(std::hypot(first, weight * second)));
    CHECK(second < last);
    last = second;
  }
  InverseKinematicsOptions none;
  none.weights = {{0, 0}};
  CHECK_THROWS_AS(InverseKinematics(arm, {links[0]}, none), std::invalid_argument);
  none.weights = {{1, 1}, {1, 1}};
  CHECK_THROWS_AS(InverseKinematics(arm, {links[0]}, none), std::invalid_argument);
}

TEST_CASE("Inverse kinematics of robots of millimetres and micrometres is as exact as of others, beside their size") {
  const Model arm = arm_that_ships();
  const std::vector<std::string> tip{arm.links.back().name};
  InverseKinematics ik(arm, tip);
  for (const double size : {1e-3, 1e-6}) {
    Model small = in_lengths(arm, size);
    small.limits = arm.limits;
    InverseKinematics of_small(small, tip);
    std::mt19937 rng(2);
    int reached = 0, of_arm = 0;
    for (int k = 0; k < 100; ++k) {
      std::vector<Pose<double>> targets = poses_at(arm, tip, posture(arm, rng));
      const Posture start = posture(arm, rng);
      Posture q(start);
      of_arm += ik.solve(targets.data(), start.data(), q.data()).reached;
      targets[0].d = size * targets[0].d;
      q = start;
      const InverseKinematicsStatus status = of_small.solve(targets.data(), start.data(), q.data());
      if (!status.reached) continue;
      ++reached;
      const Pose<double> found = poses_at(small, tip, q)[0];
      const Vec3<double> off = found.d - targets[0].d;
      CAPTURE(size, k);
      CHECK(std::sqrt(dot(off, off)) <= 1e-7 * size);
      CHECK(status.residual <= 1e-8);
    }
    CHECK(of_arm >= 99);
    CHECK(reached >= 99);
  }
}
