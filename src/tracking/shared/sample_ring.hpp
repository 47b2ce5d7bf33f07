// The newest samples, kept for going back over them.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn::tracking {

template <class Sample>
class SampleRing {
 public:
  /// Room to look back over `most` samples beside the newest; the one that is written now overwrites none of them.
  void make_room(int most, const Sample& empty) {
    samples_.assign(static_cast<std::size_t>(most) + 2, empty);
    marks_.resize(samples_.size());
  }
  bool empty() const noexcept { return samples_.empty(); }
  /// The oldest that is still whole when `newest` is the newest.
  long oldest(long newest) const noexcept {
    const long first = newest + 2 - static_cast<long>(samples_.size());
    return first > 0 ? first : 0;
  }

  Sample& at(long index) noexcept { return samples_[place(index)]; }
  const Sample& at(long index) const noexcept { return samples_[place(index)]; }

  /// Whether there is an estimate of it, as it was last gone through: else what stands here is of another sample.
  bool found(long index) const noexcept { return marks_[place(index)].found; }
  void set_found(long index, bool found) noexcept { marks_[place(index)].found = found; }
  /// Whether its own step gave results: such samples count for who looks back.
  bool answered(long index) const noexcept { return marks_[place(index)].answered; }
  void set_answered(long index, bool answered) noexcept { marks_[place(index)].answered = answered; }

 private:
  struct Mark {
    bool found = false, answered = false;
  };
  std::size_t place(long index) const noexcept { return static_cast<std::size_t>(index) % samples_.size(); }

  std::vector<Sample> samples_;
  std::vector<Mark> marks_;
};

}  // namespace sparsedyn::tracking
