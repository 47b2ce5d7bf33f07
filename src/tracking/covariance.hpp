// A Gaussian of n errors, moved by one row after the other: the dense kernel of a filter's step.
//
// It is carried as mean and covariance, not as a factor of the information: what no row sees (yaw, place) is large in the one
// and a difference of large numbers in the other, and so keeps all its digits here.
#pragma once

#include <vector>

namespace sparsedyn::tracking {

/// A row h·e = z + noise of variance `noise`, of which `count` entries are not zero.
struct SparseRow {
  static constexpr int most = 64;
  int count = 0;
  int index[most];
  double value[most];
  double z = 0, noise = 1;
  void add(int at, double x) noexcept { index[count] = at, value[count++] = x; }
};

/// What a row did, for going back over it.
struct RowRecord {
  int count = 0;
  std::vector<int> index;
  std::vector<double> value, gain;  // gain: of all errors
  double innovation = 0, variance = 1;
};

/// Square, row by row, symmetric, both halves.
class Covariance {
 public:
  explicit Covariance(int size)
      : n(size),
        values(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0),
        column_(static_cast<std::size_t>(size)) {}

  double* row(int i) noexcept { return values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); }
  const double* row(int i) const noexcept { return values.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); }
  double at(int i, int k) const noexcept { return row(i)[k]; }
  void clear() noexcept;
  /// Whether all is finite and no variance negative.
  bool sound() const noexcept;

  /// Kalman's update by one row: mean += k (z − h mean), P −= k (h P), k = P h / (h P h + noise). Returns the innovation's
  /// square beside its variance. 2 n² + 2 n count operations. `record`: null, or what is kept of it.
  double take(const SparseRow& row, double* mean, RowRecord* record) noexcept;

  int n;
  std::vector<double> values;

 private:
  std::vector<double> column_;
};

}  // namespace sparsedyn::tracking
