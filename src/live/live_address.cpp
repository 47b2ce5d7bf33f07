#include "sparsedyn/live/live_address.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace sparsedyn {
namespace {

constexpr int most_waiting = 16;             // connections that are not accepted yet
constexpr int receive_buffer = 1024 * 1024;  // bytes: a second of datagrams
const char* const loopback = "127.0.0.1";

[[noreturn]] void fail(const LiveAddress& address) { throw std::system_error(errno, std::generic_category(), address.text); }

[[noreturn]] void refuse(const std::string& text) {
  throw std::invalid_argument(text + "; expected -, udp:PORT, udp:HOST:PORT with a numeric host, unix:PATH or a file");
}

struct InternetAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

bool numeric(const std::string& host, int port, InternetAddress& into) {
  sockaddr_in four{};
  four.sin_family = AF_INET, four.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    std::memcpy(&into.storage, &four, sizeof four), into.size = sizeof four;
    return true;
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6, six.sin6_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) != 1) return false;
  std::memcpy(&into.storage, &six, sizeof six), into.size = sizeof six;
  return true;
}

LiveAddress udp_address(const std::string& text) {
  LiveAddress found;
  found.kind = LiveAddress::Kind::udp, found.text = text, found.host = loopback;
  std::string port = text.substr(4);
  if (const auto colon = port.rfind(':'); colon != std::string::npos) {
    found.host = port.substr(0, colon), port = port.substr(colon + 1);
    if (found.host.size() > 2 && found.host.front() == '[' && found.host.back() == ']')
      found.host = found.host.substr(1, found.host.size() - 2);
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), found.port);
  InternetAddress numbers;
  if (error != std::errc() || end != port.data() + port.size() || found.port < 1 || found.port > 65535 ||
      !numeric(found.host, found.port, numbers))
    refuse(text);
  return found;
}

sockaddr_un unix_address(const LiveAddress& address) {
  sockaddr_un there{};
  there.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof there.sun_path)
    throw std::system_error(ENAMETOOLONG, std::generic_category(), address.text);
  std::memcpy(there.sun_path, address.path.c_str(), address.path.size());
  return there;
}

/// A socket in the file system that nobody listens to: of a run that was killed.
void remove_abandoned(const LiveAddress& address, const sockaddr_un& there) {
  struct stat file {};
  if (::lstat(address.path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return;
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) fail(address);
  const bool refused = ::connect(probe, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  if (refused) ::unlink(address.path.c_str());
}

/// The file, or it is closed and errno's reason thrown.
int kept_if(bool good, int file, const LiveAddress& address) {
  if (good) return file;
  const int reason = errno;
  ::close(file);
  errno = reason;
  fail(address);
}

}  // namespace

LiveAddress read_live_address(const std::string& text) {
  LiveAddress found;
  found.text = text;
  if (text == "-") return found;
  if (text.compare(0, 4, "udp:") == 0) return udp_address(text);
  const bool is_socket = text.compare(0, 5, "unix:") == 0;
  found.kind = is_socket ? LiveAddress::Kind::unix_socket : LiveAddress::Kind::file;
  found.path = is_socket ? text.substr(5) : text;
  if (found.path.empty()) refuse(text);
  return found;
}

int open_udp_receiver(const LiveAddress& address) {
  InternetAddress here;
  numeric(address.host, address.port, here);
  const int file = ::socket(here.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) fail(address);
  ::setsockopt(file, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);  // as much as the system allows
  return kept_if(::bind(file, here.get(), here.size) == 0, file, address);
}

int open_udp_sender(const LiveAddress& address) {
  InternetAddress there;
  numeric(address.host, address.port, there);
  const int file = ::socket(there.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) fail(address);
  return kept_if(::connect(file, there.get(), there.size) == 0, file, address);
}

int open_unix_listener(const LiveAddress& address) {
  const sockaddr_un here = unix_address(address);
  remove_abandoned(address, here);
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) fail(address);
  kept_if(::bind(file, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0, file, address);
  return kept_if(::chmod(address.path.c_str(), 0600) == 0 && ::listen(file, most_waiting) == 0, file, address);
}

}  // namespace sparsedyn
