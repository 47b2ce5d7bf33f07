// Changes that arrive as lines, on streams and in datagrams, handed to a loop. What is wrong is told in words.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "packets.hpp"
#include "sparsedyn/live/live_change.hpp"
#include "sparsedyn/live/live_loop.hpp"

namespace sparsedyn {

/// Every change of the line, or why none or not all were taken; empty: all were.
inline std::string take_change(LiveLoop& loop, std::string_view line) {
  std::string why;
  for (const LiveChange& change : read_live_changes(line, loop.estimate(), why))
    if (!loop.change(change)) return "the loop is too far behind; the change is lost";
  return why;
}

/// Whole lines. note(text): what was wrong.
template <class Note>
void take_changes(LiveLoop& loop, std::string_view lines, const Note& note) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const std::string why = take_change(loop, line); !why.empty()) note("change: " + why);
  }
}

/// Bytes of a stream; none: its end. rest: what waits for the end of its line; is_whole: the last line may lack its end.
template <class Note>
void take_changes(LiveLoop& loop, std::string_view bytes, std::string& rest, bool is_whole, const Note& note) {
  rest.append(bytes);
  if (bytes.empty() && is_whole) rest += '\n';
  if (const std::size_t end = rest.rfind('\n'); end != std::string::npos) {
    take_changes(loop, std::string_view(rest).substr(0, end), note);
    rest.erase(0, end + 1);
  }
  if (bytes.empty() && rest.find_first_not_of(" \t\r") != std::string::npos)
    note("change: a last line that is cut off; refused");
  if (rest.size() > longest_line) rest.clear(), note("change: a line of more than 65536 bytes; refused");
}

}  // namespace sparsedyn
