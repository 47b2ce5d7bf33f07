#include "sparsedyn/live/live_core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "logs/between.hpp"
#include "reading_watch.hpp"
#include "usual_interval.hpp"

namespace sparsedyn {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double tare_time = 0.2;     // s
constexpr double rounding = 1e-6;     // s, of stamps
constexpr double begins_anew = 1.5;   // s: an interval over which no estimate over time goes on
constexpr double back_in_line = 0.5;  // of the tolerance of a clock

SynchroniserOptions clock_of(const LiveEstimate& estimate, SynchroniserOptions clock) {
  clock.each_once = clock.each_once || (estimate.over_time() && (clock.rate > 0 || clock.sources > 1));
  return clock;
}

double checked_silence(double missing_after) {
  if (!(missing_after >= 0 && std::isfinite(missing_after)))
    throw std::invalid_argument("live: a time of 0 s or more before a reading is missing is due");
  return missing_after;
}

/// 2: a component of an orientation; 1: an angle that may have turned; 0: a number.
std::vector<char> turns_of(const std::vector<std::string>& names) {
  std::vector<char> turns;
  for (const std::string& name : names) turns.push_back(is_position_column(name) ? 1 : 0);
  for (const auto& four : orientations(names))
    for (std::size_t c : four) turns[c] = 2;
  return turns;
}

}  // namespace

struct LiveCore::Watched {
  ReadingWatch watch;
  std::vector<char> expected;        // by reading
  std::vector<double> told;          // what was read, before a flag that lacks is taken for one that does not stand
  std::vector<char> turns;           // by reading, as turns_of()
  std::vector<UsualInterval> usual;  // between the readings of each source, as they arrive
};

LiveCore::LiveCore(std::unique_ptr<LiveEstimate> estimate, const LiveOptions& options)
    : estimate_(std::move(estimate)),
      payloads_(*estimate_),
      options_(options),
      synchroniser_(estimate_->names(), clock_of(*estimate_, options.clock)),
      watched_(new Watched{ReadingWatch(estimate_->readings().size(), checked_silence(options.missing_after)),
                           std::vector<char>(estimate_->readings().size(), 1),
                           std::vector<double>(estimate_->readings().size(), 0.0), turns_of(estimate_->names()),
                           std::vector<UsualInterval>(static_cast<std::size_t>(options.clock.sources))}),
      sources_(static_cast<std::size_t>(options.clock.sources)),
      corrections_(estimate_->readings().size()),
      row_(estimate_->readings().size()),
      out_(estimate_->columns().size()) {}

LiveCore::~LiveCore() = default;

void LiveCore::tell(LiveSink& sink, LiveFault kind, bool over, int source, double since, double amount) const noexcept {
  LiveFinding found;
  found.kind = kind, found.over = over, found.source = source, found.since = since, found.at = time_, found.amount = amount;
  sink.finding(found);
}

/// s, of an arrival, by the last stamp that was believed.
double LiveCore::on_its_clock(const Source& source, std::int64_t arrival) const noexcept {
  return source.stamp + 1e-9 * static_cast<double>(arrival - source.believed_arrival);
}

void LiveCore::tell_silence(LiveSink& sink, int k, std::int64_t now) const noexcept {
  const Source& source = sources_[static_cast<std::size_t>(k)];
  LiveFinding found;
  found.kind = LiveFault::silent, found.source = k, found.since = on_its_clock(source, source.last_arrival);
  found.at = on_its_clock(source, now);
  sink.finding(found);
}

void LiveCore::readings(int source, double stamp, std::int64_t arrival, const double* values, LiveSink& sink) noexcept {
  until(arrival, sink);
  for (std::size_t k = 0; k < row_.size(); ++k) corrections_[k].given = corrections_[k].given || std::isfinite(values[k]);
  const long before = synchroniser_.counts(source).readings;
  synchroniser_.add(source, stamp, arrival, values);
  note_source(source, stamp, arrival, synchroniser_.counts(source).readings - before, sink);
  while (synchroniser_.complete()) give(arrival, sink);
}

