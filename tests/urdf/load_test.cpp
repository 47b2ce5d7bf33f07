// What a valid file becomes: joints of every type, defaults, order, options and warnings.
#include "sparsedyn/urdf/load.hpp"

#include <catch2/catch.hpp>
#include <clocale>
#include <cmath>
#include <ctime>

#include "sparsedyn/model/detail/joint.hpp"

using namespace sparsedyn;

namespace {

std::string mass(double m) {
  return "<inertial><mass value=\"" + std::to_string(m) +
         "\"/><inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" iyy=\"0.03\" iyz=\"0\" izz=\"0.04\"/></inertial>";
}
std::string link(const std::string& name, double m = 1) { return "<link name=\"" + name + "\">" + mass(m) + "</link>\n"; }
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& rest = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child + "\"/>" +
         rest + "</joint>\n";
}
std::string robot(const std::string& inside) { return "<robot>\n" + inside + "</robot>"; }

/// root – a – b – c in a row, and root – d; joints in an order that is not depth first.
const std::string tree =
    robot(link("root") + link("a") + link("b") + link("c") + link("d") + joint("to_d", "continuous", "root", "d") +
          joint("to_c", "prismatic", "b", "c", "<axis xyz=\"0 0 1\"/><origin xyz=\"0 0 3\"/>") +
          joint("to_a", "revolute", "root", "a", "<axis xyz=\"0 1 0\"/><origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963268\"/>") +
          joint("to_b", "fixed", "a", "b", "<origin xyz=\"0 2 0\"/>"));

std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& j : model.joints) names.push_back(j.name);
  return names;
}

Vec3<double> position(const Model& model, const std::string& name, const std::vector<double>& q) {
  const Link& l = model.links[model.find_link(name)];
  Pose<double> pose = l.pose;
  for (int b = l.body; b >= 0; b = model.bodies[b].parent) pose = joint_pose(model.bodies[b], q.data()) * pose;
  return pose.d;
}

}  // namespace

TEST_CASE("joints are numbered depth first, siblings in file order") {
  const Model model = parse_urdf(tree, "tree.urdf");
  CHECK(joint_names(model) == std::vector<std::string>{"to_d", "to_a", "to_c"});
  CHECK(model.links.size() == 5);
  CHECK(model.links[model.find_link("b")].body == model.links[model.find_link("a")].body);
  const Vec3<double> c = position(model, "c", {0.3, 0.5, 0.25});
  // a turns about its y (the root's −x) at (1, 0, 0); b lies 2 along that axis, c 3.25 along b's z.
  CHECK(c[0] == Approx(-1.0));
  CHECK(c[1] == Approx(3.25 * std::sin(0.5)));
  CHECK(c[2] == Approx(3.25 * std::cos(0.5)));
}

TEST_CASE("a floating root gets the joint base, and the name and gravity are kept") {
  LoadOptions options;
  options.floating = true;
  options.gravity = {{0, 1, -3.7}};
  const Model model = parse_urdf("<robot name=\"mars\">" + link("r") + "</robot>", "r.urdf", options);
  CHECK(model.name == "mars");
  CHECK(joint_names(model) == std::vector<std::string>{"base"});
  CHECK(model.nq == 7);
  CHECK(model.nv == 6);
  CHECK(model.gravity[2] == -3.7);
  CHECK(parse_urdf(robot(link("r")), "r.urdf").nv == 0);
}

TEST_CASE("planar and floating joints inside the tree") {
  const Model model =
      parse_urdf(robot(link("r") + link("a") + link("b") + joint("slide", "planar", "r", "a", "<axis xyz=\"1 0 0\"/>") +
                       joint("free", "floating", "a", "b", "<origin xyz=\"0 0 1\"/>")),
                 "r.urdf");
  CHECK(model.nq == 3 + 7);
  CHECK(model.nv == 3 + 6);
  CHECK(coordinate_names(model) == std::vector<std::string>{"slide.x", "slide.y", "slide.angle", "free.x", "free.y", "free.z",
                                                            "free.qx", "free.qy", "free.qz", "free.qw"});
  // The shortest rotation from z to x takes x to −z and leaves y.
  const Vec3<double> b = position(model, "b", {0.1, 0.2, 0.0, 0.01, 0.02, 0.03, 0, 0, 0, 1});
  CHECK(b[0] == Approx(0.01));
  CHECK(b[1] == Approx(0.22));
  CHECK(b[2] == Approx(1.03 - 0.1));
}

TEST_CASE("what urdfdom insists on may be missing: robot name, limits, axis, inertial") {
  LoadReport report;
  const Model model =
      parse_urdf(robot("<link name=\"r\"/>" + link("a") + joint("j", "revolute", "r", "a")), "r.urdf", {}, &report);
  CHECK(report.warnings.empty());
  CHECK(model.name.empty());
  const std::vector<double> q{0.7};
  const Mat3<double> R = joint_pose(model.bodies[0], q.data()).R * transpose(model.bodies[0].placement.R);
  CHECK(R(0, 0) == Approx(1.0));  // the axis is x
  CHECK(std::abs(R(2, 1)) == Approx(std::sin(0.7)));
}

