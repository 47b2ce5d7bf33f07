#include "model/names/units.hpp"

#include <array>
#include <utility>

namespace sparsedyn {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// By the component at the end of a name; a one-freedom joint has none.
bool component_of(const std::string& column, std::string& unit) {
  const bool force = column.rfind("tau.", 0) == 0 || column.rfind("f.", 0) == 0 || column.rfind("fx.", 0) == 0;
  for (const char axis : {'x', 'y', 'z'}) {
    if (force && ends_with(column, std::string(".f") + axis)) return unit = "N", true;
    if (force && ends_with(column, std::string(".n") + axis)) return unit = "N m", true;
    if (!force && ends_with(column, std::string(".w") + axis)) return unit = "rad/s²", true;
    if (!force && ends_with(column, std::string(".v") + axis)) return unit = "m/s²", true;
  }
  return !force && ends_with(column, ".w") ? (unit = "rad/s²", true) : false;
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
  for (const char* known : {"tau", "f", "fx", "acc", "ddq"})
    if (kind == known && component_of(column, unit)) return unit;
  return "";
}

}  // namespace sparsedyn
