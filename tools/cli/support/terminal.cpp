#include "terminal.hpp"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#else
#include <sys/ioctl.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "io/text/aligned.hpp"

namespace sparsedyn::cli {
namespace {

constexpr int narrowest = 40, column_of_descriptions = 30;  // the latter is CLI11's

std::string wrapped_line(const std::string& line, int width, int indent) {
  if (letters(line) <= width) return line;
  std::string out, row;
  std::size_t at = line.find_first_not_of(' ');
  row = line.substr(0, at);
  bool first_word = true;
  while (at < line.size()) {
    std::size_t end = std::min(line.find(' ', at), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    const std::string word = line.substr(at, end - at);
    if (!first_word && letters(row) + letters(word) > width) {
      out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
      row = std::string(static_cast<std::size_t>(indent), ' ');
    }
    row += word + line.substr(end, next - end), first_word = false;
    at = next;
  }
  return out + row.substr(0, row.find_last_not_of(' ') + 1);
}

constexpr const char *green = "\x1b[32m", *yellow = "\x1b[33m", *red = "\x1b[31m", *plain = "\x1b[0m";

/// What begins a line, with the sign behind it, or ends one.
struct Verdict {
  const char* words;
  const char* colour;
};
constexpr Verdict leading[] = {{"determined:", green},
                               {"redundant:", green},
                               {"insufficient:", red},
                               {"singular configurations:", yellow},
                               {"harm:", red},
                               {"doubt:", yellow},
                               {"note:", green},
                               {"nothing found", green},
                               {"  more noise than stated:", yellow},
                               {"All that was compared agrees.", green}};
constexpr Verdict trailing[] = {{" agrees", green}, {" OFF", red}};

std::string painted(const std::string& words, const char* colour) { return colour + words + plain; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// "250 rows, 3 failed", "1 row, 1 failed": the number that failed, unless it is none.
std::string with_failures(const std::string& line) {
  const std::size_t end = line.find(" failed");
  const std::size_t begin = end == std::string::npos ? end : line.rfind(' ', end - 1);
  if (begin == std::string::npos || line[begin + 1] == '0') return line;
  const std::string before = line.substr(0, begin + 1);
  if (!ends_with(before, " rows, ") && !ends_with(before, " row, ")) return line;
  const std::size_t after = end + std::string(" failed").size();
  return before + painted(line.substr(begin + 1, after - begin - 1), red) + line.substr(after);
}

std::string painted_line(const std::string& line) {
  for (const Verdict& verdict : leading)
    if (const std::string words = verdict.words; line.rfind(words, 0) == 0)
      return painted(words, verdict.colour) + line.substr(words.size());
  for (const Verdict& verdict : trailing)
    if (const std::string words = verdict.words; line.rfind("  ", 0) == 0 && ends_with(line, words))
      return line.substr(0, line.size() - words.size()) + painted(words, verdict.colour);
  return with_failures(line);
}

}  // namespace

void use_standard_streams_as_bytes() {
#ifdef _WIN32
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::_setmode(stream, _O_BINARY);
#endif
}

int terminal_width(int otherwise, int descriptor) {
  const char* const said = std::getenv("COLUMNS");
  const int columns = said ? std::atoi(said) : 0;
  if (columns >= narrowest) return columns;
#ifdef _WIN32
  (void)descriptor;
  return otherwise;
#else
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= narrowest ? size.ws_col : otherwise;
#endif
}

std::string wrapped(const std::string& text, int width, int indent) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += wrapped_line(line, width, indent) + "\n";
  if (!text.empty() && text.back() != '\n') out.pop_back();
  return out;
}

bool takes_colours(int descriptor) {
  const char *const refused = std::getenv("NO_COLOR"), *const terminal = std::getenv("TERM");
  return isatty(descriptor) && !(refused && *refused) && terminal && *terminal && std::string(terminal) != "dumb";
}

std::string for_terminal(const std::string& text, int width, bool coloured) {
  if (text.rfind('{', 0) == 0) return text;
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    std::istringstream parts(width > 0 ? wrapped_line(line, width, static_cast<int>(blanks) + 2) : line);
    if (line.empty()) out += "\n";
    for (std::string part; std::getline(parts, part);) out += (coloured ? painted_line(part) : part) + "\n";
  }
  if (!text.empty() && text.back() != '\n') out.pop_back();
  return out;
}

std::string wrapped_help(const std::string& help, int width) {
  std::istringstream lines(help);
  std::string out, entry;  // an entry's lines as one
  const auto end_entry = [&] {
    if (!entry.empty()) out += wrapped_line(entry, width, column_of_descriptions) + "\n";
    entry.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const bool begins = blanks == 2 && line.size() > column_of_descriptions && line[column_of_descriptions - 1] == ' ';
    if (blanks >= column_of_descriptions && !entry.empty()) {
      entry += " " + line.substr(blanks);
      continue;
    }
    end_entry();
    const bool command = line.rfind("  sparsedyn ", 0) == 0;  // an example, to be copied whole
    if (begins && !command)
      entry = line;
    else
      out += (command ? line : wrapped_line(line, width, static_cast<int>(blanks))) + "\n";
  }
  end_entry();
  return out;
}

}  // namespace sparsedyn::cli
