#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/printable.hpp"
#include "io/text/how_many.hpp"
#include "meshes/mesh_kinds.hpp"
#include "meshes/scene.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;
using GltfJson = nlohmann::json;

constexpr std::uint32_t binary_magic = 0x46546c67, json_chunk = 0x4e4f534a, buffer_chunk = 0x004e4942;
constexpr std::size_t largest_file = std::size_t{1} << 30;
constexpr int of_float = 5126;

std::string bytes_of_file(const std::string& path, std::size_t most) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) throw InputError(path, 0, "", "no file that can be read", "a regular file");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::min<std::size_t>(static_cast<std::size_t>(fs::file_size(path, none)), most), '\0');
  if (none || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw InputError(path, 0, "", "it cannot be read", "a file of triangles");
  return bytes;
}

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + place, 4);
  return word;
}

/// Without a character that is no digit of base 64; false where there is one.
bool decoded(const std::string& text, std::string& bytes) {
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* const digit = c ? std::strchr(digits, c) : nullptr;
    if (!digit) return false;
    word = word << 6 | static_cast<std::uint32_t>(digit - digits);
    if ((bits += 6) < 8) continue;
    bytes += static_cast<char>(word >> (bits -= 8) & 255u);
  }
  return true;
}

/// Each %XX as its byte; false where two digits do not follow, or the byte is 0.
bool unescaped(const std::string& uri, std::string& name) {
  for (std::size_t k = 0; k < uri.size(); ++k) {
    if (uri[k] != '%') {
      name += uri[k];
      continue;
    }
    const std::string digits = uri.substr(k + 1, 2);
    if (digits.size() < 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos || digits == "00")
      return false;
    name += static_cast<char>(std::stoi(digits, nullptr, 16));
    k += 2;
  }
  return true;
}

bool leads_up(const fs::path& path) { return std::find(path.begin(), path.end(), fs::path("..")) != path.end(); }

int bytes_of_component(int type) {
  switch (type) {
    case 5121: return 1;
    case 5123: return 2;
    case 5125:
    case of_float: return 4;
    default: return 0;
  }
}

class Gltf {
 public:
  explicit Gltf(const std::string& path) : path_(path), scene_(path) {
    std::string text = bytes_of_file(path, largest_file);
    if (text.size() >= 20 && word_at(text, 0) == binary_magic) text = chunks(text);
    root_ = GltfJson::parse(text, nullptr, false);
    if (!root_.is_object()) fail("", "no JSON object", "glTF 2.0");
    const GltfJson& asset = member(root_, "asset", "");
    if (!asset.is_object() || !asset.contains("version") || !asset["version"].is_string() ||
        asset["version"].get<std::string>().rfind("2.", 0) != 0)
      fail("asset", "no version 2", "glTF 2.0");
    if (root_.contains("extensionsRequired") && !root_["extensionsRequired"].empty())
      fail("extensionsRequired", root_["extensionsRequired"].dump(), "a file without required extensions");
  }

  report::Mesh read() {
    Transform upright = Transform::Zero();  // y becomes z
    upright(0, 0) = upright(2, 1) = upright(3, 3) = 1, upright(1, 2) = -1;
    if (root_.contains("scenes")) {
      const GltfJson& scene = element("scenes", whole_number(root_, "scene", 0, "scene"), "scene");
      for (std::size_t node : places(scene, "nodes", "scene")) visit(node, upright, 1);
    } else {
      for (std::size_t mesh = 0; mesh < count_of("meshes"); ++mesh) add_mesh(mesh, upright);
    }
    return std::move(scene_.mesh());
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& found, const std::string& expected) const {
    throw InputError(path_, 0, where, printable(found.substr(0, 200)), expected);
  }

