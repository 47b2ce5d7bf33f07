#include <algorithm>
#include <cctype>
#include <sstream>

#include "io/number.hpp"
#include "xml_file.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

std::string shortened(const std::string& text) { return text.size() > 80 ? text.substr(0, 80) + "…" : text; }

/// An attribute as it stands in the file.
std::string shown(const XMLAttribute& at) { return at.Name() + std::string("=\"") + shortened(at.Value()) + "\""; }

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

/// Whether the bytes are UTF-8 (RFC 3629): a leading byte says how many of 10xxxxxx follow; no surrogates, nothing overlong.
bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = static_cast<unsigned char>(text[i++]);
    const int follow = lead < 0x80 ? 0 : lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : -1;
    if (follow < 0) return false;
    unsigned code = follow == 0 ? lead : lead & (0x3Fu >> follow);
    for (int k = 0; k < follow; ++k) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
    }
    if ((follow == 2 && code < 0x800) || (follow == 3 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000))
      return false;
  }
  return true;
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
  if (!is_utf8(text)) fail(at.GetLineNum(), owner, "bytes that are not UTF-8 in " + std::string(name), "a name in UTF-8");
  return text;
}

Vec3<double> XmlFile::vector(const XMLElement& of, const char* name, const std::string& owner) const {
  const XMLAttribute& at = attribute(of, name, owner);
  const std::vector<double> n = numbers(at.Value(), 3, at.GetLineNum(), owner, shown(at));
  return {{n[0], n[1], n[2]}};
}

double XmlFile::number(const XMLElement& of, const char* name, const std::string& owner) const {
  const XMLAttribute& at = attribute(of, name, owner);
  return numbers(at.Value(), 1, at.GetLineNum(), owner, shown(at))[0];
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
