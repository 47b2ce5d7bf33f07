// What was computed, held against a second way to it and against the numbers of another compilation.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "sparsedyn/dynamics/aba.hpp"

namespace outside {

using sparsedyn::is_finite;
using Numbers = std::vector<double>;

/// What was computed, who computed it, and the worst of the second ways.
struct Findings {
  Numbers library, user;
  bool failed = false;

  void expect(bool condition, const char* what) {
    if (!condition) std::printf("FAILED: %s\n", what), failed = true;
  }
  /// |a − b| beside the largest of both. By `<=`, and counted by bits: -ffast-math knows no NaN.
  void equal(const Numbers& a, const Numbers& b, const char* what) {
    double size = 1, error = 0;
    bool finite = a.size() == b.size();
    for (std::size_t k = 0; finite && k < a.size(); ++k) {
      finite = is_finite(a[k]) && is_finite(b[k]);
      size = std::fmax(size, std::fmax(std::fabs(a[k]), std::fabs(b[k]))), error = std::fmax(error, std::fabs(a[k] - b[k]));
    }
    if (finite && error <= 1e-10 * size) return;
    std::printf("FAILED: %s: relative error %.1e\n", what, finite ? error / size : NAN), failed = true;
  }
};

inline void append(Numbers& to, const Numbers& x) { to.insert(to.end(), x.begin(), x.end()); }

/// Beside the numbers of another compilation, or for others to compare with.
inline void compare(Findings& found, const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::binary);
  for (Numbers* mine : {&found.library, &found.user}) {
    if (!file) break;
    Numbers other(mine->size());
    file.read(reinterpret_cast<char*>(other.data()), static_cast<std::streamsize>(other.size() * sizeof(double)));
    found.equal(*mine, other,
                mine == &found.user ? "what the user computes, beside another compilation"
                                    : "what the library computes, beside another compilation");
    if (mine == &found.library && std::getenv("EXACT"))
      found.expect(std::memcmp(mine->data(), other.data(), other.size() * sizeof(double)) == 0,
                   "what the library computes depends on the user's flags");
  }
  if (file.is_open()) return;
  file.open(path, std::ios::out | std::ios::binary);
  for (const Numbers* mine : {&found.library, &found.user})
    file.write(reinterpret_cast<const char*>(mine->data()), static_cast<std::streamsize>(mine->size() * sizeof(double)));
}

}  // namespace outside
