// Operations of programs of general chains beside the published records.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// Revolute joints with axes in general position. (random_tree takes a coordinate axis now and then.)
Model general_chain(int n, unsigned seed) {
  ModelBuilder builder("chain");
  std::mt19937 rng(seed);
  builder.root("link0", random_inertia(rng), false);
  for (int i = 1; i <= n; ++i) {
    const Inertia<double> inertia = random_inertia(rng);
    const Vec3<double> axis = random_vector(rng);
    const Pose<double> placement = random_pose(rng);
    builder.link("link" + std::to_string(i), inertia, "link" + std::to_string(i - 1), "joint" + std::to_string(i),
                 {JointKind::revolute, axis, 0, {}, {}}, placement);
  }
  return builder.build();
}

/// The cheapest published inverse and forward dynamics of a general chain: recursions, or Khalil's with joint-space inertia and
/// its factors.
struct Record {
  long inverse, forward;
};
Record record(int n) {
  long inverse = std::numeric_limits<long>::max(), forward = inverse, joint_space = 0;
  for (const PublishedCount& c : published_counts(n)) {
    if (c.algorithm == std::string("rnea")) inverse = std::min(inverse, c.mul + c.add);
    if (c.algorithm != std::string("rnea") && c.algorithm != std::string("crba")) forward = std::min(forward, c.mul + c.add);
    if (c.algorithm == std::string("crba")) joint_space = c.mul + c.add;
  }
  const long ltdl = (2 * n * n * n + 15 * n * n - 11 * n) / 6;
  return {inverse, std::min(forward, inverse + joint_space + ltdl)};
}

}  // namespace

TEST_CASE("general chains: fewer operations than the published records") {
  const auto check = [](const Model& model, int n) {
    INFO(n);
    CHECK(algorithm_program(model, "rnea").counts().flops() < record(n).inverse);
    CHECK(algorithm_program(model, "aba").counts().flops() < record(n).forward);
  };
  for (int n : {3, 4, 5, 6, 8, 10, 16}) check(sparsedyn::general_chain(n), n);
  for (int n : {3, 5, 8}) check(general_chain(n, 7), n);
}

TEST_CASE("a general chain of seven joints: operations, and what another joint adds") {
  const auto flops = [](int n, const char* algorithm) {
    return algorithm_program(sparsedyn::general_chain(n), algorithm).counts().flops();
  };
  CHECK(flops(7, "rnea") <= 821);
  CHECK(flops(7, "aba") <= 1840);
  CHECK(flops(11, "rnea") - flops(10, "rnea") <= 148);
  CHECK(flops(11, "aba") - flops(10, "aba") <= 385);
}

TEST_CASE("general chains: how many operations does not depend on their numbers") {
  const auto flops = [](unsigned seed, const char* algorithm) {
    return algorithm_program(general_chain(7, seed), algorithm).counts().flops();
  };
  const long inverse = flops(1, "rnea"), forward = flops(1, "aba");
  for (unsigned seed = 2; seed <= 8; ++seed) {
    INFO(seed);
    CHECK(flops(seed, "rnea") == inverse);
    CHECK(flops(seed, "aba") == forward);
  }
}
