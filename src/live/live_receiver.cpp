#include "sparsedyn/live/live_receiver.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "control_lines.hpp"
#include "io/suggestions.hpp"
#include "named_readings.hpp"
#include "packets.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t most_connections = 16, most_senders = 16, most_notes = 64, most_told = 16;
constexpr int turns_of_patience = 1000;  // of a millisecond
constexpr int datagrams_a_turn = 64;     // of one socket, before the others are looked at

bool is_regular(int file) {
  struct stat there {};
  return ::fstat(file, &there) == 0 && S_ISREG(there.st_mode);
}

}  // namespace

class LiveReceiver::Work {
 public:
  Work(LiveLoop& loop, LiveReceiverOptions options)
      : loop_(loop),
        options_(std::move(options)),
        wake_(::eventfd(0, EFD_CLOEXEC)),
        named_(loop.estimate().readings(), options_.inputs.size()) {
    if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    for (std::size_t k = 0; k < options_.inputs.size(); ++k)
      readers_.push_back(std::make_unique<PacketReader>(loop.estimate().readings(), options_.format));
    told_.resize(readers_.size());
    try {
      for (const LiveAddress& address : options_.inputs) open(address);
      for (const LiveAddress& address : options_.control) open(address);
      for (std::size_t k = 0; k < readers_.size() && !options_.columns.empty(); ++k)
        if (!readers_[k]->bind(options_.columns, inputs_[k].columns))
          throw std::invalid_argument("columns: " + readers_[k]->counts().why);
    } catch (...) {
      close_all();
      throw;
    }
  }
  ~Work() {
    stop();
    close_all();
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() noexcept {
    if (stop_.exchange(true)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
    if (thread_.joinable()) thread_.join();
  }
  LiveInputCounts counts(std::size_t k) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_[k];
  }
  std::vector<std::string> take_notes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  /// A stream of bytes: standard input, a FIFO, a connection.
  struct Connection {
    int file;
    NamedColumns columns = {};
    UnreadBytes rest = {};
    bool is_whole = is_regular(file);  // its last line may lack its end
  };

  /// Who sends datagrams, with the columns that it named.
  struct Sender {
    sockaddr_storage from = {};
    socklen_t size = 0;
    NamedColumns columns = {};
    long used = 0;
  };

  /// Of one source.
  struct OpenInput {
    LiveAddress address;
    int socket = -1;  // of datagrams, or one that listens
    bool ended = false;
    NamedColumns columns = {};  // the last that were named on it: of senders that name none
    std::vector<Connection> connections = {};
    std::vector<Sender> senders = {};
    bool has_one_sender = false;          // a file or the standard input: nobody comes who names other columns
    std::string passed = {};              // columns that were told to be passed over
    std::vector<std::string> lacks = {};  // what was told that its headers lack
  };

  /// Hands rows of one source to the loop. A stream that is faster than the loop and its reader (a file) waits for them; one
  /// whose reader does not read at all goes on after a second, and rows are lost.
  struct ToLoop : RowTaker {
    ToLoop(Work& of, std::size_t from, bool may_wait) : work(of), source(from), waits(may_wait) {}
    void row(double stamp, const double* values) noexcept override {
      if (!work.named_.has_named(source)) work.judge(source, work.inputs_[source].columns, "--columns", 0);
      if (work.refused_) return;
      for (int turn = 0; waits && !work.loop_.has_room() && !work.stop_.load(); ++turn) {
        if (turn == turns_of_patience || work.impatient_) {
          work.impatient_ = true;
          break;
        }
        ::poll(nullptr, 0, 1);
      }
      if (work.loop_.has_room()) work.impatient_ = false;
      work.loop_.readings(static_cast<int>(source), stamp, values);
    }
    void named(const NamedColumns& columns, long line) override { work.judge(source, columns, "header", line); }
    Work& work;
    std::size_t source;
    bool waits;
  };

  void open(const LiveAddress& address) {
    OpenInput input{address};
    switch (address.kind) {
      case LiveAddress::Kind::standard: input.connections.push_back({STDIN_FILENO}), input.has_one_sender = true; break;
      case LiveAddress::Kind::udp: input.socket = open_udp_receiver(address); break;
      case LiveAddress::Kind::unix_socket: input.socket = open_unix_listener(address); break;
      case LiveAddress::Kind::file: {
        // a FIFO that is opened to be written, too, waits for no writer, and outlives each of them
        struct stat there {};
        const bool is_fifo = ::stat(address.path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
        const int file = ::open(address.path.c_str(), (is_fifo ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
        if (file < 0) throw std::system_error(errno, std::generic_category(), address.text);
        input.connections.push_back({file}), input.has_one_sender = !is_fifo;
      }
    }
    inputs_.push_back(std::move(input));
  }

  void close_all() noexcept {
    for (OpenInput& input : inputs_) {
      for (const Connection& connection : input.connections)
        if (connection.file != STDIN_FILENO) ::close(connection.file);
      if (input.socket >= 0) ::close(input.socket);
      if (input.address.kind == LiveAddress::Kind::unix_socket && input.socket >= 0) ::unlink(input.address.path.c_str());
    }
    inputs_.clear();
    ::close(wake_);
  }

  bool all(bool OpenInput::*is) const {
    return std::all_of(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(readers_.size()),
                       [is](const OpenInput& input) { return input.*is; });
  }

  void run() {
    while (!stop_.load() && !all(&OpenInput::ended) && !refused_) {
      std::vector<pollfd> files{{wake_, POLLIN, 0}};
      std::vector<std::pair<std::size_t, int>> of;  // input, its connection or −1
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        const auto want = [&](int file, int connection) {
          files.push_back({file, POLLIN, 0});
          of.emplace_back(k, connection);
        };
        if (inputs_[k].socket >= 0) want(inputs_[k].socket, -1);
        for (std::size_t c = 0; c < inputs_[k].connections.size(); ++c)
          want(inputs_[k].connections[c].file, static_cast<int>(c));
      }
      if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) break;
      for (std::size_t i = files.size(); i-- > 1;)  // connections that end move only those behind them
        if (files[i].revents != 0) serve(of[i - 1].first, of[i - 1].second);
    }
    loop_.end();
  }

  void serve(std::size_t k, int connection) {
    OpenInput& input = inputs_[k];
    if (connection >= 0)
      read_stream(k, static_cast<std::size_t>(connection));
    else if (input.address.kind == LiveAddress::Kind::udp)
      read_datagrams(k);
    else
      accept(k);
    if (k >= readers_.size()) return;
    const std::string passed = listing(readers_[k]->take_passed_over());
    const bool is_news = !passed.empty() && passed != input.passed;  // a publisher may repeat its header each second
    if (is_news) input.passed = passed;
    const std::lock_guard<std::mutex> lock(mutex_);
    told_[k] = readers_[k]->counts();
    // half of the room is left to changes that are refused: whoever sends wrong headers does not hide why
    if (is_news && notes_.size() < most_notes / 2) notes_.push_back(input.address.text + ": columns passed over: " + passed);
  }

  /// What all inputs together lack, as soon as each has named its columns.
  void judge(std::size_t k, const NamedColumns& columns, const std::string& element, long line) {
    named_.name(k, columns);
    LiveInputCounts& counts = readers_[k]->counts();
    counts.lacks.clear();
    if (!named_.all_have_named()) return;
    if (const std::string standing = named_.standing(); standing != std::exchange(standing_, standing) && !standing.empty())
      note(standing);
    const std::string found = named_.lacking(columns);
    if (found.empty()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (std::size_t i = 0; i < readers_.size(); ++i) readers_[i]->counts().lacks.clear(), told_[i].lacks.clear();
      return;
    }
    counts.lacks = element + ": " + found, counts.lacks_line = line;
    refused_ = counts.refused = all(&OpenInput::has_one_sender);  // else what lacks may be named later
    if (refused_) return;
    std::vector<std::string>& told = inputs_[k].lacks;  // publishers that differ may repeat their headers in turn
    if (told.size() == most_told || std::find(told.begin(), told.end(), counts.lacks) != told.end()) return;
    told.push_back(counts.lacks);
    note(inputs_[k].address.text + ": " + counts.lacks + "; expected a column for each input");
  }

  void accept(std::size_t k) {
    OpenInput& input = inputs_[k];
    const int file = ::accept4(input.socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0) return;
    if (input.connections.size() < most_connections) {
      input.connections.push_back({file});
      input.connections.back().columns = input.columns;
      return;
    }
    ::close(file);
    if (k < readers_.size()) ++readers_[k]->counts().turned_away;
  }

  void read_stream(std::size_t k, std::size_t c) {
    OpenInput& input = inputs_[k];
    Connection& connection = input.connections[c];
    const ssize_t n = ::read(connection.file, block_.data(), block_.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n < 0 && k < readers_.size() && input.socket < 0) {  // of a socket one connection is lost
      readers_[k]->counts().error = errno, readers_[k]->counts().line = 0;
      readers_[k]->counts().why = std::string("cannot be read: ") + std::strerror(errno);
    }
    const std::string_view bytes(block_.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    if (connection.columns.is_read.empty()) connection.columns = input.columns;
    if (k >= readers_.size()) {
      take_changes(loop_, bytes, connection.rest.bytes, connection.is_whole, [this](const std::string& why) { note(why); });
    } else {
      ToLoop taker(*this, k, true);
      if (n > 0)
        readers_[k]->stream(bytes, connection.rest, connection.columns, taker);
      else
        readers_[k]->end(connection.rest, connection.is_whole && n == 0, connection.columns, taker);
      if (!connection.columns.is_read.empty() && input.columns.hash != connection.columns.hash)
        input.columns = connection.columns;
    }
    if (n > 0) return;
    if (connection.file != STDIN_FILENO) ::close(connection.file);
    input.connections.erase(input.connections.begin() + static_cast<std::ptrdiff_t>(c));
    if (input.socket < 0) input.ended = true;
  }

  void read_datagrams(std::size_t k) {
    OpenInput& input = inputs_[k];
    for (int turn = 0; turn < datagrams_a_turn; ++turn) {
      Sender sender;
      sender.size = sizeof sender.from;
      const ssize_t n = ::recvfrom(input.socket, block_.data(), block_.size(), MSG_TRUNC | MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&sender.from), &sender.size);
      if (n < 0) return;
      if (static_cast<std::size_t>(n) > block_.size()) {
        if (k < readers_.size())
          ++readers_[k]->counts().oversized, readers_[k]->counts().why = "a datagram of more than 65536 bytes";
        continue;
      }
      const std::string_view bytes(block_.data(), static_cast<std::size_t>(n));
      if (k >= readers_.size())
        take_changes(loop_, bytes, [this](const std::string& why) { note(why); });
      else
        read_datagram(k, bytes, sender);
    }
  }

  /// NamedColumns are those that its sender named last; of one that named none, those that anybody named last.
  void read_datagram(std::size_t k, std::string_view bytes, const Sender& from) {
    OpenInput& input = inputs_[k];
    const auto known = std::find_if(input.senders.begin(), input.senders.end(), [&](const Sender& each) {
      return each.size == from.size && std::memcmp(&each.from, &from.from, from.size) == 0;
    });
    NamedColumns& columns = known != input.senders.end() ? known->columns : input.columns;
    if (known != input.senders.end()) known->used = ++turns_;
    ToLoop taker(*this, k, false);
    const long headers = readers_[k]->counts().headers;
    readers_[k]->datagram(bytes, columns, taker);
    if (readers_[k]->counts().headers == headers) return;
    if (known != input.senders.end()) {
      input.columns = known->columns;
      return;
    }
    Sender sender = from;
    sender.columns = input.columns, sender.used = ++turns_;
    if (input.senders.size() < most_senders) return input.senders.push_back(std::move(sender));
    *std::min_element(input.senders.begin(), input.senders.end(),
                      [](const Sender& a, const Sender& b) { return a.used < b.used; }) = std::move(sender);
  }

  void note(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (notes_.size() < most_notes) notes_.push_back(text);
  }

  LiveLoop& loop_;
  LiveReceiverOptions options_;
  int wake_;
  std::vector<OpenInput> inputs_;  // then the control
  std::vector<std::unique_ptr<PacketReader>> readers_;
  std::vector<LiveInputCounts> told_;
  std::vector<std::string> notes_;
  NamedReadings named_;
  bool refused_ = false, impatient_ = false;  // refused_: a header ends all
  std::string standing_;                      // contacts that were told to stand
  std::array<char, longest_line> block_{};
  long turns_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;  // of what is told: told_, notes_
  std::thread thread_;
};

LiveReceiver::LiveReceiver(LiveLoop& loop, LiveReceiverOptions options) : work_(new Work(loop, std::move(options))) {}
LiveReceiver::~LiveReceiver() = default;
void LiveReceiver::start() { work_->start(); }
void LiveReceiver::stop() noexcept { work_->stop(); }
LiveInputCounts LiveReceiver::counts(std::size_t input) const { return work_->counts(input); }
std::vector<std::string> LiveReceiver::take_notes() { return work_->take_notes(); }

}  // namespace sparsedyn
