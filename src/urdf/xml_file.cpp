#include "xml_file.hpp"

#include <algorithm>

#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::urdf {
namespace {

long line_at(const std::string& text, std::size_t position) {
  return 1 + static_cast<long>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

/// What tinyxml2 found wrong, in words.
std::string found(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT: return "an element that is closed by another name or not at all";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT: return "a broken tag";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "a broken or repeated attribute";
    case tinyxml2::XML_ERROR_PARSING_COMMENT: return "a comment without end";
    case tinyxml2::XML_ERROR_PARSING_CDATA: return "a CDATA section without end";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION: return "a broken or misplaced <? … ?>";
    case tinyxml2::XML_ERROR_PARSING_UNKNOWN: return "a <! … without end";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED: return "elements nested deeper than 100";
    default: return "text that is not XML";
  }
}

}  // namespace

XmlFile::XmlFile(const std::string& text, std::string name) : name_(std::move(name)) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos) fail(line_at(text, zero), "", "a zero byte", "an XML text in UTF-8");
  WrongTag wrong;
  LeanText lean = without_surplus(text, wrong);
  if (wrong.position != std::string::npos) fail(line_at(text, wrong.position), "", wrong.what, "well-formed XML");
  surplus_ = std::move(lean.surplus);
  const auto error = document_.Parse(lean.text.data(), lean.text.size());
  if (error == tinyxml2::XML_ERROR_EMPTY_DOCUMENT) fail(1, "", "an empty file", "a <robot> element");
  if (error != tinyxml2::XML_SUCCESS) fail(std::max(1, document_.ErrorLineNum()), "", found(error), "well-formed XML");
  if (!document_.RootElement()) fail(1, "", "no element", "a <robot> element");
  for (auto* node = document_.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToText()) fail(node->GetLineNum(), "", "text outside of any element", "well-formed XML");
    if (node->ToElement() && node != document_.RootElement())
      fail(node->GetLineNum(), "<" + std::string(node->Value()) + ">", "a second outermost element", "one <robot>");
  }
}

void XmlFile::fail(long line, const std::string& element, const std::string& what, const std::string& expected) const {
  throw InputError(name_, line, element, what, expected);
}

}  // namespace sparsedyn::urdf
