// How wide the reader's screen is, texts that end their lines at words, and verdicts in colour.
#pragma once

#include <string>

namespace sparsedyn::cli {

/// What is read and written there keeps its line ends, which Windows else changes. Once, before anything else.
void use_standard_streams_as_bytes();

/// Letters a line: $COLUMNS where it is a number of 40 or more, else the terminal's of this descriptor (1: the standard
/// output); `otherwise` where that is none.
int terminal_width(int otherwise, int descriptor = 1);

/// Lines of at most `width` letters, broken at blanks; what goes on begins below `indent` blanks. Words that are longer stay
/// whole. Each line of the text is broken by itself.
std::string wrapped(const std::string& text, int width, int indent = 0);

/// The same of what --help says: descriptions go on below their own column.
std::string wrapped_help(const std::string& help, int width);

/// Whether colours are for this stream: it is a terminal, $TERM names one that has them, and $NO_COLOR is empty or not set.
bool takes_colours(int descriptor);

/// A result as a terminal shows it: lines broken at words, what goes on two blanks deeper, and verdicts in colour where
/// `coloured`: words of this program at the begin or the end of a line, never the user's. JSON stays as it is: it is to be
/// copied.
std::string for_terminal(const std::string& text, int width, bool coloured);

}  // namespace sparsedyn::cli