TEST_CASE("inertias are turned into the link's frame and lumped") {
  const std::string turned =
      "<link name=\"r\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
      "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2.5\"/></inertial></link>";
  LoadOptions floating;
  floating.floating = true;
  const Model model = parse_urdf(robot(turned), "r.urdf", floating);
  const Sym3<double> I = trace_minus(model.links[0].inertia.moments);
  CHECK(model.links[0].inertia.m == 2);
  CHECK(model.links[0].inertia.h[2] == Approx(6));
  CHECK(I.xx == Approx(2 + 2 * (4 + 9)));
  CHECK(I.yy == Approx(1 + 2 * (1 + 9)));
  CHECK(I.zz == Approx(2.5 + 2 * (1 + 4)));
  CHECK(I.xy == Approx(-2 * 1 * 2));
}

TEST_CASE("locked joints become fixed at their value and keep their name") {
  LoadOptions options;
  options.lock = {{"to_a", 0.5}, {"to_b", 0}};
  const Model model = parse_urdf(tree, "tree.urdf", options);
  CHECK(joint_names(model) == std::vector<std::string>{"to_d", "to_c"});
  CHECK(model.links[model.find_link("a")].joint == "to_a");
  CHECK(model.links[model.find_link("a")].body == -1);
  const Model free = parse_urdf(tree, "tree.urdf");
  const Vec3<double> locked = position(model, "c", {0.3, 0.25}), moved = position(free, "c", {0.3, 0.5, 0.25});
  for (int k = 0; k < 3; ++k) CHECK(locked[k] == Approx(moved[k]).margin(1e-14));
}

TEST_CASE("a cut takes the link and all below it") {
  LoadOptions options;
  options.cut = {"b"};
  const Model model = parse_urdf(tree, "tree.urdf", options);
  CHECK(joint_names(model) == std::vector<std::string>{"to_d", "to_a"});
  CHECK(model.find_link("c") == -1);
}

TEST_CASE("options that do not fit are refused with near names") {
  const auto refused = [](std::vector<std::pair<std::string, double>> lock, std::vector<std::string> cut, const char* words,
                          bool floating = false) {
    LoadOptions options;
    options.lock = lock;
    options.cut = cut;
    options.floating = floating;
    const std::string text = robot(link("r") + link("arm") + link("leg") + joint("shoulder", "revolute", "r", "arm") +
                                   joint("hip", "planar", "arm", "leg", "<axis xyz=\"0 0 1\"/>"));
    CHECK_THROWS_AS(parse_urdf(text, "r.urdf", options), UnknownName);
    CHECK_THROWS_WITH(parse_urdf(text, "r.urdf", options), Catch::Contains(words));
  };
  refused({{"sholder", 0}}, {}, "near: shoulder");
  refused({{"hip", 0}}, {}, "several freedoms");
  refused({{"base", 0}}, {}, "several freedoms", true);
  refused({{"base", 0}}, {}, "no joint");
  refused({{"shoulder", NAN}}, {}, "not finite");
  refused({{"shoulder", 0}, {"shoulder", 1}}, {}, "twice");
  refused({}, {"r"}, "root");
  refused({}, {"amr"}, "near: arm");
}

TEST_CASE("warnings carry file and line") {
  LoadReport report;
  const std::string text = "<robot name=\"r\">\n" + link("r") + link("a") + "<link name=\"tip\"/>\n" +
                           "<joint name=\"j\" type=\"revolute\"><parent link=\"r\"/><child link=\"a\"/>\n"
                           "<axis xyz=\"0 0 2\"/><mimic joint=\"k\"/><limit/><dynamics/></joint>\n" +
                           joint("k", "revolute", "a", "tip", "<limit/>") + "<transmission/><jiont/></robot>";
  parse_urdf(text, "r.urdf", {}, &report);
  const auto has = [&](const std::string& warning) {
    INFO(warning);
    CHECK(std::find(report.warnings.begin(), report.warnings.end(), warning) != report.warnings.end());
  };
  has("r.urdf:6: joint \"j\" <axis>: not of unit length; normalised");
  has("r.urdf:5: joint \"j\": mimics k; taken as independent");
  has("r.urdf:7: joint \"k\": moves no mass and no inertia; forward dynamics does not determine its acceleration (--lock "
      "massless "
      "fixes such joints)");
  has("r.urdf:8: <robot> <jiont>: passed over; <joint> may have been meant");
  CHECK(report.warnings.size() == 4);
  CHECK(report.ignored == std::vector<std::string>{"dynamics", "jiont", "limit", "transmission"});
}

TEST_CASE("inertias that no body has are warned of") {
  LoadReport report;
  parse_urdf(robot("<link name=\"r\"><inertial><mass value=\"1\"/>\n<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                   "izz=\"3\"/></inertial></link>"),
             "r.urdf", {}, &report);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], Catch::StartsWith("r.urdf:3: link \"r\" <inertia>: principal moments 1, 1, 3 break"));
  report = {};
  parse_urdf(robot("<link name=\"r\"><inertial><mass value=\"0\"/>\n<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                   "izz=\"1\"/></inertial></link>"),
             "r.urdf", {}, &report);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "r.urdf:3: link \"r\" <inertia>: inertia without mass; used as it stands");
}

