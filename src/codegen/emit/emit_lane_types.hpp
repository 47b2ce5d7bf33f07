// The C types that the statements of a SuperwordProgram use.
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

/// Lanes of one vector of eight in another order; some may occur several times. GCC 12 gets wrong an order that permutes lanes
/// within pairs but for the second pair, which takes later lanes: it permutes within all pairs. So GCC is given the
/// instruction.
inline std::string lane_helpers() {
  return R"c(#if defined(@_VECTORS)
#if defined(__AVX512F__) && !defined(__clang__) /* whose version 12 gets some of these wrong if it is to find the instruction */
#include <immintrin.h>
#define @_PERMUTED(v, ...) ((@_branches)_mm512_permutexvar_pd((__m512i){__VA_ARGS__}, (__m512d)(v)))
#else
#define @_PERMUTED(v, a, b, c, d, e, f, g, h) \
  ((@_branches){(v)[a], (v)[b], (v)[c], (v)[d], (v)[e], (v)[f], (v)[g], (v)[h]})
#endif
#endif
)c";
}

}  // namespace sparsedyn
