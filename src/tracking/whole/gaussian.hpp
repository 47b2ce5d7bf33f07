// Mean and covariance of n errors, moved by dense rows, and the way back over these rows: as covariance.hpp for rows that read
// a whole robot.
#pragma once

#include <vector>

#include "tracking/shared/wide_rows.hpp"

namespace sparsedyn::tracking {

/// What a row did.
struct DenseRowRecord {
  std::vector<double> h, gain;
  double innovation = 0, variance = 1;
};

class Gaussian {
 public:
  explicit Gaussian(int size);
  double* row(int i) noexcept { return P.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); }
  const double* row(int i) const noexcept { return P.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); }
  double at(int i, int k) const noexcept { return row(i)[k]; }
  /// Whether all is finite and no variance negative.
  bool sound() const noexcept;
  /// hᵀ P h.
  double variance_of(const double* h) const noexcept;
  /// What a row found.
  struct Found {
    double square;    // of the innovation beside its variance
    double prior;     // h P h: the variance of what was predicted
    double variance;  // of the innovation; 0: nothing was open
    double innovation = 0;
  };
  /// Kalman's update by h·e = z + noise. variance: of the noise; 0: exact, for which 1e-10 of h P h stands. At most 4 n²
  /// operations, less where h has zeros and where errors are still independent of all. No heap. The mean moves at once, P with
  /// settle(): rows that are taken one after the other are subtracted from it together, which goes through its memory once.
  Found take(const double* h, double z, double variance, DenseRowRecord* record) noexcept;
  /// Takes back a row whose noise had that variance: all is as if it had not been taken. After settle(), and where `prior`, of
  /// all rows together, is less than the variance: others read what the row did. Found::variance is negative; 0: `prior` is not
  /// less, and nothing was done. No heap.
  Found take_back(const double* h, double z, double variance, DenseRowRecord* record) noexcept;
  /// After rows were taken, before P is read or written.
  void settle() noexcept;
  /// Error i becomes one that is independent of all, of that mean and variance: it costs nothing until a row reads it. No heap.
  void renew(int i, double mean_of, double variance) noexcept;
  /// Error i becomes e_i + share · e_k, and depends on others. After settle(). No heap.
  void add_error(int i, int k, double share) noexcept;
  /// Becomes the other one, of as many errors, after its settle(). No heap.
  void become(const Gaussian& other) noexcept;
  /// All errors count as dependent, as they are after P was written. No heap.
  void couple_all() noexcept;

  int n;
  std::vector<double> mean, P;  // P row by row, both halves

 private:
  Found predict(const double* h, double z) noexcept;
  void move(const double* h, const Found& found, DenseRowRecord* record) noexcept;
  int fill_up(int waiting) noexcept;
  void couple_with(const double* h) noexcept;
  void list_ranges() noexcept;

  static constexpr int most_waiting = 16;
  const WideRows* wide_;
  std::vector<double> column_, columns_;  // P h of rows that wait, n numbers each
  double scales_[most_waiting];
  std::vector<char> alone_;         // independent of all others
  std::vector<ErrorRange> ranges_;  // of errors that are not; the first range_count_
  int range_count_ = 1;
  std::vector<int> nonzero_;  // of h
  std::vector<double> entries_;
  int waiting_ = 0;
};

/// λ and Λ of Bryson & Frazier (1963): given all that came after, the errors are mean − P λ, their covariance P − P Λ P.
struct GaussianAdjoint {
  explicit GaussianAdjoint(int size);
  void clear() noexcept;
  /// Back over a row; with_covariance: Λ too.
  void back_over(const DenseRowRecord& row, bool with_covariance) noexcept;
  /// Back over a renewal of error i.
  void forget(int i, bool with_covariance) noexcept;

  int n;
  std::vector<double> lambda, information;  // Λ row by row

 private:
  std::vector<double> product_;
};

}  // namespace sparsedyn::tracking
