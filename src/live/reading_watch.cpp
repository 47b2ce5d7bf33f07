#include "reading_watch.hpp"

#include <algorithm>
#include <utility>

namespace sparsedyn {
namespace {

constexpr double unlikely = 20.7;                  // −ln 1e-9
constexpr int shortest_run = 10;                   // samples of one value, before anyone looks
constexpr int longest_run = 100;                   // a run that only so many make unlikely tells nothing
constexpr long known_after = 100;                  // readings, before a reading is judged by its past
constexpr double many_steps = 8;                   // smallest ones that it moved by just before: else it may stand still
constexpr double contradicted = 4;                 // mean square of innovations in a run
constexpr double beyond_steps = 15;                // of a spike, in steps
constexpr double back_again = 4;                   // steps within which a spike's neighbours are
constexpr double between_spikes = 1;               // s, before the next one of a reading is told
constexpr double off_by = 1, no_longer_off = 0.5;  // deviations of a mean innovation
constexpr long drift_known_after = 2000;           // readings

}  // namespace

const char* live_fault_name(LiveFault kind) {
  static constexpr const char* names[] = {"missing", "stuck",     "spike",   "drift",  "silent",
                                          "clock",   "restarted", "changed", "refused"};
  return names[static_cast<std::size_t>(kind)];
}

ReadingWatch::ReadingWatch(std::size_t readings, double missing_after) : readings_(readings), missing_after_(missing_after) {}

void ReadingWatch::begin_anew(double t) noexcept {
  first_ = t;
  for (Reading& r : readings_) {
    Reading fresh;
    fresh.missing = r.missing, fresh.stuck = r.stuck;
    fresh.off = r.off, fresh.judged = r.judged, fresh.drifts = r.drifts, fresh.drift_began = r.drift_began;
    r = fresh;
  }
}

bool ReadingWatch::look_for_gap(Reading& r, double t, bool there, LiveFinding& found) noexcept {
  found.kind = LiveFault::missing;
  if (there) {
    if (t > r.last_there) r.usual.add(t - r.last_there, t - r.last_there, t);
    r.last_there = t;
    found.over = true, found.since = t;
    return std::exchange(r.missing, false);
  }
  const double since = std::isfinite(r.last_there) ? r.last_there : first_;
  if (r.missing || t - since < r.usual.allowed(missing_after_)) return false;
  found.since = since;
  return r.missing = true;
}

bool ReadingWatch::look_for_run(Reading& r, double t, double value, double innovation, LiveFinding& found) noexcept {
  found.kind = LiveFault::stuck, found.since = r.run_began;
  if (value != r.last || r.count == 0) {
    // the chance of one more repetition, by those of late (Laplace's rule of succession)
    const double chance = (64 * r.repeats + 1) / 66;
    const double finest = std::isfinite(r.quantum) ? many_steps * r.quantum : 0;
    r.needed = r.count >= known_after && r.square > finest * finest ? unlikely / -std::log(chance) : 2.0 * longest_run;
    r.run = 1, r.run_began = t, r.run_squares = 0, r.run_judged = 0;
    found.over = true, found.since = t;
    return std::exchange(r.stuck, false);
  }
  ++r.run;
  if (std::isfinite(innovation) && innovation != 0) r.run_squares += innovation * innovation, ++r.run_judged;
  if (r.stuck || r.needed > longest_run || r.run < std::max<double>(shortest_run, r.needed)) return false;
  if (r.run_judged > 0 && r.run_squares < contradicted * r.run_judged) return false;
  return r.stuck = true;
}

/// `before`, `last` and now this value: whether `last` alone is away.
bool ReadingWatch::look_for_spike(Reading& r, double value, LiveFinding& found) noexcept {
  if (r.count < known_after) return false;
  const double size = std::max(r.step, std::isfinite(r.quantum) ? r.quantum : 0.0);
  const double there = r.last - r.before, back = value - r.last;
  if (!(size > 0) || std::abs(there) < beyond_steps * size || std::abs(back) < beyond_steps * size) return false;
  if (std::signbit(there) == std::signbit(back) || std::abs(value - r.before) > back_again * size) return false;
  found.kind = LiveFault::spike, found.over = true, found.since = r.last_time, found.amount = there;
  if (r.last_time - r.spike_told < between_spikes) return false;
  r.spike_told = r.last_time;
  return true;
}

void ReadingWatch::remember(Reading& r, double t, double value) noexcept {
  if (r.count++ > 0) {
    const double step = std::abs(value - r.last);
    const double share = 1.0 / 64;
    if (step > 0) {
      r.quantum = std::min(r.quantum, step);
      r.square += (step * step - r.square) / 8;
      const double bounded = r.count > known_after ? std::min(step, 4 * std::max(r.step, r.quantum)) : step;
      r.step += (bounded - r.step) / 32;
      r.repeats -= share * r.repeats;
    } else if (r.run < shortest_run) {
      r.repeats += share * (1 - r.repeats);
    }
  }
  r.before = r.last, r.last = value, r.last_time = t;
}

/// The reading that is most off, one at a time: those that it misleads are off, too.
bool ReadingWatch::look_for_drift(double t, LiveFinding& found) noexcept {
  found.kind = LiveFault::drift;
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    Reading& r = readings_[k];
    if (!r.drifts) continue;
    if (std::abs(r.off) > no_longer_off) return false;
    r.drifts = false;
    found.over = true, found.reading = static_cast<int>(k), found.since = t, found.amount = r.off;
    return true;
  }
  Reading* worst = nullptr;
  for (Reading& r : readings_)
    if (r.judged >= drift_known_after && std::abs(r.off) > off_by && (!worst || std::abs(r.off) > std::abs(worst->off)))
      worst = &r;
  if (!worst) return false;
  worst->drifts = true, worst->drift_began = t;
  found.reading = static_cast<int>(worst - readings_.data()), found.since = t, found.amount = worst->off;
  return true;
}

}  // namespace sparsedyn
