#include "following_rows.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/loops/products.hpp"

namespace sparsedyn {
namespace {

constexpr double rounding = 1e-10;      // of the largest row: below it a row says nothing
constexpr double least_measure = 1e-5;  // of the largest row: 1e-16 of rounding is 1e-11 of it, a row that says something 1e-5
constexpr double firm = 0.3;            // of what the firmest row has left: then the order of the rows decides
constexpr double share_rounding = 1e-12;  // of a share

/// Gram and Schmidt: residuals are row k − Σ shares(k, j) row j of the rows j that are kept.
class Elimination {
 public:
  explicit Elimination(std::array<std::vector<double>, 3> rows) : left_(std::move(rows)) {
    for (int k = 0; k < 3; ++k) largest_ = std::max(largest_, size(k));
  }

  FollowingRows run() {
    for (int p = next(); p >= 0; p = next()) keep(p);
    FollowingRows found;
    for (int k = 0; k < 3; ++k) {
      found.follows[at(k)] = !kept_[at(k)];
      for (int j = 0; j < 3 && !kept_[at(k)]; ++j)
        found.shares(k, j) = std::abs(shares_(k, j)) > share_rounding ? shares_(k, j) : 0;
    }
    return found;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  double size(int k) const { return std::sqrt(product(left_[at(k)], left_[at(k)])); }

  /// The first of the firm rows that are left, or -1 where all are rounding.
  int next() const {
    double firmest = 0;
    for (int k = 0; k < 3; ++k) firmest = std::max(firmest, kept_[at(k)] ? 0 : size(k));
    if (!(firmest > rounding * largest_)) return -1;
    int k = 0;
    while (kept_[at(k)] || !(size(k) > firm * firmest)) ++k;
    return k;
  }

  /// Takes what row p has left out of the others; twice, for rounding.
  void keep(int p) {
    kept_[at(p)] = true;
    const double squared = product(left_[at(p)], left_[at(p)]);
    for (int k = 0; k < 3; ++k)
      for (int pass = 0; pass < 2 && !kept_[at(k)]; ++pass) {
        const double share = product(left_[at(k)], left_[at(p)]) / squared;
        for (std::size_t i = 0; i < left_[at(k)].size(); ++i) left_[at(k)][i] -= share * left_[at(p)][i];
        for (int j = 0; j < 3; ++j) shares_(k, j) += share * ((j == p) - shares_(p, j));
      }
  }

  std::array<std::vector<double>, 3> left_;
  std::array<bool, 3> kept_{{false, false, false}};
  Mat3<double> shares_{};
  double largest_ = 0;
};

}  // namespace

void judge_beside_largest(double* sizes) noexcept {
  const double largest = *std::max_element(sizes, sizes + 3);
  for (int k = 0; k < 3; ++k) sizes[k] = sizes[k] > rounding * largest ? std::max(sizes[k], least_measure * largest) : 0;
}

FollowingRows following_rows(std::array<std::vector<double>, 3> rows) { return Elimination(std::move(rows)).run(); }

}  // namespace sparsedyn
