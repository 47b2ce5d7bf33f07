// How wide the reader's screen is, and texts that end their lines at words.
#pragma once

#include <string>

namespace sparsedyn::cli {

/// Letters a line: $COLUMNS where it is a number of 40 or more, else the terminal's of the standard output; `otherwise` where
/// that is none.
int terminal_width(int otherwise);

/// Letters as a reader counts them: bytes that begin a character.
int letters(const std::string& text);

/// Lines of at most `width` letters, broken at blanks; what goes on begins below `indent` blanks. Words that are longer stay
/// whole. Each line of the text is broken by itself.
std::string wrapped(const std::string& text, int width, int indent = 0);

/// The same of what --help says: descriptions go on below their own column.
std::string wrapped_help(const std::string& help, int width);

}  // namespace sparsedyn::cli
