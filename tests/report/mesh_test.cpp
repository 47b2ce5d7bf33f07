// Meshes: what a file holds, what it must not, and how few triangles still have its shape.
#include "report/meshes/mesh.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fstream>

#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;
using Catch::Contains;

namespace {

using Corner = std::array<double, 3>;

/// A tetrahedron with its corners at the origin and on the axes.
const std::vector<std::array<Corner, 3>> tetrahedron{{{{{0, 0, 0}}, {{0, 1, 0}}, {{1, 0, 0}}}},
                                                     {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 0, 1}}}},
                                                     {{{{0, 0, 0}}, {{0, 0, 1}}, {{0, 1, 0}}}},
                                                     {{{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}}};

/// By the divergence theorem.
double volume(const Mesh& mesh) {
  double six = 0;
  for (const auto& t : mesh.triangles) {
    std::array<Corner, 3> c;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i) c[k][i] = static_cast<double>(mesh.points[static_cast<std::size_t>(t[k])][i]);
    six += c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) + c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
           c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
  }
  return six / 6;
}

std::string binary_text(const std::string& head) {
  std::string bytes = head + std::string(80 - head.size(), ' ');
  const auto add = [&](const auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(static_cast<std::uint32_t>(tetrahedron.size()));
  for (const auto& t : tetrahedron) {
    for (int k = 0; k < 3; ++k) add(0.0f);
    for (const Corner& c : t)
      for (double x : c) add(static_cast<float>(x));
    add(static_cast<std::uint16_t>(0));
  }
  return bytes;
}

std::string ascii_text() {
  std::string text = "solid it\n";
  for (const auto& t : tetrahedron) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const Corner& c : t)
      text += "  vertex " + std::to_string(c[0]) + " " + std::to_string(c[1]) + " " + std::to_string(c[2]) + "\n";
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid it\n";
}

/// A sphere of radius 2 by `n` rings of 2 n points.
Mesh sphere(int n) {
  Mesh mesh;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < 2 * n; ++k) {
      const double a = M_PI * i / n, b = M_PI * k / n;
      mesh.points.push_back({static_cast<float>(2 * std::sin(a) * std::cos(b)),
                             static_cast<float>(2 * std::sin(a) * std::sin(b)), static_cast<float>(2 * std::cos(a))});
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2 * n; ++k) {
      const int a = 2 * n * i + k, b = 2 * n * i + (k + 1) % (2 * n), c = a + 2 * n, d = b + 2 * n;
      mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({b, c, d});
    }
  return mesh;
}

}  // namespace

TEST_CASE("a tetrahedron is the same from STL in bytes and in words, and from OBJ with a face of four corners beside") {
  test::TemporaryFolder folder;
  const std::string obj =
      "# a corner of a cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1//1 3//1 2//1\nf 1/7 2/7 4/7\nf 1 4 3\nf -3 -2 "
      "-1\n";
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"a.stl", binary_text("solid of some tools")},
                                   {"b.STL", ascii_text()},
                                   {"c.obj", obj}}) {
    INFO(name);
    const Mesh mesh = read_mesh(folder.file(name, text));
    CHECK((mesh.points.size() == 4 && mesh.triangles.size() == 4));
    CHECK(volume(mesh) == Approx(1.0 / 6));
  }
  const Mesh square = read_mesh(folder.file("d.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"));
  CHECK(square.triangles == std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("files that hold no mesh are refused with their line") {
  test::TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& why) {
    CHECK_THROWS_WITH(read_mesh(folder.file(name, text)), Contains(name) && Contains(why));
  };
  refused("a.stl", "", "expected a file of triangles");
  refused("b.stl", "solid x\nendsolid x\n", "no triangle");
  refused("c.stl", "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 zero\n", "c.stl:4: \"zero\"");
  refused("d.stl", "solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "d.stl:5: a loop of 2 corners; expected three");
  refused("e.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "e.obj:4: \"4\"; expected the place of one of 3 points");
  refused("f.obj", "v 0 0 nan\n", "f.obj:1");
  refused("g.dae", "<COLLADA/>", "expected STL or OBJ");
  std::string broken = binary_text("x");
  const float infinite = INFINITY;
  std::memcpy(&broken[84 + 50 + 12], &infinite, 4);
  refused("h.stl", broken, "triangle 2");
  refused("i.stl", binary_text("x").substr(0, 200), "no triangle");  // cut off
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const char* corner : {"1x", "1.5", "1e0", "0", "-4", "/1", "99999999999999999999"}) {
    INFO(corner);
    refused("j.obj", points + "f 1 2 3\nf " + corner + " 2 3\n",
            std::string("j.obj:5: \"") + corner + "\"; expected the place");
  }
  refused("k.obj", points + "f 1 2 3\nf 1 2\n", "k.obj:5: a face of 2 corners; expected three or more");
  refused("k.obj", points + "f 1 2 3\nf\n", "k.obj:5: a face of 0 corners");
  const std::string cut = ascii_text();
  refused("l.stl", cut.substr(0, cut.rfind(" endloop")), "l.stl:27: the end of the file within a loop; expected endloop");
  const float huge = 2e30F;
  broken = binary_text("x");
  std::memcpy(&broken[84 + 12], &huge, 4);
  refused("m.stl", broken, "triangle 1");
  refused("n.stl", "solid\nfacet\nvertex 2e30 0 0\n", "n.stl:3");
  CHECK_THROWS_AS(read_mesh(folder / "none.stl"), InputError);
}

TEST_CASE("a decimated sphere has few triangles, and nearly its place and its volume") {
  const Mesh fine = sphere(150);
  REQUIRE(fine.triangles.size() == 90'000);
  const double whole = 4.0 / 3 * M_PI * 8;
  CHECK(volume(fine) == Approx(whole).epsilon(1e-3));
  for (std::size_t most : {2000u, 400u}) {
    const Mesh few = decimated(fine, most);
    CHECK((few.triangles.size() <= most && few.triangles.size() > most / 4));
    CHECK(volume(few) == Approx(whole).epsilon(most == 2000 ? 0.05 : 0.2));
    for (const auto& p : few.points)
      CHECK(std::hypot(std::hypot(p[0], p[1]), p[2]) == Approx(2).epsilon(most == 2000 ? 0.1 : 0.25));
  }
  CHECK(decimated({{{{1, 1, 1}}}, std::vector<std::array<int, 3>>(50)}, 20).triangles.empty());  // of one point
  CHECK(decimated(sphere(10), 1000).triangles.size() == 400);                                    // as it is
}
