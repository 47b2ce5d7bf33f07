// Readings of several sources, each with its own stamps, as samples on one clock. The first source's clock is the clock.
//
// A sample is of a time t of that clock: multiples of 1 / rate, or the stamps of the first source. Its readings follow the
// rules of resample() (logs): between the readings before and after, which are at most max_gap apart, orientations along the
// shorter way; a reading at t itself is used unchanged. A sample waits for the readings behind t, at most `wait` seconds beyond
// what the first source's readings take to arrive; what has not come by then is a gap (NaN).
//
// What it gives is a function of the calls alone, no clock is asked: the same calls give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sparsedyn {

/// How samples are made.
struct SynchroniserOptions {
  int sources = 1;          // how many there are
  double rate = 0;          // Hz, of the samples; 0: at the stamps of the first source
  double wait = 0.01;       // s, for readings that are late
  double max_gap = 0.1;     // s, between readings that are interpolated
  bool each_once = false;   // a reading enters one sample, the nearest; without a rate the first behind it, where it came late
  double tolerance = 5e-3;  // s, by which a source's clock may be ahead of the first one's
};

/// What happened to the readings of a source since the start.
struct SourceCounts {
  long readings = 0;   // taken
  long late = 0;       // came when the sample behind them had been given
  long reordered = 0;  // came after a later one
  long repeated = 0;   // stamp of one that was there; the later one to come is used
  long refused = 0;    // stamp far from the others', behind them or ahead
};

/// Takes its memory at construction; one thread.
class Synchroniser {
 public:
  /// No sample is due by time alone.
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// columns: what a row of readings holds, as in a log (`q.*`, `X.qx` … are angles and orientations). Throws
  /// std::invalid_argument where an option is out of range.
  Synchroniser(std::vector<std::string> columns, const SynchroniserOptions& options);

  /// Readings of a source: its stamp (s; beyond ±9e9 it is refused), when they arrived (ns, never less than in the call
  /// before), and a number a column, NaN where it has none. No heap; cost: a copy of the row.
  void add(int source, double stamp, std::int64_t arrival, const double* values) noexcept;
  /// Whether the next sample is complete: all sources that are waited for have readings up to its time.
  bool complete() const noexcept;
  /// When the next sample has waited long enough (ns, as arrivals); never: there is none.
  std::int64_t deadline() const noexcept;
  /// Makes the next sample, whether or not it is complete: columns() numbers, NaN where there is no reading. Returns its time
  /// (s), or NaN where nothing is due.
  double make(double* row) noexcept;
  /// No more readings will come: those far ahead that nothing followed are refused.
  void end() noexcept;
  /// Whether a sample is due that lies before the newest reading: at the end of all readings.
  bool has_rest() const noexcept;

  /// By how much a source's stamps are ahead of the first source's (s, below 0: behind), by the quickest readings of the last
  /// second; 0 before both have ten.
  double ahead(int source) const noexcept;
  /// Stamps began anew (the sender was started again): how often.
  long restarts() const noexcept { return restarts_; }
  /// Where the clock began anew: seconds between the last reading of before, of any source, and the first one that was
  /// believed, as they arrived.
  double pause() const noexcept { return pause_; }
  /// What happened to a source's readings.
  const SourceCounts& counts(int source) const { return sources_[static_cast<std::size_t>(source)].counts; }
  /// The newest stamp of a source (s); −∞: it has sent none.
  double newest(int source) const noexcept;

 private:
  static constexpr std::size_t kept = 512;  // readings of a source; stamps of samples that wait

  /// The least time that readings took to arrive, over this half second and the one before: the same ones for all sources, so
  /// that stamps of a clock that is slower than ours (a simulator's) are compared fairly.
  struct LeastDelay {
    double now = std::numeric_limits<double>::infinity(), before = std::numeric_limits<double>::infinity(), half_second = 0;
    int count = 0;
    void add(double delay, double at) noexcept;
    double value() const noexcept { return now < before ? now : before; }
  };
  struct Source {
    std::vector<double> values, stamps;  // by slot
    std::vector<int> order;              // slots, by stamp
    std::size_t size = 0;
    LeastDelay delay;
    double period = 0;                                       // s, between its stamps, typically
    int missed = 0;                                          // samples in a row that were given without it
    int astray = 0;                                          // stamps in a row far from the newest
    double astray_stamp = 0, astray_arrived = 0;             // s, of the last of them
    std::vector<double> doubtful_values, doubtful_stamps;    // of those far ahead, until they are believed, or one is not
    std::size_t doubtful = 0;                                // how many these are
    double step = 0;                                         // s, between the two newest stamps
    double arrived = 0;                                      // s, the last reading that was taken
    double used = -std::numeric_limits<double>::infinity();  // each_once: stamp of the last reading that was
    SourceCounts counts;
  };
  struct Bracket {
    int before = -1, after = -1;  // slots
    double share = 0;
  };

  double seconds(std::int64_t arrival) const noexcept { return 1e-9 * static_cast<double>(arrival - epoch_); }
  double next_time() const noexcept;
  static bool is_believed(Source& source, double stamp, double at) noexcept;
  void doubt(Source& source, double stamp, const double* values) noexcept;
  static void refuse_doubtful(Source& source) noexcept;
  void take(int source, double stamp, double at, const double* values) noexcept;
  bool is_far_ahead(const Source& source, double step, double at) const noexcept;
  void restart(Source& source, double at) noexcept;
  void count(Source& source, double stamp, double at) noexcept;
  void insert(Source& source, double stamp, const double* values) noexcept;
  void plan_sample(double stamp) noexcept;
  bool waited_for(std::size_t source) const noexcept;
  double half_window() const noexcept;
  bool reaches(const Source& source, double t) const noexcept;
  bool usable(std::size_t source) const noexcept;
  void stop_where_nothing_comes(double t) noexcept;
  Bracket bracket(const Source& source, double t) const noexcept;
  Bracket nearest(Source& source, double t) const noexcept;
  void fill(const Source& source, const Bracket& at, double* row) const noexcept;

  std::vector<std::string> columns_;
  std::vector<char> is_angle_;                     // by column
  std::vector<std::array<std::size_t, 4>> turns_;  // orientations
  SynchroniserOptions options_;
  std::vector<Source> sources_;
  std::vector<double> waiting_;  // times of samples to come, without a rate
  std::size_t waiting_count_ = 0;
  double tick_ = 0;                                         // with a rate: the next sample's number
  bool running_ = false;                                    // with a rate: tick_ is set
  double made_ = -std::numeric_limits<double>::infinity();  // time of the last sample
  double delay_ = std::numeric_limits<double>::infinity();  // s, that the first source's newest reading took to arrive
  double last_arrival_ = 0;                                 // s, of any source
  std::int64_t epoch_ = 0;                                  // the first arrival
  bool began_ = false;
  long restarts_ = 0;
  double pause_ = 0;
};

}  // namespace sparsedyn
