// COLLADA and glTF: the same body in each way that they can say it, and what a file must not say.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>

#include "meshes/mesh_kinds.hpp"
#include "report/base64.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "support/temporary_folder.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using report::Mesh;

namespace {

/// By the divergence theorem: below zero where triangles look inwards.
double volume_of(const Mesh& mesh) {
  double six = 0;
  for (const auto& t : mesh.triangles) {
    double c[3][3];
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        c[k][i] = static_cast<double>(
            mesh.points[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])][static_cast<std::size_t>(i)]);
    six += c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) + c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
           c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
  }
  return six / 6;
}

/// The largest coordinate of each axis.
std::array<double, 3> reach_of(const Mesh& mesh) {
  std::array<double, 3> most{{-1e30, -1e30, -1e30}};
  for (const auto& p : mesh.points)
    for (std::size_t k = 0; k < 3; ++k) most[k] = std::max(most[k], static_cast<double>(p[k]));
  return most;
}

/// The tetrahedron with corners at the origin and at 1, 2 and 3 on the axes: its volume is 1.
const std::string corners_of_it = "0 0 0 1 0 0 0 2 0 0 0 3", faces_of_it = "0 2 1 0 1 3 0 3 2 1 2 3";

std::string geometry(const std::string& primitives, const std::string& id = "it") {
  return "<geometry id=\"" + id + "\"><mesh><source id=\"p" + id + "\"><float_array id=\"a" + id + "\" count=\"12\">" +
         corners_of_it + "</float_array><technique_common><accessor source=\"#a" + id +
         "\" count=\"4\" stride=\"3\"/></technique_common></source><vertices id=\"v" + id +
         "\"><input semantic=\"POSITION\" source=\"#p" + id + "\"/></vertices>" + primitives + "</mesh></geometry>";
}

std::string input(const std::string& id = "it") { return "<input semantic=\"VERTEX\" source=\"#v" + id + "\" offset=\"0\"/>"; }

const std::string triangles_of_it = "<triangles count=\"4\">" + input() + "<p>" + faces_of_it + "</p></triangles>";

/// head: asset; nodes: of the scene, or none.
std::string collada(const std::string& geometries, const std::string& nodes = "", const std::string& more = "") {
  const std::string scene =
      nodes.empty() ? ""
                    : "<library_visual_scenes><visual_scene id=\"s\">" + nodes +
                          "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>";
  return "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n" +
         more + "<library_geometries>" + geometries + "</library_geometries>\n" + scene + "</COLLADA>\n";
}

const std::string instance = "<instance_geometry url=\"#it\"/>";

std::string bytes_of_tetrahedron() {
  std::string bytes;
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 2.f, 0.f, 0.f, 0.f, 3.f})
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  for (const int k : {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}) bytes += {static_cast<char>(k), 0};
  return bytes;
}

/// node: of the scene's; buffer: the members of the one buffer.
std::string gltf(const std::string& nodes, const std::string& buffer,
                 const std::string& primitive = R"({"attributes": {"POSITION": 0}, "indices": 1})") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [)" + nodes + R"(],
 "meshes": [{"primitives": [)" +
         primitive + R"(]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
               {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"byteLength": 72)" +
         buffer + "}]}";
}

std::string in_file() {
  return R"(, "uri": "data:application/octet-stream;base64,)" + report::base64(bytes_of_tetrahedron()) + '"';
}

std::string word(std::uint32_t x) { return std::string(reinterpret_cast<const char*>(&x), 4); }

std::string binary_gltf(std::string json) {
  while (json.size() % 4 != 0) json += ' ';
  const std::string bytes = bytes_of_tetrahedron();
  const std::string all = word(static_cast<std::uint32_t>(json.size())) + word(0x4e4f534a) + json +
                          word(static_cast<std::uint32_t>(bytes.size())) + word(0x004e4942) + bytes;
  return word(0x46546c67) + word(2) + word(static_cast<std::uint32_t>(12 + all.size())) + all;
}

}  // namespace

