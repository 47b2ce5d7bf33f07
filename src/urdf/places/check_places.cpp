#include <algorithm>
#include <cstring>
#include <vector>

#include "io/suggestions.hpp"
#include "places.hpp"
#include "urdf/robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

/// An element that is read, with the attributes that are.
struct Read {
  const char* kind;
  bool leaf;  // what it says stands in attributes
  std::vector<std::string> attributes;
};
const Read* find_read(const char* kind) {
  static const std::vector<Read> all = {
      {"robot", false, {"name", "version"}},
      {"link", false, {"name"}},
      {"joint", false, {"name", "type"}},
      {"inertial", false, {}},
      {"visual", false, {"name"}},
      {"collision", false, {"name"}},
      {"mass", true, {"value"}},
      {"inertia", true, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}},
      {"origin", true, {"xyz", "rpy", "quat_xyzw"}},
      {"parent", true, {"link"}},
      {"child", true, {"link"}},
      {"axis", true, {"xyz"}},
      {"limit", true, {"lower", "upper", "effort", "velocity"}},
      {"dynamics", true, {"damping", "friction"}},
      {"mimic", true, {"joint", "multiplier", "offset"}},
  };
  for (const Read& read : all)
    if (std::strcmp(read.kind, kind) == 0) return &read;
  return nullptr;
}

bool is(const XMLElement& element, const char* kind) { return std::strcmp(element.Name(), kind) == 0; }

/// Parts that simulators, controllers and sensors read: they have joints, origins and limits of their own.
bool is_of_others(const XMLElement& element) {
  static const std::vector<std::string> kinds = {"gazebo",   "transmission", "ros2_control", "sensor",
                                                 "material", "mujoco",       "geometry",     "plugin"};
  const std::string kind = element.Name();
  return kind.find(':') != std::string::npos || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

class Walk {
 public:
  Walk(const XmlFile& file, bool lenient, LoadReport& report) : file_(file), lenient_(lenient), report_(report) {
    for (auto* a = file.root().FirstAttribute(); a; a = a->Next())
      if (std::strncmp(a->Name(), "xmlns:", 6) == 0 && std::strstr(a->Value(), "/xacro"))
        macros_.push_back(std::string(a->Name() + 6) + ":");
  }

  /// `parent` is read. At most as deep as tinyxml2 reads, 100.
  void children(const XMLElement& parent, const std::string& owner) {
    for (auto* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) child(*e, parent, owner);
  }

 private:
  void child(const XMLElement& e, const XMLElement& parent, const std::string& owner) {
    if (is_macro(e) && !is(parent, "visual") && !is(parent, "collision")) return macro(e, owner);
    if (is(parent, "robot") && is(e, "drake:joint"))
      file_.fail(e.GetLineNum(), here(e, owner), "a joint that Drake alone reads",
                 "<joint> of a type that URDFs have; a ball joint as three revolute ones, a screw in C++");
    if (is(parent, "robot") && is_old_macro(e))
      return warn(file_, e.GetLineNum(), here(e, owner), "xacro's, which has not expanded it; passed over", report_);
    if (std::string place = other_place(e, parent); !place.empty()) return misplaced(e, owner, place);
    if (const Read* const read = find_read(e.Name()); read && !below_geometry(parent)) {
      attributes(e, *read, here(e, owner));
      if (read->leaf) text(e, *read, here(e, owner));
      return children(e, here(e, owner));
    }
    hidden(e, here(e, owner), is_of_others(e));
  }

  /// Parts of the robot in elements that nobody reads.
  void hidden(const XMLElement& of, const std::string& owner, bool of_others) {
    for (auto* e = of.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const bool body = is(*e, "link") || (is(*e, "joint") && e->FirstChildElement("parent"));
      if (!of_others && is_macro(*e))
        macro(*e, owner);
      else if (is(*e, "inertial"))
        misplaced(*e, owner, "in <link>");
      else if (body && !of_others)
        misplaced(*e, owner, "in <robot> itself");
      else
        hidden(*e, inside(owner, *e), of_others || is_of_others(*e));
    }
  }

  void misplaced(const XMLElement& e, const std::string& owner, const std::string& place) {
    warn(file_, e.GetLineNum(), here(e, owner), "does not enter here; it belongs " + place, report_);
  }

  /// <origin> and <axis> warn of every attribute that they do not read, <mimic> and <dynamics> where they are.
  void attributes(const XMLElement& e, const Read& read, const std::string& owner) {
    if (is(e, "origin") || is(e, "axis") || is(e, "mimic") || is(e, "dynamics") || is(e, "robot")) return;
    for (auto* a = e.FirstAttribute(); a; a = a->Next()) {
      const std::string name = a->Name();
      if (std::find(read.attributes.begin(), read.attributes.end(), name) != read.attributes.end()) continue;
      const auto resembles = [&](const std::string& other) { return other.size() > 4 && edit_distance(name, other) <= 2; };
      const auto meant = std::find_if(read.attributes.begin(), read.attributes.end(), resembles);
      if (const std::string place = element_with(name); !place.empty())
        warn(file_, a->GetLineNum(), owner, "attribute " + name + " does not enter here; it belongs in " + place, report_);
      else if (meant != read.attributes.end())
        warn(file_, a->GetLineNum(), owner, "attribute " + name + " is passed over; " + *meant + " may have been meant",
             report_);
      else if (is(e, "limit") && (name == "min" || name == "max"))
        warn(file_, a->GetLineNum(), owner, "attribute " + name + " is passed over; a URDF says lower and upper", report_);
    }
  }

  void text(const XMLElement& e, const Read& read, const std::string& owner) {
    for (auto* node = e.FirstChild(); node; node = node->NextSibling()) {
      if (!node->ToText() || std::strspn(node->Value(), " \t\r\n") == std::strlen(node->Value())) continue;
      warn(file_, node->GetLineNum(), owner, "its text does not enter; a URDF says " + read.attributes.front() + "=\"…\"",
           report_);
    }
  }

  bool is_macro(const XMLElement& e) const {
    const std::string kind = e.Name();
    return kind.rfind("xacro:", 0) == 0 ||
           std::any_of(macros_.begin(), macros_.end(), [&](const std::string& prefix) { return kind.rfind(prefix, 0) == 0; });
  }

  /// Of the time before macros had a prefix.
  static bool is_old_macro(const XMLElement& e) {
    return is(e, "include") || is(e, "macro") || is(e, "property") || is(e, "insert_block");
  }

  void macro(const XMLElement& e, const std::string& owner) {
    if (!lenient_)
      file_.fail(e.GetLineNum(), here(e, owner), "a macro",
                 "a URDF whose macros xacro has expanded (--lenient passes them over)");
    warn(file_, e.GetLineNum(), here(e, owner), "a macro that xacro has not expanded; passed over", report_);
  }

  /// `link "arm" <origin>`; of the robot's own children `<origin>` alone, or with a name.
  static std::string here(const XMLElement& e, const std::string& owner) {
    if (!owner.empty()) return inside(owner, e);
    const char* const name = e.Attribute("name");
    return name && find_read(e.Name()) ? std::string(e.Name()) + " \"" + name + "\"" : "<" + std::string(e.Name()) + ">";
  }
  static bool below_geometry(const XMLElement& parent) { return is(parent, "visual") || is(parent, "collision"); }

  const XmlFile& file_;
  const bool lenient_;
  LoadReport& report_;
  std::vector<std::string> macros_;  // prefixes
};

}  // namespace

void check_places(const XmlFile& file, bool lenient, LoadReport& report) {
  Walk(file, lenient, report).children(file.root(), "");
}

}  // namespace sparsedyn::urdf
