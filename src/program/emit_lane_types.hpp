// The C types that the statements of a LaneProgram use.
#pragma once

#include <string>

namespace sparsedyn {

/// The types of vectors, of their first lanes, and of places where these are stored.
inline std::string lane_types(int width, bool columns) {
  const auto type = [](const std::string& name, int lanes, const std::string& more) {
    return "typedef double @_" + name + " __attribute__((vector_size(" + std::to_string(8 * lanes) + ")" + more + "));\n";
  };
  const std::string loose = ", aligned(8), may_alias";
  std::string text = type("branches", width, "");
  if (!columns) return text;
  for (int part = 2; part < width; part *= 2) {
    const std::string n = std::to_string(part);
    text += type("first" + n, part, "") + type("anywhere" + n, part, loose);
  }
  return text + type("anywhere", width, loose);
}

}  // namespace sparsedyn
