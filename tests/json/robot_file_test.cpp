// Robot files: what is saved reads back as the same bits, and what is no such file is refused at its line.
#include "sparsedyn/json/robot_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/awkward_robots.hpp"
#include "support/coupled.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/temporary_folder.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

void add(std::vector<double>& all, const Pose<double>& pose) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) all.push_back(pose.R(i, k));
  for (int i = 0; i < 3; ++i) all.push_back(pose.d[i]);
}
void add(std::vector<double>& all, const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  for (double x : {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}) all.push_back(x);
}

/// All numbers of a robot.
std::vector<double> numbers_of(const Model& model) {
  std::vector<double> all{model.gravity[0], model.gravity[1], model.gravity[2]};
  for (const Body& b : model.bodies) {
    for (int x : {b.parent, static_cast<int>(b.joint), b.q, b.v}) all.push_back(x);
    all.push_back(b.pitch);
    add(all, b.placement), add(all, b.inertia);
  }
  for (const Joint& j : model.joints)
    for (int x : {static_cast<int>(j.kind), j.parent_link, j.child_link, j.first_body, j.bodies, j.q, j.nq, j.v, j.nv})
      all.push_back(x);
  for (const Link& l : model.links) {
    for (int x : {l.parent, l.moving_joint, l.body}) all.push_back(x);
    add(all, l.pose), add(all, l.inertia);
    for (const VisualShape& v : l.visuals) {
      add(all, v.pose);
      for (int i = 0; i < 3; ++i) all.push_back(v.size[i]);
    }
  }
  for (int b : model.leading_links) all.push_back(b);
  std::vector<double> physics;
  for (const JointPhysics& p : model.physics)
    for (double x :
         {p.smoothing, p.stribeck, p.stribeck_velocity, p.armature, p.damping, p.friction, p.offset, p.stiffness.value_or(-1)})
      physics.push_back(x);
  const JointPhysics none;  // a model may say so of each joint, or nothing of any
  for (std::size_t k = 0; k < physics.size(); ++k)
    if (physics[k] != std::vector<double>{none.smoothing, 0, none.stribeck_velocity, 0, 0, 0, 0, -1}[k % 8]) {
      all.insert(all.end(), physics.begin(), physics.end());
      break;
    }
  for (const JointLimits& l : model.limits)
    for (double x : {l.lower, l.upper, l.velocity, l.effort}) all.push_back(x);
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    for (const auto* entries : {&map->q, &map->v})
      for (const CoordinateMap::Entry& e : *entries)
        for (double x : {static_cast<double>(e.index), e.multiplier, e.offset}) all.push_back(x);
    const std::vector<double> tree = numbers_of(map->tree);
    all.insert(all.end(), tree.begin(), tree.end());
  }
  return all;
}

std::vector<std::string> texts_of(const Model& model) {
  std::vector<std::string> all{model.name};
  for (const Joint& j : model.joints) all.push_back(j.name);
  for (const Link& l : model.links) {
    all.push_back(l.name), all.push_back(l.joint);
    for (const VisualShape& v : l.visuals) all.push_back(v.name), all.push_back(v.shape), all.push_back(v.file);
  }
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void check_round_trip(const Model& model) {
  const std::string text = robot_text(model);
  const Model read = parse_robot(text, "robot.json").model;
  CHECK(texts_of(read) == texts_of(model));
  CHECK(same_bits(numbers_of(read), numbers_of(model)));
  CHECK(robot_text(read) == text);
  if (model.nv == 0) return;
  const System a(model, load_sensor_set("inverse-dynamics")), b(read, load_sensor_set("inverse-dynamics"));
  CHECK((a.fingerprint() == b.fingerprint() && a.numbers_fingerprint() == b.numbers_fingerprint()));
}

const char* const valid_robot = R"({"format": "sparsedyn-robot", "version": 1,
 "name": "victim", "gravity": [0, 0, -9.81],
 "links": [
  {"name": "root", "mass": 2, "joint": {"name": "world", "kind": "fixed"}},
  {"name": "arm", "parent": "root", "mass": 1, "first_moments": [0, 0, 0.1], "second_moments": [0.1, 0, 0, 0.1, 0, 0.2],
   "joint": {"name": "shoulder", "kind": "revolute",
    "bodies": [{"type": "revolute", "placement": {"rotation": [1, 0, 0, 0, 0, -1, 0, 1, 0], "xyz": [0, 0, 1]}}],
    "physics": {"armature": 0.1, "stiffness": 3}, "limits": {"lower": -1, "upper": 2}}},
  {"name": "hand", "parent": "arm", "pose": {"xyz": [0.1, 0, 0]},
   "joint": {"name": "wrist", "kind": "fixed"}, "visuals": [{"shape": "mesh", "file": "hand.stl"}, {"shape": "sphere", "radius": 1}]},
  {"name": "tip", "parent": "hand", "mass": 1,
   "joint": {"name": "twist", "kind": "universal",
    "bodies": [{"type": "revolute", "placement": {}}, {"type": "revolute", "placement": {}}],
    "physics": [{}, {"damping": 0.5}]}}],
 "held": [{"joint": "wrist", "value": 0.25}]}
)";

