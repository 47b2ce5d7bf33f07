#include "number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace sparsedyn {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// The parts of [sign] digits [. digits] [e [sign] digits].
struct Parts {
  bool valid = false, negative = false;
  std::string_view unsigned_text, before_point, after_point, exponent;
};

std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

bool take_sign(std::string_view& rest) {
  const bool negative = !rest.empty() && rest[0] == '-';
  if (negative || (!rest.empty() && rest[0] == '+')) rest.remove_prefix(1);
  return negative;
}

Parts parts_of(std::string_view rest) {
  Parts p;
  p.negative = take_sign(rest);
  p.unsigned_text = rest;
  p.before_point = take_digits(rest);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    p.after_point = take_digits(rest);
  }
  if (p.before_point.empty() && p.after_point.empty()) return p;
  if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
    rest.remove_prefix(1);
    p.exponent = rest;
    take_sign(rest);
    if (take_digits(rest).empty()) return p;
  }
  p.valid = rest.empty();
  return p;
}

/// Whether a number outside the range of doubles is so because it is large: its leading digit stands at 10^e with e > 0.
bool large(const Parts& p) {
  std::string_view exponent = p.exponent;
  const bool negative = take_sign(exponent);
  std::int64_t e = 0;
  for (char c : exponent) e = std::min<std::int64_t>(e * 10 + (c - '0'), 1000000000);
  if (negative) e = -e;
  const std::size_t leading = p.before_point.find_first_not_of('0');
  if (leading != std::string_view::npos) return e + static_cast<std::int64_t>(p.before_point.size() - leading) > 0;
  const std::size_t zeros = p.after_point.find_first_not_of('0');
  return zeros != std::string_view::npos && e - static_cast<std::int64_t>(zeros) > 0;
}

}  // namespace

NumberText read_number(std::string_view text, double& value) noexcept {
  const Parts p = parts_of(text);
  if (!p.valid) return NumberText::not_a_number;
  double magnitude = 0;
  const char* end = p.unsigned_text.data() + p.unsigned_text.size();
  const auto result = std::from_chars(p.unsigned_text.data(), end, magnitude);
  if (result.ec == std::errc::result_out_of_range || !std::isfinite(magnitude)) {
    if (large(p)) return NumberText::too_large;
    magnitude = 0;
  }
  value = p.negative ? -magnitude : magnitude;
  return NumberText::number;
}

std::string number_text(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace sparsedyn
