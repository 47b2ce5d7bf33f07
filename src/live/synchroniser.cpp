#include "sparsedyn/live/synchroniser.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "logs/between.hpp"

namespace sparsedyn {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
constexpr double far = 1;          // s: stamps that jump by more are of a clock that began anew, or of a fault
constexpr double usual_steps = 2;  // of a source's stamps, by which one may be ahead besides
constexpr int believed_after = 5;  // readings in a row that tell of such a clock
constexpr std::size_t most_doubtful = believed_after - 1;
constexpr int given_up_after = 5;      // samples that a source missed before nobody waits for it
constexpr int clock_known_after = 10;  // readings of a source before its clock is judged
constexpr double window = 0.5;         // s, of LeastDelay
constexpr double slowest = 1e-3;       // Hz
constexpr double most_seconds = 9e9;   // that fit nanoseconds

/// Stamps of a Unix clock have but a quarter of a microsecond: equal ones differ by their rounding.
double very_time(double t) { return std::max(0.5e-9, 4.5e-16 * std::abs(t)); }

}  // namespace

void Synchroniser::LeastDelay::add(double delay, double at) noexcept {
  if (const double now_in = std::floor(at / window); now_in != half_second) {
    before = now_in == half_second + 1 ? now : infinite;
    now = infinite, half_second = now_in;
  }
  now = std::min(now, delay);
  ++count;
}

Synchroniser::Synchroniser(std::vector<std::string> columns, const SynchroniserOptions& options)
    : columns_(std::move(columns)), turns_(orientations(columns_)), options_(options) {
  if (options.sources < 1 || options.sources > 64) throw std::invalid_argument("synchroniser: 1 to 64 sources are due");
  if (!(options.rate == 0 || (options.rate >= slowest && options.rate <= 1e5)))
    throw std::invalid_argument("synchroniser: a rate of 0, or of 1e-3 to 1e5 Hz is due");
  if (!(options.wait >= 0 && options.wait <= 0.25)) throw std::invalid_argument("synchroniser: a wait of 0 to 0.25 s is due");
  if (!(options.max_gap > 0 && std::isfinite(options.max_gap)))
    throw std::invalid_argument("synchroniser: a gap above 0 is due");
  for (const std::string& column : columns_) is_angle_.push_back(is_position_column(column) ? 1 : 0);
  for (const auto& four : turns_)
    for (std::size_t c : four) is_angle_[c] = 2;
  sources_.resize(static_cast<std::size_t>(options.sources));
  for (Source& source : sources_) {
    source.values.resize(kept * columns_.size()), source.stamps.resize(kept), source.order.resize(kept);
    source.doubtful_values.resize(most_doubtful * columns_.size()), source.doubtful_stamps.resize(most_doubtful);
    for (std::size_t k = 0; k < kept; ++k) source.order[k] = static_cast<int>(k);
  }
  waiting_.resize(kept);
}

double Synchroniser::newest(int k) const noexcept {
  const Source& source = sources_[static_cast<std::size_t>(k)];
  return source.size == 0 ? -infinite : source.stamps[static_cast<std::size_t>(source.order[source.size - 1])];
}

void Synchroniser::add(int k, double stamp, std::int64_t arrival, const double* values) noexcept {
  if (!began_) began_ = true, epoch_ = arrival;
  Source& source = sources_[static_cast<std::size_t>(k)];
  const double at = seconds(arrival), before = newest(k);
  if (!(std::abs(stamp) < most_seconds)) {
    ++source.counts.refused;
    return;
  }
  const bool goes_back = source.size > 0 && stamp < before - far;
  const bool goes_ahead = is_far_ahead(source, stamp - before, at);
  if ((goes_back || goes_ahead) && !is_believed(source, stamp, at)) {
    if (source.astray == 1) refuse_doubtful(source);
    if (goes_back)
      ++source.counts.refused;
    else
      doubt(source, stamp, values);
    return;
  }
  if (goes_back) restart(source, at);
  const std::size_t n = columns_.size(), believed = goes_ahead ? std::exchange(source.doubtful, 0) : 0;
  for (std::size_t i = 0; i < believed; ++i) take(k, source.doubtful_stamps[i], at, source.doubtful_values.data() + i * n);
  refuse_doubtful(source);
  source.astray = 0, source.arrived = at;
  take(k, stamp, at, values);
}

/// It is kept, until as many follow that it is believed.
void Synchroniser::doubt(Source& source, double stamp, const double* values) noexcept {
  if (source.doubtful == most_doubtful) refuse_doubtful(source);
  source.doubtful_stamps[source.doubtful] = stamp;
  std::copy_n(values, columns_.size(),
              source.doubtful_values.begin() + static_cast<std::ptrdiff_t>(source.doubtful * columns_.size()));
  ++source.doubtful;
}

void Synchroniser::refuse_doubtful(Source& source) noexcept {
  source.counts.refused += static_cast<long>(std::exchange(source.doubtful, 0));
}

void Synchroniser::end() noexcept {
  for (Source& source : sources_) refuse_doubtful(source);
}