/// The message about the valid file with `from` become `to`.
std::string error_of(const std::string& from, const std::string& to) {
  std::string text = valid_robot;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  try {
    parse_robot(text, "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("saved robots read back as the same bits: random trees of every kind of joint") {
  TreeOptions options;
  options.kinds = every_joint_kind();
  for (unsigned seed = 0; seed < 60; ++seed) {
    options.floating = seed % 2 == 0;
    const Model tree = random_tree(1 + static_cast<int>(seed % 12), seed, options);
    INFO("seed " << seed);
    check_round_trip(tree);
    check_round_trip(with_joint_physics(tree, seed));
  }
}

TEST_CASE("saved robots read back as the same bits: joints that follow others, and gravity") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    const Model coupled = random_coupled_robot(with_joint_physics(random_tree(9, seed), seed), seed).model;
    check_round_trip(with_gravity(coupled, {{0.1, -0.2, -1.62}}));
  }
}

TEST_CASE("saved robots read back as the same bits: robots of URDFs, shipped and shared") {
  std::vector<std::string> paths = shared_robots();
  for (const std::string& path : shipped_robots()) paths.push_back(path);
  const std::string walker = source_folder() + "/../shared/logs/icub_walk/robot.urdf";
  if (std::filesystem::exists(walker)) paths.push_back(walker);
  for (const std::string& path : paths)
    for (bool floating : {false, true}) {
      LoadOptions options;
      options.floating = floating, options.dynamics = true, options.mimic = true, options.lenient = true;
      INFO(path);
      check_round_trip(load_urdf(path, options));
    }
}

TEST_CASE("saved robots read back as the same bits: robots that are hard on formulas, and those of other tests") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    check_round_trip(awkward_robot(seed).model);
  }
  for (const Model& model : {massless_tip(), point_tip(), arm_like_ur5(), walking_quadruped()}) check_round_trip(model);
}

TEST_CASE("what links look like is in the file, and stays with links that are kept") {
  const Model model =
      parse_urdf(R"(<robot name="r"><link name="base"><visual name="cover"><origin xyz="0.1 0.2 0.3" rpy="0.3 0.1 -0.7"/>
    <geometry><mesh filename="package://r/cover.dae" scale="0.001 0.001 -0.002"/></geometry></visual>
    <visual><geometry><box size="0.1 0.2 0.30000000000000004"/></geometry></visual></link>
    <link name="arm"><visual><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual></link>
    <link name="hand"><visual><geometry><sphere radius="1e-3"/></geometry></visual>
    <visual><geometry><capsule radius="0.1" length="-0.0"/></geometry></visual></link>
    <joint name="a" type="revolute"><parent link="base"/><child link="arm"/></joint>
    <joint name="b" type="fixed"><parent link="base"/><child link="hand"/></joint></robot>)",
                 "r.urdf");
  check_round_trip(model);
  REQUIRE(model.links[static_cast<std::size_t>(model.link("base"))].visuals.size() == 2);
  const VisualShape& cover = model.links[static_cast<std::size_t>(model.link("base"))].visuals[0];
  CHECK((cover.name == "cover" && cover.shape == "mesh" && cover.file == "package://r/cover.dae" && cover.size[2] == -0.002));
  CHECK((cover.pose.d[1] == 0.2 && std::abs(cover.pose.R(2, 0) + std::sin(0.1)) < 1e-15));
  RobotChanges changes;
  changes.cut = {"arm"};
  const Model cut = changed({model, {}}, changes).model;
  CHECK(cut.links[static_cast<std::size_t>(cut.link("hand"))].visuals.size() == 2);
  CHECK(cut.links.size() == 2);
}

