// simd<T, N> does to each lane what T does.
#include "sparsedyn/scalar/detail/simd.hpp"

#include <catch2/catch.hpp>
#include <complex>
#include <random>

#include "sparsedyn/scalar/autodiff.hpp"

using namespace sparsedyn;

namespace {

std::mt19937& simd_rng() {
  static std::mt19937 rng(7);
  return rng;
}
double drawn() { return std::uniform_real_distribution<double>(0.5, 2.0)(simd_rng()); }
void draw(double& x) { x = drawn(); }
void draw(std::complex<double>& x) { x = {drawn(), drawn()}; }
void draw(Dual<double, 1>& x) { x = {drawn(), {drawn()}}; }
void draw(Dual<Dual<double, 1>, 1>& x) { draw(x.x), draw(x.d[0]); }

double apart(double a, double b) { return std::abs(a - b); }
double apart(const std::complex<double>& a, const std::complex<double>& b) { return std::abs(a - b); }
template <class S>
double apart(const Dual<S, 1>& a, const Dual<S, 1>& b) {
  return apart(a.x, b.x) + apart(a.d[0], b.d[0]);
}

template <class T, int N, class Expected>
void check_lanes(const simd<T, N>& found, Expected&& expected) {
  T stored[N];
  store(found, stored);
  for (int i = 0; i < N; ++i) {
    CHECK(apart(found[i], expected(i)) < 1e-14);
    CHECK(apart(stored[i], expected(i)) < 1e-14);
  }
}

template <class T, int N>
void check_simd() {
  T a[N + 1], b[N], s;  // a: from its second number on, at any alignment
  for (T& x : a) draw(x);
  for (T& x : b) draw(x);
  draw(s);
  const simd<T, N> x = load<N>(a + 1), y = load<N>(b);
  check_lanes<T, N>(x + y, [&](int i) { return T(a[i + 1] + b[i]); });
  check_lanes<T, N>(x - y, [&](int i) { return T(a[i + 1] - b[i]); });
  check_lanes<T, N>(x * y, [&](int i) { return T(a[i + 1] * b[i]); });
  check_lanes<T, N>(s * x, [&](int i) { return T(s * a[i + 1]); });
  check_lanes<T, N>(x * s, [&](int i) { return T(s * a[i + 1]); });
  check_lanes<T, N>(-x, [&](int i) { return T(-a[i + 1]); });
  check_lanes<T, N>(simd<T, N>(s), [&](int) { return s; });
  simd<T, N> rest = y;
  subtract(s, a + 1, rest);
  check_lanes<T, N>(rest, [&](int i) { return T(b[i] - s * a[i + 1]); });
  SimdMemory<T, N> memory;
  keep(x, memory);
  check_lanes<T, N>(load(memory), [&](int i) { return memory[i]; });
  check_lanes<T, N>(load(memory), [&](int i) { return a[i + 1]; });
  static_assert(sizeof(SimdMemory<T, N>) == N * sizeof(T), "memory holds N scalars and nothing else");
}

template <class T>
void check_four() {
  T m[4][4];
  for (auto& row : m)
    for (T& x : row) draw(x);
  simd<T, 4> rows[4] = {load<4>(m[0]), load<4>(m[1]), load<4>(m[2]), load<4>(m[3])};
  check_lanes<T, 4>(lanes(m[0][0], m[1][0], m[2][0], m[3][0]), [&](int i) { return m[i][0]; });
  transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int k = 0; k < 4; ++k) check_lanes<T, 4>(rows[k], [&](int i) { return m[i][k]; });
}

}  // namespace

TEST_CASE("simd computes in each lane what the scalar computes") {
  check_simd<double, 4>(), check_simd<double, 5>(), check_simd<double, 8>(), check_simd<double, 24>();
  check_simd<std::complex<double>, 4>();
  check_simd<Dual<double, 1>, 4>(), check_simd<Dual<double, 1>, 8>();
  check_simd<Dual<Dual<double, 1>, 1>, 4>();
  check_four<double>(), check_four<std::complex<double>>(), check_four<Dual<double, 1>>();
}
