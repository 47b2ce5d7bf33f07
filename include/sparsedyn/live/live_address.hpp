// Where a live run reads from and writes to.
#pragma once

#include <string>

namespace sparsedyn {

/// `-`, `udp:PORT` (127.0.0.1), `udp:HOST:PORT`, `udp:[HOST]:PORT`, `unix:PATH`, or a file (a FIFO).
struct LiveAddress {
  enum class Kind : char { standard, udp, unix_socket, file };
  Kind kind = Kind::standard;
  std::string host;  // udp: numeric
  int port = 0;      // udp
  std::string path;  // unix_socket, file
  std::string text;  // as it was given
};

/// Throws std::invalid_argument: FOUND; expected EXPECTED.
LiveAddress read_live_address(const std::string& text);

// Files, closed on exec. All throw std::system_error with the address.
/// Bound to receive datagrams, without waiting.
int open_udp_receiver(const LiveAddress& address);
/// Connected to send datagrams.
int open_udp_sender(const LiveAddress& address);
/// Listens; a socket that nobody listens to any more is replaced. Only this user may connect.
int open_unix_listener(const LiveAddress& address);

}  // namespace sparsedyn
