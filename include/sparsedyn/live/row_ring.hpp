// A queue of rows between two threads, without locks: one writes, one reads. A row is a head (what it is, when it came) and as
// many numbers as the queue was made for. The writer fills a free row in place, the reader reads it in place.
//
//   writer: if (auto row = ring.room()) { row.head->… = …; row.values[0] = …; ring.push(); }       else it is full
//   reader: while (auto row = ring.front()) { …; ring.pop(); }
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace sparsedyn {

/// Head: copied byte by byte, and told of by the thread that wrote it.
template <class Head>
class RowRing {
  static_assert(std::is_trivially_copyable_v<Head>, "heads are written in place, again and again");

 public:
  /// A row in place; false: there is none.
  struct Row {
    Head* head = nullptr;
    double* values = nullptr;  // as many as the ring's width
    explicit operator bool() const noexcept { return head != nullptr; }
  };

  /// Room for at least `rows` rows (≥ 1) of `width` numbers. All memory is taken here.
  RowRing(std::size_t width, std::size_t rows)
      : width_(width), rows_(power_of_two(rows)), heads_(rows_), values_(rows_ * width) {}
  RowRing(const RowRing&) = delete;
  RowRing& operator=(const RowRing&) = delete;

  /// Numbers of a row.
  std::size_t width() const noexcept { return width_; }
  /// Rows that it can hold.
  std::size_t rows() const noexcept { return rows_; }

  /// Rows that wait for the reader, or a moment ago did. Any thread.
  std::size_t filled() const noexcept {
    const std::size_t read = read_.load(std::memory_order_acquire);
    return written_.load(std::memory_order_acquire) - read;
  }

  /// The writer's: a free row, or none where the reader is so far behind that all are full.
  Row room() noexcept {
    const std::size_t next = written_.load(std::memory_order_relaxed);
    if (next - read_.load(std::memory_order_acquire) == rows_) return {};
    return at(next);
  }
  /// The writer's: hands that row to the reader.
  void push() noexcept { written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  /// The reader's: the oldest row, or none.
  Row front() noexcept {
    const std::size_t next = read_.load(std::memory_order_relaxed);
    if (next == written_.load(std::memory_order_acquire)) return {};
    return at(next);
  }
  /// The reader's: gives that row back.
  void pop() noexcept { read_.store(read_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  static std::size_t power_of_two(std::size_t rows) {
    std::size_t n = 1;
    while (n < rows) n *= 2;
    return n;
  }
  Row at(std::size_t count) noexcept {
    const std::size_t place = count & (rows_ - 1);
    return {&heads_[place], values_.data() + place * width_};
  }

  std::size_t width_, rows_;
  std::vector<Head> heads_;
  std::vector<double> values_;
  // Counts since the start, each on a cache line of its own: they are written by different cores.
  alignas(64) std::atomic<std::size_t> written_{0};
  alignas(64) std::atomic<std::size_t> read_{0};
};

}  // namespace sparsedyn
