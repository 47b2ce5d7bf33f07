#include "sparsedyn/logs/reading_faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "runtime/chi_square.hpp"

namespace sparsedyn {
namespace {

constexpr int shortest_run = 10;           // samples of one value, before anyone looks closer
constexpr double unlikely = -20.7;         // ln 1e-9
constexpr int fewest_looks = 8;            // at a run or an extreme
constexpr double least_prediction = 0.25;  // variance that a prediction is credited with at least, beside the reading's
constexpr double beyond_noise = 6;         // deviations of a mean
constexpr double well_inside = 4;          // deviations by which the prediction has left an extreme
constexpr double spike = 7.5;              // deviations; one in 1e13
constexpr double rare = 0.05;              // share of the samples that spikes may take
constexpr long many_in_sequence = 10;   // samples that are far off one after the other, and no spikes if they are half of all
constexpr long all_attributed = 2000;   // outliers; later every 16th
constexpr long samples_a_stride = 256;  // of the samples in which all readings are looked at, before there are half as many
constexpr long sparse_stride = 16;      // of them at the beginning, where judging costs more than reading
constexpr long correlated_every = 16;   // of these

/// Quantile 1 − 1e-9 of chi-square, nearly (Wilson & Hilferty 1931).
double largest_by_chance(double freedoms) {
  const double k = 2 / (9 * freedoms), root = 1 - k + 5.998 * std::sqrt(k);
  return freedoms * root * root * root;
}

}  // namespace

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::stuck: return "stuck";
    case FaultKind::saturated: return "saturated";
    case FaultKind::sign: return "sign";
    case FaultKind::drift: return "drift";
    case FaultKind::spikes: break;
  }
  return "spikes";
}

ReadingFaults::ReadingFaults(const System& system, bool leave_out, const std::vector<StuckStretch>& known)
    : leave_out_(leave_out), reading_of_row_(static_cast<std::size_t>(system.pattern().rows), -1) {
  if (leave_out) known_ = known;
  found_.reserve(most_stretches);
  for (const Measurement& m : system.measurements())
    for (int k = 0; k < m.rows(); ++k) {
      if (m.inputs[k] < 0 || !(m.sigma[k] > 0)) continue;
      reading_of_row_[m.first_row + k] = static_cast<int>(readings_.size());
      Reading reading{};
      reading.row = m.first_row + k, reading.input = m.inputs[k], reading.sensor = m.sensor;
      reading.has_unit_gain = m.kind != SensorKind::centre_of_pressure;
      readings_.push_back(reading);
    }
  slow_ = SlowChanges(readings_.size());
  answer_.resize(lanes * reading_of_row_.size());
  covariance_.resize(readings_.size() * readings_.size() * (slow_.correlates() ? 1 : 0));
  samples_.resize(lanes);
  for (Sample& sample : samples_) {
    sample.y.resize(system.inputs().size()), sample.screened.resize(system.inputs().size());
    sample.run.resize(readings_.size()), sample.was_out.resize(readings_.size());
  }
}

void ReadingFaults::read(int k, const double* y, bool sparsely) noexcept {
  Sample& sample = samples_[static_cast<std::size_t>(k)];
  std::copy_n(y, sample.y.size(), sample.y.begin());
  std::copy_n(y, sample.y.size(), sample.screened.begin());
  sample.number = read_++;
  sample.is_sampled = sample.number == next_sampled_;
  if (sparsely) stride_ = std::max(stride_, sparse_stride);
  sample.is_correlated = sample.is_sampled && sampled_ % correlated_every == 0;
  if (sample.is_sampled) {
    if (++sampled_ % samples_a_stride == 0) stride_ *= 2;
    next_sampled_ += stride_;
  }
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    Reading& r = readings_[i];
    const double value = y[r.input];
    sample.run[i] = 0, sample.was_out[i] = false;
    if (!std::isfinite(value)) continue;
    if (r.count == 0) r.high.value = r.low.value = value;
    if (value > r.high.value) r.high = {value}, r.saturated = r.saturated && r.saturated_samples > 0;
    if (value < r.low.value) r.low = {value};
    if (r.count++ > 0 && value == r.last) {
      ++r.run, ++r.repeats;
    } else {  // Laplace's rule of succession
      r.chance = std::log((static_cast<double>(r.repeats) + 1) / (static_cast<double>(r.count) + 2));
      r.run = 1, r.judged = 0, r.mean = r.squares = 0, r.next_look = 0, r.run_start = sample.number, r.run_line = -1;
      r.last = value;
      r.is_out = r.is_known = begins_known(r);
    }
    sample.run[i] = r.run, sample.was_out[i] = r.is_out;
    if (leave_out_ && (r.is_out || (r.saturated && (value == r.high.value || value == r.low.value) && r.run > 1)))
      sample.screened[r.input] = std::nan("");
  }
}

