#include "printable.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

unsigned byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

}  // namespace

/// A leading byte says how many of 10xxxxxx follow.
std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned lead = byte(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t follow = lead < 0xC2 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : 0;
  if (follow == 0 || text.size() <= follow) return 0;
  unsigned code = lead & (0x3Fu >> follow);
  for (std::size_t k = 1; k <= follow; ++k) {
    if ((byte(text, k) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(text, k) & 0x3Fu);
  }
  const bool overlong = (follow == 2 && code < 0x800) || (follow == 3 && (code < 0x10000 || code > 0x10FFFF));
  return overlong || (code >= 0xD800 && code < 0xE000) ? 0 : follow + 1;
}

bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return byte(sequence, 0) < 0x20 || byte(sequence, 0) == 0x7F;
  return sequence.size() == 2 && byte(sequence, 0) == 0xC2 && byte(sequence, 1) < 0xA0;
}

bool is_bidirectional_control(std::string_view sequence) {
  if (sequence.size() == 2) return sequence == "\xD8\x9C";
  if (sequence.size() != 3 || byte(sequence, 0) != 0xE2) return false;
  const unsigned code = byte(sequence, 1) << 8 | byte(sequence, 2);
  return (code >= 0x808E && code <= 0x808F) || (code >= 0x80AA && code <= 0x80AE) || (code >= 0x81A6 && code <= 0x81A9);
}

std::string with_short_names(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::size_t kept = std::min(end, most);
    if (kept < end)
      while (kept > 0 && (byte(text, kept) & 0xC0) == 0x80) --kept;  // a letter stays whole
    shown += text.substr(0, kept);
    if (kept < end) shown += "…";
    const std::size_t following = std::min(text.find_first_not_of(' ', end), text.size());
    shown += text.substr(end, following - end);
    text.remove_prefix(following);
  }
  return shown;
}

std::string printable(std::string_view text, bool keep_lines) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text), taken = length ? length : 1;
    const std::string_view sequence = text.substr(0, taken);
    const bool stays =
        length && !is_bidirectional_control(sequence) && (!is_control(sequence) || (keep_lines && sequence == "\n"));
    for (std::size_t i = 0; i < taken; ++i) {
      const unsigned b = byte(sequence, i);
      shown += stays ? std::string(1, sequence[i]) : std::string("\\x") + digits[b / 16] + digits[b % 16];
    }
    text.remove_prefix(taken);
  }
  return shown;
}

std::string json_quoted(const std::string& text, std::string_view also) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto code = static_cast<unsigned char>(c);
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    if (length > 1 && is_bidirectional_control(std::string_view(text).substr(i, length))) {
      const unsigned lead = length == 2 ? byte(text, i) & 0x1F : byte(text, i) & 0xF;
      unsigned point = lead;
      for (std::size_t k = 1; k < length; ++k) point = point << 6 | (byte(text, i + k) & 0x3Fu);
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += digits[point >> shift & 15];
      i += length - 1;
      continue;
    }
    if (code < 0x20 || also.find(c) != std::string_view::npos) {
      out += std::string("\\u00") + digits[code / 16] + digits[code % 16];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace sparsedyn
