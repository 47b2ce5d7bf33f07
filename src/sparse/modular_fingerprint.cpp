#include "sparsedyn/sparse/detail/modular_fingerprint.hpp"

#include <cmath>
#include <stdexcept>

namespace sparsedyn {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// a b modulo p = 2^61 − c, a and b below it: 2^61 is c there, so the upper bits are added c times to the lower ones; twice,
/// which leaves less than 2 p.
std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
  constexpr std::uint64_t whole = std::uint64_t{1} << 61, lower = whole - 1;
  const std::uint64_t c = whole - p;
  const Wide x = static_cast<Wide>(a) * b;
  const Wide y = (x >> 61) * c + (static_cast<std::uint64_t>(x) & lower);
  const std::uint64_t z = static_cast<std::uint64_t>(y >> 61) * c + (static_cast<std::uint64_t>(y) & lower);
  return z >= p ? z - p : z;
}

std::uint64_t power(std::uint64_t a, std::uint64_t e, std::uint64_t p) {
  std::uint64_t r = 1;
  for (; e; e >>= 1, a = product(a, a, p))
    if (e & 1) r = product(r, a, p);
  return r;
}

/// Steele, Lea and Flood's SplitMix64 (2014): the k-th value of its sequence.
std::uint64_t split_mix(std::uint64_t k) {
  std::uint64_t z = k * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

constexpr std::array<std::uint64_t, 3> ModularFingerprint::primes;

ModularFingerprint ModularFingerprint::of(double x) {
  if (!std::isfinite(x)) throw std::invalid_argument("a constant of a program is not finite");
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  exponent -= 53;
  ModularFingerprint r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t p = primes[i], m = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
    const std::uint64_t two = exponent < 0 ? (p + 1) / 2 : 2;
    const std::uint64_t v = product(m, power(two, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent), p), p);
    r.r_[i] = mantissa < 0 && v ? p - v : v;
  }
  return r;
}

ModularFingerprint ModularFingerprint::random(std::uint64_t k) {
  ModularFingerprint r;
  for (std::size_t i = 0; i < 3; ++i) r.r_[i] = 1 + split_mix(3 * k + i) % (primes[i] - 1);
  return r;
}

ModularFingerprint operator*(const ModularFingerprint& a, const ModularFingerprint& b) {
  ModularFingerprint r;
  for (std::size_t i = 0; i < 3; ++i) r.r_[i] = product(a.r_[i], b.r_[i], ModularFingerprint::primes[i]);
  return r;
}

ModularFingerprint inverse(const ModularFingerprint& a) {
  ModularFingerprint r;
  for (std::size_t i = 0; i < 3; ++i)
    r.r_[i] = power(a.r_[i], ModularFingerprint::primes[i] - 2, ModularFingerprint::primes[i]);
  return r;
}

CirclePoint random_circle_point(std::uint64_t k) {
  const ModularFingerprint t = ModularFingerprint::random(k), one = ModularFingerprint::of(1.0), over = inverse(one + t * t);
  return {(one - t * t) * over, (t + t) * over};
}

CirclePoint operator*(const CirclePoint& a, const CirclePoint& b) { return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s}; }

std::array<ModularFingerprint, 4> random_unit_quaternion(std::uint64_t k) {
  const ModularFingerprint x = ModularFingerprint::random(4 * k), y = ModularFingerprint::random(4 * k + 1),
                           z = ModularFingerprint::random(4 * k + 2);
  const ModularFingerprint w = ModularFingerprint::random(4 * k + 3), vv = x * x + y * y + z * z, over = inverse(w * w + vv),
                           w2 = w + w;
  return {{w2 * x * over, w2 * y * over, w2 * z * over, (w * w - vv) * over}};
}

}  // namespace sparsedyn