bool ReadingFaults::begins_known(const Reading& r) noexcept {
  while (next_known_ < known_.size() && known_[next_known_].first < r.run_start) ++next_known_;
  for (std::size_t i = next_known_; i < known_.size() && known_[i].first == r.run_start; ++i)
    if (known_[i].row == r.row && known_[i].value == r.last) return true;
  return false;
}

/// Whether a reading has stood still, or stands at an extreme again.
bool ReadingFaults::stands_out(const Reading& r, const Sample& sample, std::size_t i) const noexcept {
  const double value = sample.y[r.input];
  const bool again = r.count > 30 && (value == r.high.value || value == r.low.value) && sample.run[i] > 1;
  return sample.run[i] >= shortest_run ? sample.run[i] >= r.next_look : again;
}

bool ReadingFaults::looks_closer(int k) const noexcept {
  const Sample& sample = samples_[static_cast<std::size_t>(k)];
  if (sample.is_sampled) return true;
  for (std::size_t i = 0; i < readings_.size(); ++i)
    if (stands_out(readings_[i], sample, i)) return true;
  return false;
}

void ReadingFaults::judge(int k, Estimator& estimator, const EstimateStatus& status, long line) noexcept {
  const Sample& sample = samples_[static_cast<std::size_t>(k)];
  if (first_line_ < 0) first_line_ = line;
  counts_ = !(leave_out_ && status.outlier);
  int looks = 0;
  for (std::size_t i = 0; i < readings_.size(); ++i) looks += sample.is_sampled || stands_out(readings_[i], sample, i);
  if (looks > 0) estimator.expect_comparisons(looks);
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    Reading& r = readings_[i];
    if (sample.number == r.run_start) r.run_line = line;
    // what is read may be ahead of what is judged
    const bool in_run = sample.number >= r.run_start, is_out = sample.was_out[i] || (r.is_out && in_run);
    if (r.is_known && in_run && !r.stuck) r.stuck = true, r.stuck_line = r.run_line < 0 ? line : r.run_line;
    if (is_out) ++(r.stuck ? r.stuck_samples : r.saturated_samples);
    if (sample.is_sampled || stands_out(r, sample, i)) look(r, sample, i, estimator, line);
  }
  if (sample.is_correlated) correlate(estimator);
  if (!status.outlier) return;
  ++outliers_;
  note_outlier(sample, estimator, status.chi_square, line);
}

void ReadingFaults::look(Reading& r, const Sample& sample, std::size_t i, Estimator& estimator, long line) noexcept {
  const AgainstOthers found = estimator.against_others(r.row);
  if (!(found.deviation < 1e6)) return;
  const double innovation = found.difference / found.deviation, value = sample.y[r.input];
  if (sample.is_sampled && counts_) {
    slow_.add(i, sample.number, line, innovation);
    r.uncertainty += found.deviation * estimator.sigma(r.row);
  }
  if (sample.is_sampled && r.has_unit_gain) {
    double off = 0;
    for (std::size_t o = 0; o < estimator.offsets().rows.size(); ++o)
      if (estimator.offsets().rows[o] == r.row) off = estimator.offsets().value[o];
    const double twice = 2 * (value - off) / (estimator.sigma(r.row) * found.deviation);
    ++r.sampled;
    r.as_it_is += innovation * innovation;
    r.negated += (twice - innovation) * (twice - innovation);  // the prediction is reading − difference
  }
  if (sample.run[i] > 1 && r.has_unit_gain && value == r.high.value) look_at_extreme(r, r.high, -innovation, line);
  if (sample.run[i] > 1 && r.has_unit_gain && value == r.low.value) look_at_extreme(r, r.low, innovation, line);
  // the reading stands still, so what moves is the prediction, whose variance is the difference's less the reading's
  const double of_prediction = std::sqrt(std::max(found.deviation * found.deviation - 1, least_prediction));
  if (sample.run[i] >= shortest_run) look_at_run(r, found.difference / of_prediction, line, sample.run[i]);
}

