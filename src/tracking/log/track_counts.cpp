#include "tracking/log/track_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/chi_square.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double bin_width = 1.04, least_step = 1e-2;  // µs

}  // namespace

void TrackCounts::add(const TrackerStep& step) {
  slips_ += step.slips;
  if (step.surprise != 0) surprise_ += step.surprise, ++surprises_;
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
  const double at = std::log(std::max(us, least_step) / least_step) / std::log(bin_width);
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
    if ((below += histogram_[k]) * 2 >= steps_) return least_step * std::pow(bin_width, static_cast<double>(k) + 0.5);
  return 0;
}

void TrackCounts::tell(TrackFigures& figures) const {
  const double none = std::numeric_limits<double>::quiet_NaN();
  figures.slips = slips_;
  figures.innovation_mean = rows_ > 0 ? sum_ / static_cast<double>(rows_) : none;
  figures.innovations_inside = samples_ > 0 ? static_cast<double>(inside_) / static_cast<double>(samples_) : none;
  figures.surprise = surprises_ > 0 ? surprise_ / static_cast<double>(surprises_) : none;
  figures.mean_interval = mean_;
  figures.jitter = intervals_ > 1 ? std::sqrt(squares_ / static_cast<double>(intervals_ - 1)) : 0;
  figures.median_step_us = median_step_us(), figures.worst_step_us = worst_;
}

}  // namespace sparsedyn::tracking
