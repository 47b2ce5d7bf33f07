// A live run in a thread of its own. One thread hands readings in, one takes samples and findings out; between them and the
// loop stand queues without locks (row_ring.hpp). The loop waits for readings, or until a sample has waited long enough.
//
//   LiveLoop loop(live_tracker(std::move(tracker), system), options);
//   loop.start();
//   one thread:   loop.readings(source, stamp, values);  …  loop.end();
//   another one:  while (loop.wait(0.1)) { while (auto row = loop.next_sample()) { …; loop.pop_sample(); } }
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sparsedyn/live/live_core.hpp"
#include "sparsedyn/live/row_ring.hpp"

namespace sparsedyn {

class PayloadMaker;

/// How the loop's thread runs.
struct LiveLoopOptions {
  int priority = 0;          // 1 to 99: of SCHED_FIFO; 0: as any thread
  bool lock_memory = false;  // mlockall
  bool record = false;       // what came in is handed out, too (next_input)
  std::size_t queue = 4096;  // rows of each queue
};

/// What came in, as the loop took it: readings of a source, or a change.
struct LiveInput {
  enum class Kind : std::uint8_t { readings, change };
  Kind kind = Kind::readings;
  int source = 0;
  double stamp = 0;          // s
  std::int64_t arrival = 0;  // ns, as LiveLoop::now()
  LiveChange change;
};

/// A sample that was answered.
struct LiveSample {
  double time = 0;         // s
  std::int64_t ready = 0;  // ns: when its last reading arrived, or it had waited long enough
  std::int64_t done = 0;   // ns: when it was answered
  LiveAnswer answer;
};

/// Times between ready and done, by twelfths of an octave.
class LiveDelays {
 public:
  /// ns. No heap.
  void add(std::int64_t delay) noexcept;
  /// How many.
  long count() const noexcept { return count_; }
  /// s, to 6 %, of that share of all; 0 where there is none.
  double quantile(double share) const noexcept;
  /// s
  double worst() const noexcept { return 1e-9 * static_cast<double>(worst_); }

 private:
  static constexpr int a_octave = 12;
  std::array<long, 36 * a_octave> bins_{};
  long count_ = 0;
  std::int64_t worst_ = 0;
};

/// What was lost, since the start: queues were full.
struct LiveLosses {
  long readings = 0, samples = 0, findings = 0, inputs = 0;
};

/// Functions say whose thread calls them: of one who hands in, of one who takes out.
class LiveLoop {
 public:
  /// Takes all memory. Throws std::invalid_argument as LiveCore, and std::system_error without file descriptors.
  LiveLoop(std::unique_ptr<LiveEstimate> estimate, const LiveOptions& options, const LiveLoopOptions& how = {});
  /// Ends the loop.
  ~LiveLoop();
  LiveLoop(const LiveLoop&) = delete;
  LiveLoop& operator=(const LiveLoop&) = delete;

  /// What is read and written.
  const LiveEstimate& estimate() const { return core_.estimate(); }
  /// Starts the thread. Returns what it has no right to, in words (real-time priority, locked memory); the loop then runs
  /// without. Throws std::system_error.
  std::vector<std::string> start();
  /// ns since 1970, by a clock that never jumps while the program runs.
  std::int64_t now() const noexcept;

  // Who hands in. No heap, no waiting.
  /// Readings of a source that arrived now; false, and they are lost, where the loop is too far behind.
  bool readings(int source, double stamp, const double* values) noexcept;
  /// Whether the loop keeps up with who hands in, and its reader with the loop: queues are at most half full.
  bool has_room() const noexcept { return incoming_.filled() <= how_.queue / 2 && samples_.filled() <= how_.queue / 2; }
  /// A change; false as above. A payload takes the heap and holds when a thread of its own has prepared it, which a finding
  /// says (`changed`, or `refused`, and take_notes() why); the end of the run before that, take_notes() alone.
  bool change(const LiveChange& change) noexcept;
  /// No more will come.
  void end() noexcept;

  // Who takes out. No heap.
  /// Waits until there is something, at most so many seconds. False: the loop has ended, and no sample is left; findings and
  /// inputs may be.
  bool wait(double seconds) noexcept;
  /// The oldest sample, its values those of estimate().columns(), then pop_sample(). The same of findings, and of inputs.
  /// @{
  RowRing<LiveSample>::Row next_sample() noexcept { return samples_.front(); }
  void pop_sample() noexcept { samples_.pop(); }
  RowRing<LiveFinding>::Row next_finding() noexcept { return findings_.front(); }
  void pop_finding() noexcept { findings_.pop(); }
  RowRing<LiveInput>::Row next_input() noexcept { return inputs_.front(); }
  void pop_input() noexcept { inputs_.pop(); }
  /// @}

  /// Ends the loop without waiting for its readers; also from a signal handler.
  void stop() noexcept;
  /// After the end:
  /// @{
  const LiveCore& core() const { return core_; }
  const LiveDelays& delays() const { return delays_; }
  std::int64_t ended_at() const { return horizon_; }  // ns: all that was due by then was given, then finish()
  long deadline_misses() const { return misses_; }    // samples whose delay was longer than the interval between two
  /// @}
  /// At any time.
  /// @{
  LiveLosses losses() const noexcept;
  /// Payloads that could not be, with the reason, since the last call; of a loop that has ended those that came too late, too.
  /// Allocates.
  std::vector<std::string> take_notes();
  /// @}
  /// Of the loop's thread between its first and its last sample, by a function that counts them for the calling thread; set
  /// before start(). For tests.
  /// @{
  void count_allocations(long (*of_thread)() noexcept) noexcept { count_ = of_thread; }
  long allocations() const noexcept { return allocations_; }
  /// @}

 private:
  class Queues;
  void run() noexcept;
  void take_all() noexcept;
  void take_payload() noexcept;
  void record(const LiveInput& input, const double* values) noexcept;
  void sleep_until_due() noexcept;

  LiveCore core_;
  LiveLoopOptions how_;
  double interval_;  // s, between samples; 0: as they come
  RowRing<LiveInput> incoming_, inputs_;
  RowRing<LiveSample> samples_;
  RowRing<LiveFinding> findings_;
  std::unique_ptr<Queues> sink_;
  std::int64_t base_ = 0, horizon_ = 0;
  int wake_loop_ = -1, wake_reader_ = -1;  // eventfd
  std::atomic<bool> no_more_{false}, stop_{false}, ended_{false};
  std::atomic<long> lost_readings_{0}, lost_samples_{0}, lost_findings_{0}, lost_inputs_{0};
  LiveDelays delays_;
  long misses_ = 0;
  long (*count_)() noexcept = nullptr;
  long allocations_ = 0;
  std::unique_ptr<PayloadMaker> payloads_;
  std::thread thread_;
};

}  // namespace sparsedyn
