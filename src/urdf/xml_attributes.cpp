#include <algorithm>
#include <cctype>
#include <sstream>

#include "sparsedyn/io/number.hpp"
#include "xml_file.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// An attribute as it stands in the file, cut where it is long.
std::string shown(const XMLAttribute& at) {
  const std::string value = at.Value();
  return at.Name() + std::string("=\"") + (value.size() > 80 ? value.substr(0, 80) + "…" : value) + "\"";
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

}  // namespace

std::string inside(const std::string& owner, const XMLElement& element) { return owner + " <" + element.Name() + ">"; }

const XMLElement* XmlFile::child(const XMLElement& of, const char* element, const std::string& owner) const {
  const XMLElement* first = of.FirstChildElement(element);
  if (const XMLElement* second = first ? first->NextSiblingElement(element) : nullptr)
    fail(second->GetLineNum(), inside(owner, *second), "a second one", "one <" + std::string(element) + ">");
  return first;
}

const XMLAttribute& XmlFile::attribute(const XMLElement& of, const char* name, const std::string& owner) const {
  const XMLAttribute* found = of.FindAttribute(name);
  if (!found) fail(of.GetLineNum(), owner, "no " + std::string(name), std::string(name) + "=\"…\"");
  if (!*found->Value()) fail(found->GetLineNum(), owner, shown(*found), "a text that is not empty");
  return *found;
}

std::string XmlFile::name_of(const XMLElement& of, const char* name, const std::string& owner) const {
  const XMLAttribute& at = attribute(of, name, owner);
  const std::string text = at.Value();
  if (text.find("${") != std::string::npos) fail(at.GetLineNum(), owner, shown(at), "a URDF whose macros xacro has expanded");
  if (std::any_of(text.begin(), text.end(), [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); }))
    fail(at.GetLineNum(), owner, "a control character in " + std::string(name), "a name of printable characters");
  return text;
}

Vec3<double> XmlFile::vector(const XMLElement& of, const char* name, const std::string& owner) const {
  const std::vector<double> n = numbers(attribute(of, name, owner), 3, owner, "three decimal numbers parted by blanks");
  return {{n[0], n[1], n[2]}};
}

double XmlFile::number(const XMLElement& of, const char* name, const std::string& owner) const {
  return numbers(attribute(of, name, owner), 1, owner, "a decimal number")[0];
}

std::vector<double> XmlFile::numbers(const XMLAttribute& at, std::size_t count, const std::string& owner,
                                     const std::string& expected) const {
  const std::vector<std::string> parts = words(at.Value());
  if (parts.size() != count) fail(at.GetLineNum(), owner, shown(at), expected);
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) {
    const NumberText read = read_number(parts[k], values[k]);
    if (read == NumberText::too_large) fail(at.GetLineNum(), owner, shown(at), "numbers below 1.8e308");
    if (read == NumberText::not_a_number) fail(at.GetLineNum(), owner, shown(at), expected);
  }
  return values;
}

}  // namespace sparsedyn::urdf
