// Lines that leave a live run, each at once: to the standard output, a file, a UDP address, or whoever connects to a Unix
// socket. Nobody who does not read holds the run up for long.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace sparsedyn::cli {

class LiveLines {
 public:
  virtual ~LiveLines() = default;
  /// A line, with its end. The header is told anew to those who come later.
  virtual void header(const std::string& line) = 0;
  virtual void line(const std::string& line) = 0;
  /// The run has its first sample: from here on lines replace what a file had before.
  virtual void begin() {}
  /// All lines are written.
  virtual void commit() {}
  /// Lines, or readers, that were given up.
  virtual long dropped() const { return 0; }
  /// Nobody will read any more.
  virtual bool is_closed() const { return false; }
};

/// `-`, `udp:…`, `unix:…`, or a file: appearing: when it is committed, else at once; of a file that has something in it, from
/// begin() or commit() on, so that a run which is refused leaves it as it was. ending(): the run is about to end. Throws
/// UsageError, InputError.
std::unique_ptr<LiveLines> live_lines(const std::string& option, const std::string& address, bool appearing,
                                      std::function<bool()> ending);

}  // namespace sparsedyn::cli
