#include <tinyxml2.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "io/number.hpp"
#include "io/printable.hpp"
#include "io/text/how_many.hpp"
#include "meshes/mesh_kinds.hpp"
#include "meshes/scene.hpp"

namespace sparsedyn {
namespace {

using Element = tinyxml2::XMLElement;

constexpr double pi_over_180 = 3.14159265358979323846 / 180;
constexpr int most_corners_at_once = 64;  // inputs of one corner

std::string attribute(const Element& of, const char* name) {
  const char* const text = of.Attribute(name);
  return text ? text : "";
}

template <class Number>
bool fits(double value) {
  const auto most = static_cast<double>(std::numeric_limits<Number>::max());
  return std::abs(value) < report::largest_coordinate && std::abs(value) <= most &&
         static_cast<double>(static_cast<Number>(value)) == value;
}

class Collada {
 public:
  explicit Collada(const std::string& path) : path_(path), scene_(path) {
    if (file_.LoadFile(path.c_str()) != tinyxml2::XML_SUCCESS)
      throw InputError(path, file_.ErrorLineNum(), "", "no XML that can be read (" + printable(file_.ErrorName()) + ")",
                       "COLLADA");
    root_ = file_.FirstChildElement("COLLADA");
    if (!root_) throw InputError(path, 0, "", "no element <COLLADA>", "COLLADA");
    list_elements(*root_, 0);
  }

  report::Mesh read() {
    const Transform in_metres = Eigen::Vector4d(unit(), unit(), unit(), 1).asDiagonal();
    if (const Element* scene = visual_scene()) {
      for (const Element* node = scene->FirstChildElement("node"); node; node = node->NextSiblingElement("node"))
        visit(*node, in_metres, 1);
    } else {
      for (const auto& [id, element] : elements_)
        if (std::strcmp(element->Name(), "geometry") == 0) scene_.add(part_of(*element), in_metres);
    }
    return std::move(scene_.mesh());
  }

 private:
  [[noreturn]] void fail(const Element& at, const std::string& found, const std::string& expected) const {
    throw InputError(path_, at.GetLineNum(), std::string("<") + at.Name() + ">", printable(found), expected);
  }

  /// All that something may refer to.
  void list_elements(const Element& from, int depth) {
    if (depth > 2 * deepest_node) fail(from, "elements more than 128 deep", "fewer");
    for (const Element* each = from.FirstChildElement(); each; each = each->NextSiblingElement()) {
      if (const std::string id = attribute(*each, "id"); !id.empty()) elements_.emplace(id, each);
      list_elements(*each, depth + 1);
    }
  }

  /// The element of that name that an attribute `#ID` refers to.
  const Element& referred(const Element& from, const char* by, const char* name) const {
    const std::string text = attribute(from, by);
    const auto found = text.rfind('#', 0) == 0 ? elements_.find(text.substr(1)) : elements_.end();
    if (found == elements_.end() || std::strcmp(found->second->Name(), name) != 0)
      fail(from, std::string(by) + "=\"" + text + "\"", std::string("#ID of a <") + name + "> of this file");
    return *found->second;
  }

  double unit() const {
    const Element* const asset = root_->FirstChildElement("asset");
    const Element* const said = asset ? asset->FirstChildElement("unit") : nullptr;
    if (!said || !said->Attribute("meter")) return 1;
    double metres = 0;
    if (read_number(attribute(*said, "meter"), metres) != NumberText::number || !(metres > 0 && metres <= 1e6))
      fail(*said, "meter=\"" + attribute(*said, "meter") + "\"", "metres above 0, at most 1e6");
    return metres;
  }

  const Element* visual_scene() const {
    const Element* const scene = root_->FirstChildElement("scene");
    if (const Element* shown = scene ? scene->FirstChildElement("instance_visual_scene") : nullptr)
      return &referred(*shown, "url", "visual_scene");
    const Element* const library = root_->FirstChildElement("library_visual_scenes");
    return library ? library->FirstChildElement("visual_scene") : nullptr;
  }

