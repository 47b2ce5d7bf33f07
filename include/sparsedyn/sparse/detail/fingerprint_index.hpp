// Numbers found by the value that each stands for. Open addressing with linear probing (Knuth, TAOCP 3, 6.4, algorithm L): a
// search reads one cache line as a rule, and no entry is allocated apart. The values themselves stay with their owner.
#pragma once

#include <cstdint>
#include <vector>

#include "sparsedyn/sparse/detail/modular_fingerprint.hpp"

namespace sparsedyn {

class FingerprintIndex {
 public:
  static constexpr std::int32_t none = -1;

  FingerprintIndex() : slots_(16) {}

  /// The number of this value, or none. value_of(number): the value that a number was inserted for.
  template <class ValueOf>
  std::int32_t find(const ModularFingerprint& value, const ValueOf& value_of) const {
    const std::uint32_t tag = tag_of(value);
    for (std::size_t k = tag & mask(); slots_[k].number != none; k = (k + 1) & mask())
      if (slots_[k].tag == tag && value_of(slots_[k].number) == value) return slots_[k].number;
    return none;
  }
  /// A value that is not there yet.
  void insert(const ModularFingerprint& value, std::int32_t number) {
    if (2 * ++size_ > slots_.size()) grow();
    place({tag_of(value), number});
  }
  /// Brings the value's slot near, while other work is done before the search.
  void prefetch(const ModularFingerprint& value) const { __builtin_prefetch(&slots_[tag_of(value) & mask()]); }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t number = none;
  };

  static std::uint32_t tag_of(const ModularFingerprint& value) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(value.hash()) * 0x9e3779b97f4a7c15u) >> 32);
  }
  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot) {
    std::size_t k = slot.tag & mask();
    while (slots_[k].number != none) k = (k + 1) & mask();
    slots_[k] = slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != none) place(slot);
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  std::size_t size_ = 0;
};

}  // namespace sparsedyn
