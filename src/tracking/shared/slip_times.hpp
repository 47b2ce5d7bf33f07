// How long standing feet have missed their places: a slip does not last.
//
// A foot that misses is let go by as much as it misses, since it may have slipped. Where the base is what is wrong (a spike
// threw it), feet miss as well, at each row and all of them; if they were let go each time, nothing would ever hold the base.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sparsedyn::tracking {

constexpr double longest_slip = 0.1;  // s

class SlipTimes {
 public:
  explicit SlipTimes(std::size_t contacts) : missed_(contacts, 0.0) {}

  void clear() noexcept {
    std::fill(missed_.begin(), missed_.end(), 0.0);
    all_missed_ = 0;
  }
  /// Of the same count. No heap.
  void take(const SlipTimes& other) noexcept {
    std::copy(other.missed_.begin(), other.missed_.end(), missed_.begin());
    all_missed_ = other.all_missed_;
  }
  /// Before the contacts of a row are judged.
  void begin_row() noexcept { stands_ = false, all_miss_ = true; }
  /// Whether contact c stood through the interval of dt (s) and misses its place at the end.
  void judge(std::size_t c, bool stands, bool misses, double dt) noexcept {
    missed_[c] = stands && misses ? missed_[c] + dt : 0;
    stands_ = stands_ || stands;
    all_miss_ = all_miss_ && (misses || !stands);
  }
  /// After all contacts were judged. A row on which none stands says nothing.
  void end_row(double dt) noexcept {
    if (stands_) all_missed_ = all_miss_ ? all_missed_ + dt : 0;
  }
  /// Whether the miss of contact c may be a slip: not where it has missed for longer than one lasts, nor where each foot that
  /// stood has done so since longer.
  bool may_slip(std::size_t c) const noexcept { return missed_[c] <= longest_slip && all_missed_ <= longest_slip; }

 private:
  std::vector<double> missed_;  // s, by contact
  double all_missed_ = 0;       // s through which no foot that stood kept its place
  bool stands_ = false, all_miss_ = true;
};

}  // namespace sparsedyn::tracking
