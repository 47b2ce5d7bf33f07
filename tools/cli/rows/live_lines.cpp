#include "live_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/support/exit_code.hpp"
#include "io/files/run_files.hpp"
#include "io/output_file.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/live/live_address.hpp"

namespace sparsedyn::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto header_again = std::chrono::seconds(1);     // to those who receive datagrams
constexpr auto patience = std::chrono::milliseconds(300);  // with who does not read, once the run is about to end
constexpr auto longest_ending = std::chrono::seconds(3);   // likewise, with who reads slowly
constexpr std::size_t at_once = 4096, most_readers = 16;   // bytes that a pipe takes as a whole
constexpr std::size_t most_held = 65536;                   // bytes before a run begins; then it has begun

/// As errno says.
InputError cannot_be_written(const std::string& name) {
  return {name, 0, "", std::string("cannot be written: ") + std::strerror(errno), "a file that can be"};
}

/// An open file: the standard output, a pipe, a file that is read while it grows.
class OpenLines : public LiveLines {
 public:
  OpenLines(int file, bool own, std::string name, std::function<bool()> ending)
      : file_(file), own_(own), name_(std::move(name)), ending_(std::move(ending)), holds_(own && has_content(file)) {}
  ~OpenLines() override {
    if (own_) ::close(file_);
  }
  void header(const std::string& text) override { line(text); }
  void line(const std::string& text) override {
    if (!holds_) return write(text);
    held_ += text;
    if (held_.size() > most_held) begin();
  }
  void begin() override {
    if (!std::exchange(holds_, false)) return;
    if (::ftruncate(file_, 0) != 0) throw cannot_be_written(name_);
    write(std::exchange(held_, {}));
  }
  void commit() override { begin(); }
  long dropped() const override { return dropped_; }
  bool is_closed() const override { return closed_; }

 private:
  static bool has_content(int file) {
    struct stat found {};
    return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
  }
  void write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size() && !closed_) {
      if (given_up_ || is_too_late()) {
        given_up_ = true;
        ++dropped_;
        return;
      }
      pollfd file{file_, POLLOUT, 0};
      if (::poll(&file, 1, 100) <= 0) {  // nobody reads; the run's queue fills meanwhile, and its losses are counted
        given_up_ = is_out_of_patience();
        continue;
      }
      stalled_ = {};
      const ssize_t n = ::write(file_, text.data() + done, std::min(text.size() - done, at_once));
      if (n > 0)
        done += static_cast<std::size_t>(n);
      else if (errno == EPIPE)
        closed_ = true;
      else if (errno != EAGAIN && errno != EINTR)
        throw cannot_be_written(name_);
    }
  }
  /// Once the run is about to end: nothing has been read for too long.
  bool is_out_of_patience() {
    if (!ending_()) return false;
    if (stalled_ == Clock::time_point{}) stalled_ = Clock::now();
    return Clock::now() - stalled_ >= patience;
  }
  /// Something is read now and then, but not fast enough for all that is left.
  bool is_too_late() {
    if (!ending_()) return false;
    if (ending_since_ == Clock::time_point{}) ending_since_ = Clock::now();
    return Clock::now() - ending_since_ >= longest_ending;
  }
  int file_;
  bool own_;
  std::string name_;
  std::function<bool()> ending_;
  Clock::time_point stalled_{}, ending_since_{};
  bool given_up_ = false;  // all that follows is dropped: what is read ends with a line that was cut off, at most
  long dropped_ = 0;
  bool closed_ = false;
  bool holds_;  // until the run begins, so that the file stays as it was if it does not
  std::string held_;
};

/// A file that appears when it is complete.
class FileLines : public LiveLines {
 public:
  explicit FileLines(const std::string& path) : file_(path) {}
  void header(const std::string& text) override { line(text); }
  void line(const std::string& text) override { file_.write(text), file_.flush(); }
  void commit() override { file_.commit(); }

 private:
  OutputFile file_;
};

/// A line a datagram; the header each second.
class DatagramLines : public LiveLines {
 public:
  explicit DatagramLines(const LiveAddress& address) : file_(open_udp_sender(address)) {}
  ~DatagramLines() override { ::close(file_); }
  void header(const std::string& text) override { header_ = text; }
  void line(const std::string& text) override {
    if (const auto now = Clock::now(); now >= next_) send(header_), next_ = now + header_again;
    send(text);
  }
  long dropped() const override { return dropped_; }

 private:
  void send(const std::string& text) {
    const bool sent = ::send(file_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    dropped_ += !sent && errno != ECONNREFUSED;  // nobody listens, which nobody has to
  }
  int file_;
  std::string header_;
  Clock::time_point next_{};
  long dropped_ = 0;
};

/// Everybody who connects gets the header and the lines from then on; who falls behind is disconnected.
class SocketLines : public LiveLines {
 public:
  explicit SocketLines(const LiveAddress& address) : file_(open_unix_listener(address)), path_(address.path) {}
  ~SocketLines() override {
    for (int reader : readers_) ::close(reader);
    ::close(file_);
    ::unlink(path_.c_str());
  }
  void header(const std::string& text) override { header_ = text; }
  void line(const std::string& text) override {
    take_new();
    const auto is_gone = [&](int reader) { return !send(reader, text); };
    readers_.erase(std::remove_if(readers_.begin(), readers_.end(), is_gone), readers_.end());
  }
  long dropped() const override { return dropped_; }

 private:
  void take_new() {
    for (int reader; (reader = ::accept4(file_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
      if (readers_.size() == most_readers)
        ::close(reader), ++dropped_;
      else if (send(reader, header_))
        readers_.push_back(reader);
    }
  }
  bool send(int reader, const std::string& text) {
    const ssize_t n = ::send(reader, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n == static_cast<ssize_t>(text.size())) return true;
    dropped_ += n > 0 || errno == EAGAIN;
    ::close(reader);
    return false;
  }
  int file_;
  std::string path_, header_;
  std::vector<int> readers_;
  long dropped_ = 0;
};

std::unique_ptr<LiveLines> opened(const LiveAddress& address, bool appearing, std::function<bool()> ending) {
  switch (address.kind) {
    case LiveAddress::Kind::standard:
      return std::make_unique<OpenLines>(STDOUT_FILENO, false, "the standard output", std::move(ending));
    case LiveAddress::Kind::udp: return std::make_unique<DatagramLines>(address);
    case LiveAddress::Kind::unix_socket: return std::make_unique<SocketLines>(address);
    case LiveAddress::Kind::file: break;
  }
  if (appearing) return std::make_unique<FileLines>(address.path);
  RunFiles::writing(address.path);
  const int file = ::open(address.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) throw cannot_be_written(address.path);
  return std::make_unique<OpenLines>(file, true, address.path, std::move(ending));
}

}  // namespace

std::unique_ptr<LiveLines> live_lines(const std::string& option, const std::string& address, bool appearing,
                                      std::function<bool()> ending) {
  try {
    return opened(read_live_address(address), appearing, std::move(ending));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(option + " " + wrong.what());
  } catch (const std::system_error& wrong) {
    throw InputError(address, 0, "", wrong.code().message(), "an address that can be opened");
  }
}

}  // namespace sparsedyn::cli
