// Inertias as the files of others hold them: what is refused, what is warned of, and that the numbers are used as they stand.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using Catch::Contains;

namespace {

std::string inertial(const std::string& mass, const std::string& xx, const std::string& xy, const std::string& yy,
                     const std::string& zz, const std::string& xyz = "0 0 0") {
  return "<inertial><origin xyz=\"" + xyz + "\"/><mass value=\"" + mass + "\"/><inertia ixx=\"" + xx + "\" ixy=\"" + xy +
         "\" ixz=\"0\" iyy=\"" + yy + "\" iyz=\"0\" izz=\"" + zz + "\"/></inertial>";
}
std::string a_joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                    const std::string& axis = "0 0 1", const std::string& xyz = "0 0 0") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + xyz + "\"/><axis xyz=\"" + axis + "\"/></joint>\n";
}
std::string a_link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}

/// root – arm on a hinge; on the arm, by a fixed joint, an antenna. Lines: root 2, arm 3, antenna 4.
std::string with_antenna(const std::string& arm, const std::string& antenna, const std::string& type = "fixed") {
  return "<robot name=\"r\">\n" + a_link("root") + a_link("arm", arm) + a_link("antenna", antenna) +
         a_joint("hinge", "revolute", "root", "arm") + a_joint("mount", type, "arm", "antenna") + "</robot>";
}

const std::string sound = inertial("1", "0.01", "0", "0.01", "0.01");

struct Loaded {
  std::string error;
  LoadReport report;
  bool warns_of(const std::string& text) const {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [&](const std::string& w) { return w.find(text) != std::string::npos; });
  }
};

Loaded loaded_from(const std::string& text, const LoadOptions& options = {}) {
  Loaded loaded;
  try {
    parse_urdf(text, "r.urdf", options, &loaded.report);
  } catch (const InputError& error) {
    loaded.error = error.what();
  }
  return loaded;
}

LoadOptions lenient() {
  LoadOptions options;
  options.lenient = true;
  return options;
}

}  // namespace

TEST_CASE("an unphysical part of a physical whole is a warning") {
  const Loaded loaded = loaded_from(with_antenna(sound, inertial("0.01", "-3.5e-8", "0", "1e-7", "1e-7")));
  CHECK(loaded.error.empty());
  CHECK(
      loaded.warns_of("r.urdf:4: link \"antenna\" <inertia>: principal moments -3.5e-08, 1e-07, 1e-07, one of them negative"));
}

TEST_CASE("an unphysical part of a moving body is refused, or with lenient a warning") {
  const std::string text = with_antenna(sound, inertial("0.01", "-3.5e-8", "0", "1e-7", "1e-7"), "revolute");
  CHECK_THAT(loaded_from(text).error, Catch::StartsWith("r.urdf:4: link \"antenna\" <inertia>: principal moments -3.5e-08") &&
                                          Contains("expected none that is negative"));
  const Loaded loaded = loaded_from(text, lenient());
  CHECK(loaded.error.empty());
  CHECK(loaded.warns_of("negative where it moves; used as it stands"));
}

TEST_CASE("rounding beside a mass is a warning: a negative moment far below mass times size squared") {
  const Loaded loaded = loaded_from(with_antenna(inertial("1.3", "0", "2e-35", "0", "0"), ""));
  CHECK(loaded.error.empty());
  CHECK(loaded.warns_of("link \"arm\" <inertia>: principal moments -2e-35, 0, 2e-35"));
}

TEST_CASE("the bound is 1e-8 of the largest moment and of mass times extent squared") {
  // The arm's frame is 2 m from its centre of mass: 1e-8 · (0.1 + 3 · 4) = 1.21e-7.
  const auto arm = [](const char* smallest) { return inertial("3", smallest, "0", "0.1", "0.1", "2 0 0"); };
  CHECK(loaded_from(with_antenna(arm("-1.2e-7"), "")).error.empty());
  CHECK_THAT(loaded_from(with_antenna(arm("-1.22e-7"), "")).error,
             Contains("r.urdf:3: link \"arm\" <inertia>: principal moments"));
  // A tip: the least radius of 1 kg, 2.194 cm, gives 1e-8 · (1e-6 + 4.815e-4) = 4.825e-12.
  CHECK(loaded_from(with_antenna(inertial("1", "-4.8e-12", "0", "1e-6", "1e-6"), "")).error.empty());
  CHECK(!loaded_from(with_antenna(inertial("1", "-4.9e-12", "0", "1e-6", "1e-6"), "")).error.empty());
  // Without mass the moments alone count.
  CHECK(loaded_from(with_antenna(inertial("0", "-9e-9", "0", "1", "1"), "")).error.empty());
  CHECK(!loaded_from(with_antenna(inertial("0", "-1.1e-8", "0", "1", "1"), "")).error.empty());
}

