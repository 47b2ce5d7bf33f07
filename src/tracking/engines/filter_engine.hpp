// An Engine on one kind of rows: sample by sample, looking back over a ring of kept samples, and the whole log at once.
//
// Rows gives the types Forward (a filter), Start (where it starts), Sample (what is kept of a row), Knot (what a row is
// linearised about), Snapshot (what outputs are written from), and the members
//   layout, forward, outputs, backward
//   late_outputs()                            outputs of rows but the newest
//   Sample empty_sample(), void clear(Sample&), Forward another_forward()
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

  bool delayed(int back, double* out) noexcept override {
    if (back < 0 || back > options_.lag || back >= samples_) return false;
    if (ring_.empty()) {
      rows_.late_outputs().write(rows_.newest(), out);
      return true;
    }
    const auto at = [&](int k) -> const Sample& { return ring_[static_cast<std::size_t>(samples_ - 1 - k) % ring_.size()]; };
    rows_.begin_back(at(0));
    for (int k = 1; k <= back; ++k) rows_.step_back(at(k - 1), at(k));
    rows_.late_outputs().write(rows_.looking_back(at(back), back > 0 ? &at(back - 1) : nullptr), out);
    return true;
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
    if (options_.lag > 0)
      ring_.assign(static_cast<std::size_t>(options_.lag + 1 + late_flags_.most_rows()), rows_.empty_sample());
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
    std::vector<std::size_t> used;
    std::vector<Knot> about;
    for (int iteration = 0; iteration < std::max(iterations, 1); ++iteration) {
      run_forward(start, settled, dt, records, iteration > 0 ? &about : nullptr, steps, used);
      if (used.empty()) return steps;
      about.assign(used.size(), Knot(rows_.layout));
      const bool last = iteration + 1 >= iterations;
      rows_.backward.find_deviations(last && options_.deviations);
      rows_.begin_back(records[used.size() - 1]);
      for (std::size_t k = used.size(); k-- > 0;) {
        const Sample* after = k + 1 < used.size() ? &records[k + 1] : nullptr;
        if (after) rows_.step_back(*after, records[k]);
        const Snapshot sample = rows_.looking_back(records[k], after);
        rows_.copy_knot(sample, about[k]);
        if (last) rows_.late_outputs().write(sample, out + used[k] * width);
      }
    }
    return steps;
  }

  TrackerOptions options_;
  Rows rows_;

 private:
  TrackerStep move(const double* y, double dt) noexcept {
    TrackerStep result;
    if (late_flags_.delays().any()) {
      result = late_flags_.step(y, dt, rows_.forward, ring_.empty() ? nullptr : &ring_);
      samples_ = late_flags_.count();
      return result;
    }
    Sample* record = ring_.empty() ? nullptr : &ring_[static_cast<std::size_t>(samples_) % ring_.size()];
    result = rows_.forward.step(y, dt, nullptr, record);
    if (result.ok) ++samples_;
    return result;
  }

  /// Forward over all rows; records of those that could be used, in `used` their rows.
  void run_forward(const Start& start, const std::vector<double>& y, const std::vector<double>& dt,
                   std::vector<Sample>& records, const std::vector<Knot>* about, std::vector<TrackerStep>& steps,
                   std::vector<std::size_t>& used) {
    rows_.forward.start(start);
    used.clear();
    for (std::size_t k = 0; k < dt.size(); ++k) {
      const Knot* knot = about && used.size() < about->size() ? &(*about)[used.size()] : nullptr;
      Sample& record = records[used.size()];
      rows_.clear(record);
      const TrackerStep step = rows_.forward.step(y.data() + k * rows_.layout.inputs.size(), dt[k], knot, &record);
      if (!about) steps[k] = step;
      if (step.ok) used.push_back(k);
    }
  }

  LateFlags<Forward, Start, Sample> late_flags_;
  Start start_;
  std::vector<Sample> ring_;
  long samples_ = 0;  // in the ring, since it was emptied
};

}  // namespace sparsedyn::tracking
