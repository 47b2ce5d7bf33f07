#include "places.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;
using Names = std::vector<const char*>;

bool among(const Names& names, const char* name) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return std::strcmp(n, name) == 0; });
}

/// Kinds of elements with the parents below which they are in their place.
struct Rule {
  Names kinds, parents;
  const char* place;
};
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {{"link", "joint"}, {"robot"}, "in <robot> itself"},
      {{"transmission"}, {"robot", "ros2_control"}, "in <robot> itself"},
      {{"inertial"}, {"link"}, "in <link>"},
      {{"mass", "inertia"}, {"inertial"}, "in <inertial>"},
      {{"axis", "parent", "child", "mimic", "limit", "dynamics"}, {"joint"}, "in <joint>"},
      {{"origin"}, {"inertial", "joint", "visual", "collision"}, "in <joint>, or in <inertial>"},
      {{"pose"}, {}, "to SDF; a URDF says <origin xyz=\"…\" rpy=\"…\"/>, in <joint> or <inertial>"},
      {{"rpy", "quat_xyzw"}, {}, "among the attributes of <origin>"},
      {{"xyz"}, {}, "among the attributes of <origin> or <axis>"},
      {{"mechanicalReduction", "motorInertia", "drake:gear_ratio", "drake:rotor_inertia"},
       {},
       "in the <actuator> of a <transmission>"},
      {{"springStiffness", "springReference"}, {}, "in <gazebo reference=\"JOINT\">"}};
  return all;
}

/// A body without children would enter as the tensor alone; one that holds a mass is an <inertial> with a letter missing.
bool is_misspelt_inertial(const XMLElement& element) {
  return std::strcmp(element.Name(), "inertia") == 0 && element.FirstChildElement() != nullptr;
}

}  // namespace

std::string other_place(const XMLElement& element, const XMLElement& parent) {
  if (is_misspelt_inertial(element)) return "";
  for (const Rule& rule : rules()) {
    if (!among(rule.kinds, element.Name())) continue;
    return among(rule.parents, parent.Name()) ? "" : rule.place;
  }
  return "";
}

std::string element_with(const std::string& attribute) {
  struct Owner {
    Names attributes;
    const char* element;
  };
  static const std::vector<Owner> owners = {
      {{"rpy", "quat_xyzw"}, "<origin>"},
      {{"xyz"}, "<origin> or <axis>"},
      {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, "<inertia>"},
      {{"mass"}, "<mass value=\"…\"/>"},
      {{"axis"}, "<axis xyz=\"…\"/>"},
      {{"lower", "upper", "effort", "velocity"}, "<limit>"},
      {{"damping", "friction"}, "<dynamics>"},
      {{"multiplier"}, "<mimic>"},
  };
  for (const Owner& owner : owners)
    if (among(owner.attributes, attribute.c_str())) return owner.element;
  return "";
}

}  // namespace sparsedyn::urdf
