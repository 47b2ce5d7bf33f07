// <mimic> with LoadOptions::mimic: what follows what, what is refused, and what --lock and --cut make of it.
#include <catch2/catch.hpp>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

struct MimicJoint {
  std::string name, type, parent, mimic;  // mimic: the inside of the element, or nothing
};

/// Links named as their joints, one joint a line from line 8 on; massless where the name ends in 0.
std::string mimic_robot(const std::vector<MimicJoint>& all) {
  const std::string body =
      "<inertial><origin xyz=\"0.1 0 0.2\"/><mass value=\"1\"/>"
      "<inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.3\" iyz=\"0\" izz=\"0.4\"/></inertial>";
  std::string text = "<robot name=\"r\">\n<link name=\"root\"/>\n";
  for (const MimicJoint& j : all) text += "<link name=\"" + j.name + "\">" + (j.name.back() == '0' ? "" : body) + "</link>\n";
  for (const MimicJoint& j : all)
    text += "<joint name=\"" + j.name + "\" type=\"" + j.type + "\"><parent link=\"" + j.parent + "\"/><child link=\"" +
            j.name + "\"/><axis xyz=\"0 0 1\"/>" + (j.mimic.empty() ? "" : "<mimic " + j.mimic + "/>") + "</joint>\n";
  return text + "</robot>\n";
}

const std::vector<MimicJoint> mimic_chain{{"a", "revolute", "root", ""},
                                          {"b", "prismatic", "a", "joint=\"a\" multiplier=\"0.5\" offset=\"0.1\""},
                                          {"c", "continuous", "root", "joint=\"b\" multiplier=\"-2\""},
                                          {"d", "revolute", "c", ""}};

LoadOptions mimic_options() {
  LoadOptions options;
  options.mimic = true;
  return options;
}

std::string refusal_of(const std::vector<MimicJoint>& all) {
  try {
    parse_urdf(mimic_robot(all), "m.urdf", mimic_options());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string unknown_name(const LoadOptions& options) {
  try {
    parse_urdf(mimic_robot(mimic_chain), "m.urdf", options);
  } catch (const UnknownName& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> moving_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  return names;
}

}  // namespace

TEST_CASE("mimic joints are no coordinates, chains are followed to their heads") {
  LoadReport report;
  const Model model = parse_urdf(mimic_robot(mimic_chain), "m.urdf", mimic_options(), &report);
  CHECK(report.warnings.empty());
  CHECK(velocity_names(model) == std::vector<std::string>{"a", "d"});
  CHECK(moving_names(model) == std::vector<std::string>{"a", "b", "c", "d"});
  const CoordinateMap& map = *model.coordinate_map;
  const double q[2] = {0.4, 7}, v[2] = {3, 5};
  double tree_q[4], tree_v[4];
  tree_positions(map, q, tree_q), tree_rates(map, v, tree_v);
  CHECK(tree_q[1] == Approx(0.3));
  CHECK(tree_q[2] == Approx(-0.6));
  CHECK(tree_q[3] == 7);
  CHECK(tree_v[1] == 1.5);
  CHECK(tree_v[2] == -3);
  CHECK(tree_v[3] == 5);
}

TEST_CASE("without the option mimic joints are independent, with a warning each") {
  LoadReport report;
  CHECK(parse_urdf(mimic_robot(mimic_chain), "m.urdf", {}, &report).nv == 4);
  CHECK(report.warnings.size() == 2);
}

TEST_CASE("mimic elements that say nothing are refused where they stand") {
  const auto with = [](const std::string& type, const std::string& mimic) {
    return refusal_of(
        {{"a", "revolute", "root", ""}, {"f", "fixed", "a", ""}, {"p", "floating", "root", ""}, {"m", type, "f", mimic}});
  };
  CHECK_THAT(with("revolute", "joint=\"aa\""),
             Catch::Contains("m.urdf:10: joint \"m\" <mimic>: no joint is called \"aa\"") && Catch::Contains("near: a"));
  CHECK_THAT(with("revolute", "joint=\"m\""), Catch::Contains("joint \"m\" <mimic>: the joint itself"));
  CHECK_THAT(with("revolute", "joint=\"f\""), Catch::Contains("fixed joint"));
  CHECK_THAT(with("revolute", "joint=\"p\""), Catch::Contains("several freedoms"));
  CHECK_THAT(with("floating", "joint=\"a\""), Catch::Contains("several freedoms"));
  CHECK_THAT(with("revolute", "multiplier=\"2\""), Catch::Contains("joint"));
  CHECK_THAT(with("revolute", "joint=\"a\" multiplier=\"two\""), Catch::Contains("multiplier"));
  CHECK_THAT(with("revolute", "joint=\"a\" offset=\"nan\""), Catch::Contains("offset"));
  CHECK_THAT(refusal_of({{"a", "revolute", "root", "joint=\"b\""}, {"b", "revolute", "root", "joint=\"a\""}}),
             Catch::Contains("circle"));
  LoadReport report;
  const Model passed = parse_urdf(mimic_robot({{"a", "revolute", "root", ""}, {"f", "fixed", "a", "joint=\"a\""}}), "m.urdf",
                                  mimic_options(), &report);
  CHECK(passed.nv == 1);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], Catch::Contains("m.urdf:6: joint \"f\" <mimic>: the joint is fixed; passed over"));
}

