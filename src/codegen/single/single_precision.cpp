#include "single_precision.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "codegen/emit/emit_statements.hpp"

namespace sparsedyn {
namespace {

const std::map<std::string, std::string>& words() {
  static const std::map<std::string, std::string> known{{"double", "float"},
                                                        {"sin", "sinf"},
                                                        {"cos", "cosf"},
                                                        {"tanh", "tanhf"},
                                                        {"sqrt", "sqrtf"},
                                                        {"fabs", "fabsf"},
                                                        {"0x7ff0000000000000u", "0x7f800000u"}};
  return known;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::string shortest_float(double x) {
  const auto nearest = static_cast<float>(x);
  if (!std::isfinite(nearest) || (x != 0 && std::abs(nearest) < std::numeric_limits<float>::min()))
    throw std::invalid_argument("the program holds the number " + shortest_decimal(x) +
                                ", which no float is near; expected --dtype double");
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, nearest).ptr;
  std::string text(buffer, end);
  return (text.find_first_of(".e") == std::string::npos ? text + ".0" : text) + "f";
}

std::string in_single_precision(const std::string& text) {
  static const std::string of_double = "unsigned long long bits";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    if (text.compare(i, of_double.size(), of_double) == 0) {
      out += "unsigned bits";
      i += of_double.size();
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const auto found = words().find(word);
    out += found == words().end() ? word : found->second;
    i = end;
  }
  return out;
}

}  // namespace sparsedyn
