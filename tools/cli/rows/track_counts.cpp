#include "track_counts.hpp"

#include <algorithm>

namespace sparsedyn::cli {
namespace {

constexpr double bin = 1.04, least = 1e-2;  // µs

/// Quantile of chi-square with n freedoms, z that of a normal (Wilson & Hilferty 1931).
double chi_square_quantile(int n, double z) {
  const double a = 2.0 / (9.0 * n), root = 1 - a + z * std::sqrt(a);
  return n * root * root * root;
}

}  // namespace

void TrackCounts::add(const TrackerStep& step) {
  slips_ += step.slips;
  if (step.rows == 0) return;
  sum_ += step.innovation, rows_ += step.rows, ++samples_;
  inside_ += step.innovation >= chi_square_quantile(step.rows, -1.959964) &&
             step.innovation <= chi_square_quantile(step.rows, 1.959964);
}

void TrackCounts::add_step_time(double seconds) {
  const double us = 1e6 * seconds;
  worst_ = std::max(worst_, us);
  const double at = std::log(std::max(us, least) / least) / std::log(bin);
  ++histogram_[static_cast<std::size_t>(std::min(at, 511.0))];
  ++steps_;
}

/// Mean and squares about it, one by one (Welford 1962).
void TrackCounts::add_interval(double stamped) {
  ++intervals_;
  const double off = stamped - mean_;
  mean_ += off / static_cast<double>(intervals_);
  squares_ += off * (stamped - mean_);
}

double TrackCounts::median_step_us() const {
  long below = 0;
  for (std::size_t k = 0; k < histogram_.size(); ++k)
    if ((below += histogram_[k]) * 2 >= steps_) return least * std::pow(bin, static_cast<double>(k) + 0.5);
  return 0;
}

}  // namespace sparsedyn::cli
