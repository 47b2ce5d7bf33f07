// Tables of text: cells below each other, each as wide as the widest of its column.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Letters as a reader counts them: bytes that begin a character of UTF-8.
int letters(const std::string& text);

/// A line a row. Column k is set to the right where sides[k] is 'r', else to the left; `gap` stands between columns, `indent`
/// before each line; no line ends with blanks. Rows may be shorter than others.
std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::string& sides, const std::string& indent = "",
                    const std::string& gap = "  ");

}  // namespace sparsedyn
