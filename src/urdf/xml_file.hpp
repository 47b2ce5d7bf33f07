// An XML text with lines, and errors that name them.
#pragma once

#include <tinyxml2.h>

#include <string>
#include <vector>

#include "sparsedyn/spatial/vec3.hpp"
#include "urdf/xml/surplus_attributes.hpp"

namespace sparsedyn::urdf {

/// A parsed XML text. The constructor throws InputError for a text that is not well-formed.
class XmlFile {
 public:
  XmlFile(const std::string& text, std::string name);

  const tinyxml2::XMLElement& root() const { return *document_.RootElement(); }
  const std::string& name() const { return name_; }
  /// Elements with more attributes than anyone reads; most of these are not in the document.
  const std::vector<LeanText::Surplus>& surplus() const { return surplus_; }

  /// Throws InputError about this file.
  [[noreturn]] void fail(long line, const std::string& element, const std::string& found, const std::string& expected) const;

  // Below, `owner` says whose element it is (`joint "elbow"`), for messages such as `joint "elbow" <axis>: …`.

  /// The only child of that name, or nullptr; a second one is an error.
  const tinyxml2::XMLElement* child(const tinyxml2::XMLElement& of, const char* element, const std::string& owner) const;
  /// An attribute that must be there and not be empty.
  const tinyxml2::XMLAttribute& attribute(const tinyxml2::XMLElement& of, const char* attribute,
                                          const std::string& owner) const;
  /// A name of something: without control characters or what xacro should have replaced.
  std::string name_of(const tinyxml2::XMLElement& of, const char* attribute, const std::string& owner) const;
  double number(const tinyxml2::XMLElement& of, const char* attribute, const std::string& owner) const;
  /// Three numbers parted by blanks.
  Vec3<double> vector(const tinyxml2::XMLElement& of, const char* attribute, const std::string& owner) const;
  /// So many of them.
  std::vector<double> numbers_of(const tinyxml2::XMLElement& of, const char* attribute, std::size_t count,
                                 const std::string& owner) const;
  /// The numbers, parted by blanks, that an element holds as its text.
  std::vector<double> numbers_in(const tinyxml2::XMLElement& element, std::size_t count, const std::string& owner) const;

 private:
  std::vector<double> numbers(const std::string& text, std::size_t count, long line, const std::string& element,
                              const std::string& shown) const;
  std::string name_;
  std::vector<LeanText::Surplus> surplus_;
  tinyxml2::XMLDocument document_;
};

/// `joint "elbow"` from an owner, `joint "elbow" <axis>` for an element inside it.
std::string inside(const std::string& owner, const tinyxml2::XMLElement& element);

}  // namespace sparsedyn::urdf
