// Random numbers from a seed alone, the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace sparsedyn {

/// SplitMix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Mean 0, deviation 1 (Box & Muller 1958).
  double normal() {
    constexpr double pi = 3.14159265358979323846;
    const double u = 1.0 - uniform(0, 1), angle = uniform(0, 2 * pi);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace sparsedyn
