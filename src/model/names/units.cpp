#include "model/names/units.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sparsedyn/model/joint_types.hpp"

namespace sparsedyn {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// By the component at the end of a name; a one-freedom joint has none.
bool component_of(const std::string& column, std::string& unit) {
  const std::string per = column.rfind("dq.", 0) == 0 ? "/s" : "/s²";
  const bool force = column.rfind("tau.", 0) == 0 || column.rfind("f.", 0) == 0 || column.rfind("fx.", 0) == 0;
  for (const char axis : {'x', 'y', 'z'}) {
    if (force && ends_with(column, std::string(".f") + axis)) return unit = "N", true;
    if (force && ends_with(column, std::string(".n") + axis)) return unit = "N m", true;
    if (!force && ends_with(column, std::string(".w") + axis)) return unit = "rad" + per, true;
    if (!force && ends_with(column, std::string(".v") + axis)) return unit = "m" + per, true;
  }
  return !force && ends_with(column, ".w") ? (unit = "rad" + per, true) : false;
}

/// rad or m; nothing of a quaternion's components, and of names that are no coordinate's.
std::string unit_of_coordinate(const Model& model, const std::string& name) {
  const std::vector<std::string> names = coordinate_names(model);
  const int q = static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  for (const Body& body : model.bodies) {
    if (q < body.q || q >= body.q + coordinates(body.joint)) continue;
    const Measure measure = coordinate_of(body.joint, q - body.q).measure;
    return measure == Measure::angle ? "rad" : measure == Measure::length ? "m" : "";
  }
  return "";
}

}  // namespace

std::string unit_of(const Model& model, const std::string& column) {
  std::string unit;
  const std::size_t dot = column.find('.');
  if (dot == std::string::npos) return "";
  const std::string kind = column.substr(0, dot), name = column.substr(dot + 1);
  const int joint = model.find_joint(name);
  const bool slides = joint >= 0 && model.joints[joint].kind == JointKind::prismatic;
  if (kind == "tau" && joint >= 0) return slides ? "N" : "N m";
  if (kind == "ddq" && joint >= 0) return slides ? "m/s²" : "rad/s²";
  if (kind == "dq" && joint >= 0) return slides ? "m/s" : "rad/s";
  if (kind == "q") return unit_of_coordinate(model, name);
  for (const char* known : {"tau", "f", "fx", "acc", "ddq", "dq"})
    if (kind == known && component_of(column, unit)) return unit;
  return "";
}

}  // namespace sparsedyn