TEST_CASE("COLLADA gives the same body by triangles, polygons, strips and fans, in any unit, through any nodes") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_collada(folder.file("it.dae", text)); };
  const std::string strip = "<tristrips>" + input() + "<p>0 2 1 3</p><p>3 2 0</p><p>0 1 3</p></tristrips>";
  const std::string wide =
      "<triangles><input semantic=\"NORMAL\" source=\"#pit\" offset=\"0\"/><input semantic=\"VERTEX\" "
      "source=\"#vit\" offset=\"2\"/><p>0 0 0 0 0 2 0 0 1 0 0 0 0 0 1 0 0 3 0 0 0 0 0 3 0 0 2 0 0 1 0 0 2 0 0 "
      "3</p></triangles>";
  for (const std::string& primitives :
       {triangles_of_it, wide, "<polylist>" + input() + "<vcount>3 3 3 3</vcount><p>" + faces_of_it + "</p></polylist>",
        "<polygons>" + input() + "<p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>",
        "<trifans>" + input() + "<p>0 2 1 3 2</p><p>1 2 3</p></trifans>"}) {
    INFO(primitives);
    const Mesh mesh = read(collada(geometry(primitives), "<node>" + instance + "</node>"));
    CHECK(mesh.points.size() == 4);
    CHECK(mesh.triangles.size() == 4);
    CHECK(volume_of(mesh) == Approx(1));
  }
  CHECK(read(collada(geometry(strip), "<node>" + instance + "</node>")).triangles.size() == 4);
  CHECK(volume_of(read(collada(geometry(strip), "<node>" + instance + "</node>"))) == Approx(1));
  CHECK(volume_of(read(collada(geometry(triangles_of_it)))) == Approx(1));  // no scene: all geometries
  const std::string inches = "<asset><unit name=\"inch\" meter=\"0.0254\"/><up_axis>Y_UP</up_axis></asset>";
  const Mesh small =
      read(collada(geometry(triangles_of_it), "<node><translate>10 0 0</translate>" + instance + "</node>", inches));
  CHECK(reach_of(small)[0] == Approx(11 * 0.0254));
  CHECK(reach_of(small)[2] == Approx(3 * 0.0254));  // whatever <up_axis> says
  const std::string nodes = "<library_nodes><node id=\"n\"><scale>2 1 1</scale>" + instance + "</node></library_nodes>";
  const Mesh turned =
      read(collada(geometry(triangles_of_it),
                   "<node><translate>0 0 5</translate><rotate>0 0 1 90</rotate><instance_node url=\"#n\"/></node>"
                   "<node><matrix>-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1</matrix>" +
                       instance + "</node>",
                   nodes));
  CHECK(turned.triangles.size() == 8);
  CHECK(volume_of(turned) == Approx(2 + 1));  // a mirrored body looks outwards, too
  CHECK(reach_of(turned)[1] == Approx(2));
  CHECK(reach_of(turned)[2] == Approx(8));
}

TEST_CASE("glTF gives the same body from data, a file beside it and a binary file, y upwards, through any nodes") {
  const TemporaryFolder folder;
  folder.file("it.bin", bytes_of_tetrahedron() + "what is left over");
  folder.file("of a body.bin", bytes_of_tetrahedron());
  const std::string beside = R"(, "uri": "it.bin")", escaped = R"(, "uri": "of%20a%20body.bin")", plain = R"({"mesh": 0})";
  for (const std::string& path :
       {folder.file("data.gltf", gltf(plain, in_file())), folder.file("beside.gltf", gltf(plain, beside)),
        folder.file("escaped.gltf", gltf(plain, escaped)), folder.file("it.glb", binary_gltf(gltf(plain, "")))}) {
    INFO(path);
    const Mesh mesh = read_gltf(path);
    CHECK(mesh.points.size() == 4);
    CHECK(mesh.triangles.size() == 4);
    CHECK(volume_of(mesh) == Approx(1));
    CHECK(reach_of(mesh) == std::array<double, 3>{{1, 0, 2}});  // (x, y, z) is (x, -z, y) here
  }
  const auto read = [&](const std::string& text) { return read_gltf(folder.file("it.gltf", text)); };
  const Mesh moved = read(gltf(R"({"children": [1, 2], "translation": [0, 10, 0]}, {"mesh": 0, "scale": [1, -2, 1]},
      {"mesh": 0, "matrix": [1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  5, 0, 0, 1], "children": []})",
                               in_file()));
  CHECK(moved.triangles.size() == 8);
  CHECK(volume_of(moved) == Approx(2 + 1));
  CHECK(reach_of(moved)[0] == Approx(6));
  CHECK(reach_of(moved)[2] == Approx(12));
  const Mesh turned = read(gltf(R"({"mesh": 0, "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]})", in_file()));
  CHECK(reach_of(turned)[1] == Approx(0).margin(1e-6));
  CHECK(volume_of(turned) == Approx(1));
  CHECK(read(gltf(plain, in_file(), R"({"attributes": {"POSITION": 0}, "mode": 5})")).triangles.size() == 2);
  CHECK(
      read(gltf(plain, in_file(), R"({"attributes": {"POSITION": 0}, "mode": 6}, {"attributes": {"POSITION": 0}, "mode": 1})"))
          .triangles.size() == 2);
}