void Synchroniser::take(int k, double stamp, double at, const double* values) noexcept {
  Source& source = sources_[static_cast<std::size_t>(k)];
  if (k == 0 && stamp > newest(k) + far) running_ = false;  // what lies between was not measured
  count(source, stamp, at);
  last_arrival_ = at;
  insert(source, stamp, values);
  if (k == 0) plan_sample(stamp);
}

/// One stamp may be a fault of the line; several in a row that lie no farther apart than readings do are those of a sender that
/// was started again, or are behind a log's gap.
bool Synchroniser::is_believed(Source& source, double stamp, double at) noexcept {
  const double apart = std::abs(stamp - source.astray_stamp);
  const bool agrees = source.astray > 0 && apart <= far + usual_steps * source.step + (at - source.astray_arrived);
  source.astray = agrees ? source.astray + 1 : 1;
  source.astray_stamp = stamp, source.astray_arrived = at;
  return source.astray >= believed_after;
}

/// A stamp ahead by far more than has passed since the last reading came, and than the source's stamps lie apart.
bool Synchroniser::is_far_ahead(const Source& source, double step, double at) const noexcept {
  return source.size > 1 && step > far + usual_steps * source.step + (at - source.arrived);
}

void Synchroniser::restart(Source& source, double at) noexcept {
  const auto forget = [](Source& each) {
    refuse_doubtful(each);
    each.size = 0, each.missed = 0, each.astray = 0, each.step = 0, each.used = -infinite, each.delay = {};
  };
  forget(source);
  ++restarts_;
  if (&source != &sources_.front()) return;
  for (Source& each : sources_) forget(each);
  pause_ = std::isfinite(made_) ? at - last_arrival_ : 0;
  made_ = -infinite, waiting_count_ = 0, running_ = false;
}

void Synchroniser::count(Source& source, double stamp, double at) noexcept {
  const double before = newest(static_cast<int>(&source - sources_.data()));
  ++source.counts.readings;
  if (stamp == before)
    ++source.counts.repeated;
  else if (stamp < before)
    ++source.counts.reordered;
  else if (stamp <= made_)
    ++source.counts.late;
  const double step = stamp - before;
  if (step > 0 && step < far) source.period += (step - source.period) * (source.period > 0 ? 1.0 / 16 : 1);
  if (step > 0 && std::isfinite(step)) source.step = step;
  source.delay.add(at - stamp, at);
  if (&source == &sources_.front() && step > 0) delay_ = at - stamp;
  const bool in_time = at - stamp <= delay_ + options_.wait;
  if (in_time) source.missed = std::min(source.missed, given_up_after - 1);  // it is waited for again
}

void Synchroniser::insert(Source& source, double stamp, const double* values) noexcept {
  std::size_t place = source.size;
  while (place > 0 && source.stamps[static_cast<std::size_t>(source.order[place - 1])] > stamp) --place;
  const bool is_there = place > 0 && source.stamps[static_cast<std::size_t>(source.order[place - 1])] == stamp;
  if (is_there) {
    --place;
  } else if (source.size == kept) {
    if (place == 0) return;  // older than all that are kept
    std::rotate(source.order.begin(), source.order.begin() + 1, source.order.begin() + static_cast<std::ptrdiff_t>(place));
    --place;
  } else {
    const auto from = source.order.begin() + static_cast<std::ptrdiff_t>(place);
    std::rotate(from, source.order.begin() + static_cast<std::ptrdiff_t>(source.size),
                source.order.begin() + static_cast<std::ptrdiff_t>(source.size) + 1);
    ++source.size;
  }
  const auto slot = static_cast<std::size_t>(source.order[place]);
  source.stamps[slot] = stamp;
  std::copy_n(values, columns_.size(), source.values.begin() + static_cast<std::ptrdiff_t>(slot * columns_.size()));
}

/// Of the first source.
void Synchroniser::plan_sample(double stamp) noexcept {
  if (options_.rate > 0) {
    if (running_) return;
    tick_ = std::ceil((stamp - very_time(stamp)) * options_.rate);
    if (tick_ / options_.rate <= made_) tick_ = std::floor(made_ * options_.rate) + 1;
    running_ = true;
    return;
  }
  if (stamp <= made_ || waiting_count_ == kept) return;
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_);
  const auto place = std::lower_bound(waiting_.begin(), end, stamp);
  if (place != end && *place == stamp) return;
  std::copy_backward(place, end, end + 1);
  *place = stamp;
  ++waiting_count_;
}

double Synchroniser::next_time() const noexcept {
  if (options_.rate > 0) return running_ ? tick_ / options_.rate + 0.0 : none;  // no −0
  return waiting_count_ > 0 ? waiting_[0] : none;
}

/// Of the readings that may enter one sample, where each enters one.
double Synchroniser::half_window() const noexcept {
  return 0.5 * (options_.rate > 0 ? 1 / options_.rate : sources_.front().period);
}

/// Whether nothing that this sample reads is still to come.
bool Synchroniser::reaches(const Source& source, double t) const noexcept {
  if (source.size == 0) return false;
  const double last = source.stamps[static_cast<std::size_t>(source.order[source.size - 1])];
  if (last >= t - very_time(t)) return true;
  return options_.each_once && last > t - half_window() && last + 0.5 * source.period > t;
}

