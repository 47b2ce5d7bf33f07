#include "unfinished_files.hpp"

#include <unistd.h>

#include <atomic>

#include "output_file.hpp"

namespace sparsedyn {
namespace {

/// Fixed memory and lock-free flags, as a signal handler needs them.
struct Entry {
  std::atomic<int> state{0};  // free, taken, to be deleted
  char path[4096];
};
enum : int { free_entry, being_written, unfinished };
Entry entries[64];

}  // namespace

int add_unfinished_file(const std::string& path) noexcept {
  if (path.size() >= sizeof(Entry::path)) return -1;
  for (int i = 0; i < static_cast<int>(sizeof entries / sizeof *entries); ++i) {
    int expected = free_entry;
    if (!entries[i].state.compare_exchange_strong(expected, being_written)) continue;
    entries[i].path[path.copy(entries[i].path, path.size())] = '\0';
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
    if (entry.state == unfinished) ::unlink(entry.path);
}

}  // namespace sparsedyn
