// Base parameters by rules on the tree beside those that the rank of sampled regressors tells: the same parameters, with the
// same shares; and the numbers of them that are known.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

std::vector<int> first_parameters(int count) {
  std::vector<int> which;
  for (int k = 0; k < count; ++k) which.push_back(k);
  return which;
}

/// Shares are solved for together: all have the accuracy of the largest where joints move as one by any multiplier.
void check_rules(const Model& model, int count) {
  const std::vector<int> which = first_parameters(count);
  const BaseParameters rules = base_parameters_by_rules(model, which), rank = base_parameters(model, which);
  REQUIRE(rules.independent == rank.independent);
  REQUIRE(rules.dependent == rank.dependent);
  double worst = 0, largest = 1;
  for (std::size_t d = 0; d < rank.share.size(); ++d)
    for (std::size_t k = 0; k < rank.share[d].size(); ++k) {
      const double share = std::abs(rank.share[d][k]), error = std::abs(rules.share[d][k] - rank.share[d][k]);
      worst = std::max(worst, error / std::max(1.0, share)), largest = std::max(largest, share);
    }
  CHECK(worst <= (model.coordinate_map ? 1e-10 * largest : 1e-10));
}

/// Of bodies alone, then with rotors, damping, friction and offsets.
void check_rules(const Model& model) {
  check_rules(model, 10 * static_cast<int>(model.joints.size()));
  check_rules(model, ParameterIndex(model).count);
}

bool is_robot(const std::string& path, const std::string& name) {
  const std::string file = "/" + name + ".urdf";
  return path.size() > file.size() && path.compare(path.size() - file.size(), file.size(), file) == 0;
}

std::size_t inertial_rank(const Model& model) {
  return base_parameters_by_rules(model, first_parameters(10 * static_cast<int>(model.joints.size()))).independent.size();
}

}  // namespace

TEST_CASE("Rules and rank give the same base parameters on random trees of every joint") {
  for (bool floating : {false, true})
    for (unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
      test::TreeOptions options;
      options.floating = floating;
      if (seed % 2 == 0) options.kinds = test::every_joint_kind();
      INFO("seed " << seed << (floating ? ", floating" : ", fixed"));
      check_rules(test::random_tree(6, seed, options));
    }
}

TEST_CASE("Rules and rank give the same base parameters on whole robots") {
  for (const std::string& path : test::all_robots())
    for (bool floating : {false, true}) {
      INFO(path << (floating ? ", floating" : ", fixed"));
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(path, options);
      if (model.nv <= 40) check_rules(model);
      options.mimic = true;
      const Model coupled = load_urdf(path, options);
      if (coupled.coordinate_map) check_rules(coupled);
    }
}

TEST_CASE("An arm like the UR5 has 36 inertial base parameters, a Panda without its hand 43") {
  CHECK(inertial_rank(test::arm_like_ur5()) == 36);
  check_rules(test::arm_like_ur5());
  for (const std::string& path : test::shared_robots()) {
    if (!is_robot(path, "panda")) continue;
    LoadOptions options;
    options.cut = {"panda_hand"};
    CHECK(inertial_rank(load_urdf(path, options)) == 43);
  }
}

TEST_CASE(
    "Rules and rank agree where gravity makes torques constant: upright, sliding and screw joints with offsets and rotors") {
  std::mt19937 rng(3);
  const Pose<double> here{identity3<double>(), {{0.1, 0.2, 0.3}}};
  for (JointKind first : {JointKind::revolute, JointKind::prismatic, JointKind::helical})
    for (const Vec3<double>& axis : {Vec3<double>{{0, 0, 1}}, Vec3<double>{{1, 0, 0}}, Vec3<double>{{0.6, 0, 0.8}}})
      for (JointKind second : {JointKind::revolute, JointKind::prismatic, JointKind::helical}) {
        ModelBuilder builder("two");
        JointSpec a, b;
        a.kind = first, a.axis = axis, a.pitch = 0.3, b.kind = second, b.axis = {{0, 0, 1}}, b.pitch = -0.2;
        builder.root("ground", zero_inertia<double>(), false);
        builder.link("one", test::random_inertia(rng), "ground", "a", a, here);
        builder.link("two", test::random_inertia(rng), "one", "b", b, here);
        INFO("kinds " << static_cast<int>(first) << " and " << static_cast<int>(second) << ", axis " << axis[0] << " "
                      << axis[2]);
        check_rules(builder.build());
      }
}

TEST_CASE("Rules and rank give the same base parameters where joints follow others") {
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 24; ++seed) {
      test::TreeOptions options;
      options.floating = floating;
      if (seed % 3 == 0) options.kinds = test::every_joint_kind();
      INFO("seed " << seed << (floating ? ", floating" : ", fixed"));
      check_rules(test::random_coupled_robot(test::random_tree(5 + seed % 4, seed, options), seed).model);
    }
}

/// The same, with springs in some joints, and friction that falls from a few velocities on by a few shares.
Model sprung(Model model, unsigned seed) {
  std::mt19937 rng(seed);
  const auto one_of = [&](std::initializer_list<double> numbers) { return numbers.begin()[rng() % numbers.size()]; };
  for (const Joint& joint : model.tree().joints) {
    if (joint.nv != 1) continue;
    JointPhysics p;
    p.smoothing = one_of({0.3, 0.6}), p.stribeck = one_of({0, 0.5, 1}), p.stribeck_velocity = one_of({0.5, 1});
    if (rng() % 2) p.stiffness = one_of({0, 2});
    set_joint_physics(model, joint.name, p);
  }
  return model;
}

TEST_CASE("Rules and rank give the same base parameters with springs and Stribeck's effect, also where joints follow others") {
  for (unsigned seed = 1; seed <= 16; ++seed) {
    test::TreeOptions options;
    options.floating = seed % 2;
    if (seed % 3 == 0) options.kinds = test::every_joint_kind();
    INFO("seed " << seed);
    const Model tree = sprung(test::random_tree(5 + seed % 4, seed, options), seed);
    check_rules(tree);
    check_rules(test::random_coupled_robot(tree, seed).model);
  }
}