TEST_CASE("COLLADA that is wrong, or wants too much, is refused with its line") {
  const TemporaryFolder folder;
  const auto list = [&](const std::string& p) {
    return collada(geometry("<triangles>" + input() + "<p>" + p + "</p></triangles>"));
  };
  const std::string within = "<node>" + instance + "</node>";
  std::string bomb = "<library_nodes>";  // each holds the next one twice
  for (int k = 0; k < 30; ++k) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(k + 1) + "\"/>";
    bomb += "<node id=\"n" + std::to_string(k) + "\">" + next + next + "</node>";
  }
  bomb += "<node id=\"n30\">" + instance + "</node></library_nodes>";
  for (const auto& [text, why] :
       {std::pair<std::string, std::string>("<COLLADA", "no XML that can be read"),
        {"<robot/>", "no element <COLLADA>"},
        {list("0 1 4"), "it.dae:3: <p>: 4; expected the place of one of 4 points, from 0"},
        {list("0 1 -1"), "-1; expected the place"},
        {list("0 1 2 3"), "4 corners; expected three a triangle"},
        {list("0 1 x"), "\"x\"; expected a number"},
        {list("0 1 1.5"), "\"1.5\"; expected a number that fits"},
        {list("0 1 1e29"), "expected a number that fits"},
        {list("0 1 99999999999999"), "expected a number that fits"},
        {collada(geometry("<polylist>" + input() + "<vcount>5</vcount><p>0 1 2</p></polylist>")), "5 corners"},
        {collada(geometry("<polylist>" + input() + "<vcount>-2000000000</vcount><p>0 1 2</p></polylist>")), "corners"},
        {collada(geometry("<polylist>" + input() + "<p>0 1 2</p></polylist>")), "no <vcount>"},
        {collada(geometry("<triangles><p>0 1 2</p></triangles>")), "no input VERTEX"},
        {collada(geometry(triangles_of_it), "<node><instance_geometry url=\"#s\"/></node>"), "#ID of a <geometry>"},
        {collada(geometry(triangles_of_it), "<node><instance_geometry url=\"other.dae#it\"/></node>"), "of this file"},
        {collada(geometry(triangles_of_it), "<node><matrix>1 0 0</matrix></node>"), "3 numbers; expected 16"},
        {collada(geometry(triangles_of_it), "<node><translate>1e400 0 0</translate></node>"), "expected a number"},
        {collada(geometry(triangles_of_it), "<node><rotate>0 0 0 90</rotate></node>"), "an axis of no length"},
        {collada(geometry(triangles_of_it), "<node><skew>1</skew></node>"), "another kind"},
        {collada(geometry(triangles_of_it), within, "<asset><unit meter=\"0\"/></asset>"), "metres above 0"},
        {collada(geometry(triangles_of_it), "<node id=\"n\"><instance_node url=\"#n\"/></node>"), "hold themselves"},
        {collada(geometry(triangles_of_it), "<node><instance_node url=\"#n0\"/></node>", bomb), "more than 100000 nodes"},
        {collada(geometry(triangles_of_it),
                 "<node><scale>1e29 1e29 1e29</scale><scale>1e29 1 1</scale>" + instance + "</node>"),
         "not below 1e30"}})
    CHECK_THROWS_WITH(read_collada(folder.file("it.dae", text)), Contains("it.dae") && Contains(why));
  CHECK_THROWS_WITH(read_collada(folder / "none.dae"), Contains("no XML that can be read"));
  CHECK_THROWS_WITH(report::read_mesh(folder.file("it.dae", collada("")), more_mesh_kinds()), Contains("no triangle"));
  CHECK_THROWS_WITH(report::read_mesh(folder / "it.ply", more_mesh_kinds()), Contains("expected STL, OBJ, DAE, GLTF or GLB"));
}