TEST_CASE("a rigid_group is judged as a whole: parts that make it negative are refused, one of them by name") {
  const Loaded loaded = loaded_from(with_antenna(sound, inertial("0.01", "-1", "0", "1", "1")));
  CHECK_THAT(loaded.error, Catch::StartsWith("r.urdf:4: link \"antenna\" <inertia>: principal moments -0.99, 1.01, 1.01") &&
                               Contains("of its body, 2 links"));
}

TEST_CASE("links that do not move or are cut off are not checked for physical consistency") {
  const std::string bad = inertial("1", "1", "2", "1", "1");
  const std::string text = "<robot name=\"r\">\n" + a_link("root", bad) + a_link("arm", sound) + a_link("tool", bad) +
                           a_joint("hinge", "revolute", "root", "arm") + a_joint("wrist", "revolute", "arm", "tool") +
                           "</robot>";
  LoadOptions options;
  CHECK(!loaded_from(text).error.empty());
  options.cut = {"tool"};
  CHECK(loaded_from(text, options).error.empty());
  CHECK(loaded_from(text, options).warns_of("r.urdf:2: link \"root\" <inertia>"));
  options.floating = true;
  CHECK_THAT(loaded_from(text, options).error, Contains("link \"root\""));
  options.lenient = true;
  CHECK(loaded_from(text, options).error.empty());
  options = {};
  options.lock = {{"hinge", 0.3}, {"wrist", 0}};
  CHECK(loaded_from(text, options).error.empty());
}

TEST_CASE("a negative mass is refused wherever it is, and lenient does not change that") {
  for (const char* type : {"fixed", "revolute"})
    CHECK_THAT(loaded_from(with_antenna(sound, inertial("-1", "1", "0", "1", "1"), type), lenient()).error,
               Contains("not negative"));
}

TEST_CASE("inertia without mass: a warning, and torques as Euler's equations have them") {
  // A turntable about z; on it a wheel without mass about the axis x, whose tensor is not diagonal.
  const std::string text = "<robot name=\"r\">\n" + a_link("root") + a_link("table", inertial("1", "0.1", "0", "0.2", "0.3")) +
                           a_link("wheel", inertial("0", "0.3", "0.05", "0.4", "0.25", "0.1 0.2 0.3")) +
                           a_joint("turn", "revolute", "root", "table") +
                           a_joint("spin", "revolute", "table", "wheel", "1 0 0", "0.5 0 0.2") + "</robot>";
  LoadReport report;
  const Model model = parse_urdf(text, "r.urdf", {}, &report);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "r.urdf:4: link \"wheel\" <inertia>: inertia without mass; used as it stands");

  const double q[] = {0.4, 0.7}, v[] = {1.3, -2.1}, a[] = {0.6, 3.2};
  Workspace<double> ws(model);
  double tau[2];
  rnea<double>(model, ws, q, v, a, nullptr, tau);

  // In the wheel's frame: z of the table, ω, its rate, and n = J ω̇ + ω × J ω. The table adds 0.3 a.
  const Mat3<double> J{{{0.3, 0.05, 0}, {0.05, 0.4, 0}, {0, 0, 0.25}}};
  const Vec3<double> z{{0, std::sin(q[1]), std::cos(q[1])}}, x{{1, 0, 0}};
  const Vec3<double> w = v[0] * z + v[1] * x, rate = a[0] * z + a[1] * x + cross(v[0] * z, v[1] * x);
  const Vec3<double> n = J * rate + cross(w, J * w);
  CHECK(std::abs(tau[1] - n[0]) < 1e-14);
  CHECK(std::abs(tau[0] - (dot(z, n) + 0.3 * a[0])) < 1e-14);
}

