#include <algorithm>

#include "io/printable.hpp"
#include "io/suggestions.hpp"
#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

/// Elements and attributes of URDFs that resemble others by chance, not by mistake.
const std::vector<std::string> known = {"limit",        "dynamics", "material", "gazebo",
                                        "transmission", "sensor",   "visual",   "collision"};

bool among(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The one of `read` that `name` was probably meant to be, or nothing: one edit, two in longer names.
std::string meant(const std::string& name, const std::vector<std::string>& read) {
  for (const std::string& candidate : read)
    if (edit_distance(name, candidate) <= (candidate.size() > 4 ? 2 : 1) && !among(known, name)) return candidate;
  return "";
}

}  // namespace

void warn(const XmlFile& file, long line, const std::string& element, const std::string& text, LoadReport& report) {
  report.warnings.push_back(printable(file.name() + ":" + std::to_string(line) + ": " + element + ": " + text));
}

void note_ignored_children(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner,
                           const std::vector<std::string>& read, const std::vector<std::string>& elsewhere,
                           LoadReport& report) {
  for (auto* e = of.FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string kind = e->Name();
    if (among(read, kind) || among(elsewhere, kind)) continue;
    report.ignored.push_back(kind);
    const std::string candidate = meant(kind, read);
    if (!candidate.empty())
      warn(file, e->GetLineNum(), inside(owner, *e), "passed over; <" + candidate + "> may have been meant", report);
  }
}

void note_ignored_attributes(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner,
                             const std::vector<std::string>& read, LoadReport& report) {
  for (auto* a = of.FirstAttribute(); a; a = a->Next())
    if (!among(read, a->Name()))
      warn(file, a->GetLineNum(), owner, "attribute " + std::string(a->Name()) + " is passed over", report);
}

}  // namespace sparsedyn::urdf
