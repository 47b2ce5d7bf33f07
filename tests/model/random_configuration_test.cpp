// Random postures keep the joints' limits and fill them evenly.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const double half_turn = std::acos(-1.0);

using Posture = std::vector<double>;

Model hinges(int n, JointKind kind = JointKind::revolute) { return random_tree(n, 3, {false, false, 0, {kind}}); }

std::vector<Posture> postures(const Model& model, int count, unsigned seed = 1) {
  std::mt19937 rng(seed);
  std::vector<Posture> drawn;
  for (int k = 0; k < count; ++k) drawn.push_back(random_configuration(model, rng));
  return drawn;
}

/// Kolmogorov's distance of the k-th coordinate from the uniform distribution between two numbers, times √n: below 2 but once
/// in a thousand times.
double unevenness(const std::vector<Posture>& drawn, std::size_t k, double low, double high) {
  std::vector<double> x;
  for (const Posture& q : drawn) x.push_back((q[k] - low) / (high - low));
  std::sort(x.begin(), x.end());
  double worst = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max({worst, std::abs(x[i] - static_cast<double>(i) / n), std::abs(x[i] - static_cast<double>(i + 1) / n)});
  CHECK((x.front() >= 0 && x.back() <= 1));
  return worst * std::sqrt(n);
}

}  // namespace

TEST_CASE("random configurations are uniform from the lower limit to the upper one") {
  Model model = hinges(4);
  const double inf = INFINITY;
  set_joint_limits(model, model.joints[0].name, {-0.3, 2.5, inf, inf});
  set_joint_limits(model, model.joints[1].name, {1, inf, inf, inf});
  set_joint_limits(model, model.joints[2].name, {-inf, 0.5, inf, inf});
  const auto drawn = postures(model, 4000);
  CHECK(unevenness(drawn, 0, -0.3, 2.5) < 2);
  CHECK(unevenness(drawn, 1, 1, 1 + 2 * half_turn) < 2);
  CHECK(unevenness(drawn, 2, 0.5 - 2 * half_turn, 0.5) < 2);
  CHECK(unevenness(drawn, 3, -half_turn, half_turn) < 2);
}

TEST_CASE("random configurations without limits: lengths within a metre, also of limits that nobody means") {
  Model slides = hinges(5, JointKind::prismatic);
  set_joint_limits(slides, slides.joints[1].name, {2, INFINITY, 1, 1});
  set_joint_limits(slides, slides.joints[2].name, {-1.7e308, 1.7e308, 1, 1});
  set_joint_limits(slides, slides.joints[3].name, {5000, 5001, 1, 1});
  set_joint_limits(slides, slides.joints[4].name, {-3, 1e16, 1, 1});
  const auto drawn = postures(slides, 4000);
  CHECK(unevenness(drawn, 3, 5000, 5001) < 2);
  CHECK(unevenness(drawn, 4, -3, -1) < 2);
  CHECK(unevenness(drawn, 0, -1, 1) < 2);
  CHECK(unevenness(drawn, 1, 2, 4) < 2);
  CHECK(unevenness(drawn, 2, -1, 1) < 2);
}

TEST_CASE("random configurations: orientations are uniform on the sphere of unit quaternions") {
  const Model model = random_tree(1, 7, {false, false, 0.0, {JointKind::spherical}});
  double second[4][4] = {}, length = 0;
  const auto drawn = postures(model, 20000);
  for (const Posture& q : drawn) {
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) second[i][k] += q[i] * q[k] / static_cast<double>(drawn.size());
    length = std::max(length, std::abs(std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1));
  }
  CHECK(length < 1e-15 * 4);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) CHECK(std::abs(second[i][k] - (i == k ? 0.25 : 0)) < 0.01);
}

TEST_CASE("random configurations keep the limits of joints that follow others") {
  Model tree = hinges(3);
  for (const Joint& joint : std::vector<Joint>(tree.joints)) set_joint_limits(tree, joint.name, {-1, 1, 1, 1});
  const Model model = coupled(tree, {{tree.joints[2].name, tree.joints[0].name, -2, 0.5}});
  CHECK(unevenness(postures(model, 4000), 0, -0.25, 0.75) < 2);  // −1 ≤ −2 q + 0.5 ≤ 1
  const Model stuck = coupled(tree, {{tree.joints[2].name, tree.joints[0].name, 1, 5}});
  std::mt19937 rng(1);
  CHECK_THROWS_WITH(random_configuration(stuck, rng), Catch::Contains("no position"));
}

TEST_CASE("random configurations are the same with every standard library") {
  Model model = hinges(1);
  set_joint_limits(model, model.joints[0].name, {0, 1, 1, 1});
  std::mt19937 rng;  // whose first number the standard gives
  CHECK(random_configuration(model, rng)[0] == (3499211612.0 + 0.5) / 4294967296.0);
  Posture written(1);
  std::mt19937 again;
  random_configuration(model, again, written.data());
  CHECK(written[0] == (3499211612.0 + 0.5) / 4294967296.0);
}