TEST_CASE("a robot file is written and read, with limits that are infinite and a gravity of its own") {
  const TemporaryFolder folder;
  Model model = with_gravity(random_tree(3, 5), {{0, 0, -3.7}});
  JointLimits limits;
  limits.upper = 0.1 + 0.2, limits.effort = 5e-324;
  set_joint_limits(model, "joint2", limits);
  save_robot(model, folder / "r.json");
  CHECK(same_bits(numbers_of(load_robot(folder / "r.json")), numbers_of(model)));
}

TEST_CASE("a valid robot file holds what it says") {
  const RobotFile file = parse_robot(valid_robot, "r.json");
  CHECK((file.model.nv == 3 && file.model.links.size() == 4 && !file.model.floating()));
  CHECK((file.held.size() == 1 && file.held[0].first == "wrist" && file.held[0].second == 0.25));
  CHECK(
      (file.model.physics[0].armature == 0.1 && file.model.physics[2].damping == 0.5 && *file.model.physics[0].stiffness == 3));
  CHECK(file.model.bodies[0].inertia.m == 1);
}

TEST_CASE("what is no robot file is refused at its line") {
  CHECK_THAT(error_of("sparsedyn-robot", "sparsedyn-plan"), Contains("r.json:1: format: \"sparsedyn-plan\"; expected"));
  CHECK_THAT(error_of("\"version\": 1", "\"version\": 2"), Contains("r.json:1: version: 2; expected version 1"));
  CHECK_THAT(error_of("\"mass\": 1,", "\"mas\": 1,"),
             Contains("r.json:5: links[1]: key \"mas\" (near: mass); expected one of"));
  CHECK_THAT(error_of("\"parent\": \"arm\"", "\"parent\": \"amr\""),
             Contains("r.json:9: links[2].parent: \"amr\" (near: arm)"));
  CHECK_THAT(error_of("\"name\": \"hand\"", "\"name\": \"arm\""), Contains("r.json:9: links[2].name: \"arm\" a second time"));
  CHECK_THAT(error_of("\"name\": \"twist\"", "\"name\": \"wrist\""), Contains("r.json:12") && Contains("a second time"));
  CHECK_THAT(error_of("0, -1, 0, 1, 0]", "0, 1, 0, 1, 0]"), Contains("r.json:7") && Contains("expected a rotation"));
  CHECK_THAT(error_of("0, -1, 0, 1, 0]", "0, -1, 0, 1]"),
             Contains("r.json:7") && Contains("a list of 8 numbers; expected a list of 9"));
  CHECK_THAT(error_of("\"kind\": \"revolute\"", "\"kind\": \"revolut\""), Contains("r.json:6") && Contains("near: revolute"));
  CHECK_THAT(error_of("\"kind\": \"universal\"", "\"kind\": \"revolute\""),
             Contains("r.json:13") && Contains("a list of 2; expected 1"));
  CHECK_THAT(error_of("\"kind\": \"universal\"", "\"kind\": \"fixed\""), Contains("of a fixed joint"));
  CHECK_THAT(error_of("\"name\": \"world\", \"kind\": \"fixed\"", "\"name\": \"world\", \"kind\": \"floating\""),
             Contains("r.json:4") && Contains("\"world\" of the root; expected \"base\""));
  CHECK_THAT(error_of("\"armature\": 0.1", "\"armature\": -0.1"), Contains("r.json:8") && Contains("expected a number >= 0"));
  CHECK_THAT(error_of("\"lower\": -1", "\"lower\": 3"), Contains("r.json:8") && Contains("lower limit"));
  CHECK_THAT(error_of("[{}, {\"damping\": 0.5}]", "[{}]"), Contains("r.json:14") && Contains("a list of 1; expected 2"));
  CHECK_THAT(error_of("\"joint\": \"wrist\"", "\"joint\": \"shoulder\""), Contains("r.json:15") && Contains("a fixed joint"));
  CHECK_THAT(error_of("\"parent\": \"root\",", "\"parent\": \"root\", \"pose\": {\"xyz\": [0, 0, 0.1]},"),
             Contains("r.json:6: links[1].joint: a joint whose link has its origin elsewhere; expected"));
  CHECK_THAT(error_of("\"mass\": 2", "\"mass\": 1e999"), Contains("r.json:4"));
  CHECK_THAT(error_of("\"shape\": \"mesh\"", "\"shape\": \"mehs\""), Contains("r.json:10") && Contains("near: mesh"));
  CHECK_THAT(error_of("\"file\": \"hand.stl\"", "\"radius\": 1"), Contains("r.json:10") && Contains("\"radius\""));
  CHECK_THAT(error_of(", \"radius\": 1}", "}"), Contains("r.json:10") && Contains("radius"));
}

