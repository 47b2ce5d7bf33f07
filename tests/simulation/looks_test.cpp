// What a robot is drawn by: the file's shapes, meshes where their files are, else boxes along its links.
#include "simulation/looks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using Catch::Contains;

namespace {

const std::string one_triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

std::string with_mesh(const std::string& mesh) {
  return R"(<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
  izz="1"/></inertial><visual><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><geometry><mesh filename=")" +
         mesh + R"(" scale="2 2 2"/></geometry></visual></link>
  <link name="c"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/><limit effort="1" velocity="1"/></joint>
  <joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0.4"/><limit effort="1" velocity="1"/></joint></robot>)";
}

/// Where a shape's middle is in the world at q = 0.
Vec3<double> middle(const Model& model, const report::AnimatedShape& shape) {
  Workspace<double> work(model);
  const std::vector<double> q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv));
  forward_kinematics(model, work, q.data(), v.data(), static_cast<const double*>(nullptr));
  const Vec3<double> local{{shape.pose[0], shape.pose[1], shape.pose[2]}};
  if (shape.body < 0) return local;
  const Pose<double>& pose = work.world_pose[static_cast<std::size_t>(shape.body)];
  return pose.R * local + pose.d;
}

}  // namespace

TEST_CASE("a mesh is found by its package's folder, above the robot's file, beside it, and under another ending") {
  test::TemporaryFolder folder;
  namespace fs = std::filesystem;
  const fs::path root = folder / "";
  fs::create_directories(root / "arm_description/urdf");
  fs::create_directories(root / "arm_description/meshes");
  fs::create_directories(root / "elsewhere/hand_description");
  for (const char* file :
       {"arm_description/meshes/link.stl", "arm_description/meshes/seen.obj", "elsewhere/hand_description/palm.stl"})
    std::ofstream(root / file) << "x";
  const std::string beside = (root / "arm_description/urdf/arm.urdf").string();
  const MeshPlaces none, above{{}, beside, true}, given{{(root / "elsewhere").string()}, "", true};
  CHECK(found_mesh("package://arm_description/meshes/link.stl", none).empty());
  CHECK_THAT(found_mesh("package://arm_description/meshes/link.stl", above), Contains("meshes/link.stl"));
  CHECK_THAT(found_mesh("../meshes/link.stl", above), Contains("link.stl"));
  CHECK_THAT(found_mesh("package://arm_description/meshes/seen.dae", above), Contains("seen.obj"));
  CHECK(found_mesh("package://hand_description/palm.stl", above).empty());
  CHECK_THAT(found_mesh("package://hand_description/palm.stl", given), Contains("palm.stl"));
  CHECK_THAT(
      found_mesh("model://hand_description/palm.stl", MeshPlaces{{(root / "elsewhere/hand_description").string()}, "", true}),
      Contains("palm.stl"));
  CHECK_THAT(found_mesh("file://" + (root / "arm_description/meshes/link.stl").string(), none), Contains("link.stl"));
  CHECK(found_mesh("package://arm_description", above).empty());
  CHECK(found_mesh("package://arm_description/meshes/none.stl", above).empty());
}

