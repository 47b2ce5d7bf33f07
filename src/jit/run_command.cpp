#include "run_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "io/files/traces.hpp"

extern char** environ;

namespace sparsedyn {

namespace {

/// The files and the process group of a command. The signals that end a program have their usual effect on it, unless this
/// process ignores them; those that wait here do not wait there.
class Spawned {
 public:
  Spawned(const std::string& output_file, const sigset_t& mask) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setsigmask(&attributes_, &mask);
  }
  ~Spawned() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;
  bool start(pid_t& child, std::vector<char*>& arguments, char** environment) {
    return posix_spawnp(&child, arguments[0], &files_, &attributes_, arguments.data(), environment) == 0;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// This process's environment, but for the folder of temporary files.
std::vector<std::string> environment_with(const std::string& temporary_folder) {
  std::vector<std::string> all{"TMPDIR=" + temporary_folder};
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::string(*entry).rfind("TMPDIR=", 0) != 0) all.push_back(*entry);
  return all;
}

/// Until the child has ended; it still has its number then, which no other process can have.
bool wait_for(pid_t child) {
  siginfo_t ended;
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR) return false;
  return true;
}

/// A command from its start to its end.
class StartedCommand {
 public:
  StartedCommand(const CommandToRun& command, char** environment) {
    std::vector<std::string> words = command.words;
    std::vector<char*> arguments = pointers(words);
    const SignalsWait until_entered;
    there_ = Spawned(command.output_file, until_entered.before()).start(child_, arguments, environment);
    if (there_) entry_ = add_process_group(child_);
  }
  int wait() {
    if (!there_) return 127;
    const bool ended = wait_for(child_);
    forget_trace(entry_);
    int status = 0;
    if (!ended || waitpid(child_, &status, 0) < 0) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool there_ = false;
  pid_t child_ = 0;
  int entry_ = -1;
};

}  // namespace

int run_command(const std::vector<std::string>& command, const std::string& output_file, const std::string& temporary_folder) {
  return run_commands({{command, output_file}}, temporary_folder)[0];
}

std::vector<int> run_commands(const std::vector<CommandToRun>& commands, const std::string& temporary_folder) {
  std::vector<std::string> settings = environment_with(temporary_folder);
  std::vector<char*> environment = pointers(settings);
  const EndsWithoutTraces meanwhile;
  std::vector<StartedCommand> started;
  for (const CommandToRun& command : commands) started.emplace_back(command, environment.data());
  std::vector<int> codes;
  for (StartedCommand& each : started) codes.push_back(each.wait());
  return codes;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

}  // namespace sparsedyn
