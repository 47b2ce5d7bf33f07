#include "track_counts.hpp"

#include <algorithm>

#include "runtime/chi_square.hpp"

namespace sparsedyn::cli {
namespace {

constexpr double bin = 1.04, least = 1e-2;  // µs

}  // namespace

void TrackCounts::add(const TrackerStep& step) {
  slips_ += step.slips;
  if (step.rows == 0) return;
  sum_ += step.innovation, rows_ += step.rows, ++samples_;
  const auto known = middle_.try_emplace(step.rows);
  auto& [least_square, largest_square] = known.first->second;
  if (known.second)
    least_square = chi_square_quantile(0.975, step.rows), largest_square = chi_square_quantile(0.025, step.rows);
  inside_ += step.innovation >= least_square && step.innovation <= largest_square;
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