/// believed: readings that the clock took now; several where it took those before for far ahead. What lies between stamps is
/// known where it took this one alone, and the one before.
void LiveCore::learn_interval(std::size_t k, double stamp, std::int64_t arrival, long believed) noexcept {
  const Source& source = sources_[k];
  if (!source.seen) return;
  const double apart = source.follows && believed == 1 ? stamp - source.stamp : std::numeric_limits<double>::quiet_NaN();
  watched_->usual[k].add(1e-9 * static_cast<double>(arrival - source.last_arrival), apart, 1e-9 * static_cast<double>(arrival));
}

void LiveCore::note_source(int k, double stamp, std::int64_t arrival, long believed, LiveSink& sink) noexcept {
  Source& source = sources_[static_cast<std::size_t>(k)];
  if (believed == 0 && !source.seen) return;
  const bool began_anew = synchroniser_.restarts() > restarts_;
  if (began_anew) {  // another sender, that may be as fast as it likes
    restarts_ = synchroniser_.restarts();
    for (Source& each : sources_) each.follows = false;
    watched_->usual[static_cast<std::size_t>(k)] = {};
  } else {
    learn_interval(static_cast<std::size_t>(k), stamp, arrival, believed);
  }
  if (believed > 0) source.stamp = stamp, source.believed_arrival = arrival;
  source.follows = believed > 0;
  stamp = on_its_clock(source, arrival);
  if (std::exchange(source.silent, false)) tell(sink, LiveFault::silent, true, k, stamp);
  source.seen = true, source.last_arrival = arrival;
  if (began_anew) tell(sink, LiveFault::restarted, false, k, stamp);
  const double ahead = synchroniser_.ahead(k), tolerance = options_.clock.tolerance;
  const double behind = tolerance + options_.clock.wait;
  const bool off = ahead > tolerance || ahead < -behind;
  const bool in_line = ahead < back_in_line * tolerance && ahead > -back_in_line * behind;
  if (source.off ? in_line : off) {
    source.off = !source.off;
    tell(sink, LiveFault::clock, !source.off, k, stamp, ahead);
  }
}

void LiveCore::change(const LiveChange& change, std::int64_t arrival, LiveSink& sink) noexcept {
  if (change.kind == LiveChange::Kind::payload) {
    std::string why;
    const std::unique_ptr<LivePrepared> prepared = payloads_.prepare(change.payload, why);
    return this->change(change, prepared.get(), arrival, sink);
  }
  until(arrival, sink);
  const auto k = static_cast<std::size_t>(change.reading);
  if (change.reading < 0 || k >= corrections_.size()) return;
  Correction& correction = corrections_[k];
  LiveFinding found;
  found.kind = LiveFault::changed, found.reading = change.reading, found.since = found.at = time_, found.amount = change.value;
  switch (change.kind) {
    case LiveChange::Kind::sigma:
      if (!estimate_->set_sigma(k, change.value)) found.kind = LiveFault::refused;
      break;
    case LiveChange::Kind::tare:  // told when it is done
      if (watched_->turns[k] == 2) {
        found.kind = LiveFault::refused;
        break;
      }
      correction.taring = true, correction.tared = 0;
      return;
    case LiveChange::Kind::offset:
      if (watched_->turns[k] == 2)
        found.kind = LiveFault::refused;
      else
        correction.offset = change.value;
      break;
    case LiveChange::Kind::payload: break;  // above
    case LiveChange::Kind::flag: correction.is_forced = std::isfinite(change.value), correction.forced = change.value; break;
  }
  sink.finding(found);
}

void LiveCore::change(const LiveChange& payload, LivePrepared* prepared, std::int64_t arrival, LiveSink& sink) noexcept {
  until(arrival, sink);
  if (prepared) estimate_->take(*prepared);
  LiveFinding found;
  found.kind = prepared ? LiveFault::changed : LiveFault::refused;
  found.link = payload.payload.link, found.since = found.at = time_, found.amount = payload.value;
  sink.finding(found);
}