TEST_CASE("a locked leader locks its followers where they then are, a multiplier of 0 fixes at the offset") {
  LoadOptions options = mimic_options();
  options.lock = {{"a", 0.6}};
  const Model locked = parse_urdf(mimic_robot(mimic_chain), "m.urdf", options);
  CHECK(moving_names(locked) == std::vector<std::string>{"d"});
  LoadOptions free;
  free.lock = {{"a", 0.6}, {"b", 0.5 * 0.6 + 0.1}, {"c", -2 * (0.5 * 0.6 + 0.1)}};
  const Model same = parse_urdf(mimic_robot(mimic_chain), "m.urdf", free);
  CHECK(locked.bodies[0].placement.R(0, 1) == same.bodies[0].placement.R(0, 1));
  std::vector<MimicJoint> still = mimic_chain;
  still[1].mimic = "joint=\"a\" multiplier=\"0\" offset=\"0.25\"";
  const Model fixed = parse_urdf(mimic_robot(still), "m.urdf", mimic_options());
  CHECK(moving_names(fixed) == std::vector<std::string>{"a", "d"});
  CHECK_FALSE(fixed.coordinate_map);
  CHECK(fixed.links[static_cast<std::size_t>(fixed.find_link("b"))].pose.d[2] == Approx(0.25));
}

TEST_CASE("followers cannot be locked, leaders not cut off alone") {
  LoadOptions options = mimic_options();
  options.lock = {{"b", 0}};
  CHECK_THAT(unknown_name(options), Catch::Contains("--lock b: it follows a"));
  options = mimic_options();
  options.cut = {"b"};
  CHECK_THAT(unknown_name(options), Catch::Contains("b is cut off, but c, which follows it, stays"));
  options.cut = {"b", "c"};
  CHECK(unknown_name(options) == "accepted");
  options.cut = {"c"};
  CHECK(unknown_name(options) == "accepted");
}

TEST_CASE("locking the massless holds joints that move together only where none moves anything") {
  LoadOptions options = mimic_options();
  options.lock_massless = true;
  LoadReport report;
  const Model model = parse_urdf(mimic_robot({{"a0", "revolute", "root", ""},
                                              {"b", "revolute", "root", "joint=\"a0\" offset=\"0.2\""},
                                              {"c0", "revolute", "root", ""},
                                              {"d0", "prismatic", "root", "joint=\"c0\" offset=\"0.3\""}}),
                                 "m.urdf", options, &report);
  CHECK(velocity_names(model) == std::vector<std::string>{"a0"});
  CHECK(report.locked == std::vector<std::string>{"c0", "d0"});
  CHECK(model.links[static_cast<std::size_t>(model.find_link("d0"))].pose.d[2] == Approx(0.3));
  report = {};
  options.lock_massless = false;
  parse_urdf(mimic_robot({{"a0", "revolute", "root", ""}, {"b", "revolute", "root", "joint=\"a0\""}}), "m.urdf", options,
             &report);
  CHECK(report.warnings.empty());
}