/// The sample variance of what is left of the prediction while the reading stands still (Welford 1962).
void ReadingFaults::look_at_run(Reading& r, double off, long line, int run) noexcept {
  if (run > 200) r.next_look = run + (run < 4000 ? 4 : 16);  // a robot at rest: nothing moves
  ++r.judged;
  const double step = off - r.mean;
  r.mean += step / static_cast<double>(r.judged);
  r.squares += step * (off - r.mean);
  const bool is_repeated = r.chance * run<unlikely, has_moved = r.squares> largest_by_chance(static_cast<double>(r.judged - 1));
  if (r.is_out || r.judged < fewest_looks || !is_repeated || !has_moved) return;
  const Extreme* extreme = r.last == r.high.value ? &r.high : r.last == r.low.value ? &r.low : nullptr;
  r.is_out = true;
  if (extreme && is_beyond(*extreme)) return;  // look_at_extreme has said so
  if (!r.stuck) r.stuck_line = r.run_line < 0 ? line : r.run_line;
  r.stuck = true, r.stuck_samples += run;
  if (leave_out_ && known_.size() + found_.size() < most_stretches) found_.push_back({r.row, r.run_start, r.last});
}

std::vector<StuckStretch> ReadingFaults::stretches() const {
  std::vector<StuckStretch> all = known_;
  all.insert(all.end(), found_.begin(), found_.end());
  std::sort(all.begin(), all.end(), [](const StuckStretch& a, const StuckStretch& b) { return a.first < b.first; });
  return all;
}

/// What the others predict moves, and stays beyond (a robot at rest does not move).
bool ReadingFaults::is_beyond(const Extreme& extreme) noexcept {
  const double judged = static_cast<double>(extreme.judged);
  return extreme.judged >= fewest_looks && extreme.inward == 0 && extreme.mean > beyond_noise / std::sqrt(judged) &&
         extreme.squares > largest_by_chance(judged - 1);
}

void ReadingFaults::look_at_extreme(Reading& r, Extreme& extreme, double beyond, long line) noexcept {
  if (extreme.judged++ == 0) extreme.first_line = r.run_line < 0 ? line : r.run_line;
  const double judged = static_cast<double>(extreme.judged), step = beyond - extreme.mean;
  extreme.mean += step / judged;
  extreme.squares += step * (beyond - extreme.mean);
  if (beyond < -well_inside) ++extreme.inward;
  if (is_beyond(extreme) && !r.saturated && !r.stuck) r.saturated = true, r.saturated_line = extreme.first_line;
  if (extreme.inward > 0) r.saturated = false;
  if (r.saturated) ++r.saturated_samples;
}

void ReadingFaults::note_outlier(const Sample& sample, Estimator& estimator, double chi_square, long line) noexcept {
  const bool is_among_worst = kept_ < 10 || chi_square > worst_[9].chi_square;
  if (!is_among_worst && attributed_ >= all_attributed && outliers_ % 16 != 0) return;
  ++attributed_;
  const int row = estimator.suspect();
  if (row >= 0 && reading_of_row_[row] >= 0) {
    Reading& r = readings_[reading_of_row_[row]];
    const AgainstOthers found = estimator.against_others(row);
    ++r.off;
    if (std::abs(found.difference) > spike * found.deviation) {
      if (r.spiky++ == 0) r.first_spike = line;
      r.in_sequence += sample.number == r.last_spike + 1, r.last_spike = sample.number;
    }
  }
  if (!is_among_worst) return;
  if (kept_ < 10) ++kept_;
  int place = kept_ - 1;
  for (; place > 0 && worst_[place - 1].chi_square < chi_square; --place) worst_[place] = worst_[place - 1];
  worst_[place] = {line, row, chi_square};
}

