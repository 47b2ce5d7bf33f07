// verify: robots of every kind of joint agree with themselves; what is off is told, with entry and state.
#include "sparsedyn/verification/verify.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "verification/comparison.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

VerifyOptions few_states() {
  VerifyOptions options;
  options.samples = 5, options.programs = false;
  return options;
}

void require_agreement(const Model& model, const VerifyOptions& options = few_states()) {
  const Verification found = verify(model, options);
  for (const Agreement& row : found.agreements) {
    CAPTURE(model.name, row.quantity, row.way, row.beside, row.worst, row.allowed, row.entry, row.sample, row.skipped);
    CHECK(row.agrees());
    CHECK((row.compared > 0) == row.skipped.empty());
  }
  CHECK(found.passed());
}

const Agreement& row_of(const Verification& found, const std::string& quantity, const std::string& way) {
  for (const Agreement& row : found.agreements)
    if (row.quantity == quantity && row.way == way) return row;
  FAIL(quantity + ", " + way + ": no such row");
  throw;  // not reached
}

}  // namespace

TEST_CASE("verify: trees of every kind of joint agree with themselves, fixed and floating, with joint physics") {
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 1; seed <= 6; ++seed) {
    options.floating = seed % 2 == 0;
    require_agreement(random_tree(8, seed, options));
  }
  require_agreement(with_joint_physics(random_tree(6, 7), 3));
  require_agreement(with_wheels(random_tree(5, 8)));
}

TEST_CASE("verify: robots that ship agree with themselves, fixed and floating") {
  for (const std::string& path : shipped_robots())
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating;
      require_agreement(load_urdf(path, options));
    }
}

TEST_CASE("verify: joints that follow others are compared as far as they can be") {
  const Model tree = random_tree(6, 3);
  const Model model = coupled(tree, {{tree.joints[4].name, tree.joints[1].name, -0.7, 0.2}});
  const Verification found = verify(model, few_states());
  CHECK(found.passed());
  CHECK(row_of(found, "joint torques", "recursion (rnea)").compared == 5);
  CHECK(row_of(found, "power", "dq tau, without friction").skipped.find("joints that follow others") == 0);
}

TEST_CASE("verify: generated code stands beside the recursions") {
  VerifyOptions options = few_states();
  options.programs = true;
  const Verification found = verify(random_tree(4, 11), options);
  const Agreement& code = row_of(found, "accelerations", "generated C");
  if (!code.skipped.empty()) WARN("not compared: " << code.skipped);
  CHECK(found.passed());
  CHECK((code.compared == 5 || !code.skipped.empty()));
}

TEST_CASE("verify: numbers that are not finite are off, and told") {
  Model model = random_tree(3, 5);
  model.gravity[2] = std::numeric_limits<double>::quiet_NaN();
  const Verification found = verify(model, few_states());
  CHECK_FALSE(found.passed());
  const Agreement& row = row_of(found, "gravity torques", "recursion");
  CHECK_FALSE(row.agrees());
  CHECK(row.entry.find("tau.") == 0);
}

TEST_CASE("verify: where a joint moves no mass, accelerations are refused and torques agree") {
  const Verification found = verify(massless_tip(), few_states());
  CHECK(found.passed());
  const Agreement& row = row_of(found, "accelerations", "articulated bodies (aba)");
  CHECK(row.refused == 5);
  CHECK(row.compared == 0);
  CHECK(row.skipped.find("M is singular at every state") == 0);
  CHECK(row_of(found, "joint torques", "recursion (rnea)").compared == 5);
}

TEST_CASE("verify: what cannot be verified is said") {
  VerifyOptions none = few_states();
  none.samples = 0;
  CHECK_THROWS_WITH(verify(random_tree(2, 1), none), Catch::Contains("expected at least 1"));
}

TEST_CASE("a comparison keeps the worst entry and its state, beside what the entry can be") {
  using verification::Comparison;
  using verification::State;
  State first, second;
  first.sample = 0, second.sample = 1;
  Comparison row("torques", "a", "b");
  row.add(first, {100, 1e-1, 0}, {100, 1e-1, 0});
  row.add(second, {50, 1e-1 + 2e-9, 0}, {50, 1e-1, 0});  // 2e-8 of the entry's own size
  const Agreement told = row.result([](int i) { return "entry " + std::to_string(i); });
  CHECK(told.entry == "entry 1");
  CHECK(told.sample == 1);
  CHECK(told.worst == Approx(2e-8).epsilon(1e-6));
  CHECK(told.compared == 2);
  CHECK_FALSE(told.agrees());

  Comparison zero("torques", "a", "b");  // all zero by one way: whatever differs is off
  zero.add(first, {0, 1e-300}, {0, 0});
  CHECK_FALSE(zero.result([](int) { return std::string(); }).agrees());

  Comparison alone("accelerations", "a", "b");  // one way refuses where the other answers
  alone.add_solved(first, {1.0}, true, {1.0});
  alone.add_solved(second, {0.0}, false, {1.0});
  CHECK_FALSE(alone.result([](int) { return std::string(); }).agrees());

  Comparison nearly("accelerations", "a", "b");  // conditioning widens the bound, and where it leaves no digits nothing is said
  first.conditioning = 1e6, second.conditioning = 1e12;
  nearly.add_solved(first, {1.0 + 1e-7}, true, {1.0});
  nearly.add_solved(second, {2.0}, true, {1.0});
  const Agreement wide = nearly.result([](int) { return std::string(); });
  CHECK(wide.agrees());
  CHECK(wide.compared == 1);
  CHECK(wide.refused == 1);
  CHECK(wide.allowed == Approx(2.2e-7).epsilon(0.01));

  Comparison infinite("torques", "a", "b");
  infinite.add(first, {std::numeric_limits<double>::quiet_NaN()}, {1.0});
  CHECK_FALSE(infinite.result([](int) { return std::string(); }).agrees());
}
