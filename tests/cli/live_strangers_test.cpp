// A live run among strangers: 10⁵ wrong packets, two publishers of one topic, readers that do not read, connections that say
// nothing. It answers who is in order throughout, and does not grow.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "live_run.hpp"
#include "pendulum.hpp"
#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// Of a Unix socket; closed at its end.
struct Connection {
  explicit Connection(const std::string& path, int tries = 500) : file(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un there{};
    there.sun_family = AF_UNIX;
    std::strncpy(there.sun_path, path.c_str(), sizeof there.sun_path - 1);
    for (int k = 0; k < tries && !connected; ++k) {
      connected = ::connect(file, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
      if (!connected && k + 1 < tries) pause_ms(10);
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(file); }
  /// Appends what has come; false: the other side has closed.
  bool read(std::string& text) const {
    char bytes[4096];
    ssize_t n = 0;
    while ((n = ::read(file, bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<std::size_t>(n));
    return n < 0 && errno == EAGAIN;
  }
  int file;
  bool connected = false;
};

long resident_kb(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

/// A row or a header with some bytes changed, cut, doubled, or bytes at random.
std::string wrong_packet(std::mt19937& rng) {
  std::string bytes(rng() % 300, ' ');
  if (rng() % 3 == 0) {
    for (char& c : bytes) c = static_cast<char>(rng());
    return bytes;
  }
  bytes = rng() % 4 == 0 ? std::string(pendulum_columns) : pendulum_row(1e-3 * static_cast<double>(rng() % 5000));
  for (unsigned n = 1 + rng() % 4; n > 0; --n) bytes[rng() % bytes.size()] = static_cast<char>(rng());
  if (rng() % 5 == 0) bytes.resize(rng() % bytes.size());
  if (rng() % 50 == 0) bytes.append(bytes).append(60000, 'x');
  return bytes;
}

/// Samples with an answer among the lines; each has the torque that a row asks for.
long answers(const std::string& text, double expected) {
  std::istringstream lines(text);
  long count = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comma = line.find(',');
    if (comma == std::string::npos || line.compare(0, 4, "time") == 0 || comma + 1 == line.size()) continue;
    CHECK(std::stod(line.substr(comma + 1)) == Approx(expected).epsilon(1e-12));
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("live goes on beside 100000 wrong packets, two publishers, a reader that does not read, and silent connections") {
  const TemporaryFolder folder;
  const int port = 20000 + static_cast<int>((::getpid() + 7) % 20000);
  const std::string urdf = folder.file("pendulum.urdf", pendulum), words = folder / "words", found = folder / "found.json",
                    out = folder / "out", control = folder / "control";
  const std::string set = " --sensors inverse-dynamics --outputs tau ", to = "udp:" + std::to_string(port);
  const Run one = run_program("live " + urdf + set + "--input " + folder.file("one.csv", pendulum_columns + pendulum_row(0)));
  const double tau = std::stod(one.out.substr(one.out.rfind(',') + 1));
  Background live(
      "live " + urdf + set + "--input " + to + " -o unix:" + out + " --control unix:" + control + " --diagnostics " + found,
      words);
  const Connection asleep(out);  // never reads
  REQUIRE(asleep.connected);
  const Publisher first(port), second(port), stranger(port);
  wait_for(first);
  // two publishers of one topic at once, each with its own order of columns
  first.send(pendulum_columns), second.send("time,ddq.hinge,dq.hinge,q.hinge\n");
  std::string samples;
  {
    const Connection reader(out);
    REQUIRE(reader.connected);
    for (int k = 0; k < 100; ++k) {
      if (k % 2 == 0)
        first.send(pendulum_row(0.002 * k));
      else
        second.send(std::to_string(0.002 * k) + ",-1.5,0.25,0.5\n");
      pause_ms(2);
    }
    pause_ms(100);
    CHECK(reader.read(samples));
  }
  CHECK(answers(samples, tau) >= 95);

  // who scans: connections that say nothing or rubbish, more than are let in, and datagrams without a byte
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Connection>> many;
    for (int k = 0; k < 40; ++k) {
      many.push_back(std::make_unique<Connection>(k % 2 == 0 ? control : out, 1));
      if (k % 3 == 0) ::send(many.back()->file, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
      stranger.send("");
    }
    pause_ms(20);
  }
  std::mt19937 rng(11);
  const auto flood = [&](int packets) {
    for (int k = 0; k < packets; ++k) {
      stranger.send(wrong_packet(rng));
      if (k % 50 == 49) pause_ms(1);
    }
  };
  flood(10000);
  const long before = resident_kb(live.child);
  flood(90000);
  CHECK(resident_kb(live.child) - before < 2048);
  // the one in order is answered as before, and so is a change
  samples.clear();
  const Connection reader(out), changes(control);
  REQUIRE((reader.connected && changes.connected));
  pause_ms(50);
  CHECK(::send(changes.file, "offset q.nobody 1\n", 18, MSG_NOSIGNAL) == 18);
  const Publisher third(port);
  third.send(pendulum_columns);
  for (int k = 0; k < 100; ++k) third.send(pendulum_row(100 + 0.002 * k)), pause_ms(2);
  pause_ms(200);
  CHECK(reader.read(samples));
  CHECK(live.end(SIGTERM) == 0);
  std::string late;  // rows of the flood that were no wrong ones have answers of their own
  std::istringstream lines(samples);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, 3, "100") == 0) late += line + "\n";
  CHECK(answers(late, tau) >= 90);
  CHECK_THAT(text_of(found), Contains("malformed") && Contains("no sensor or column q.nobody"));
}
