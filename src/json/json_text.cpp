#include "json_text.hpp"

#include <string_view>

#include "io/printable.hpp"

namespace sparsedyn::json {

std::string json_text(const Json& json) {
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

}  // namespace sparsedyn::json
