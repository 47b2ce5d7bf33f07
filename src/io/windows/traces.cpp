#include "io/files/traces.hpp"

#include <windows.h>

#include <csignal>
#include <filesystem>
#include <mutex>
#include <vector>

#include "io/output_file.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

struct Trace {
  std::string path;  // empty: free
  bool with_all_in_it;
};
std::mutex of_traces;
std::vector<Trace> traces;
int users = 0;

int add(const std::string& path, bool with_all_in_it) noexcept try {
  const std::lock_guard<std::mutex> guard(of_traces);
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (traces[i].path.empty()) return traces[i] = {path, with_all_in_it}, static_cast<int>(i);
  traces.push_back({path, with_all_in_it});
  return static_cast<int>(traces.size()) - 1;
} catch (...) {
  return -1;
}

/// Control-C, control-break, and windows that close: the system then ends the process.
BOOL WINAPI end_on_event(DWORD) {
  remove_traces();
  return FALSE;
}

}  // namespace

int add_scratch_folder(const std::string& path) noexcept { return add(path, true); }
int add_new_folder(const std::string& path) noexcept { return add(path, false); }
int add_process_group(pid_t) noexcept { return -1; }

void forget_trace(int entry) noexcept {
  const std::lock_guard<std::mutex> guard(of_traces);
  if (entry >= 0) traces[static_cast<std::size_t>(entry)].path.clear();
}

void remove_traces() noexcept try {
  remove_unfinished_files();
  const std::lock_guard<std::mutex> guard(of_traces);
  std::error_code ignored;
  for (auto trace = traces.rbegin(); trace != traces.rend(); ++trace) {  // a folder is younger than the one that it is in
    if (trace->path.empty()) continue;
    if (trace->with_all_in_it)
      fs::remove_all(trace->path, ignored);
    else
      fs::remove(trace->path, ignored);
  }
} catch (...) {  // no memory: they stay
}

void end_without_traces(int signal) {
  remove_traces();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

EndsWithoutTraces::EndsWithoutTraces() {
  const std::lock_guard<std::mutex> guard(of_traces);
  if (users++ == 0) ::SetConsoleCtrlHandler(end_on_event, TRUE);
}

EndsWithoutTraces::~EndsWithoutTraces() {
  const std::lock_guard<std::mutex> guard(of_traces);
  if (--users == 0) ::SetConsoleCtrlHandler(end_on_event, FALSE);
}

SignalsWait::SignalsWait() {}
SignalsWait::~SignalsWait() {}

}  // namespace sparsedyn
