#include "traces.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "io/output_file.hpp"

namespace sparsedyn {

namespace {

enum Kind : int { none, being_written, scratch_folder, new_folder, process_group };

/// Fixed memory and lock-free flags, as a signal handler needs them.
struct Trace {
  std::atomic<int> kind{none};
  pid_t owner, group;
  char path[4096];
};
Trace traces[64];
constexpr int most = sizeof traces / sizeof *traces;
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

int add(Kind kind, const std::string& path, pid_t group) noexcept {
  if (path.size() >= sizeof(Trace::path)) return -1;
  for (int i = 0; i < most; ++i) {
    int expected = none;
    if (!traces[i].kind.compare_exchange_strong(expected, being_written)) continue;
    traces[i].owner = ::getpid(), traces[i].group = group;
    traces[i].path[path.copy(traces[i].path, path.size())] = '\0';
    traces[i].kind = kind;
    return i;
  }
  return -1;
}

bool is_own(const Trace& trace, Kind kind) noexcept { return trace.kind == kind && trace.owner == ::getpid(); }

bool group_is_gone(pid_t leader) noexcept {
  ::waitpid(leader, nullptr, WNOHANG);
  return ::kill(-leader, 0) != 0 && errno == ESRCH;
}

/// Asks the group to end, so that it can remove what it wrote elsewhere; after two seconds it no longer asks.
void end_group(pid_t leader) noexcept {
  ::kill(-leader, SIGTERM);
  ::kill(-leader, SIGCONT);
  const timespec step{0, 5'000'000};
  for (int k = 0; k < 400; ++k) {
    if (group_is_gone(leader)) return;
    ::nanosleep(&step, nullptr);
  }
  ::kill(-leader, SIGKILL);
  for (int k = 0; k < 100 && !group_is_gone(leader); ++k) ::nanosleep(&step, nullptr);
}

/// readdir takes memory, which a signal handler must not; the system call does not.
void empty_folder(int folder, int depth) noexcept {
  static_assert(sizeof(dirent::d_ino) == 8 && sizeof(dirent::d_off) == 8);  // then dirent is what the system call writes
  alignas(dirent) char block[2048];
  for (bool removed = true; removed;) {  // until nothing more goes: removing may move what is still to be read
    removed = false;
    ::lseek(folder, 0, SEEK_SET);
    for (long n; (n = ::syscall(SYS_getdents64, folder, block, sizeof block)) > 0;)
      for (long at = 0; at < n;) {
        const auto* entry = reinterpret_cast<const dirent*>(block + at);
        at += entry->d_reclen;
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
        const int below = depth > 0 ? ::openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (below >= 0) empty_folder(below, depth - 1), ::close(below);
        removed |= ::unlinkat(folder, entry->d_name, below >= 0 ? AT_REMOVEDIR : 0) == 0;
      }
  }
}

void remove_scratch_folder(const char* path) noexcept {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  empty_folder(folder, 16);
  ::close(folder);
  ::rmdir(path);
}

/// A folder is empty once those in it are gone.
void remove_new_folders() noexcept {
  for (bool removed = true; removed;) {
    removed = false;
    for (Trace& trace : traces)
      if (is_own(trace, new_folder) && ::rmdir(trace.path) == 0) trace.kind = none, removed = true;
  }
}

/// exit() while another thread compiles.
struct AtExit {
  ~AtExit() { remove_traces(); }
} at_exit;

sigset_t set_of_ending_signals() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : ending_signals) ::sigaddset(&set, signal);
  return set;
}

std::mutex handling;
int users = 0;
struct sigaction before[std::size(ending_signals)];
bool handled[std::size(ending_signals)];

}  // namespace

int add_scratch_folder(const std::string& path) noexcept { return add(scratch_folder, path, 0); }
int add_new_folder(const std::string& path) noexcept { return add(new_folder, path, 0); }
int add_process_group(pid_t leader) noexcept { return add(process_group, "", leader); }

void forget_trace(int entry) noexcept {
  if (entry >= 0) traces[entry].kind = none;
}

void remove_traces() noexcept {
  for (Trace& trace : traces)
    if (is_own(trace, process_group)) end_group(trace.group);
  remove_unfinished_files();
  for (Trace& trace : traces)
    if (is_own(trace, scratch_folder)) remove_scratch_folder(trace.path);
  remove_new_folders();
}

void end_without_traces(int signal) {
  remove_traces();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

EndsWithoutTraces::EndsWithoutTraces() {
  const std::lock_guard<std::mutex> guard(handling);
  if (users++ > 0) return;
  for (std::size_t k = 0; k < std::size(ending_signals); ++k) {
    ::sigaction(ending_signals[k], nullptr, &before[k]);
    handled[k] = !(before[k].sa_flags & SA_SIGINFO) && before[k].sa_handler == SIG_DFL;
    if (handled[k]) ::signal(ending_signals[k], end_without_traces);
  }
}

EndsWithoutTraces::~EndsWithoutTraces() {
  const std::lock_guard<std::mutex> guard(handling);
  if (--users > 0) return;
  for (std::size_t k = 0; k < std::size(ending_signals); ++k) {
    struct sigaction now;
    ::sigaction(ending_signals[k], nullptr, &now);
    if (handled[k] && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == end_without_traces)
      ::sigaction(ending_signals[k], &before[k], nullptr);
  }
}

SignalsWait::SignalsWait() {
  const sigset_t waiting = set_of_ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &waiting, &before_);
}
SignalsWait::~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace sparsedyn