  /// Numbers with blanks between them.
  template <class Number>
  std::vector<Number> numbers_in(const Element& of) const {
    std::vector<Number> numbers;
    const char* at = of.GetText() ? of.GetText() : "";
    while (*(at += std::strspn(at, " \t\r\n"))) {
      const std::size_t size = std::strcspn(at, " \t\r\n");
      double value = 0;
      if (read_number(std::string_view(at, size), value) != NumberText::number)
        fail(of, "\"" + std::string(at, std::min<std::size_t>(size, 40)) + "\"", "a number");
      if (!fits<Number>(value)) fail(of, "\"" + std::string(at, std::min<std::size_t>(size, 40)) + "\"", "a number that fits");
      numbers.push_back(static_cast<Number>(value));
      at += size;
    }
    return numbers;
  }

  std::vector<double> so_many_in(const Element& of, std::size_t due) const {
    std::vector<double> numbers = numbers_in<double>(of);
    if (numbers.size() != due) fail(of, how_many(static_cast<long>(numbers.size()), "number", "numbers"), std::to_string(due));
    return numbers;
  }

  /// Of one element of a node; the identity for what is no transform.
  Transform transform_of(const Element& element) const {
    Transform T = Transform::Identity();
    const std::string name = element.Name();
    if (name == "matrix") {
      const std::vector<double> m = so_many_in(element, 16);
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) T(i, k) = m[static_cast<std::size_t>(4 * i + k)];
    } else if (name == "translate") {
      const std::vector<double> d = so_many_in(element, 3);
      T.topRightCorner<3, 1>() = Eigen::Vector3d(d[0], d[1], d[2]);
    } else if (name == "scale") {
      const std::vector<double> s = so_many_in(element, 3);
      T.diagonal() << s[0], s[1], s[2], 1;
    } else if (name == "rotate") {
      const std::vector<double> r = so_many_in(element, 4);
      const Eigen::Vector3d axis(r[0], r[1], r[2]);
      if (!(axis.norm() > 0)) fail(element, "an axis of no length", "x y z and degrees");
      T.topLeftCorner<3, 3>() = Eigen::AngleAxisd(pi_over_180 * r[3], axis.normalized()).toRotationMatrix();
    } else if (name == "lookat" || name == "skew") {
      fail(element, "a transform of another kind", "matrix, translate, rotate or scale");
    }
    return T;
  }

  void visit(const Element& node, Transform at, int depth) {
    scene_.enter(depth);
    for (const Element* each = node.FirstChildElement(); each; each = each->NextSiblingElement()) {
      const std::string name = each->Name();
      if (name == "node")
        visit(*each, at, depth + 1);
      else if (name == "instance_node")
        visit(referred(*each, "url", "node"), at, depth + 1);
      else if (name == "instance_geometry")
        scene_.add(part(referred(*each, "url", "geometry")), at);
      else
        at = at * transform_of(*each);
    }
  }

  /// Each geometry is read once.
  const ScenePart& part(const Element& geometry) {
    const auto known = parts_.find(&geometry);
    return known != parts_.end() ? known->second : parts_.emplace(&geometry, part_of(geometry)).first->second;
  }

  ScenePart part_of(const Element& geometry) {
    ScenePart part;
    const Element* const mesh = geometry.FirstChildElement("mesh");
    if (!mesh) return part;
    const Element* points_of = nullptr;
    for (const Element* each = mesh->FirstChildElement(); each; each = each->NextSiblingElement()) {
      const std::string name = each->Name();
      if (name != "triangles" && name != "polylist" && name != "polygons" && name != "tristrips" && name != "trifans") continue;
      const Corner corner = corner_of(*each);
      if (!points_of) {
        points_of = corner.source, part.points = points_in(*points_of);
        scene_.read(part.points.size(), 0);
      }
      if (points_of != corner.source) fail(*each, "points of another <source> than above", "one <vertices> of a <mesh>");
      add_primitive(*each, corner, part);
    }
    scene_.read(0, part.triangles.size());
    return part;
  }

  struct Corner {
    const Element* source = nullptr;  // of positions
    std::size_t offset = 0, stride = 1;
  };