  /// The JSON of a binary file; what else it holds becomes the first buffer.
  std::string chunks(const std::string& bytes) {
    std::string json;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
      const std::size_t size = word_at(bytes, at), begin = at + 8;
      if (size > bytes.size() - begin) fail("byte " + std::to_string(at), "a chunk longer than the file", "a whole one");
      if (word_at(bytes, at + 4) == json_chunk && json.empty()) json = bytes.substr(begin, size);
      if (word_at(bytes, at + 4) == buffer_chunk) binary_ = bytes.substr(begin, size);
      at = begin + size;
    }
    return json;
  }

  const GltfJson& member(const GltfJson& of, const char* key, const std::string& where) const {
    const auto found = of.is_object() ? of.find(key) : of.end();
    if (!of.is_object() || found == of.end()) fail(where, std::string("no ") + key, "one");
    return *found;
  }
  std::size_t count_of(const char* list) const {
    return root_.contains(list) && root_[list].is_array() ? root_[list].size() : 0;
  }
  const GltfJson& element(const char* list, std::size_t k, const std::string& where) const {
    if (k >= count_of(list))
      fail(where, std::string(list) + "[" + std::to_string(k) + "]", "one of " + std::to_string(count_of(list)));
    return root_[list][k];
  }

  std::size_t as_whole_number(const GltfJson& number, const std::string& where) const {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > largest_file)
      fail(where, number.dump(), "a whole number");
    return number.get<std::size_t>();
  }
  std::size_t whole_number(const GltfJson& of, const char* key, std::size_t otherwise, const std::string& where) const {
    return of.is_object() && of.contains(key) ? as_whole_number(of[key], where + "." + key) : otherwise;
  }
  std::size_t whole_number(const GltfJson& of, const char* key, const std::string& where) const {
    return as_whole_number(member(of, key, where), where + "." + key);
  }
  std::vector<std::size_t> places(const GltfJson& of, const char* key, const std::string& where) const {
    std::vector<std::size_t> found;
    if (!of.is_object() || !of.contains(key)) return found;
    if (!of[key].is_array()) fail(where + "." + key, of[key].dump(), "a list");
    for (const GltfJson& each : of[key]) found.push_back(as_whole_number(each, where + "." + key));
    return found;
  }

  /// So many numbers; empty where the node has none.
  std::vector<double> numbers(const GltfJson& node, const char* key, std::size_t due, const std::string& where) const {
    std::vector<double> found;
    if (!node.contains(key)) return found;
    if (!node[key].is_array() || node[key].size() != due)
      fail(where + "." + key, node[key].dump(), std::to_string(due) + " numbers");
    for (const GltfJson& each : node[key]) {
      if (!each.is_number()) fail(where + "." + key, each.dump(), "a number");
      found.push_back(each.get<double>());
    }
    return found;
  }

  Transform transform_of(const GltfJson& node, const std::string& where) const {
    Transform T = Transform::Identity();
    if (const std::vector<double> m = numbers(node, "matrix", 16, where); !m.empty()) {
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) T(i, k) = m[static_cast<std::size_t>(4 * k + i)];
      return T;
    }
    if (const std::vector<double> r = numbers(node, "rotation", 4, where); !r.empty()) {
      const Eigen::Quaterniond turn(r[3], r[0], r[1], r[2]);
      if (!(turn.norm() > 0)) fail(where + ".rotation", "a quaternion of no length", "one of length 1");
      T.topLeftCorner<3, 3>() = turn.normalized().toRotationMatrix();
    }
    if (const std::vector<double> s = numbers(node, "scale", 3, where); !s.empty())
      T.topLeftCorner<3, 3>() *= Eigen::Vector3d(s[0], s[1], s[2]).asDiagonal();
    if (const std::vector<double> d = numbers(node, "translation", 3, where); !d.empty())
      T.topRightCorner<3, 1>() = Eigen::Vector3d(d[0], d[1], d[2]);
    return T;
  }

  void visit(std::size_t place, const Transform& above, int depth) {
    scene_.enter(depth);
    const std::string where = "nodes[" + std::to_string(place) + "]";
    const GltfJson& node = element("nodes", place, where);
    if (!node.is_object()) fail(where, node.dump(), "an object");
    const Transform at = above * transform_of(node, where);
    if (node.contains("mesh")) add_mesh(whole_number(node, "mesh", where), at);
    for (std::size_t child : places(node, "children", where)) visit(child, at, depth + 1);
  }

  /// Each mesh is read once.
  void add_mesh(std::size_t place, const Transform& at) {
    const auto known = meshes_.find(place);
    const std::vector<ScenePart>& parts =
        known != meshes_.end() ? known->second : meshes_.emplace(place, parts_of(place)).first->second;
    for (const ScenePart& part : parts) scene_.add(part, at);
  }

  std::vector<ScenePart> parts_of(std::size_t place) {
    const std::string where = "meshes[" + std::to_string(place) + "]";
    const GltfJson& primitives = member(element("meshes", place, where), "primitives", where);
    if (!primitives.is_array()) fail(where + ".primitives", primitives.dump(), "a list");
    for (const GltfJson& each : primitives) count(each, where);
    std::vector<ScenePart> parts;
    for (const GltfJson& each : primitives)
      if (const std::size_t mode = mode_of(each, where); draws_triangles(mode)) parts.push_back(part_of(each, mode, where));
    return parts;
  }

  std::size_t mode_of(const GltfJson& primitive, const std::string& where) const {
    return whole_number(primitive, "mode", 4, where);
  }
  /// Others are points and lines.
  static bool draws_triangles(std::size_t mode) { return mode >= 4 && mode <= 6; }
  std::size_t position_of(const GltfJson& primitive, const std::string& where) const {
    return whole_number(member(primitive, "attributes", where), "POSITION", where);
  }

  /// What it will take, before anything is read.
  void count(const GltfJson& primitive, const std::string& where) {
    const std::size_t mode = mode_of(primitive, where);
    if (!draws_triangles(mode)) return;
    const std::size_t points = elements(position_of(primitive, where), "VEC3", 3).count;
    const bool listed = primitive.contains("indices");
    const std::size_t corners = listed ? elements(whole_number(primitive, "indices", where), "SCALAR", 1).count : points;
    scene_.read(points, mode == 4 ? corners / 3 : corners);
  }

  ScenePart part_of(const GltfJson& primitive, std::size_t mode, const std::string& where) {
    ScenePart part;
    part.points = points(position_of(primitive, where));
    std::vector<int> corners;
    if (primitive.contains("indices"))
      corners = indices(whole_number(primitive, "indices", where), part.points.size());
    else
      for (std::size_t k = 0; k < part.points.size(); ++k) corners.push_back(static_cast<int>(k));
    if (mode == 4 && corners.size() % 3 != 0)
      fail(where, how_many(static_cast<long>(corners.size()), "corner", "corners"), "three a triangle");
    (mode == 4 ? add_triangles : mode == 5 ? add_strip : add_fan)(corners, part.triangles);
    return part;
  }

  /// Elements of an accessor: where each begins.
  struct Elements {
    const char* first = nullptr;
    std::size_t count = 0, stride = 0;
    int type = 0;
  };

  Elements elements(std::size_t place, const char* kind, std::size_t components) {
    const std::string where = "accessors[" + std::to_string(place) + "]";
    const GltfJson& accessor = element("accessors", place, where);
    if (member(accessor, "type", where) != kind) fail(where + ".type", accessor["type"].dump(), kind);
    if (accessor.contains("sparse")) fail(where, "sparse numbers", "all of them");
    Elements found;
    found.type = static_cast<int>(whole_number(accessor, "componentType", where));
    const std::size_t size = components * static_cast<std::size_t>(bytes_of_component(found.type));
    if (size == 0) fail(where + ".componentType", std::to_string(found.type), "5121, 5123, 5125 or 5126");
    found.count = whole_number(accessor, "count", where);
    const std::string view_name = "bufferViews[" + std::to_string(whole_number(accessor, "bufferView", where)) + "]";
    const GltfJson& view = element("bufferViews", whole_number(accessor, "bufferView", where), where + ".bufferView");
    found.stride = whole_number(view, "byteStride", size, view_name);
    const std::string& bytes = buffer(whole_number(view, "buffer", view_name));
    const std::size_t begin = whole_number(view, "byteOffset", 0, view_name),
                      length = whole_number(view, "byteLength", view_name),
                      from = whole_number(accessor, "byteOffset", 0, where);
    if (begin > bytes.size() || length > bytes.size() - begin)
      fail(view_name, std::to_string(length) + " bytes from " + std::to_string(begin),
           "at most the buffer's " + std::to_string(bytes.size()));
    if (found.stride < size || found.stride > 1000)
      fail(view_name + ".byteStride", std::to_string(found.stride), std::to_string(size) + " to 1000");
    if (from > length || (found.count > 0 && (size > length - from || found.count - 1 > (length - from - size) / found.stride)))
      fail(where, std::to_string(found.count) + " elements from byte " + std::to_string(from), "as many as are in its view");
    found.first = bytes.data() + begin + from;
    return found;
  }

  std::vector<Eigen::Vector3d> points(std::size_t accessor) {
    const Elements found = elements(accessor, "VEC3", 3);
    if (found.type != of_float)
      fail("accessors[" + std::to_string(accessor) + "].componentType", std::to_string(found.type), "5126");
    std::vector<Eigen::Vector3d> points;
    for (std::size_t k = 0; k < found.count; ++k) {
      float p[3];
      std::memcpy(p, found.first + k * found.stride, sizeof p);
      points.emplace_back(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
    }
    return points;
  }

  std::vector<int> indices(std::size_t accessor, std::size_t points) {
    const Elements found = elements(accessor, "SCALAR", 1);
    const std::string where = "accessors[" + std::to_string(accessor) + "]";
    if (found.type == of_float) fail(where + ".componentType", "5126", "5121, 5123 or 5125");
    std::vector<int> indices;
    for (std::size_t k = 0; k < found.count; ++k) {
      std::uint32_t index = 0;  // low bytes first, as the file has them
      std::memcpy(&index, found.first + k * found.stride, static_cast<std::size_t>(bytes_of_component(found.type)));
      if (index >= points)
        fail(where, std::to_string(index), "the place of one of " + std::to_string(points) + " points, from 0");
      indices.push_back(static_cast<int>(index));
    }
    return indices;
  }

  /// In the file, as a data: URI, or a file beside it.
  const std::string& buffer(std::size_t place) {
    if (const auto known = buffers_.find(place); known != buffers_.end())
      return root_["buffers"][place].contains("uri") ? known->second : binary_;
    const std::string where = "buffers[" + std::to_string(place) + "]";
    const GltfJson& said = element("buffers", place, where);
    const std::size_t length = whole_number(said, "byteLength", where);
    const bool apart = said.contains("uri");
    if (apart && !said["uri"].is_string()) fail(where + ".uri", said["uri"].dump(), "text");
    std::string& own = buffers_[place];
    if (apart) own = bytes_at(said["uri"].get<std::string>(), length, where);
    const std::string& bytes = apart ? own : binary_;
    if (bytes.size() < length) fail(where, std::to_string(bytes.size()) + " bytes", std::to_string(length));
    if ((read_ += own.size()) > largest_file) fail(where, "more than 1 GiB in buffers", "less");
    return bytes;
  }

  std::string bytes_at(const std::string& uri, std::size_t length, const std::string& where) const {
    if (uri.rfind("data:", 0) == 0) {
      const std::size_t comma = uri.find(";base64,");
      std::string bytes;
      if (comma == std::string::npos || !decoded(uri.substr(comma + 8), bytes))
        fail(where + ".uri", uri.substr(0, 40), "data of base 64");
      return bytes;
    }
    std::string name;
    if (!unescaped(uri, name)) fail(where + ".uri", uri, "% before two hexadecimal digits, and no %00");
    const fs::path beside = name;
    if (uri.find(':') != std::string::npos || beside.has_root_path() || leads_up(beside))
      fail(where + ".uri", uri, "data, or a file beside this one");
    return bytes_of_file((fs::path(path_).parent_path() / beside).string(), length);
  }

  std::string path_;
  GltfJson root_;
  std::string binary_;
  std::map<std::size_t, std::string> buffers_;  // those apart; the others are binary_
  std::size_t read_ = 0;                        // bytes of them
  std::map<std::size_t, std::vector<ScenePart>> meshes_;
  SceneMesh scene_;
};

}  // namespace

report::Mesh read_gltf(const std::string& path) { return Gltf(path).read(); }

}  // namespace sparsedyn
