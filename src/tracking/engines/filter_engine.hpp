// An Engine on one kind of rows: sample by sample, looking back over a ring of kept samples, and the whole log at once.
//
// Rows gives the types Forward (a filter), Start (where it starts), Sample (what is kept of a row), Knot (what a row is
// linearised about), Snapshot (what outputs are written from), and the members
//   layout, forward, outputs, backward
//   late_outputs()                            outputs of rows but the newest
//   Sample empty_sample(), void clear(Sample&), Forward another_forward()
//   begin_pass(first)                         before a whole log is gone through, for the first time or again
//   Snapshot newest()
//   void begin_back(const Sample& newest), void step_back(after, sample), Snapshot looking_back(sample, after or null)
//   void copy_knot(const Snapshot&, Knot&)
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "tracking/engines/engine.hpp"
#include "tracking/late_flags.hpp"

namespace sparsedyn::tracking {

template <class Rows>
class FilterEngine : public Engine {
 public:
  const std::vector<std::string>& columns() const override { return rows_.outputs.columns(); }
  std::vector<std::string> state_columns() const override { return rows_.outputs.names(); }
  const std::vector<std::string>& notes() const override { return rows_.layout.notes; }
  std::vector<std::string> at_prior() const override { return rows_.forward.at_prior(); }

  TrackerStep step(const double* y, double dt, double* out) noexcept override {
    const TrackerStep result = move(y, dt);
    if (result.ok) rows_.outputs.write(rows_.newest(), out);
    return result;
  }

  /// Kept samples are those of other dynamics: with a ring of them it cannot be.
  bool go_on_from(const Engine& from) noexcept override {
    const auto* const other = dynamic_cast<const FilterEngine*>(&from);
    if (!other || other->states() != states() || other->inputs().size() != inputs().size()) return false;
    if (!ring_.empty() || !other->ring_.empty()) return false;
    rows_.forward.take_state(other->rows_.forward);
    late_flags_.go_on_from(other->late_flags_);
    start_ = other->start_;
    samples_ = other->samples_;
    return true;
  }

  /// Back from the newest sample of which there is an estimate, over all of which there is one: also such whose own step had
  /// no results, which do not count.
  bool delayed(int back, double* out) noexcept override {
    if (back < 0 || back > options_.lag || back >= samples_) return false;
    if (ring_.empty()) {
      if (!rows_.forward.is_started()) return false;
      rows_.late_outputs().write(rows_.newest(), out);
      return true;
    }
    const Sample* after = nullptr;
    for (long k = samples_ - 1, passed = 0; k >= ring_.oldest(samples_ - 1); --k) {
      const bool wanted = ring_.answered(k) && passed++ == back;
      if (!ring_.found(k)) {
        if (wanted) return false;
        continue;
      }
      const Sample& sample = ring_.at(k);
      after ? rows_.step_back(*after, sample) : rows_.begin_back(sample);
      if (wanted) {
        rows_.late_outputs().write(rows_.looking_back(sample, after), out);
        return true;
      }
      after = &sample;
    }
    return false;
  }

 protected:
  using Forward = typename Rows::Forward;
  using Start = typename Rows::Start;
  using Sample = typename Rows::Sample;
  using Knot = typename Rows::Knot;
  using Snapshot = typename Rows::Snapshot;

  template <class... Arguments>
  explicit FilterEngine(TrackerOptions chosen, Arguments&&... arguments)
      : options_(std::move(chosen)),
        rows_(options_, std::forward<Arguments>(arguments)...),
        late_flags_(FlagDelays(rows_.layout.contacts, rows_.layout.inputs.size()), rows_.another_forward()) {
    // rows that are gone through again are written again
    if (options_.lag > 0) ring_.make_room(options_.lag + late_flags_.most_rows(), rows_.empty_sample());
  }

  void start_from(const Start& start) noexcept {
    start_ = start;
    rows_.forward.start(start);
    late_flags_.start(start);
    samples_ = 0;
  }
  const Start& started_from() const noexcept { return start_; }

  std::vector<TrackerStep> smooth_from(const Start& start, const std::vector<double>& y, const std::vector<double>& dt,
                                       int iterations, double* out) {
    const std::size_t width = rows_.outputs.columns().size();
    std::vector<double> settled = y;
    settle_flags(late_flags_.delays(), dt, settled);
    std::fill_n(out, dt.size() * width, std::numeric_limits<double>::quiet_NaN());
    std::vector<Sample> records(dt.size(), rows_.empty_sample());
    std::vector<TrackerStep> steps(dt.size());
    std::vector<Knot> about;
    for (int iteration = 0; iteration < std::max(iterations, 1); ++iteration) {
      if (!run_forward(start, settled, dt, records, iteration > 0 ? &about : nullptr, steps)) return steps;
      if (about.empty()) about.assign(dt.size(), Knot(rows_.layout));
      const bool last = iteration + 1 >= iterations;
      rows_.backward.find_deviations(last && options_.deviations);
      const Sample* after = nullptr;
      for (std::size_t k = dt.size(); k-- > 0;) {
        if (!steps[k].ok) continue;
        after ? rows_.step_back(*after, records[k]) : rows_.begin_back(records[k]);
        const Snapshot sample = rows_.looking_back(records[k], after);
        rows_.copy_knot(sample, about[k]);
        if (last) rows_.late_outputs().write(sample, out + k * width);
        after = &records[k];
      }
    }
    return steps;
  }

  TrackerOptions options_;
  Rows rows_;

 private:
  TrackerStep move(const double* y, double dt) noexcept {
    TrackerStep result;
    SampleRing<Sample>* const ring = ring_.empty() ? nullptr : &ring_;
    if (late_flags_.delays().any()) {
      const long before = samples_;
      result = late_flags_.step(y, dt, rows_.forward, ring);
      samples_ = late_flags_.count();
      if (ring && samples_ > before) ring->set_answered(samples_ - 1, result.ok);
      return result;
    }
    result = rows_.forward.step(y, dt, nullptr, ring ? &ring->at(samples_) : nullptr);
    if (!result.ok) return result;
    if (ring) ring->set_found(samples_, true), ring->set_answered(samples_, true);
    ++samples_;
    return result;
  }

  /// Forward over all rows; whether any could be used. The first time over says where the log is in parts: a row that failed is
  /// not read again, and where the estimate began anew it does so each time. Else what is linearised about (about) would be of
  /// other parts.
  bool run_forward(const Start& start, const std::vector<double>& y, const std::vector<double>& dt,
                   std::vector<Sample>& records, const std::vector<Knot>* about, std::vector<TrackerStep>& steps) {
    rows_.forward.start(start);
    rows_.begin_pass(!about);
    bool any = false;
    for (std::size_t k = 0; k < dt.size(); ++k) {
      if (about && !steps[k].ok) continue;
      if (about && rows_.forward.is_started() && !(records[k].dt > 0)) rows_.forward.start_again();
      rows_.clear(records[k]);
      const double* const row = y.data() + k * rows_.layout.inputs.size();
      const TrackerStep step = rows_.forward.step(row, dt[k], about ? &(*about)[k] : nullptr, &records[k]);
      if (!about || !step.ok) steps[k] = step;
      any = any || step.ok;
    }
    return any;
  }

  LateFlags<Forward, Start, Sample> late_flags_;
  Start start_;
  SampleRing<Sample> ring_;
  long samples_ = 0;  // in the ring, since it was emptied
};

}  // namespace sparsedyn::tracking
