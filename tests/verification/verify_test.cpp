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

TEST_CASE("verify: entries whose terms cancel are zero to rounding, and not off") {
  const auto link = [](const std::string& name, double mass, double x, double y, double z) {
    const auto number = [](double value) { return "\"" + std::to_string(value) + "e-6\""; };
    return "<link name=\"" + name + "\"><inertial><mass value=" + number(mass) + "/><inertia ixx=" + number(x) +
           " iyy=" + number(y) + " izz=" + number(z) + " ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
  };
  const auto hinge = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& limit) {
    return "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/><origin xyz=\"0.13 -0.22 0.023\"/><axis xyz=\"0 0 1\"/><limit " + limit +
           " effort=\"1\" velocity=\"1\"/></joint>";
  };
  const std::string wide = "lower=\"-1e16\" upper=\"1e16\"", point = "lower=\"0\" upper=\"0\"";
  const std::string trunk = "<robot name=\"drone\">" + link("trunk", 1.5e6, 0.03e6, 0.03e6, 0.06e6);
  LoadOptions floating;
  floating.floating = true;
  require_agreement(parse_urdf(trunk + "</robot>", "drone", floating));
  require_agreement(parse_urdf(trunk + link("blade", 5000, 1, 273, 274) + link("disc", 5000, 137, 137, 274) +
                                   hinge("left", "trunk", "blade", wide) + hinge("right", "trunk", "disc", wide) + "</robot>",
                               "drone", floating));
  // Upright axes, which gravity does not move, through placements by quarter turns.
  const auto turned = [](std::string text) {
    return text.replace(text.find("<axis xyz=\"0 0 1\"/>"), 19, "<axis xyz=\"1 0 0\"/>")
        .replace(text.find("<origin "), 8, "<origin rpy=\"0.7 -1.5707963267948966 0\" ");
  };
  require_agreement(parse_urdf(
      trunk + link("upper", 2.6e5, 400, 380, 500) + turned(hinge("shoulder", "trunk", "upper", wide)) + "</robot>", "scara"));
  const std::string arm = link("upper", 2.6e5, 400, 380, 400) + link("lower", 1e5, 300, 300, 20) +
                          hinge("shoulder", "trunk", "upper", point) + hinge("elbow", "upper", "lower", point) + "</robot>";
  for (const bool free : {false, true}) {
    floating.floating = free;
    require_agreement(parse_urdf(trunk + arm, "arm", floating));
  }
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

  Comparison cancelled("torques", "a", "b");  // a hundred roundings of an entry's terms are no difference, and no more are
  cancelled.add(first, {1, 2e-14}, {1, 0}, {1, 1});
  CHECK(cancelled.result([](int) { return std::string(); }).agrees());
  cancelled.add(second, {1, 1e-13}, {1, 0}, {1, 1});
  CHECK_FALSE(cancelled.result([](int) { return std::string(); }).agrees());

  Comparison infinite("torques", "a", "b");
  infinite.add(first, {std::numeric_limits<double>::quiet_NaN()}, {1.0}, {std::numeric_limits<double>::infinity()});
  CHECK_FALSE(infinite.result([](int) { return std::string(); }).agrees());
}