TEST_CASE("a mesh is read, placed and scaled, and without it its body is a box along its link, and is said to miss it") {
  test::TemporaryFolder folder;
  const std::string urdf = folder.file("r.urdf", with_mesh("skin.obj"));
  folder.file("skin.obj", one_triangle);
  const Model model = load_urdf(urdf);
  const RobotLooks dressed = looks_of(model, {{}, urdf, true});
  REQUIRE((dressed.meshes.size() == 1 && dressed.shapes.size() == 2));  // and the box of c
  CHECK((dressed.shapes[0].kind == "mesh" && dressed.shapes[0].mesh == 0 && dressed.shapes[0].size[0] == 2));
  CHECK(middle(model, dressed.shapes[0])[2] == Approx(0.5));
  CHECK_THAT(dressed.words, Contains("1 body is drawn by the shapes of the robot's file, meshes with 1 of 1 triangles") &&
                                Contains("1 body is drawn by boxes along its link"));
  const RobotLooks bare = looks_of(model, {{}, "", true});
  REQUIRE((bare.meshes.empty() && bare.shapes.size() == 2));
  CHECK((bare.shapes[0].kind == "box" && bare.shapes[0].link == "b" && bare.shapes[0].size[2] == Approx(0.5)));
  const Vec3<double> at = middle(model, bare.shapes[0]);  // half-way to the next joint
  CHECK((at[0] == Approx(0.15) && at[1] == Approx(0).margin(1e-12) && at[2] == Approx(0.2)));
  CHECK_THAT(bare.words, Contains("2 bodies are drawn by boxes along their links") &&
                             Contains("No mesh that can be read is found for skin.obj (--package-path)."));
  const double half = std::sqrt(3 * 0.5);  // of the inertia 1, 1, 1 of 2 kg: Σ is 1/2 along each axis
  CHECK((bare.shapes[1].link == "c" &&
         bare.shapes[1].size[0] == Approx(2 * std::min(half / std::sqrt(2.0), 0.07 * reach_of(model)))));
  CHECK_THAT(looks_of(model, {{}, urdf, false}).words, !Contains("skin.obj"));
  folder.file("skin.obj", "v 0 0 0\nf 1 2 3\n");
  const RobotLooks broken = looks_of(model, {{}, urdf, true});
  CHECK(broken.meshes.empty());
  CHECK_THAT(broken.words, Contains("Not drawn: ") && Contains("skin.obj:2: \"2\"; expected the place of one of 1 points"));
}

TEST_CASE("a light link is drawn not much thinner than the heavy one that it carries, unless the tree branches there") {
  const auto link = [](const std::string& name, const std::string& mass) {
    return "<link name=\"" + name + "\"><inertial><mass value=\"" + mass +
           R"("/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>)";
  };
  const auto joint = [](const std::string& parent, const std::string& child, const std::string& z) {
    return "<joint name=\"to_" + child + R"(" type="continuous"><parent link=")" + parent + R"("/><child link=")" + child +
           R"("/><origin xyz="0 0 )" + z + R"("/></joint>)";
  };
  const std::string arm = R"(<robot name="r"><link name="base"/>)" + link("upper", "0.1") + link("elbow", "3") +
                          link("fore", "5") + link("hand", "1") + joint("base", "upper", "0.4") +
                          joint("upper", "elbow", "0.4") + joint("elbow", "fore", "0") + joint("fore", "hand", "0.5");
  const auto side_of = [](const std::string& urdf, const std::string& name) {
    const RobotLooks looks = looks_of(parse_urdf(urdf, "r.urdf"), {});
    for (const report::AnimatedShape& shape : looks.shapes)
      if (shape.kind == "box" && shape.link == name) return shape.size[0];
    return 0.0;
  };
  const double fore = std::sqrt(5 / (1000 * 0.5));  // as heavy as 5 kg of water, 0.5 m long
  CHECK(side_of(arm + "</robot>", "fore") == Approx(fore));
  CHECK(side_of(arm + "</robot>", "upper") == Approx(0.8 * fore));
  CHECK(side_of(arm + "</robot>", "base") == Approx(0.64 * fore));
  const std::string branched = arm + link("camera", "0.1") + joint("upper", "camera", "0.3") + "</robot>";
  CHECK(side_of(branched, "base") == Approx(0.12 * 0.4));  // the thinnest: 0.12 of its length
}

TEST_CASE("the quadruped's limbs are its legs, each of one colour") {
  LoadOptions floating;
  floating.floating = true;
  const Model model = load_urdf(test::source_folder() + "/robots/quadruped.urdf", floating);
  const std::vector<int> limbs = limbs_of(model), depths = depths_of(model);
  REQUIRE(limbs.size() == 13);
  CHECK((limbs[0] == 0 && depths[0] == 0));
  for (std::size_t b = 1; b < 13; ++b) {
    const auto parent = static_cast<std::size_t>(model.bodies[b].parent);
    CHECK((parent == 0 ? limbs[b] > 0 : limbs[b] == limbs[parent]));
  }
  CHECK(*std::max_element(limbs.begin(), limbs.end()) == 4);
}