TEST_CASE("rounded quarter turns are snapped and counted where asked, and kept at tolerance 0") {
  LoadReport snapped, kept;
  LoadOptions near, exact;
  near.snap = snap_of_code;
  CHECK(parse_urdf(tree, "tree.urdf", near, &snapped).bodies[1].placement.R(0, 0) == 0.0);
  CHECK(snapped.snapped >= 2);  // the cosines; the sines too where they were not rounded to 1
  const double turned = parse_urdf(tree, "tree.urdf", exact, &kept).bodies[1].placement.R(0, 0);
  CHECK(std::abs(turned - std::cos(1.5707963268)) < 1e-15);  // −5.1e-12
  CHECK(kept.snapped == 0);
}

TEST_CASE("rounding of a quarter turn to 14 digits becomes exact zeros") {
  for (const char* digits : {"1.5707963267949", "1.5707963267948966", "-1.5707963267948961", "3.1415926535898"}) {
    LoadReport report;
    const Model model = parse_urdf(
        robot(link("root") + link("a") +
              joint("q", "revolute", "root", "a", std::string("<axis xyz=\"0 1 0\"/><origin rpy=\"0 0 ") + digits + "\"/>")),
        "r.urdf", {}, &report);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const double x = model.bodies[0].placement.R(r, c);
        CHECK((x == 0 || x == 1 || x == -1));
      }
    CHECK(report.snapped == 0);
  }
}

TEST_CASE("names may hold what XML can hold") {
  const Model model = parse_urdf(robot(link("left &lt;arm&gt; \xC3\xA9") + link("a,b.c") +
                                       joint("q &quot;1&quot;", "revolute", "left &lt;arm&gt; \xC3\xA9", "a,b.c")),
                                 "r.urdf");
  CHECK(model.links[0].name == "left <arm> \xC3\xA9");
  CHECK(model.joints[0].name == "q \"1\"");
}

TEST_CASE("a byte order mark, Windows lines and a document type are read") {
  CHECK(parse_urdf("\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<!DOCTYPE robot>\r\n<robot>\r\n<link name=\"a\"/>\r\n</robot>\r\n",
                   "r.urdf")
            .links.size() == 1);
}

namespace {

/// n links in a row, or all on the root.
std::string many_links(int n, bool row) {
  std::string text = link("l0");
  for (int i = 1; i < n; ++i)
    text += link("l" + std::to_string(i)) + joint("j" + std::to_string(i), "revolute", "l" + std::to_string(row ? i - 1 : 0),
                                                  "l" + std::to_string(i), "<mimic joint=\"j1\"/>");
  return robot(text);
}

/// Seconds of this thread that reading takes.
double seconds_to_read(const std::string& text, int nv) {
  const std::clock_t start = std::clock();
  CHECK(parse_urdf(text, "many.urdf").nv == nv);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("a chain of very many links is read without recursion") {
  const int n = 200000;
  CHECK(parse_urdf(many_links(n, true), "chain.urdf").nv == n - 1);
}

TEST_CASE("the time to read a robot is proportional to its links") {
  for (const bool row : {true, false}) {
    const double few = seconds_to_read(many_links(2500, row), 2499), many = seconds_to_read(many_links(40000, row), 39999);
    CHECK(many < 16 * 4 * few);  // 16 times the links; by their square it would be 256
  }
}

TEST_CASE("visuals that cannot be read move nothing: left out with a warning at their line") {
  LoadReport report;
  const Model model = parse_urdf(R"(<robot name="r"><link name="a">
<visual><geometry><mesh filename="$(find r)/a.stl"/></geometry></visual>
<visual><geometry><mesh filename="a.stl" scale="0.001"/></geometry></visual>
<visual><geometry><plane/></geometry></visual>
<visual/>
<visual><origin xyz="0 0 zero"/><geometry><sphere radius="1"/></geometry></visual>
<visual><geometry><sphere radius="nan"/></geometry></visual>
<visual><origin other="1"/><geometry><sphere radius="2"/></geometry></visual></link></robot>)",
                                 "r.urdf", {}, &report);
  REQUIRE(model.links[0].visuals.size() == 2);
  CHECK((model.links[0].visuals[0].file == "$(find r)/a.stl" && model.links[0].visuals[1].size[0] == 2));
  REQUIRE(report.warnings.size() == 4);
  const char* const words[] = {"scale=\"0.001\"", "<plane>", "zero", "nan"};
  const int lines[] = {3, 4, 6, 7};  // that of line 5 shows nothing
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK_THAT(report.warnings[k], Catch::StartsWith("r.urdf:" + std::to_string(lines[k]) + ": link \"a\" <visual>"));
    CHECK_THAT(report.warnings[k], Catch::Contains(words[k]) && Catch::EndsWith("; the shape is left out"));
  }
}
