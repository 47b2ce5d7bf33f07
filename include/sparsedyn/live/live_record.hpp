// What came in during a live run, with the times of its arrival, as an MCAP file (https://mcap.dev), uncompressed and without
// an index. LiveCore makes the same samples of it, to the last bit.
//
// Each source has a channel `/source/K` (K from 0; `input` in its metadata) whose messages are numbers, little-endian doubles:
// the stamp, then the readings as the schema's data names them, a line each. `/change` has the lines of live_change.hpp. `/end`
// says when the run ended, and in lines `NAME COUNT` what it had lost. log_time is the time of arrival.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/live/live_loop.hpp"

namespace sparsedyn {

namespace detail {
/// Closed where its owner ends, a constructor that throws too.
using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
}  // namespace detail

/// What a record says of its run.
struct LiveRecordHead {
  std::vector<std::string> names;               // of the readings
  std::vector<std::string> sources;             // as inputs were given
  std::map<std::string, std::string> settings;  // what else its maker wants to know
};

/// Writes as it goes: what a run that is killed has recorded is there. The file is begun with the first input, or the end: what
/// was there before stays where a run is refused.
class LiveRecordWriter {
 public:
  /// Throws InputError where the file cannot be written; so do the others. A file that is there is not changed.
  LiveRecordWriter(const std::string& path, const LiveRecordHead& head);
  ~LiveRecordWriter();
  LiveRecordWriter(const LiveRecordWriter&) = delete;
  LiveRecordWriter& operator=(const LiveRecordWriter&) = delete;

  /// values: of readings; of a change none.
  void add(const LiveInput& input, const double* values, const LiveEstimate& estimate);
  /// Whether the file was begun.
  bool begun() const noexcept { return file_ != nullptr; }
  /// To the disk as far as it has come.
  void flush();
  /// The run ended then (ns): all that was due by then has been given. lost: of the run.
  void end(std::int64_t at, const LiveLosses& lost = {});

 private:
  void message(std::uint16_t channel, std::int64_t log_time, std::int64_t publish_time, const std::string& data);
  void write(const std::string& bytes);

  void begin();

  std::string path_;
  detail::OpenFile file_;
  std::string beginning_;  // of the file; empty: it is written
  std::size_t width_, sources_;
  std::uint32_t sequence_ = 0;
  std::string data_, bytes_;  // of the message that is written
};

/// Reads such a file, message by message.
class LiveRecordReader {
 public:
  /// Throws InputError where the file is no such record.
  explicit LiveRecordReader(const std::string& path);
  ~LiveRecordReader();
  LiveRecordReader(const LiveRecordReader&) = delete;
  LiveRecordReader& operator=(const LiveRecordReader&) = delete;

  /// What it says of its run.
  const LiveRecordHead& head() const { return head_; }
  /// The next readings or the next change; false at the end. estimate: its names are head().names. Throws
  /// InputError.
  bool next(LiveInput& input, std::vector<double>& values, const LiveEstimate& estimate);
  /// At the end: when the run ended (ns), or the last arrival where it was cut off.
  std::int64_t ended_at() const { return ended_at_; }
  /// At the end: what the run had lost. Of inputs: what came in is not all here, and samples may differ from the run's.
  const LiveLosses& lost() const { return lost_; }
  /// At the end: whether it lacks its end, because the run was killed.
  bool is_cut_off() const { return cut_off_; }

 private:
  struct Channel {
    std::string topic;
    int source = -1;
  };
  bool record(std::uint8_t& kind, std::string& content);
  void channel(const std::string& content);
  bool message(const std::string& content, LiveInput& input, std::vector<double>& values, const LiveEstimate& estimate);
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

  std::string path_;
  detail::OpenFile file_;
  LiveRecordHead head_;
  std::map<std::uint16_t, Channel> channels_;
  std::vector<LiveChange> changes_;  // of a line, still to be handed out
  std::int64_t ended_at_ = 0;
  LiveLosses lost_;
  std::uint64_t place_ = 0;  // bytes read
  bool cut_off_ = true;
  std::uint8_t ahead_kind_ = 0;  // the first message, which the head ends with
  std::string ahead_, content_;
};

}  // namespace sparsedyn
