#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

#include "io/printable.hpp"
#include "io/text/how_many.hpp"
#include "report/meshes/corners.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::report {
namespace {

using MeshPoint = std::array<float, 3>;

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf())) throw InputError(path, 0, "", "it cannot be read, or is empty", "a file of triangles");
  return bytes.str();
}

float number_in(const std::string& path, long line, std::istringstream& words) {
  std::string word;
  words >> word;
  try {
    std::size_t end = 0;
    const double x = std::stod(word, &end);
    if (end == word.size() && std::isfinite(x) && std::abs(x) < largest_coordinate) return static_cast<float>(x);
  } catch (const std::exception&) {
  }
  throw InputError(path, line, "", "\"" + printable(word) + "\"", "a number");
}

MeshPoint point_in(const std::string& path, long line, std::istringstream& words) {
  MeshPoint p;
  for (float& x : p) x = number_in(path, line, words);
  return p;
}

/// 80 bytes, the count, then 50 bytes a triangle: its normal, three corners, two bytes of no meaning. Low bytes first.
Mesh binary_stl(const std::string& path, const std::string& bytes, std::uint32_t count) {
  Corners corners;
  for (std::uint32_t t = 0; t < count; ++t) {
    std::array<int, 3> triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      MeshPoint p;
      std::memcpy(p.data(), bytes.data() + 84 + 50 * static_cast<std::size_t>(t) + 12 + 12 * c, 12);
      for (float x : p)
        if (!(std::abs(static_cast<double>(x)) < largest_coordinate))
          throw InputError(path, 0, "triangle " + std::to_string(t + 1), "a number that is not finite or not below 1e30",
                           "a finite one below");
      triangle[c] = corners.place(p);
    }
    corners.mesh.triangles.push_back(triangle);
  }
  return corners.mesh;
}

Mesh text_stl(const std::string& path, const std::string& text) {
  Corners corners;
  std::istringstream lines(text);
  std::vector<int> loop;
  std::string line, word;
  long at = 1;
  for (; std::getline(lines, line); ++at) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "vertex") loop.push_back(corners.place(point_in(path, at, words)));
    if (word != "endloop") continue;
    if (loop.size() != 3)
      throw InputError(path, at, "", "a loop of " + how_many(static_cast<long>(loop.size()), "corner", "corners"), "three");
    corners.mesh.triangles.push_back({loop[0], loop[1], loop[2]});
    loop.clear();
  }
  if (!loop.empty()) throw InputError(path, at - 1, "", "the end of the file within a loop", "endloop");
  return corners.mesh;
}

Mesh stl(const std::string& path, const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  const bool binary = bytes.size() >= 84 && bytes.size() >= 84 + 50 * static_cast<std::size_t>(count) && count > 0;
  const bool text = bytes.rfind("solid", 0) == 0 && bytes.find("facet") != std::string::npos;
  if (binary && !(text && bytes.size() != 84 + 50 * static_cast<std::size_t>(count))) return binary_stl(path, bytes, count);
  return text_stl(path, bytes);
}

/// "7", "7/1", "7//3", or from the end "-1".
int corner_of_face(const std::string& path, long line, const std::string& word, std::size_t points) {
  long place = 0;
  try {
    std::size_t end = 0;
    place = std::stol(word, &end);
    if (end < word.size() && word[end] != '/') place = 0;
  } catch (const std::exception&) {
  }
  if (place < 0) place += static_cast<long>(points) + 1;
  if (place < 1 || place > static_cast<long>(points))
    throw InputError(path, line, "", "\"" + printable(word) + "\"",
                     "the place of one of " + std::to_string(points) + " points");
  return static_cast<int>(place - 1);
}

Mesh obj(const std::string& path, const std::string& text) {
  Corners corners;
  std::vector<int> points;  // of the file, as places in the mesh
  std::istringstream lines(text);
  std::string line, word;
  for (long at = 1; std::getline(lines, line); ++at) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "v") points.push_back(corners.place(point_in(path, at, words)));
    if (word != "f") continue;
    std::vector<int> face;
    while (words >> word) face.push_back(points[static_cast<std::size_t>(corner_of_face(path, at, word, points.size()))]);
    if (face.size() < 3)
      throw InputError(path, at, "", "a face of " + how_many(static_cast<long>(face.size()), "corner", "corners"),
                       "three or more");
    for (std::size_t k = 2; k < face.size(); ++k) corners.mesh.triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return corners.mesh;
}

Mesh own_kind(const std::string& path) {
  const std::string bytes = bytes_of(path);
  return ending_of(path) == "stl" ? stl(path, bytes) : obj(path, bytes);
}

}  // namespace

const std::vector<MeshKind>& own_mesh_kinds() {
  static const std::vector<MeshKind> kinds{{"stl", own_kind}, {"obj", own_kind}};
  return kinds;
}

const MeshKind* kind_of_mesh(const std::string& path, const std::vector<MeshKind>& more) {
  const std::string ending = ending_of(path);
  for (const std::vector<MeshKind>* kinds : {&own_mesh_kinds(), &more})
    for (const MeshKind& kind : *kinds)
      if (kind.ending == ending) return &kind;
  return nullptr;
}

namespace {

/// "STL or OBJ", and what else is read.
std::string names_of_kinds(const std::vector<MeshKind>& more) {
  std::vector<std::string> names;
  for (const std::vector<MeshKind>* kinds : {&own_mesh_kinds(), &more})
    for (const MeshKind& kind : *kinds) names.push_back(kind.ending);
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (const char c : names[k]) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (k + 1 < names.size()) text += k + 2 < names.size() ? ", " : " or ";
  }
  return text;
}

}  // namespace

Mesh read_mesh(const std::string& path, const std::vector<MeshKind>& more) {
  const MeshKind* const kind = kind_of_mesh(path, more);
  if (!kind) throw InputError(path, 0, "", "a mesh of another kind", names_of_kinds(more));
  Mesh mesh = kind->read(path);
  if (mesh.triangles.empty()) throw InputError(path, 0, "", "no triangle", "a surface of triangles");
  return mesh;
}

}  // namespace sparsedyn::report
