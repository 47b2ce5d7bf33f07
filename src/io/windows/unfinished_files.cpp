// A file that a process has open cannot be deleted under Windows: that is the lock, and no other is needed.
#include "io/unfinished_files.hpp"

#include <windows.h>

#include <filesystem>
#include <mutex>
#include <vector>

#include "io/files/unfinished_name.hpp"
#include "io/output_file.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

/// Control events come in a thread of their own, so a mutex serves where POSIX's signal handlers need flags.
std::mutex of_unfinished;
std::vector<std::string> unfinished;  // empty: free

bool lives(DWORD process) {
  const HANDLE handle = ::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process);
  if (!handle) return ::GetLastError() != ERROR_INVALID_PARAMETER;
  DWORD code = 0;
  const bool runs = ::GetExitCodeProcess(handle, &code) == 0 || code == STILL_ACTIVE;
  ::CloseHandle(handle);
  return runs;
}

}  // namespace

std::string unfinished_name(int number) { return unfinished_name_of(::GetCurrentProcessId(), number); }

bool mark_as_own(int) noexcept { return true; }

void remove_abandoned_files(const std::string& folder) noexcept try {
  const fs::path place = folder.empty() ? fs::path(".") : fs::path(folder);
  if (::GetDriveTypeA((fs::absolute(place).root_path()).string().c_str()) == DRIVE_REMOTE) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(place, ignored))
    if (const DWORD owner = owner_in<DWORD>(entry.path().filename().string()); owner > 0 && !lives(owner))
      if (entry.is_regular_file(ignored)) fs::remove(entry.path(), ignored);
} catch (...) {  // no memory: they stay
}

int add_unfinished_file(const std::string& path) noexcept try {
  const std::lock_guard<std::mutex> guard(of_unfinished);
  for (std::size_t i = 0; i < unfinished.size(); ++i)
    if (unfinished[i].empty()) return unfinished[i] = path, static_cast<int>(i);
  unfinished.push_back(path);
  return static_cast<int>(unfinished.size()) - 1;
} catch (...) {
  return -1;
}

void forget_unfinished_file(int entry) noexcept {
  const std::lock_guard<std::mutex> guard(of_unfinished);
  if (entry >= 0) unfinished[static_cast<std::size_t>(entry)].clear();
}

void remove_unfinished_files() noexcept {
  const std::lock_guard<std::mutex> guard(of_unfinished);
  for (const std::string& path : unfinished)
    if (!path.empty()) ::DeleteFileA(path.c_str());  // refused where it is still open: the next run removes it
}

}  // namespace sparsedyn
