// Text of others in messages: arguments, names and cells must not reach a terminal's controls.
#pragma once

#include <string>
#include <string_view>

namespace sparsedyn {

/// The text with control characters (ESC, DEL, line ends, C1 as UTF-8 has it), bidirectional controls, which show a text in an
/// order that it has not, and bytes that are not UTF-8 as `\x1b`. All else stays, so that a text which was made printable stays
/// as it is. keep_lines: line ends stay, for texts of several lines.
std::string printable(std::string_view text, bool keep_lines = false);

/// The text with each word of more than 200 bytes cut to about that many and marked `…`: names of any length are there in
/// files.
std::string with_short_names(std::string_view text);

/// A JSON string (RFC 8259): quotes and backslashes behind a backslash; control characters, bidirectional ones, and those in
/// `also`, as \u000a.
std::string json_quoted(const std::string& text, std::string_view also = {});

/// The length of the UTF-8 sequence (RFC 3629: no surrogates, nothing overlong) that `text` begins with; 0 where it begins with
/// none.
std::size_t utf8_length(std::string_view text);

/// Whether a sequence of that length stands for a control character: C0, DEL or C1 (U+0080 to U+009F).
bool is_control(std::string_view sequence);
/// Whether it stands for one that turns the direction of what follows: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069.
bool is_bidirectional_control(std::string_view sequence);

}  // namespace sparsedyn
