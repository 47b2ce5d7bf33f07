// Fingerprints of values: the laws of a field, and doubles whose sums and products are exact.
#include "sparsedyn/sparse/detail/modular_fingerprint.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace sparsedyn;

TEST_CASE("fingerprints add, multiply and divide as numbers do") {
  const ModularFingerprint zero, one = ModularFingerprint::of(1);
  CHECK(zero.zero());
  CHECK(zero == ModularFingerprint::of(0));
  for (std::uint64_t k = 0; k < 50; ++k) {
    const ModularFingerprint a = ModularFingerprint::random(3 * k), b = ModularFingerprint::random(3 * k + 1),
                             c = ModularFingerprint::random(3 * k + 2);
    REQUIRE(a + zero == a);
    REQUIRE((a - a).zero());
    REQUIRE((a + -a).zero());
    REQUIRE(-(-a) == a);
    REQUIRE(a.positive() != (-a).positive());
    REQUIRE(a + b == b + a);
    REQUIRE((a + b) + c == a + (b + c));
    REQUIRE(a * (b + c) == a * b + a * c);
    REQUIRE(a - b == a + -b);
    REQUIRE(a.invertible());
    REQUIRE(a * inverse(a) == one);
    REQUIRE(!(a == b));
  }
}

TEST_CASE("fingerprints of doubles follow their exact sums and products") {
  for (double x : {0.0, 1.0, -3.0, 0.375, -1e15, std::ldexp(5.0, -300), std::ldexp(-7.0, 200)})
    for (double y : {1.0, -2.0, 0.25, 1024.0}) {
      REQUIRE(ModularFingerprint::of(x) * ModularFingerprint::of(y) == ModularFingerprint::of(x * y));
      REQUIRE(-ModularFingerprint::of(y) == ModularFingerprint::of(-y));
      if (std::abs(x) < 1e10 && std::abs(x) > 1e-10)
        REQUIRE(ModularFingerprint::of(x) + ModularFingerprint::of(y) == ModularFingerprint::of(x + y));
    }
  CHECK_THROWS(ModularFingerprint::of(std::nan("")));
  CHECK_THROWS(ModularFingerprint::of(INFINITY));
}
