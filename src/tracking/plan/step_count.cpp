#include "tracking/plan/step_count.hpp"

#include <algorithm>
#include <numeric>

namespace sparsedyn::tracking {
namespace {

constexpr long most_waiting_rows = 16;  // as Gaussian has it

long by_fours(long count) { return (count + 3) / 4 * 4; }

/// Counts what Gaussian::take and settle do.
class RowCounter {
 public:
  explicit RowCounter(std::vector<char> alone)
      : alone_(std::move(alone)), open_(static_cast<long>(std::count(alone_.begin(), alone_.end(), 0))) {}

  void take(const std::vector<int>& support) {
    for (int error : support)
      if (char& alone = alone_[static_cast<std::size_t>(error)]; alone) alone = 0, ++open_;
    const long entries = static_cast<long>(support.size()), n = static_cast<long>(alone_.size());
    pairs(waiting_ * entries);                                  // h·c of each column that waits
    found_.mul += waiting_;                                     // times its scale
    pairs((by_fours(entries) + by_fours(waiting_)) * open_);    // P h
    pairs(2 * entries);                                         // innovation and its variance
    found_.div += 1, found_.mul += 2 * n, found_.add += n + 1;  // the mean
    if (++waiting_ == most_waiting_rows) settle();
  }

  void settle() {
    const long columns = by_fours(waiting_);
    pairs(columns * open_ * (open_ + 1) / 2);
    found_.mul += columns * open_;
    waiting_ = 0;
  }

  const Flops& found() const { return found_; }

 private:
  void pairs(long count) { found_.mul += count, found_.add += count; }

  std::vector<char> alone_;
  long open_, waiting_ = 0;
  Flops found_;
};

/// `rows` products of rows of n numbers with factors, added.
Flops scaled_rows(long rows, long n) { return {rows * n, rows * n, 0}; }

long rolling(const std::vector<ContactPoint>& points) { return static_cast<long>(count_rolling(points)); }

}  // namespace

Flops rows_count(const Supports& supports, const std::vector<int>& order, std::vector<char> alone) {
  RowCounter counter(std::move(alone));
  for (int row : order) counter.take(supports[static_cast<std::size_t>(row)]);
  counter.settle();
  return counter.found();
}

/// F from both sides: of a base A ω, A z, R⁺Rᵀ v, R⁺ z, arm and a block a foothold of nine, and twelve shifted rows; of a joint
/// q and dq; of several freedoms E, J dq and J z beside that; of a foot that rolls one more block and, before and after, the
/// joints that turn its link.
Flops carry_count(const WholeLayout& layout) {
  const long n = layout.size, blocks = 5 + static_cast<long>(layout.points.size());
  Flops side = scaled_rows(layout.floating ? 9 * blocks + 12 : 0, n);
  side = side + Flops{4 * layout.joints * n, 3 * layout.joints * n, 0};
  side = side + scaled_rows(9 * rolling(layout.points) + 2 * rolling_entries(layout), n);
  for (const GroupJoint& group : layout.groups) side = side + scaled_rows(3L * group.freedoms * group.freedoms, n);
  return side + side;
}

/// F from both sides: a block of nine of the velocity by the turn, one of each foothold that rolls, of a gyroscope's offset
/// three and one a foothold, of an accelerometer's one; six shifted rows. Six columns of the readings' noise, on all rows but
/// offsets.
Flops carry_count(const Layout& layout) {
  if (!layout.floating) return {};
  const long n = layout.size, points = static_cast<long>(layout.points.size()), noisy = 9 + 3 * points;
  const long blocks =
      1 + rolling(layout.points) + (layout.gyroscope.bias >= 0 ? 3 + points : 0) + (layout.accelerometer.bias >= 0 ? 1 : 0);
  const Flops side = scaled_rows(9 * blocks + 6, n);
  return side + side + Flops{6 * noisy + 6 * noisy * n, 7 * noisy * n, 0};
}

/// As Covariance::take does it; row i of a group reads the base's place and the footholds up to its own.
Flops rows_count(const Layout& layout) {
  Flops found;
  const long n = layout.size;
  const auto take = [&](long entries) {
    found = found + Flops{entries * n + 2 * entries + 2 * n + n * n, entries * n + 2 * entries + n + n * n, 1};
  };
  for (const PointGroup& group : layout.groups)
    for (long i = 0; i < 3 * static_cast<long>(group.points.size()); ++i) take(3 * (i / 3 + 1) + 3);
  for (const TrackedPose& pose : layout.poses) {
    for (int k = 0; k < 3; ++k)
      if (pose.inputs[k] >= 0) take(4);
    for (int k = 0; k < 3 && pose.turns; ++k) take(1);
  }
  return found;
}

}  // namespace sparsedyn::tracking