std::int64_t LiveCore::silent_at(std::size_t k) const noexcept {
  const Source& source = sources_[k];
  if (!source.seen || source.silent) return Synchroniser::never;
  const double allowed = std::min(watched_->usual[k].allowed(options_.missing_after), 1e6);
  return source.last_arrival + static_cast<std::int64_t>(1e9 * allowed);
}

std::int64_t LiveCore::next_due() const noexcept {
  std::int64_t next = synchroniser_.deadline();
  for (std::size_t k = 0; k < sources_.size(); ++k) next = std::min(next, silent_at(k));
  return next;
}

void LiveCore::until(std::int64_t now, LiveSink& sink) noexcept {
  for (std::int64_t next = next_due(); next <= now; next = next_due()) {
    bool told = false;
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      if (silent_at(k) != next) continue;
      sources_[k].silent = told = true;
      tell_silence(sink, static_cast<int>(k), next);
    }
    if (!told) give(next, sink);
  }
}

void LiveCore::finish(LiveSink& sink) noexcept {
  synchroniser_.end();
  while (synchroniser_.has_rest()) give(0, sink);
}

/// Since the last sample, s.
double LiveCore::interval(double time) noexcept {
  const bool anew = !began_ || !(time > time_);
  const double dt = anew ? std::max(begins_anew, synchroniser_.pause()) : time - time_;
  began_ = true;
  return dt;
}

/// The mean of all samples within the next fifth of a second, at least of one, as the first one and the mean difference to it:
/// of an angle without whole turns.
void LiveCore::tare(Correction& correction, std::size_t k, double time, LiveSink& sink) noexcept {
  if (correction.tared == 0 || time < correction.tared_since)
    correction.tared_since = time, correction.first = row_[k], correction.sum = 0, correction.tared = 0;
  const double off = row_[k] - correction.first;
  correction.sum += watched_->turns[k] == 1 ? std::remainder(off, 2 * pi) : off;
  ++correction.tared;
  if (time - correction.tared_since < tare_time - rounding) return;
  correction.taring = false;
  correction.offset = correction.first + correction.sum / static_cast<double>(correction.tared);
  LiveFinding found;
  found.kind = LiveFault::changed, found.reading = static_cast<int>(k), found.since = found.at = time;
  found.amount = correction.offset;
  sink.finding(found);
}

/// What a sample reads: without offsets; fallbacks as long as no source has named a reading; a contact whose flag was read once
/// and no longer is does not stand.
void LiveCore::correct(double time, LiveSink& sink) noexcept {
  for (std::size_t k = 0; k < row_.size(); ++k) {
    Correction& correction = corrections_[k];
    const LiveReading& reading = estimate_->readings()[k];
    if (correction.taring && std::isfinite(row_[k])) tare(correction, k, time, sink);
    row_[k] -= correction.offset;
    watched_->expected[k] = correction.given || !reading.has_fallback;
    if (correction.is_forced) row_[k] = correction.forced;
    if (std::isfinite(row_[k])) continue;
    if (!correction.given && reading.has_fallback) row_[k] = reading.fallback;
  }
}

void LiveCore::give(std::int64_t ready, LiveSink& sink) noexcept {
  const double time = synchroniser_.make(row_.data());
  if (!std::isfinite(time)) return;
  const double dt = interval(time);
  time_ = time;
  ++counts_.samples;
  counts_.empty += std::none_of(row_.begin(), row_.end(), [](double x) { return std::isfinite(x); });
  correct(time, sink);
  watched_->told.assign(row_.begin(), row_.end());
  for (std::size_t k = 0; k < row_.size(); ++k)
    if (estimate_->readings()[k].is_flag && corrections_[k].given && !std::isfinite(row_[k])) row_[k] = 0;
  const LiveAnswer answer = estimate_->answer(row_.data(), dt, out_.data());
  counts_.answered += answer.ok;
  watched_->watch.sample(time, watched_->told.data(), watched_->expected.data(), *estimate_,
                         [&](const LiveFinding& found) { sink.finding(found); });
  sink.sample(time, ready, answer, out_.data());
}

}  // namespace sparsedyn
