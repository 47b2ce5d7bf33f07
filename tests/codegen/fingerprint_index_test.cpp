#include "sparsedyn/sparse/detail/fingerprint_index.hpp"

#include <catch2/catch.hpp>

using namespace sparsedyn;

TEST_CASE("an index of fingerprints finds every inserted value and no other") {
  constexpr std::int32_t count = 3000;
  std::vector<ModularFingerprint> values;
  FingerprintIndex index;
  const auto value_of = [&](std::int32_t number) -> const ModularFingerprint& {
    return values[static_cast<std::size_t>(number)];
  };
  for (std::int32_t k = 0; k < count; ++k) {
    // random ones, and small integers, whose fingerprints are alike at all three points
    values.push_back(k % 2 ? ModularFingerprint::random(static_cast<std::uint64_t>(k)) : ModularFingerprint::of(k));
    CHECK(index.find(values.back(), value_of) == FingerprintIndex::none);
    index.insert(values.back(), k);
  }
  for (std::int32_t k = 0; k < count; ++k) {
    CHECK(index.find(value_of(k), value_of) == k);
    CHECK(index.find(ModularFingerprint::random(static_cast<std::uint64_t>(count + k)), value_of) == FingerprintIndex::none);
  }
}