TEST_CASE("joints that move neither mass nor inertia are locked on demand, and named") {
  const std::string text = "<robot name=\"r\">\n" + a_link("root") + a_link("arm", sound) +
                           a_link("wheel", inertial("0", "1", "0", "1", "1")) + a_link("a") + a_link("b") + a_link("c") +
                           a_link("tool", sound) + a_joint("hinge", "revolute", "root", "arm") +
                           a_joint("spin", "revolute", "arm", "wheel") + a_joint("to_a", "planar", "arm", "a") +
                           a_joint("to_b", "floating", "a", "b", "1 0 0", "0 0 1") + a_joint("to_c", "prismatic", "arm", "c") +
                           a_joint("to_tool", "revolute", "c", "tool") + "</robot>";
  LoadOptions options;
  options.lock_massless = true;
  LoadReport report;
  const Model model = parse_urdf(text, "r.urdf", options, &report);
  CHECK(report.locked == std::vector<std::string>{"to_a", "to_b"});
  CHECK(velocity_names(model) == std::vector<std::string>{"hinge", "spin", "to_c", "to_tool"});
  CHECK(report.warnings.size() == 3);  // the wheel's inertia, and two that were locked
  CHECK(report.warnings[1] == "r.urdf:11: joint \"to_a\": moves no mass and no inertia; locked at 0");
  const Link& b = model.links[model.find_link("b")];
  CHECK(b.moving_joint < 0);
  CHECK(b.pose.d[2] == 1);

  options.cut = {"tool"};  // nothing is left behind to_c
  report = {};
  parse_urdf(text, "r.urdf", options, &report);
  CHECK(report.locked == std::vector<std::string>{"to_a", "to_b", "to_c"});
  options.lock = {{"to_c", 0.1}};  // named ones keep their value
  report = {};
  CHECK(parse_urdf(text, "r.urdf", options, &report).links[6 - 1].pose.d[2] == 0.1);
  CHECK(report.locked == std::vector<std::string>{"to_a", "to_b"});
}

TEST_CASE("a joint that moves nothing is warned of with the way out, one that shifts a massless wheel without it") {
  const Loaded nothing = loaded_from(with_antenna(sound, "", "revolute"));
  CHECK(
      nothing.warns_of("joint \"mount\": moves no mass and no inertia; forward dynamics does not determine its acceleration "
                       "(--lock massless fixes such joints)"));
  const std::string wheel = inertial("0", "1", "0", "1", "1");
  const Loaded shifted = loaded_from(with_antenna(sound, wheel, "prismatic"));
  CHECK(shifted.warns_of("joint \"mount\": moves no mass; forward dynamics does not determine its acceleration"));
  CHECK(!shifted.warns_of("--lock massless"));
  CHECK(!loaded_from(with_antenna(sound, wheel, "revolute")).warns_of("does not determine"));
}

TEST_CASE("a second axis and leftovers of xacro are refused") {
  const std::string axes =
      "<robot name=\"r\">\n" + a_link("root") + a_link("arm", sound) +
      "<joint name=\"j\" type=\"revolute\"><parent link=\"root\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/>\n"
      "<axis xyz=\"0 1 0\"/></joint></robot>";
  CHECK_THAT(loaded_from(axes, lenient()).error, Catch::StartsWith("r.urdf:5: joint \"j\" <axis>: a second one"));
  CHECK_THAT(loaded_from("<robot>\n<link name=\"${side}\"/></robot>", lenient()).error, Contains("xacro"));
}

TEST_CASE("denormals are numbers, and names may hold no control characters of any kind") {
  CHECK(loaded_from(with_antenna(inertial("1e-310", "1e-320", "0", "4e-324", "1e-320"), "")).error.empty());
  for (const char* name : {"a\x7F",
                           "a\xC2\x9B"
                           "31m"})
    CHECK_THAT(loaded_from("<robot>\n<link name=\"" + std::string(name) + "\"/></robot>").error, Contains("control character"));
  CHECK(loaded_from("<robot>\n<link name=\"\xC2\xB5-\xE6\x89\x8B\"/></robot>").error.empty());
}

TEST_CASE("momentum where no mass moves is that of the inertia alone") {
  const std::string text = "<robot name=\"r\">\n" + a_link("root") + a_link("wheel", inertial("0", "1", "0", "2", "0.5")) +
                           a_joint("spin", "revolute", "root", "wheel") + "</robot>";
  const Model model = parse_urdf(text, "r.urdf");
  Workspace<double> ws(model);
  const double q[] = {0.3}, v[] = {2.0}, a[] = {3.0};
  forward_kinematics(model, ws, q, v, a);
  const Force<double> h = momentum(model, ws), rate = momentum_rate(model, ws);
  CHECK(h.n[2] == Approx(1.0));
  CHECK(rate.n[2] == Approx(1.5));
  CHECK(h.f[0] == 0.0);
  CHECK(std::abs(h.n[0]) + std::abs(h.n[1]) + std::abs(rate.f[2]) < 1e-15);
}
