// A thread that hands what arrives on pipes and sockets to a LiveLoop: rows as lines or as frames of numbers, changes as lines.
// docs/live.md describes both forms. What is malformed is counted and named; nothing that arrives stops it or makes it grow.
// But where all inputs are files, or the standard input, a header that lacks a column that the estimate requires ends it: no
// row below would be answered.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/live/live_address.hpp"
#include "sparsedyn/live/live_loop.hpp"

namespace sparsedyn {

/// How rows are written: lines with commas, or frames of little-endian numbers.
enum class LiveFormat : char { csv, f64 };

/// What came on one input, since the start.
struct LiveInputCounts {
  long rows = 0;         // handed on
  long headers = 0;      // names of columns
  long malformed = 0;    // lines or frames that are none
  long oversized = 0;    // too long
  long turned_away = 0;  // connections beyond sixteen
  std::string why;       // what was wrong with the last one
  long line = 0;         // of a stream (from 1) where that was; 0: elsewhere
  int error = 0;         // errno of the read that ended it; 0: its end was reached, or is to come
  std::string lacks;     // required columns that its newest header does not name, and no other input: FOUND; or empty
  long lacks_line = 0;   // of a stream (from 1), where that header stands; 0: elsewhere
  bool refused = false;  // and all inputs ended by it: they are files, or the standard input
};

/// The inputs and how they are read.
struct LiveReceiverOptions {
  std::vector<LiveAddress> inputs;   // each a source, in their order
  std::vector<LiveAddress> control;  // at most one: lines as live_change.hpp says
  LiveFormat format = LiveFormat::csv;
  std::string columns;  // names of columns by commas, until a header comes; empty: rows before one are malformed
};

/// One thread of its own.
class LiveReceiver {
 public:
  /// Opens the inputs. Throws std::system_error, and std::invalid_argument where columns lack time. The loop outlives it.
  LiveReceiver(LiveLoop& loop, LiveReceiverOptions options);
  /// Stops.
  ~LiveReceiver();
  LiveReceiver(const LiveReceiver&) = delete;
  LiveReceiver& operator=(const LiveReceiver&) = delete;

  /// Starts the thread, which ends the loop when all inputs have ended; sockets and FIFOs never do.
  void start();
  /// Stops the thread and ends the loop.
  void stop() noexcept;

  /// Counts of an input. Any thread.
  LiveInputCounts counts(std::size_t input) const;
  /// What is worth telling since the last call: columns that no sensor reads, changes that were refused. At most 64 are kept.
  std::vector<std::string> take_notes();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sparsedyn