TEST_CASE("numbers of a ball: a list, one armature for all, no spring, and others are refused with their line") {
  const std::string own = R"("bodies": [{"type": "revolute", "placement": {}}, {"type": "revolute", "placement": {}}],
    "physics": [{}, {"damping": 0.5}])";
  const auto ball = [&](const std::string& physics) {
    std::string text = valid_robot;
    text.replace(text.find("\"universal\""), std::string("\"universal\"").size(), "\"spherical\"");
    text.replace(text.find(own), own.size(),
                 "\"bodies\": [{\"type\": \"spherical\", \"placement\": {}}],\n    \"physics\": " + physics);
    try {
      return robot_text(parse_robot(text, "r.json").model);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(ball(R"([{"armature": 0.1, "damping": 0.5}, {"armature": 0.1}, {"armature": 0.1, "offset": -2}])"),
             Contains(R"("physics": [{"armature": 0.1, "damping": 0.5}, {"armature": 0.1}, {"armature": 0.1, "offset": -2}])"));
  CHECK_THAT(ball(R"([{"armature": 0.1}, {"armature": 0.2}, {}])"),
             Contains("r.json:14") && Contains("joint twist: armature 0.2") && Contains("expected the same for all freedoms"));
  CHECK_THAT(ball(R"([{}, {}, {"stiffness": 3}])"), Contains("r.json:14") && Contains("joint twist: stiffness 3"));
  CHECK_THAT(ball(R"([{}, {"smoothing": 1e-100, "friction": 1e300}, {}])"),
             Contains("r.json:14") && Contains("friction / smoothing"));
  CHECK_THAT(ball(R"([{}, {}])"), Contains("r.json:14") && Contains("a list of 2; expected 3"));
}

TEST_CASE("changes of a robot file's robot are those of its URDF") {
  const std::string path = source_folder() + "/robots/humanoid.urdf";
  const RobotFile file{load_urdf(path), {}};
  const std::string joint = file.model.joints[2].name, link = file.model.links[file.model.joints.back().child_link].name;
  LoadOptions options;
  options.floating = true, options.lock = {{joint, 0.3}}, options.cut = {link}, options.gravity = {{0, 1, -9}};
  const Model expected = load_urdf(path, options);
  RobotChanges changes;
  changes.floating = true, changes.lock = options.lock, changes.cut = options.cut, changes.gravity = options.gravity;
  RobotChangeNotes notes;
  const RobotFile result = changed(file, changes, &notes);
  CHECK(texts_of(result.model) == texts_of(expected));
  const std::vector<double> a = numbers_of(result.model), b = numbers_of(expected);
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) CHECK((a[k] == b[k] || std::abs(a[k] - b[k]) <= 1e-12));
  CHECK(notes.absent.size() == 2);
  REQUIRE(result.held.size() == 1);
  CHECK((result.held[0].first == joint && result.held[0].second == 0.3));
  // the same value again is fine, another is not
  RobotChanges again;
  again.lock = {{joint, 0.3}};
  CHECK(same_bits(numbers_of(changed(result, again).model), numbers_of(result.model)));
  again.lock = {{joint, 0.2}};
  CHECK_THROWS_WITH(changed(result, again), Contains("holds it at another value"));
  again.lock = {{"no_such_joint", 0.2}};
  CHECK_THROWS_WITH(changed(result, again), Contains("no joint of that name"));
}