/// Residuals have the covariance 1 − H.
void ReadingFaults::correlate(Estimator& estimator) noexcept {
  if (!slow_.correlates()) return;
  const std::size_t n = readings_.size();
  for (std::size_t first = 0; first < n; first += lanes) {
    std::array<int, lanes> rows{};
    const std::size_t here = std::min<std::size_t>(lanes, n - first), m = reading_of_row_.size();
    for (std::size_t k = 0; k < here; ++k) rows[k] = readings_[first + k].row;
    estimator.residual_covariances(rows.data(), static_cast<int>(here), answer_.data());
    for (std::size_t k = 0; k < here; ++k)
      for (std::size_t j = 0; j < n; ++j) covariance_[(first + k) * n + j] = answer_[k * m + readings_[j].row];
  }
  const auto variance = [&](std::size_t i) { return covariance_[i * n + i]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (variance(i) > no_redundancy && variance(j) > no_redundancy)
        slow_.correlate(i, j, covariance_[i * n + j] / std::sqrt(variance(i) * variance(j)));
}

bool ReadingFaults::stays_off(const Reading& r) noexcept {
  return r.in_sequence >= many_in_sequence && 2 * r.in_sequence >= r.spiky;
}

std::vector<OutlierSample> ReadingFaults::worst() const { return {worst_, worst_ + kept_}; }

std::vector<ReadingFault> ReadingFaults::faults() const {
  std::vector<ReadingFault> known, spikes;
  for (const Reading& r : readings_) {
    const double n = static_cast<double>(r.sampled);
    const bool negated = r.sampled >= 20 && r.as_it_is > 9 * n && r.negated < 0.25 * r.as_it_is && r.as_it_is - r.negated > 100;
    const bool is_rare = static_cast<double>(r.off) <= std::max(20.0, rare * static_cast<double>(read_));
    if (r.stuck)
      known.push_back({r.row, FaultKind::stuck, r.stuck_line, r.stuck_samples});
    else if (r.saturated)
      known.push_back({r.row, FaultKind::saturated, r.saturated_line, r.saturated_samples});
    else if (negated)
      known.push_back({r.row, FaultKind::sign, first_line_, read_});
    else if (r.spiky > 0 && is_rare && !stays_off(r))
      spikes.push_back({r.row, FaultKind::spikes, r.first_spike, r.spiky});
  }
  std::vector<ReadingFault> found = drifts(known);
  const auto is_told = [&](const ReadingFault& fault) {  // far off at one end of the log
    return std::any_of(found.begin(), found.end(), [&](const ReadingFault& drift) { return drift.row == fault.row; });
  };
  std::copy_if(spikes.begin(), spikes.end(), std::back_inserter(known), [&](const ReadingFault& s) { return !is_told(s); });
  found.insert(found.end(), known.begin(), known.end());
  std::sort(found.begin(), found.end(), [](const ReadingFault& a, const ReadingFault& b) { return a.row < b.row; });
  return found;
}

/// Of readings without one of these faults.
std::vector<ReadingFault> ReadingFaults::drifts(const std::vector<ReadingFault>& known) const {
  std::vector<std::size_t> explained;
  for (const ReadingFault& fault : known) explained.push_back(static_cast<std::size_t>(reading_of_row_[fault.row]));
  std::vector<ReadingFault> found;
  for (const SlowChanges::Change& change : slow_.found(explained, leave_out_)) {
    const Reading& r = readings_[change.series];
    const auto looks = static_cast<double>(slow_.count(change.series));
    found.push_back({r.row, FaultKind::drift, change.from_line, static_cast<long>(looks), change.size * r.uncertainty / looks});
    for (std::size_t other : change.or_else) found.back().or_else.push_back(readings_[other].row);
  }
  return found;
}

std::vector<SensorNoise> ReadingFaults::noise() const {
  std::vector<SensorNoise> found;
  std::vector<std::int64_t> samples;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const Reading& r = readings_[i];
    if (found.empty() || found.back().sensor != r.sensor) {
      found.push_back({r.sensor, {}, std::nullopt, {}});
      samples.push_back(0);
    }
    const ChiSquare own{slow_.squares(i), slow_.count(i)};
    if (!trusted(own).value_or(true)) found.back().rejected.push_back(r.row);
    found.back().innovations.sum += own.sum, found.back().innovations.expected += own.expected;
    samples.back() = std::max(samples.back(), own.expected);
  }
  for (std::size_t s = 0; s < found.size(); ++s) {
    SensorNoise& of = found[s];
    if (of.innovations.expected == 0) continue;
    // components that follow each other wholly have the widest chi-square: that of one of them
    const double alike = static_cast<double>(of.innovations.expected) / static_cast<double>(samples[s]);
    of.agrees = of.rejected.empty() && trusted({of.innovations.sum / alike, samples[s]}).value_or(true);
  }
  return found;
}

std::vector<std::pair<int, long>> ReadingFaults::often_off() const {
  std::vector<std::pair<int, long>> found;
  for (const Reading& r : readings_)
    if (stays_off(r) || static_cast<double>(r.off) > std::max(20.0, rare * static_cast<double>(read_)))
      found.push_back({r.row, r.off});
  return found;
}

std::vector<int> ReadingFaults::left_out(int k) const {
  const Sample& sample = samples_[static_cast<std::size_t>(k)];
  std::vector<int> rows;
  for (const Reading& r : readings_)
    if (std::isnan(sample.screened[r.input]) && !std::isnan(sample.y[r.input])) rows.push_back(r.row);
  return rows;
}

}  // namespace sparsedyn
