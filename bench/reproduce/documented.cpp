#include "documented.hpp"

#include <cstdio>

#include "io/text_file.hpp"

namespace sparsedyn::reproduce {
namespace {

/// The page's line that begins as `text` does, up to its second cell.
std::string line_of_same_beginning(const std::string& page, const std::string& text) {
  const std::size_t cell = text.find(" | ", 1);
  if (text.front() != '|' || cell == std::string::npos) return "";
  const std::size_t begin = page.find("\n" + text.substr(0, cell + 2));
  return begin == std::string::npos ? "" : page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
}

}  // namespace

Documented::Documented(const std::string& page)
    : page_(page), text_(read_text_file(SPARSEDYN_SOURCE_DIR "/" + page, "a page of the documentation")) {}

void Documented::holds(const std::string& text) {
  if (text_.find(text) != std::string::npos) return;
  ++missing_;
  const std::string instead = line_of_same_beginning(text_, text);
  std::fprintf(stderr, "%s: counted %s\n%s%s%s", page_.c_str(), text.c_str(), instead.empty() ? "" : "  it says ",
               instead.c_str(), instead.empty() ? "" : "\n");
}

}  // namespace sparsedyn::reproduce
