#include "io/printable.hpp"
#include "robot_elements.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "spatial/snap.hpp"
#include "urdf/places/places.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

/// UTF-8, as robot files are; a file's name may hold what xacro or ROS replaces.
std::string text_of(const XmlFile& file, const XMLElement& of, const char* attribute, const std::string& owner) {
  const std::string text = file.attribute(of, attribute, owner).Value();
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(utf8_length(rest)))
    if (utf8_length(rest) == 0) file.fail(of.GetLineNum(), owner, "bytes that are not UTF-8", "a text in UTF-8");
  return text;
}

/// In a visual's <geometry>, of what has not its place elsewhere the first; nullptr: it shows nothing.
const XMLElement* shape_in(const XmlFile& file, const XMLElement& visual, const std::string& owner) {
  const XMLElement* geometry = file.child(visual, "geometry", owner);
  const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  while (shape && !other_place(*shape, *geometry).empty()) shape = shape->NextSiblingElement();
  return shape;
}

void read_shape(const XmlFile& file, const XMLElement& shape, const std::string& owner, VisualShape& visual) {
  const std::string here = inside(owner, shape);
  visual.shape = shape.Name();
  if (visual.shape == "mesh") {
    visual.file = text_of(file, shape, "filename", here);
    if (shape.FindAttribute("scale")) visual.size = file.vector(shape, "scale", here);
  } else if (visual.shape == "box") {
    visual.size = file.vector(shape, "size", here);
  } else if (visual.shape == "sphere") {
    visual.size = {{file.number(shape, "radius", here), 0, 0}};
  } else if (visual.shape == "cylinder" || visual.shape == "capsule") {
    visual.size = {{file.number(shape, "radius", here), file.number(shape, "length", here), 0}};
  } else {
    file.fail(shape.GetLineNum(), here, "no shape that is known here", "mesh, box, sphere, cylinder or capsule");
  }
}

VisualShape read_visual(const XmlFile& file, const XMLElement& element, const XMLElement& shape, const std::string& owner) {
  VisualShape visual;
  LoadReport unsaid;  // whose numbers move nothing
  const Origin origin = read_origin(file, element, owner, unsaid);
  visual.pose = {rotation_from_rpy(origin.rpy), origin.xyz};
  snap(visual.pose.R, 1e-14);  // the rounding of quarter turns
  if (element.FindAttribute("name") && *element.Attribute("name")) visual.name = text_of(file, element, "name", owner);
  read_shape(file, shape, owner, visual);
  return visual;
}

}  // namespace

std::vector<VisualShape> read_visuals(const XmlFile& file, const XMLElement& link, const std::string& owner,
                                      LoadReport& report) {
  std::vector<VisualShape> visuals;
  for (auto* element = link.FirstChildElement("visual"); element; element = element->NextSiblingElement("visual")) {
    const std::string here = inside(owner, *element);
    try {
      if (const XMLElement* shape = shape_in(file, *element, here))
        visuals.push_back(read_visual(file, *element, *shape, here));
    } catch (const InputError& error) {
      report.warnings.push_back(std::string(error.what()) + "; the shape is left out");
    }
  }
  return visuals;
}

}  // namespace sparsedyn::urdf
