// Stretches of rows that lack something, for a picture.
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn::report {

/// From the first row that lacks something to the last one; of one row both are the same.
struct Gap {
  double from = 0, to = 0;  // as the x of the chart
};

/// Rows one after the other make one gap, however many they are.
class Gaps {
 public:
  /// The row of that number, which grows from call to call, lacks something.
  void add(long row, double at) {
    if (row == last_ + 1 && goes_on_)
      gaps_.back().to = at;
    else if ((goes_on_ = gaps_.size() < most))
      gaps_.push_back({at, at});
    last_ = row;
  }
  /// The first 2000.
  const std::vector<Gap>& all() const { return gaps_; }
  bool empty() const { return gaps_.empty(); }

 private:
  static constexpr std::size_t most = 2000;
  std::vector<Gap> gaps_;
  long last_ = -2;
  bool goes_on_ = false;  // the last row is in the last gap
};

}  // namespace sparsedyn::report
