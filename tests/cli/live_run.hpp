// A live run in the background, and who sends to it.
#pragma once

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

namespace sparsedyn::test {

inline void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// The program in the background, its words in a file.
struct Background {
  Background(const std::string& arguments, const std::string& words, const std::string& errors = "&1") {
    child = ::fork();
    if (child != 0) return;
    for (int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
    const std::string line = std::string("exec ") + SPARSEDYN_PROGRAM + " " + arguments + " > " + words + " 2>" + errors;
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ~Background() {
    if (child > 0) ::kill(child, SIGKILL), ::waitpid(child, nullptr, 0);
  }
  int end(int signal) {
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    child = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t child;
};

/// Sends datagrams to a port of this host; each object is a publisher of its own.
struct Publisher {
  explicit Publisher(int port) : file(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in there{};
    there.sin_family = AF_INET, there.sin_port = htons(static_cast<std::uint16_t>(port));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(file, reinterpret_cast<const sockaddr*>(&there), sizeof there);
  }
  ~Publisher() { ::close(file); }
  bool send(const std::string& text) const { return ::send(file, text.data(), text.size(), 0) >= 0; }
  int file;
};

/// Until the port is open.
inline void wait_for(const Publisher& publisher) {
  for (int k = 0; k < 500; ++k) {
    publisher.send("\n");
    pause_ms(10);
    if (publisher.send("\n")) return;
  }
  FAIL("nobody listens");
}

inline long lines_of_text(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

inline const char* const pendulum_columns = "time,q.hinge,dq.hinge,ddq.hinge\n";
inline std::string pendulum_row(double t) { return std::to_string(t) + ",0.5,0.25,-1.5\n"; }

}  // namespace sparsedyn::test
