// Series of numbers that are white and of variance 1 where nothing is wrong (a reading less what all others predict, in its
// deviations: Baarda 1968), and whether they change slowly over a log: the sensor warms up, or was moved.
//
// The log is cut into blocks of equal length. The means of a series over its blocks are fitted by a polynomial of third degree,
// weighted by their samples. Its squares without the constant, beside those that it leaves,
//
//   F = (slow / 3) / max(1, rest / (blocks − 4)),
//
// are Fisher's F where the noise is white, however large it is; and chi-square / 3 where it is as stated. A series changes
// slowly where F > 15 (under the stated noise one in 1e9) and the slow part makes at least half of all that the stated noise
// does not explain: errors of a model move as the robot does, which is faster.
#pragma once

#include <vector>

namespace sparsedyn {

/// Memory is taken at construction and does not grow with the log.
class SlowChanges {
 public:
  explicit SlowChanges(std::size_t series = 0);

  /// The number of a series at a sample; samples may be left out, and never go back. `line`: what the caller calls it. No heap.
  void add(std::size_t series, long sample, long line, double number) noexcept;
  /// How two series follow each other where both are noise: a sample of their correlation, −1 to 1. No heap.
  void correlate(std::size_t one, std::size_t other, double correlation) noexcept;
  /// Whether correlations are kept: they take the square of the number of series.
  bool correlates() const { return !correlation_.empty(); }

  /// Of a series: its numbers, and their squares.
  long count(std::size_t series) const { return totals_[series].count; }
  double squares(std::size_t series) const { return totals_[series].squares; }

  /// A series that changes slowly.
  struct Change {
    std::size_t series;
    double evidence;                   // F
    double size;                       // from the least to the largest of the slow part; below 0 where it falls
    long from_line;                    // of the first sample of the block from which on it is off its beginning
    std::vector<std::size_t> or_else;  // series that would show the same
  };
  /// The one with the most evidence first; then those of what its change does not explain in the others, through their
  /// correlations; where these are not kept only the first. `known`: series whose faults are known, and explain others as well,
  /// and are not named. `bounded`: what is far off counts less, so that others follow it by less than its share: those that
  /// follow one that is named or known are not judged. Offline.
  std::vector<Change> found(const std::vector<std::size_t>& known = {}, bool bounded = false) const;

 private:
  static constexpr std::size_t most_blocks = 64;  // when there are so many, two become one
  struct Block {
    double count = 0, sum = 0;
  };
  struct Total {
    long count = 0;
    double sum = 0, squares = 0;
  };
  struct Curve;
  struct Search;
  Block* blocks(std::size_t series) { return blocks_.data() + series * most_blocks; }
  const Block* blocks(std::size_t series) const { return blocks_.data() + series * most_blocks; }
  void halve() noexcept;
  std::vector<double> correlations() const;

  std::size_t series_;
  long length_ = 1;                               // samples of a block
  std::vector<Block> blocks_;                     // series by series
  std::vector<long> lines_;                       // of each block's first sample, −1: none
  std::vector<Total> totals_;                     // by series
  std::vector<double> correlation_, correlated_;  // series × series: sums, and how many
};

}  // namespace sparsedyn