TEST_CASE("glTF that is wrong, or wants too much, is refused with its place") {
  const TemporaryFolder folder;
  const std::string plain = R"({"mesh": 0})";
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string text = gltf(plain, in_file());
    REQUIRE(text.find(what) != std::string::npos);
    return text.replace(text.find(what), what.size(), by);
  };
  for (const auto& [text, why] :
       {std::pair<std::string, std::string>("{", "no JSON object"),
        {"[]", "no JSON object"},
        {replaced("\"2.0\"", "\"1.0\""), "no version 2"},
        {replaced("\"scene\": 0", R"("extensionsRequired": ["KHR_draco_mesh_compression"])"), "KHR_draco"},
        {gltf(R"({"mesh": 7})", in_file()), "meshes[7]; expected one of 1"},
        {gltf(R"({"mesh": -1})", in_file()), "-1; expected a whole number"},
        {gltf(R"({"children": [0]})", in_file()), "hold themselves"},
        {gltf(R"({"mesh": 0, "matrix": [1, 2]})", in_file()), "16 numbers"},
        {gltf(R"({"mesh": 0, "scale": [1, 2, "x"]})", in_file()), "\"x\"; expected a number"},
        {gltf("7", in_file()), "nodes[0]: 7; expected an object"},
        {gltf(plain, R"(, "uri": "none.bin")"), "no file that can be read"},
        {gltf(plain, R"(, "uri": "/dev/zero")"), "data, or a file beside this one"},
        {gltf(plain, R"(, "uri": "http://x/it.bin")"), "data, or a file beside this one"},
        {gltf(plain, R"(, "uri": "../../../../dev/zero")"), "data, or a file beside this one"},
        {gltf(plain, R"(, "uri": "a/%2e%2E/it.bin")"), "data, or a file beside this one"},
        {gltf(plain, R"(, "uri": "%2Fdev/zero")"), "data, or a file beside this one"},
        {gltf(plain, R"(, "uri": "it%2")"), "it%2; expected % before two hexadecimal digits"},
        {gltf(plain, R"(, "uri": "it%00.bin")"), "and no %00"},
        {replaced("\"count\": 4", R"("byteOffset": 49, "count": 0)"), "0 elements from byte 49"},
        {gltf(plain, R"(, "uri": "data:;base64,AAAA")"), "3 bytes; expected 72"},
        {gltf(plain, R"(, "uri": "data:;base64,A!")"), "data of base 64"},
        {gltf(plain, ""), "0 bytes; expected 72"},
        {replaced("\"count\": 4", "\"count\": 5"), "accessors[0]: 5 elements from byte 0"},
        {replaced("\"count\": 4", "\"count\": 1000000000"), "as many as are in its view"},
        {replaced("\"count\": 4", "\"count\": 18446744073709551615"), "expected a whole number"},
        {replaced("\"count\": 12", "\"count\": 11"), "11 corners; expected three a triangle"},
        {replaced("\"byteLength\": 48", "\"byteLength\": 480"), "480 bytes from 0; expected at most the buffer's 72"},
        {replaced("\"byteOffset\": 48", "\"byteOffset\": 4"), "expected the place of one of 4 points, from 0"},
        {replaced("5123", "5126"), "accessors[1]"},
        {replaced("\"VEC3\"", "\"VEC2\""), "VEC2"},
        {replaced("\"type\": \"VEC3\"", R"("type": "VEC3", "sparse": {})"), "sparse numbers"},
        {replaced("\"byteLength\": 48", R"("byteLength": 48, "byteStride": 4)"), "byteStride"}})
    CHECK_THROWS_WITH(read_gltf(folder.file("it.gltf", text)), Contains(why));
  // cut off at any byte, or with a wrong one: a mesh, or a refusal
  const std::string whole = binary_gltf(gltf(plain, ""));
  for (std::size_t k = 0; k < whole.size(); k += 3)
    for (const bool cut : {false, true}) {
      std::string wrong = cut ? whole.substr(0, k) : whole;
      if (!cut) wrong[k] = static_cast<char>(wrong[k] ^ 0x15);
      try {
        const Mesh mesh = read_gltf(folder.file("it.glb", wrong));
        for (const auto& t : mesh.triangles)
          for (int place : t) REQUIRE(static_cast<std::size_t>(place) < mesh.points.size());
      } catch (const InputError& error) {
        REQUIRE_THAT(error.what(), Contains("it.glb"));
      }
    }
}

TEST_CASE("glTF that asks for more memory than its size tells is refused before it gets it") {
  const TemporaryFolder folder;
  std::string bytes(12 * 30000, '\0');
  const auto file = [&](const std::string& nodes, const std::string& first, const std::string& primitives) {
    folder.file("many.bin", bytes);
    return folder.file("many.gltf", R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [)" + first + R"(]}], "nodes": [)" +
                                        nodes + R"(], "meshes": [{"primitives": [)" + primitives + R"(]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 30000, "type": "VEC3"}],
      "bufferViews": [{"buffer": 0, "byteLength": 360000}], "buffers": [{"byteLength": 360000, "uri": "many.bin"}]})");
  };
  const std::string primitive = R"({"attributes": {"POSITION": 0}})";
  std::string primitives = primitive, drawn = "0";
  for (int k = 1; k < 1000; ++k) primitives += ", " + primitive, drawn += ", 0";
  const std::string node = R"({"mesh": 0})";
  CHECK_THROWS_WITH(read_gltf(file(node, "0", primitives)), Contains("many.gltf") && Contains("more than 20000000 points"));
  CHECK_THROWS_WITH(read_gltf(file(node, drawn, primitive)), Contains("many.gltf") && Contains("more than 20000000 points"));
}

TEST_CASE("buffers of a binary file share its bytes") {
  const TemporaryFolder folder;
  std::string text = gltf(R"({"mesh": 0})", "}, {\"byteLength\": 72");
  const std::string second = R"({"buffer": 0, "byteOffset": 48)";
  text.replace(text.find(second), second.size(), R"({"buffer": 1, "byteOffset": 48)");
  CHECK(volume_of(read_gltf(folder.file("it.glb", binary_gltf(text)))) == Approx(1));
}
