#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

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

}  // namespace

int terminal_width(int otherwise) {
  const char* const said = std::getenv("COLUMNS");
  const int columns = said ? std::atoi(said) : 0;
  if (columns >= narrowest) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= narrowest ? size.ws_col : otherwise;
}

int letters(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrapped(const std::string& text, int width, int indent) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += wrapped_line(line, width, indent) + "\n";
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