bool Synchroniser::waited_for(std::size_t k) const noexcept { return sources_[k].missed < given_up_after; }

bool Synchroniser::complete() const noexcept {
  const double t = next_time();
  if (!std::isfinite(t)) return false;
  if (waiting_count_ == kept) return true;
  bool any = false;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    if (!waited_for(k)) continue;
    if (!reaches(sources_[k], t)) return false;
    any = true;
  }
  return any;
}

std::int64_t Synchroniser::deadline() const noexcept {
  const double at = next_time() + delay_ + options_.wait;
  if (!(std::abs(at) < most_seconds)) return never;
  return epoch_ + static_cast<std::int64_t>(std::llround(1e9 * at));
}

bool Synchroniser::has_rest() const noexcept {
  const double t = next_time();
  for (std::size_t k = 0; k < sources_.size(); ++k)
    if (newest(static_cast<int>(k)) >= t - very_time(t)) return true;
  return false;
}

double Synchroniser::ahead(int k) const noexcept {
  const LeastDelay &first = sources_.front().delay, &own = sources_[static_cast<std::size_t>(k)].delay;
  if (first.count < clock_known_after || own.count < clock_known_after) return 0;
  return first.value() - own.value();
}

/// A clock that is ahead tells of another time than it says; one behind comes late by itself.
bool Synchroniser::usable(std::size_t k) const noexcept { return !(ahead(static_cast<int>(k)) > options_.tolerance); }

double Synchroniser::make(double* row) noexcept {
  std::fill_n(row, columns_.size(), none);
  const double t = next_time();
  if (!std::isfinite(t)) return none;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    Source& source = sources_[k];
    source.missed = reaches(source, t) ? 0 : std::min(source.missed + 1, given_up_after);
    if (usable(k)) fill(source, options_.each_once ? nearest(source, t) : bracket(source, t), row);
  }
  made_ = t;
  if (options_.rate > 0) {
    ++tick_;
    stop_where_nothing_comes(t);
  } else {
    std::copy(waiting_.begin() + 1, waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_), waiting_.begin());
    --waiting_count_;
  }
  return t;
}

/// After a second without any reading: samples go on with the next one.
void Synchroniser::stop_where_nothing_comes(double t) noexcept {
  if (t + delay_ - last_arrival_ > far) running_ = false;
}

Synchroniser::Bracket Synchroniser::bracket(const Source& source, double t) const noexcept {
  for (std::size_t k = source.size; k-- > 0;) {
    const int before = source.order[k];
    const double stamp = source.stamps[static_cast<std::size_t>(before)];
    if (stamp > t + very_time(t)) continue;
    if (stamp >= t - very_time(t)) return {before, before, 0};
    if (k + 1 == source.size) return {};
    const int after = source.order[k + 1];
    const double step = source.stamps[static_cast<std::size_t>(after)] - stamp;
    return step <= options_.max_gap ? Bracket{before, after, (t - stamp) / step} : Bracket{};
  }
  return {};
}

Synchroniser::Bracket Synchroniser::nearest(Source& source, double t) const noexcept {
  int found = -1;
  const double ahead = half_window() + very_time(t);
  // nobody waits for a slow source: its reading may come when the nearest sample, the one before, has been given
  const double since = options_.rate > 0 ? 3 * half_window() : t - made_;
  double distance = std::isfinite(made_) ? std::max(ahead, std::min(since, options_.max_gap)) : ahead;
  for (std::size_t k = source.size; k-- > 0;) {
    const double stamp = source.stamps[static_cast<std::size_t>(source.order[k])];
    if (stamp <= source.used || stamp < t - distance) break;
    if (stamp <= t + ahead && std::abs(stamp - t) <= distance) distance = std::abs(stamp - t), found = source.order[k];
  }
  if (found >= 0) source.used = source.stamps[static_cast<std::size_t>(found)];
  return {found, found, 0};
}

void Synchroniser::fill(const Source& source, const Bracket& at, double* row) const noexcept {
  if (at.before < 0) return;
  const std::size_t n = columns_.size();
  const double* a = source.values.data() + static_cast<std::size_t>(at.before) * n;
  const double* b = source.values.data() + static_cast<std::size_t>(at.after) * n;
  const bool here = at.before == at.after;
  for (std::size_t c = 0; c < n; ++c)
    if (std::isnan(row[c]) && (here || is_angle_[c] != 2))
      row[c] = here ? a[c] : between(a[c], b[c], at.share, is_angle_[c] == 1);
  if (here) return;
  for (const auto& four : turns_) {
    const std::array<double, 4> before{a[four[0]], a[four[1]], a[four[2]], a[four[3]]},
        after{b[four[0]], b[four[1]], b[four[2]], b[four[3]]}, turned = turn_between(before, after, at.share);
    for (std::size_t k = 0; k < 4; ++k)
      if (std::isnan(row[four[k]])) row[four[k]] = turned[k];
  }
}

}  // namespace sparsedyn
