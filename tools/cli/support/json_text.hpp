// JSON objects for --json: fields in the order in which they are set; numbers that are not finite become null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/printable.hpp"
#include "sparsedyn/scalar/detail/counting_scalar.hpp"

namespace sparsedyn::cli {

using Json = nlohmann::ordered_json;

/// Two-space indent and a final line end; bytes that are no UTF-8 are replaced. Control characters that JSON lets stand in a
/// text (DEL and C1) are written \u0080 too: a terminal may take them for commands.
inline std::string json_text(const Json& json) {
  const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool c1 = text[i] == '\xC2' && is_control(std::string_view(text).substr(i, 2));
    if (c1) ++i;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (c1 || byte == 0x7F)
      out += std::string("\\u00") + digits[byte / 16] + digits[byte % 16];
    else
      out += text[i];
  }
  return out;
}

inline Json counts_json(const OperationCounts& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}};
}

}  // namespace sparsedyn::cli
