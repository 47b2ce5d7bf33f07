#include <catch2/catch.hpp>
#include <thread>

#include "sparsedyn/live/row_ring.hpp"

using sparsedyn::RowRing;

TEST_CASE("a ring hands on every row, in order, from one thread to another") {
  RowRing<long> ring(3, 64);
  constexpr long rows = 200000;
  long wrong = 0;
  std::thread reader([&] {
    for (long k = 0; k < rows;) {
      const auto row = ring.front();
      if (!row) {
        std::this_thread::yield();
        continue;
      }
      wrong += *row.head != k;
      for (int c = 0; c < 3; ++c) wrong += row.values[c] != static_cast<double>(3 * k + c);
      ring.pop();
      ++k;
    }
  });
  for (long k = 0; k < rows;) {
    const auto row = ring.room();
    if (!row) {
      std::this_thread::yield();
      continue;
    }
    *row.head = k;
    for (int c = 0; c < 3; ++c) row.values[c] = static_cast<double>(3 * k + c);
    ring.push();
    ++k;
  }
  reader.join();
  CHECK(wrong == 0);
  CHECK(!ring.front());
}

TEST_CASE("a ring that is full has no room, and one that is empty no row") {
  RowRing<int> ring(1, 5);
  CHECK(ring.rows() == 8);
  CHECK(!ring.front());
  for (int k = 0; k < 8; ++k) {
    REQUIRE(ring.room());
    *ring.room().head = k;
    ring.push();
  }
  CHECK(!ring.room());
  CHECK(ring.filled() == 8);
  for (int k = 0; k < 8; ++k) {
    REQUIRE(ring.front());
    CHECK(*ring.front().head == k);
    ring.pop();
  }
  CHECK(!ring.front());
  CHECK(ring.room());
}
