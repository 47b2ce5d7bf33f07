// N scalars that always do the same: three-vectors side by side in one Vec3<simd<S, 4>>, neighbouring columns of a matrix, a
// number of each of several samples. One operation is N operations; the library's own code for doubles has vector registers in
// their place, if it was compiled for a machine with them.
#pragma once

#include <type_traits>
#include <utility>

#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

/// N scalars as they lie in memory, alike in every compilation.
template <class T, int N>
struct SimdMemory {
  T e[N];
  const T& operator[](int i) const { return e[i]; }
};

inline namespace SPARSEDYN_CODE {

/// What W scalars are in together. One is in itself.
template <class T, int W, class = void>
struct SimdRegister {
  static_assert(W == 1, "no register takes several of these");
  using type = T;
  static void load(const T* from, type& to) { to = *from; }
  static void store(const type& x, T* to) { *to = x; }
  static void spread(const T& x, type& to) { to = x; }
  static const T& lane(const type& x, int) { return x; }
};

/// How many of N scalars a register takes.
template <class T, int N>
constexpr int register_width = 1;

/// N scalars in calculations, W a register; never stored for others to read.
template <class T, int N, int W = register_width<T, N>>
struct simd {
  using Register = SimdRegister<T, W>;
  static constexpr int registers = N / W;
  typename Register::type part[registers];

  simd() = default;
  [[gnu::always_inline]] explicit simd(const T& x) {
    for (int i = 0; i < registers; ++i) Register::spread(x, part[i]);
  }
  [[gnu::always_inline]] decltype(auto) operator[](int i) const {
    if constexpr (registers == 1)
      return Register::lane(part[0], i);
    else
      return Register::lane(part[i / W], i % W);
  }
};

/// N neighbours in memory, of any alignment.
template <int N, class T>
[[gnu::always_inline]] inline simd<T, N> load(const T* from) {
  using V = simd<T, N>;
  V r;
  for (int i = 0; i < V::registers; ++i) V::Register::load(from + i * (N / V::registers), r.part[i]);
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline void store(const simd<T, N, W>& a, T* to) {
  for (int i = 0; i < a.registers; ++i) SimdRegister<T, W>::store(a.part[i], to + i * W);
}
template <class T, int N>
[[gnu::always_inline]] inline simd<T, N> load(const SimdMemory<T, N>& from) {
  return load<N>(from.e);
}
template <class T, int N, int W>
[[gnu::always_inline]] inline void keep(const simd<T, N, W>& a, SimdMemory<T, N>& to) {
  store(a, to.e);
}
template <class T>
simd<T, 4> lanes(const T& a, const T& b, const T& c, const T& d) {
  simd<T, 4> r;
  r.part[0] = a, r.part[1] = b, r.part[2] = c, r.part[3] = d;
  return r;
}

/// f(0), f(1), … for each register, one behind the other: compilers join such operations where they would keep a loop.
template <class F, int... i>
[[gnu::always_inline]] inline void for_registers(std::integer_sequence<int, i...>, F&& f) {
  (f(i), ...);
}
template <int registers, class F>
[[gnu::always_inline]] inline void for_registers(F&& f) {
  for_registers(std::make_integer_sequence<int, registers>(), f);
}

/// Lane by lane.
/// @{
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator+(const simd<T, N, W>& a, const simd<T, N, W>& b) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = a.part[i] + b.part[i]; });
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator-(const simd<T, N, W>& a, const simd<T, N, W>& b) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = a.part[i] - b.part[i]; });
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator*(const simd<T, N, W>& a, const simd<T, N, W>& b) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = a.part[i] * b.part[i]; });
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator/(const simd<T, N, W>& a, const simd<T, N, W>& b) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = a.part[i] / b.part[i]; });
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator-(const simd<T, N, W>& a) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = -a.part[i]; });
  return r;
}
/// @}
/// s: a scalar, or a number that converts to one.
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator*(const std::common_type_t<T>& s, const simd<T, N, W>& b) {
  simd<T, N, W> r;
  for_registers<simd<T, N, W>::registers>([&](int i) __attribute__((always_inline)) { r.part[i] = s * b.part[i]; });
  return r;
}
template <class T, int N, int W>
[[gnu::always_inline]] inline simd<T, N, W> operator*(const simd<T, N, W>& a, const std::common_type_t<T>& s) {
  return s * a;
}
/// a −= s × (numbers in memory), a register at a time, so that few are in use.
template <class T, int N, int W>
[[gnu::always_inline]] inline void subtract(const T& s, const T* from, simd<T, N, W>& a) {
  for (int i = 0; i < a.registers; ++i) {
    typename SimdRegister<T, W>::type b;
    SimdRegister<T, W>::load(from + i * W, b);
    a.part[i] = a.part[i] - s * b;
  }
}
/// Lane k of a, b, c, d: entry k of the result.
template <class T, int W>
void transpose(simd<T, 4, W>& a, simd<T, 4, W>& b, simd<T, 4, W>& c, simd<T, 4, W>& d) {
  const simd<T, 4, W> rows[4] = {a, b, c, d};
  simd<T, 4, W>* columns[4] = {&a, &b, &c, &d};
  for (int k = 0; k < 4; ++k) *columns[k] = lanes(T(rows[0][k]), T(rows[1][k]), T(rows[2][k]), T(rows[3][k]));
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn

#ifdef SPARSEDYN_LIBRARY
#include "scalar/simd_of_doubles.hpp"
#else
namespace sparsedyn {
inline namespace SPARSEDYN_CODE {
/// How many simd<double, 8> stay in registers together.
constexpr int widest_block = 3;
}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
#endif
