// What a run would leave behind if it ended early: commands that it started, and folders that it made. They are ended and
// removed when a signal ends the program, and when it exits while another thread still works.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

namespace sparsedyn {

/// Each enters something and returns its place in the list, or −1 where the list is full or the path too long (it is then left
/// behind). Only the process that entered it ends or removes it, not one forked from it.
/// @{
int add_scratch_folder(const std::string& path) noexcept;  // removed with all in it
int add_new_folder(const std::string& path) noexcept;      // removed if it is empty
int add_process_group(pid_t leader) noexcept;              // ended, and waited for; of POSIX alone
/// @}
void forget_trace(int entry) noexcept;

/// Ends and removes all that was entered and not forgotten, and the files that are unfinished. May be called from a signal
/// handler.
void remove_traces() noexcept;

/// A handler of signals: removes the traces, then ends the process by the signal, as it would have ended without a handler.
extern "C" void end_without_traces(int signal);

/// While one lives, SIGINT, SIGTERM and SIGHUP end the process without traces, unless the program ignores or handles them
/// itself.
class EndsWithoutTraces {
 public:
  EndsWithoutTraces();
  ~EndsWithoutTraces();
  EndsWithoutTraces(const EndsWithoutTraces&) = delete;
  EndsWithoutTraces& operator=(const EndsWithoutTraces&) = delete;
};

/// While one lives, SIGINT, SIGTERM and SIGHUP wait for this thread: what is done meanwhile is done whole. Under Windows, where
/// such events come in a thread of their own, they do not wait.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
#ifndef _WIN32
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
#endif
};

}  // namespace sparsedyn
