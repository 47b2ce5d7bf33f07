// The tags of an XML text, and pieces of it replaced: all else stays as it was, to the byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsedyn {

/// A tag of the text: <name …>, <name …/> or </name>.
struct Tag {
  std::size_t begin, end;  // of the text between them, brackets included
  std::string_view name;
  bool closes, empty;

  /// How it changes the number of elements that are open.
  int step() const { return closes ? -1 : empty ? 0 : 1; }
};

/// The next tag from `at` on; comments, declarations and processing instructions are passed over. begin = npos: none.
Tag next_tag(std::string_view text, std::size_t at);

/// Where the value of name="…" stands in a tag's text, without its quotes; begin = npos: nowhere.
struct AttributeValue {
  std::size_t begin, end;
};
AttributeValue find_attribute(std::string_view tag, std::string_view name);

/// The value of name="…" in a tag; empty where it has none.
std::string name_attribute(std::string_view tag);

/// The tag with this value of an attribute, in its place or as the last.
std::string with_attribute(const std::string& tag, std::string_view name, const std::string& value);

/// The blanks before position `at`, if nothing else stands before it on its line.
std::string indentation(std::string_view text, std::size_t at);

/// A piece of the text and what stands there instead.
struct Change {
  std::size_t begin, end;
  std::string text;
};

/// `changes`: in the order of the text, apart from each other.
std::string with_changes(const std::string& text, const std::vector<Change>& changes);

}  // namespace sparsedyn