TEST_CASE("followers are held with their leaders, and cut with them or not at all") {
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  std::mt19937 rng(2);
  const Inertia<double> I = random_inertia(rng);
  ModelBuilder builder("gripper");
  builder.root("palm", I, false);
  for (const char* name : {"left", "right"})
    builder.link(name, I, "palm", std::string(name) + "_joint", hinge, random_pose(rng));
  const Model tree = builder.build();
  const RobotFile file{coupled(tree, {{"right_joint", "left_joint", -2, 0.5}}), {}};
  RobotChanges changes;
  changes.lock = {{"left_joint", 0.3}};
  const RobotFile held = changed(file, changes);
  CHECK((held.model.nv == 0 && !held.model.coordinate_map && held.held.size() == 2));
  CHECK((held.held[1].first == "right_joint" && std::abs(held.held[1].second + 0.1) < 1e-15));
  changes.lock = {{"right_joint", 0.3}};
  CHECK_THROWS_WITH(changed(file, changes), Contains("it follows left_joint; expected a leader"));
  changes.lock.clear(), changes.cut = {"left"};
  CHECK_THROWS_WITH(changed(file, changes), Contains("expected both or neither"));
  changes.cut = {"right"};
  const RobotFile cut = changed(file, changes);
  CHECK((cut.model.nv == 1 && !cut.model.coordinate_map));
}

TEST_CASE("robot files spoilt: a robot or an InputError, never anything else") {
  const char* const tokens[] = {"null",   "true",  "-1",        "1e999",    "1e308",     "0",          "[]",
                                "{}",     "\"\"",  "\"base\"",  "\"arm\"",  "[1, 2, 3]", ",",          "NaN",
                                "1e-320", "[[0]]", "\"fixed\"", "\"mass\"", "-0.0",      "\"\\ud800\""};
  std::vector<std::string> victims{valid_robot};
  TreeOptions options;
  options.kinds = every_joint_kind();
  victims.push_back(robot_text(with_joint_physics(random_tree(4, 7, options), 7)));
  victims.push_back(robot_text(random_coupled_robot(random_tree(5, 3), 3).model));
  int accepted = 0, refused = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    std::mt19937 rng(seed);
    std::string text = victims[seed % victims.size()];
    const std::size_t at = rng() % text.size(), length = rng() % 12;
    switch (rng() % 4) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(rng() % text.size(), length)); break;
      case 2: text[at] = static_cast<char>(rng()); break;
      default: {
        const std::size_t begin = text.find_first_of(" ", at);
        if (begin == std::string::npos) continue;
        const std::size_t end = text.find_first_of(",]}", begin);
        text.replace(begin, (end == std::string::npos ? text.size() : end) - begin,
                     tokens[rng() % (sizeof tokens / sizeof *tokens)]);
      }
    }
    INFO("seed " << seed);
    try {
      const Model model = parse_robot(text, "spoilt.json").model;
      check_round_trip(model);
      ++accepted;
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("spoilt.json:"));
      ++refused;
    }
  }
  CHECK(accepted > 100);
  CHECK(refused > 1000);
}
