// Elements of very many attributes. tinyxml2 compares each attribute of an element with all before it, so that the time to read
// one grows with the square of their number. No reader asks for more than a few dozen names; of an element that has more
// attributes than that, the others are taken out beforehand, in time proportional to the text.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::urdf {

/// What a text is without attributes that nobody reads, in elements of more than `most_attributes`. Lines stay where they are.
struct LeanText {
  struct Surplus {
    long line;            // of the element
    std::string element;  // its name
    std::size_t count;    // attributes that were taken out
  };
  std::string text;
  std::vector<Surplus> surplus;
};

/// Elements with no more of them are left as they are.
constexpr std::size_t most_attributes = 64;

/// Where a text cannot be XML, and why.
struct WrongTag {
  std::size_t position = std::string::npos;  // npos: nothing was found wrong
  const char* what = "";
};

/// A tag that is broken is left for the parser to refuse, unless it has more than `most_attributes` before that. Then, and
/// where an attribute of such an element stands twice, `wrong` says so, and the rest of the text is not looked at.
LeanText without_surplus(const std::string& text, WrongTag& wrong);

}  // namespace sparsedyn::urdf
