// The parts of MCAP that a record is made of (https://mcap.dev/spec): little-endian numbers, strings and maps behind their
// lengths.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sparsedyn::mcap {

constexpr std::string_view magic{"\x89MCAP0\r\n", 8};
enum Kind : std::uint8_t { header = 1, footer = 2, schema = 3, channel = 4, message = 5, metadata = 12, data_end = 15 };

template <class T>
void put(std::string& to, T number) {
  for (std::size_t k = 0; k < sizeof(T); ++k) to += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * k));
}
inline void put_text(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  to.append(text);
}
inline void put_map(std::string& to, const std::map<std::string, std::string>& map) {
  std::string all;
  for (const auto& [key, value] : map) put_text(all, key), put_text(all, value);
  put_text(to, all);
}
/// A record: its kind, length and content.
inline std::string record(Kind kind, const std::string& content) {
  std::string all;
  put(all, static_cast<std::uint8_t>(kind));
  put(all, static_cast<std::uint64_t>(content.size()));
  return all + content;
}

/// Takes a record's content apart; where it ends too early, good() is false and what is taken is zero or empty.
class Content {
 public:
  explicit Content(std::string_view bytes) : left_(bytes) {}
  bool good() const { return good_; }
  std::string_view rest() const { return left_; }
  template <class T>
  T number() {
    const std::string_view bytes = take(sizeof(T));
    std::uint64_t x = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) x |= std::uint64_t{static_cast<unsigned char>(bytes[k])} << (8 * k);
    return static_cast<T>(x);
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  std::map<std::string, std::string> map() {
    Content all(text());
    std::map<std::string, std::string> found;
    while (all.good() && !all.rest().empty()) {
      const std::string key(all.text());
      found[key] = std::string(all.text());
    }
    good_ = good_ && all.good();
    return found;
  }

 private:
  std::string_view take(std::size_t n) {
    if (n > left_.size()) good_ = false, n = 0, left_ = {};
    const std::string_view taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }
  std::string_view left_;
  bool good_ = true;
};

}  // namespace sparsedyn::mcap
