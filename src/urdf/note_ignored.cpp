#include <algorithm>
#include <cctype>

#include "io/printable.hpp"
#include "io/suggestions.hpp"
#include "robot_elements.hpp"
#include "urdf/places/places.hpp"

namespace sparsedyn::urdf {
namespace {

/// Elements and attributes of URDFs that resemble others by chance, not by mistake.
const std::vector<std::string> known = {"limit",        "dynamics", "material", "gazebo",
                                        "transmission", "sensor",   "visual",   "collision"};

bool among(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string in_small_letters(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// The one of `read` that `name` was probably meant to be, or nothing: one edit, two in longer names, and capital letters.
std::string meant(const std::string& name, const std::vector<std::string>& read) {
  for (const std::string& candidate : read)
    if (edit_distance(in_small_letters(name), candidate) <= (candidate.size() > 4 ? 2 : 1) && !among(known, name))
      return candidate;
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
    if (among(read, kind) || among(elsewhere, kind) || !other_place(*e, of).empty()) continue;
    report.ignored.push_back(kind);
    const std::string candidate = meant(kind, read);
    if (!candidate.empty())
      warn(file, e->GetLineNum(), inside(owner, *e), "passed over; <" + candidate + "> may have been meant", report);
  }
}

void note_repeated(const XmlFile& file, const tinyxml2::XMLElement& of, const char* kind, const std::string& owner,
                   LoadReport& report) {
  const tinyxml2::XMLElement* const first = of.FirstChildElement(kind);
  for (auto* e = first ? first->NextSiblingElement(kind) : nullptr; e; e = e->NextSiblingElement(kind))
    warn(file, e->GetLineNum(), inside(owner, *e),
         "a second one is passed over; that of line " + std::to_string(first->GetLineNum()) + " counts", report);
}

void note_ignored_attributes(const XmlFile& file, const tinyxml2::XMLElement& of, const std::string& owner,
                             const std::vector<std::string>& read, LoadReport& report) {
  for (auto* a = of.FirstAttribute(); a; a = a->Next())
    if (!among(read, a->Name())) {
      const std::string place = element_with(a->Name());
      warn(file, a->GetLineNum(), owner,
           "attribute " + std::string(a->Name()) + " is passed over" + (place.empty() ? "" : "; it belongs in " + place),
           report);
    }
}

}  // namespace sparsedyn::urdf
