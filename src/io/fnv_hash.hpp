// Fingerprints of texts.
#pragma once

#include <cstdint>
#include <string>

namespace sparsedyn {

/// FNV-1a, 64 bits (Fowler, Noll, Vo 1991), over texts and integers with their lengths kept apart.
class FnvHash {
 public:
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    for (char c : text) byte(static_cast<unsigned char>(c));
  }
  void add(std::int64_t number) {
    for (int k = 0; k < 8; ++k) byte(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * k)));
  }
  std::string hexadecimal() const {
    std::string text;
    for (int k = 60; k >= 0; k -= 4) text += "0123456789abcdef"[(hash_ >> k) & 15u];
    return text;
  }

 private:
  void byte(unsigned char b) { hash_ = (hash_ ^ b) * 1099511628211ull; }
  std::uint64_t hash_ = 14695981039346656037ull;
};

}  // namespace sparsedyn
