// Words of a line, apart by blanks. A word with blanks in it stands in double quotes, where \ stands before " and before
// itself: payload "left hand" 2.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparsedyn {

inline bool is_between_words(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// False where a quote does not close, or text follows it without a blank; `words` then has those before it.
inline bool read_words(std::string_view line, std::vector<std::string>& words) {
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_between_words(line[at])) ++at;
    if (at == line.size()) return true;
    std::string word;
    if (line[at] == '"') {
      for (++at; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size()) ++at;
        word += line[at];
      }
      if (at == line.size() || (++at < line.size() && !is_between_words(line[at]))) return false;
    } else {
      while (at < line.size() && !is_between_words(line[at])) word += line[at++];
    }
    words.push_back(std::move(word));
  }
}

/// The word as it reads back, in quotes where it needs them. A line end stays one: no line has it in a name.
inline std::string word_text(const std::string& word) {
  bool plain = !word.empty() && word.front() != '"';
  for (char c : word) plain = plain && !is_between_words(c);
  if (plain) return word;
  std::string text = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace sparsedyn
