// How often each of very many values occurs, where most occur once: these cost two bits (Bloom, CACM 13, 1970) and no entry.
#pragma once

#include <vector>

#include "sparsedyn/sparse/detail/fingerprint_index.hpp"

namespace sparsedyn {

/// Every value is told twice: in a first round to `hear`, in a second one to `count`.
class Repetitions {
 public:
  /// Before the first round: how many values there will be.
  void expect(std::size_t values) {
    std::size_t bits = 64;
    while (bits < 8 * values) bits *= 2;
    once_.assign(bits, false), again_.assign(bits, false);
  }
  void hear(const ModularFingerprint& value) {
    const std::size_t bit = bit_of(value);
    if (once_[bit]) again_[bit] = true;
    once_[bit] = true;
  }
  void count(const ModularFingerprint& value) {
    if (!again_[bit_of(value)]) return;
    const std::int32_t known = find(value);
    if (known != FingerprintIndex::none) {
      ++counted_[static_cast<std::size_t>(known)].times;
      return;
    }
    index_.insert(value, static_cast<std::int32_t>(counted_.size()));
    counted_.push_back({value, 1});
  }
  /// How often it was told; of values that were told once perhaps 0.
  int of(const ModularFingerprint& value) const {
    const std::int32_t known = again_[bit_of(value)] ? find(value) : FingerprintIndex::none;
    return known == FingerprintIndex::none ? 0 : counted_[static_cast<std::size_t>(known)].times;
  }

 private:
  struct Counted {
    ModularFingerprint value;
    int times;
  };
  std::size_t bit_of(const ModularFingerprint& value) const {
    return static_cast<std::size_t>(value.hash() * 0x9e3779b97f4a7c15u >> 20) & (once_.size() - 1);
  }
  std::int32_t find(const ModularFingerprint& value) const {
    return index_.find(
        value, [this](std::int32_t k) -> const ModularFingerprint& { return counted_[static_cast<std::size_t>(k)].value; });
  }

  std::vector<bool> once_, again_;  // by hash: some value was told, and a second time
  std::vector<Counted> counted_;
  FingerprintIndex index_;  // of counted_
};

}  // namespace sparsedyn