  /// Where a corner's point stands among the numbers of a primitive.
  Corner corner_of(const Element& primitive) const {
    Corner corner;
    for (const Element* input = primitive.FirstChildElement("input"); input; input = input->NextSiblingElement("input")) {
      const int offset = input->IntAttribute("offset", 0);
      if (offset < 0 || offset >= most_corners_at_once) fail(*input, "offset " + std::to_string(offset), "0 to 63");
      corner.stride = std::max(corner.stride, static_cast<std::size_t>(offset) + 1);
      if (attribute(*input, "semantic") != "VERTEX") continue;
      corner.offset = static_cast<std::size_t>(offset);
      const Element& vertices = referred(*input, "source", "vertices");
      for (const Element* each = vertices.FirstChildElement("input"); each; each = each->NextSiblingElement("input"))
        if (attribute(*each, "semantic") == "POSITION") corner.source = &referred(*each, "source", "source");
    }
    if (!corner.source) fail(primitive, "no input VERTEX with a POSITION", "one");
    return corner;
  }

  std::vector<Eigen::Vector3d> points_in(const Element& source) const {
    const Element* const array = source.FirstChildElement("float_array");
    if (!array) fail(source, "no <float_array>", "one");
    const Element* const technique = source.FirstChildElement("technique_common");
    const Element* const accessor = technique ? technique->FirstChildElement("accessor") : nullptr;
    const int stride = accessor ? accessor->IntAttribute("stride", 1) : 3;
    const int first = accessor ? accessor->IntAttribute("offset", 0) : 0;
    if (stride < 3 || stride > 1000 || first < 0)
      fail(accessor ? *accessor : source, "stride " + std::to_string(stride), "3 to 1000, from an offset of 0 or more");
    const std::vector<double> numbers = numbers_in<double>(*array);
    std::vector<Eigen::Vector3d> points;
    for (std::size_t k = static_cast<std::size_t>(first); k + 3 <= numbers.size(); k += static_cast<std::size_t>(stride))
      points.emplace_back(numbers[k], numbers[k + 1], numbers[k + 2]);
    return points;
  }

  /// The points of the corners that a <p> lists.
  std::vector<int> corners_in(const Element& list, const Corner& corner, std::size_t points) const {
    const std::vector<int> numbers = numbers_in<int>(list);
    if (numbers.size() % corner.stride != 0)
      fail(list, how_many(static_cast<long>(numbers.size()), "number", "numbers"),
           "a multiple of " + std::to_string(corner.stride));
    std::vector<int> corners;
    for (std::size_t k = corner.offset; k < numbers.size(); k += corner.stride) {
      if (numbers[k] < 0 || static_cast<std::size_t>(numbers[k]) >= points)
        fail(list, std::to_string(numbers[k]), "the place of one of " + std::to_string(points) + " points, from 0");
      corners.push_back(numbers[k]);
    }
    return corners;
  }

  void add_primitive(const Element& primitive, const Corner& corner, ScenePart& part) const {
    const std::string name = primitive.Name();
    const Element* const counts = primitive.FirstChildElement("vcount");
    for (const Element* list = primitive.FirstChildElement("p"); list; list = list->NextSiblingElement("p")) {
      const std::vector<int> corners = corners_in(*list, corner, part.points.size());
      if (name == "triangles" && corners.size() % 3 != 0)
        fail(*list, how_many(static_cast<long>(corners.size()), "corner", "corners"), "three a triangle");
      if (name == "triangles")
        add_triangles(corners, part.triangles);
      else if (name == "tristrips")
        add_strip(corners, part.triangles);
      else if (name != "polylist")
        add_fan(corners, part.triangles);
      else if (counts)
        add_polygons(*counts, corners, part);
      else
        fail(primitive, "no <vcount>", "one");
    }
  }

  void add_polygons(const Element& counts, const std::vector<int>& corners, ScenePart& part) const {
    auto at = corners.begin();
    for (int count : numbers_in<int>(counts)) {
      if (count < 0 || count > corners.end() - at) fail(counts, how_many(count, "corner", "corners"), "as many as <p> lists");
      add_fan({at, at + count}, part.triangles);
      at += count;
    }
  }

  std::string path_;
  tinyxml2::XMLDocument file_;
  const Element* root_ = nullptr;
  std::map<std::string, const Element*> elements_;  // by id
  std::map<const Element*, ScenePart> parts_;
  SceneMesh scene_;
};

}  // namespace

report::Mesh read_collada(const std::string& path) { return Collada(path).read(); }

}  // namespace sparsedyn
