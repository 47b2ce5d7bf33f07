#include "sparsedyn/logs/resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "between.hpp"

namespace sparsedyn {
namespace {

constexpr double the_very_time = 0.5e-9;  // s
constexpr double most_times = 2147483648.0;

/// Samples by time, the last of those at one time.
std::vector<std::size_t> in_order(const std::vector<double>& time, Resampled& made) {
  std::vector<std::size_t> order(time.size()), kept;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time[a] < time[b]; });
  for (std::size_t i = 1; i < time.size(); ++i) made.late += time[i] < time[i - 1];
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || time[order[i + 1]] > time[order[i]]) kept.push_back(order[i]);
  made.repeated = static_cast<long>(order.size() - kept.size());
  return kept;
}

/// Where a time of the clock lies: between two samples, or at one (share 0).
struct Place {
  std::size_t before = 0, after = 0;
  double share = 0;
  bool found = false;
};

std::vector<Place> places(const std::vector<double>& clock, const std::vector<double>& time,
                          const std::vector<std::size_t>& order, double max_gap) {
  std::vector<Place> found(clock.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < clock.size(); ++i) {
    while (k + 1 < order.size() && time[order[k + 1]] <= clock[i] + the_very_time) ++k;
    const double age = clock[i] - time[order[k]];
    if (std::abs(age) <= the_very_time) {
      found[i] = {order[k], order[k], 0, true};
    } else if (k + 1 < order.size() && age > 0) {
      const double step = time[order[k + 1]] - time[order[k]];
      found[i] = {order[k], order[k + 1], age / step, step <= max_gap};
    }
  }
  return found;
}

void turn_between(const std::array<std::size_t, 4>& four, const std::vector<std::vector<double>>& values, const Place& at,
                  std::size_t i, Resampled& made) {
  std::array<double, 4> before{}, after{};
  for (std::size_t k = 0; k < 4; ++k) before[k] = values[four[k]][at.before], after[k] = values[four[k]][at.after];
  const std::array<double, 4> q = sparsedyn::turn_between(before, after, at.share);
  for (std::size_t k = 0; k < 4; ++k) made.values[four[k]][i] = q[k];
}

}  // namespace

Resampled resample(const std::vector<std::string>& columns, const std::vector<double>& time,
                   const std::vector<std::vector<double>>& values, double rate, double max_gap) {
  if (values.size() != columns.size()) throw std::invalid_argument("resample: values of as many columns as names are due");
  for (const std::vector<double>& column : values)
    if (column.size() != time.size()) throw std::invalid_argument("resample: as many values as times are due");
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!(rate > 0) || !std::isfinite(rate) || !(max_gap > 0))
    throw std::invalid_argument("resample: a rate and a gap above 0 are due");
  if (time.empty() || !std::all_of(time.begin(), time.end(), finite))
    throw std::invalid_argument("resample: times that are numbers are due");
  Resampled made;
  const std::vector<std::size_t> order = in_order(time, made);
  const double first = time[order.front()], last = time[order.back()];
  double k = std::ceil((first - the_very_time) * rate);
  if (!((last - first) * rate < most_times)) throw std::invalid_argument("resample: a clock of less than 2^31 times is due");
  for (; k / rate <= last + the_very_time; ++k) made.time.push_back(k / rate + 0.0);  // no −0
  const std::vector<Place> at = places(made.time, time, order, max_gap);
  made.values.assign(columns.size(), std::vector<double>(made.time.size(), std::numeric_limits<double>::quiet_NaN()));
  std::vector<char> turns(columns.size(), 0);
  const std::vector<std::array<std::size_t, 4>> of_turns = orientations(columns);
  for (const auto& four : of_turns)
    for (std::size_t c : four) turns[c] = 1;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool may_turn = is_position_column(columns[c]);
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i].found && (!turns[c] || at[i].share == 0))
        made.values[c][i] = at[i].share == 0 ? values[c][at[i].before]
                                             : between(values[c][at[i].before], values[c][at[i].after], at[i].share, may_turn);
  }
  for (const auto& four : of_turns)
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i].found && at[i].share != 0) turn_between(four, values, at[i], i, made);
  return made;
}

}  // namespace sparsedyn
