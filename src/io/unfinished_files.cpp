#include "unfinished_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "io/files/unfinished_name.hpp"
#include "output_file.hpp"

namespace sparsedyn {
namespace {

/// Fixed memory and lock-free flags, as a signal handler needs them.
struct Entry {
  std::atomic<int> state{0};  // free, taken, to be deleted
  pid_t owner;
  char path[4096];
};
enum : int { free_entry, being_written, unfinished };
Entry entries[64];

/// Whether a process has ended, and waits for its parent to ask how: state Z, or X, behind the name in /proc/PID/stat.
bool has_ended(pid_t process) {
  char text[512];
  std::snprintf(text, sizeof text, "/proc/%ld/stat", static_cast<long>(process));
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = ::read(file, text, sizeof text);
  ::close(file);
  const std::string_view stat(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string_view::npos && name_end + 2 < stat.size() &&
         (stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X');
}

bool lives(pid_t process) { return (::kill(process, 0) == 0 || errno != ESRCH) && !has_ended(process); }

/// Network file systems, and those of which nobody knows what is behind them (statfs(2), linux/magic.h).
bool shared_with_other_hosts(int folder) {
  struct statfs system;
  if (::fstatfs(folder, &system) != 0) return true;
  switch (static_cast<unsigned long>(system.f_type) & 0xFFFFFFFFul) {
    case 0x6969:      // NFS
    case 0x517B:      // SMB
    case 0xFE534D42:  // SMB 2
    case 0xFF534D42:  // CIFS
    case 0x5346414F:  // AFS
    case 0x00C36400:  // Ceph
    case 0x0BD00BD0:  // Lustre
    case 0x47504653:  // GPFS
    case 0x01161970:  // GFS 2
    case 0x7461636F:  // OCFS 2
    case 0x01021997:  // 9P
    case 0x65735546:  // FUSE
      return true;
    default: return false;
  }
}

/// Deletes the file of that name if nobody holds its lock.
void remove_if_abandoned(int folder, const char* name) {
  const int file = ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat opened, named;
  const bool ours = ::fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == ::geteuid();
  if (ours && ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
    ::unlinkat(folder, name, 0);
  ::close(file);
}

}  // namespace

std::string unfinished_name(int number) { return unfinished_name_of(::getpid(), number); }

bool mark_as_own(int file) noexcept {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat there;
  return ::fstat(file, &there) == 0 && there.st_nlink > 0;
}

void remove_abandoned_files(const std::string& folder) noexcept {
  DIR* const entries_of = ::opendir(folder.empty() ? "." : folder.c_str());
  if (!entries_of) return;
  const int number = ::dirfd(entries_of);
  const bool shared = shared_with_other_hosts(number);
  while (const dirent* entry = shared ? nullptr : ::readdir(entries_of))
    if (const pid_t owner = owner_in<pid_t>(entry->d_name); owner > 0 && !lives(owner))
      remove_if_abandoned(number, entry->d_name);
  ::closedir(entries_of);
}

int add_unfinished_file(const std::string& path) noexcept {
  if (path.size() >= sizeof(Entry::path)) return -1;
  for (int i = 0; i < static_cast<int>(sizeof entries / sizeof *entries); ++i) {
    int expected = free_entry;
    if (!entries[i].state.compare_exchange_strong(expected, being_written)) continue;
    entries[i].path[path.copy(entries[i].path, path.size())] = '\0';
    entries[i].owner = ::getpid();
    entries[i].state = unfinished;
    return i;
  }
  return -1;
}

void forget_unfinished_file(int entry) noexcept {
  if (entry >= 0) entries[entry].state = free_entry;
}

void remove_unfinished_files() noexcept {
  for (Entry& entry : entries)
    if (entry.state == unfinished && entry.owner == ::getpid()) ::unlink(entry.path);
}

}  // namespace sparsedyn
