#include <algorithm>
#include <sstream>
#include <string_view>

#include "io/number.hpp"
#include "io/printable.hpp"
#include "xml_file.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// Cut between characters.
std::string shortened(const std::string& text) {
  std::size_t end = std::min<std::size_t>(text.size(), 80);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end < text.size() ? text.substr(0, end) + "…" : text;
}

/// An attribute as it stands in the file.
std::string shown(const XMLAttribute& at) { return at.Name() + std::string("=\"") + shortened(at.Value()) + "\""; }

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

/// Calls refuse(what) for the first character that no name may have.
template <class Refuse>
void check_characters(std::string_view text, Refuse&& refuse) {
  for (std::size_t length; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0) return refuse("bytes that are not UTF-8", "a name in UTF-8");
    if (is_control(text.substr(0, length))) return refuse("a control character", "a name of printable characters");
  }
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
  check_characters(text, [&](const char* found, const char* expected) {
    fail(at.GetLineNum(), owner, found + std::string(" in ") + name, expected);
  });
  return text;
}

std::vector<double> XmlFile::numbers_of(const XMLElement& of, const char* name, std::size_t count,
                                        const std::string& owner) const {
  const XMLAttribute& at = attribute(of, name, owner);
  return numbers(at.Value(), count, at.GetLineNum(), owner, shown(at));
}

Vec3<double> XmlFile::vector(const XMLElement& of, const char* name, const std::string& owner) const {
  const std::vector<double> n = numbers_of(of, name, 3, owner);
  return {{n[0], n[1], n[2]}};
}

double XmlFile::number(const XMLElement& of, const char* name, const std::string& owner) const {
  return numbers_of(of, name, 1, owner)[0];
}

std::vector<double> XmlFile::numbers_in(const XMLElement& element, std::size_t count, const std::string& owner) const {
  const std::string text = element.GetText() ? element.GetText() : "";
  return numbers(text, count, element.GetLineNum(), inside(owner, element), "\"" + shortened(text) + "\"");
}

std::vector<double> XmlFile::numbers(const std::string& text, std::size_t count, long line, const std::string& element,
                                     const std::string& text_shown) const {
  const std::string expected =
      count == 1 ? "a decimal number" : (count == 3 ? "three" : std::to_string(count)) + " decimal numbers parted by blanks";
  const std::vector<std::string> parts = words(text);
  if (parts.size() != count) fail(line, element, text_shown, expected);
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) {
    const NumberText read = read_number(parts[k], values[k]);
    if (read == NumberText::too_large) fail(line, element, text_shown, "numbers below 1.8e308");
    if (read == NumberText::not_a_number) fail(line, element, text_shown, expected);
  }
  return values;
}

}  // namespace sparsedyn::urdf
