#include "sparsedyn/sparse/elimination.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

/// A row under construction: its positions as an ascending linked list, so that merging a sorted row costs one walk.
class RowUnion {
 public:
  explicit RowUnion(int size) : next_(size + 1) {}

  void start() { next_[head()] = end(); }
  int first() const { return next_[head()]; }
  int after(int position) const { return next_[position]; }
  int end() const { return head() + 1; }

  /// Inserts ascending positions, all of them after `from` (a member, or head()).
  int merge(int from, const int* begin, const int* finish) {
    int inserted = 0;
    for (const int* p = begin; p != finish; ++p) {
      while (next_[from] < *p) from = next_[from];
      if (next_[from] == *p) continue;
      next_[*p] = next_[from];
      next_[from] = *p;
      ++inserted;
    }
    return inserted;
  }
  int head() const { return static_cast<int>(next_.size()) - 1; }

 private:
  std::vector<int> next_;
};

}  // namespace

ZeroPivot::ZeroPivot(int at_position, int of_column)
    : std::domain_error("the pivot of column " + std::to_string(of_column) + " is zero at every state"),
      position(at_position),
      column(of_column) {}

Elimination eliminate(const Pattern& pattern, const Order& order) {
  const std::string wrong = fault(order, pattern);
  if (!wrong.empty()) throw std::invalid_argument(wrong);
  const int n = pattern.rows;
  std::vector<int> position(n);
  for (int k = 0; k < n; ++k) position[order.columns[k]] = k;

  Elimination result;
  result.lower_start.reserve(n + 1), result.upper_start.reserve(n + 1);
  result.lower_start.push_back(0), result.upper_start.push_back(0);
  RowUnion row(n);
  std::vector<int> own;
  for (int k = 0; k < n; ++k) {
    own.clear();
    const int r = order.rows[k];
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) own.push_back(position[pattern.column[e]]);
    std::sort(own.begin(), own.end());
    row.start();
    row.merge(row.head(), own.data(), own.data() + own.size());
    int j = row.first();
    for (; j < k; j = row.after(j)) {
      const int* upper = result.upper.data();
      result.fill += row.merge(j, upper + result.upper_start[j], upper + result.upper_start[j + 1]);
      result.lower.push_back(j);
    }
    if (j != k) throw ZeroPivot(k, order.columns[k]);
    for (j = row.after(j); j != row.end(); j = row.after(j)) result.upper.push_back(j);
    result.lower_start.push_back(static_cast<int>(result.lower.size()));
    result.upper_start.push_back(static_cast<int>(result.upper.size()));
  }
  return result;
}

}  // namespace sparsedyn
