// What a reader may do with any bytes: take them, or refuse them with the file's name. Anything else ends the program, which
// libFuzzer reports.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn::fuzz {

[[noreturn]] inline void fault(const std::string& what) {
  std::fprintf(stderr, "fault: %s\n", what.c_str());
  std::abort();
}

/// Runs `read`, which throws InputError where it refuses the bytes as `file`.
template <class Read>
int attempt(const std::string& file, const Read& read) {
  try {
    read();
  } catch (const InputError& refused) {
    if (std::string(refused.what()).rfind(file, 0) != 0) fault("a message without its file: " + std::string(refused.what()));
  }
  return 0;
}

inline std::string as_text(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace sparsedyn::fuzz
