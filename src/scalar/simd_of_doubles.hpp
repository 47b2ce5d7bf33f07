// Doubles in vector registers, of the compiler's own vector types. Only simd.hpp includes this, and in the library's own build
// only: no user of the library ever sees these types.
#pragma once

#include <cstring>

#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

#if defined(__GNUC__)

/// Two have an alignment of their own, which instructions of 128 bits ask for; the others have any. (Clang forgets that where
/// `auto` names the type of a reference.)
template <int W>
struct VectorOfDoubles;
template <>
struct VectorOfDoubles<2> {
  typedef double type __attribute__((vector_size(16), may_alias));
};
template <>
struct VectorOfDoubles<4> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct VectorOfDoubles<8> {
  typedef double type __attribute__((vector_size(64), aligned(8), may_alias));
};

/// Which of these there are instructions for: the build says, or the routine around it, into which all of this is inlined.
template <int W>
struct SimdRegister<double, W, std::enable_if_t<(W > 1)>> {
  using type = typename VectorOfDoubles<W>::type;
  [[gnu::always_inline]] static void load(const double* from, type& to) {
    if constexpr (W == 8)  // by a pointer: g++ copies 64 bytes in halves, which the wide load behind them would wait for
      to = *reinterpret_cast<const type*>(from);
    else
      std::memcpy(&to, from, sizeof to);
  }
  [[gnu::always_inline]] static void store(const type& x, double* to) {
    if constexpr (W == 8)
      *reinterpret_cast<type*>(to) = x;
    else
      std::memcpy(to, &x, sizeof x);
  }
  [[gnu::always_inline]] static void spread(double x, type& to) { to = x - type{}; }
  [[gnu::always_inline]] static double lane(const type& x, int i) { return x[i]; }
};

#endif

#if defined(__GNUC__) && defined(__AVX512F__)
constexpr int widest_block = 9;
template <int N>
constexpr int register_width<double, N> = N % 8 == 0   ? 8
                                          : N % 4 == 0 ? 4
                                                       : 1;
#elif defined(__GNUC__) && defined(__AVX__)
constexpr int widest_block = 3;
template <int N>
constexpr int register_width<double, N> = N % 4 == 0 ? 4 : 1;
#elif defined(__GNUC__) && defined(__SSE2__)
constexpr int widest_block = 3;
template <int N>
constexpr int register_width<double, N> = N % 8 == 0 ? 2 : 1;  // fours of three-vectors are better taken apart
#else
constexpr int widest_block = 3;
#endif

#if defined(__GNUC__) && defined(__AVX__)

[[gnu::always_inline]] inline simd<double, 4> lanes(double a, double b, double c, double d) {
  simd<double, 4> r;
  r.part[0] = VectorOfDoubles<4>::type{a, b, c, d};
  return r;
}
[[gnu::always_inline]] inline void transpose(simd<double, 4>& a, simd<double, 4>& b, simd<double, 4>& c, simd<double, 4>& d) {
  const auto ab0 = __builtin_shufflevector(a.part[0], b.part[0], 0, 4, 2, 6);
  const auto ab1 = __builtin_shufflevector(a.part[0], b.part[0], 1, 5, 3, 7);
  const auto cd0 = __builtin_shufflevector(c.part[0], d.part[0], 0, 4, 2, 6);
  const auto cd1 = __builtin_shufflevector(c.part[0], d.part[0], 1, 5, 3, 7);
  a.part[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), b.part[0] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  c.part[0] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7), d.part[0] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

#endif

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
