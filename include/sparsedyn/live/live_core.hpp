// A live run without threads and clocks: readings and changes go in with the time of their arrival, samples and findings come
// out. What comes out is a function of what goes in alone, to the last bit: a record of it replays the run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/live/live_change.hpp"
#include "sparsedyn/live/live_estimate.hpp"
#include "sparsedyn/live/live_finding.hpp"
#include "sparsedyn/live/synchroniser.hpp"

namespace sparsedyn {

/// How a live run is made.
struct LiveOptions {
  SynchroniserOptions clock;  // each_once is set over time, where there is a rate or a second source
  double missing_after =
      0.012;  // s, without a reading before it is named; at least 2.5 of its intervals, 1 s before it has two
};

/// Where results go. All functions are called by the thread that calls LiveCore, and may not take long.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  /// The sample at `time` (s), due since `ready` (ns, as arrivals): out as LiveEstimate::columns(), NaN for what is not known.
  virtual void sample(double time, std::int64_t ready, const LiveAnswer& answer, const double* out) noexcept = 0;
  /// What was found about a sensor or a source.
  virtual void finding(const LiveFinding& found) noexcept = 0;
};

/// Counts since the start.
struct LiveCounts {
  long samples = 0;   // made
  long answered = 0;  // of them
  long empty = 0;     // of them without any reading that differs from a fallback
};

/// Takes its memory at construction; then no heap, but as the estimate says. One thread.
class LiveCore {
 public:
  /// Throws std::invalid_argument where an option is out of range.
  LiveCore(std::unique_ptr<LiveEstimate> estimate, const LiveOptions& options);
  ~LiveCore();
  LiveCore(const LiveCore&) = delete;
  LiveCore& operator=(const LiveCore&) = delete;

  /// What is read and written.
  const LiveEstimate& estimate() const { return *estimate_; }

  /// Readings of a source with its stamp (s) and their arrival (ns, never less than in a call before): first all that was due
  /// by then, then what they complete.
  void readings(int source, double stamp, std::int64_t arrival, const double* values, LiveSink& sink) noexcept;
  /// A change, that holds from the next sample on. No heap, but of a payload, which is prepared here.
  void change(const LiveChange& change, std::int64_t arrival, LiveSink& sink) noexcept;
  /// The same of a payload that was prepared (PayloadChanges); null: it could not be, and is refused. `prepared` then has what
  /// answered before. No heap.
  void change(const LiveChange& payload, LivePrepared* prepared, std::int64_t arrival, LiveSink& sink) noexcept;
  /// All that is due by a time: samples that waited long enough, sources that are silent.
  void until(std::int64_t now, LiveSink& sink) noexcept;
  /// When something is due next; Synchroniser::never: nothing.
  std::int64_t next_due() const noexcept;
  /// No more readings will come: the samples up to the newest one.
  void finish(LiveSink& sink) noexcept;

  /// Counts since the start.
  /// @{
  const LiveCounts& counts() const { return counts_; }
  const Synchroniser& synchroniser() const { return synchroniser_; }
  /// @}

 private:
  struct Watched;
  struct Source {
    std::int64_t last_arrival = 0, believed_arrival = 0;
    double stamp = 0;      // s, the last one that the clock believed
    bool follows = false;  // the last reading had it, on this clock
    bool seen = false, silent = false, off = false;
  };
  struct Correction {
    double offset = 0, forced = 0;
    bool is_forced = false, given = false, taring = false;
    double tared_since = 0, first = 0, sum = 0;  // of a tare: its first sample, what it read, differences to that
    long tared = 0;                              // samples
  };

  std::int64_t silent_at(std::size_t source) const noexcept;
  void give(std::int64_t ready, LiveSink& sink) noexcept;
  double interval(double time) noexcept;
  void correct(double time, LiveSink& sink) noexcept;
  void tare(Correction& correction, std::size_t reading, double time, LiveSink& sink) noexcept;
  void note_source(int source, double stamp, std::int64_t arrival, long believed, LiveSink& sink) noexcept;
  void learn_interval(std::size_t source, double stamp, std::int64_t arrival, long believed) noexcept;
  double on_its_clock(const Source& source, std::int64_t arrival) const noexcept;
  void tell_silence(LiveSink& sink, int source, std::int64_t now) const noexcept;
  void tell(LiveSink& sink, LiveFault kind, bool over, int source, double since, double amount = 0) const noexcept;

  std::unique_ptr<LiveEstimate> estimate_;
  PayloadChanges payloads_;  // of change(), which prepares them
  LiveOptions options_;
  Synchroniser synchroniser_;
  std::unique_ptr<Watched> watched_;
  std::vector<Source> sources_;
  std::vector<Correction> corrections_;
  std::vector<double> row_, out_;
  LiveCounts counts_;
  double time_ = 0;  // s, of the last sample
  long restarts_ = 0;
  bool began_ = false;
};

}  // namespace sparsedyn
