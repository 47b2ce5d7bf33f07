// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn {

/// Runs the command (found in $PATH, no shell in between) with its output and errors written to a file, and its temporary files
/// in a folder of the caller's. Returns its exit code; 127 where there is no such command, 128 + n where signal n ended it.
/// The command is a process group of its own, which is ended where a signal or exit() ends this process first.
int run_command(const std::vector<std::string>& command, const std::string& output_file, const std::string& temporary_folder);

/// What run_commands starts, and the file for its output and errors.
struct CommandToRun {
  std::vector<std::string> words;
  std::string output_file;
};

/// The same of several commands at once; their exit codes.
std::vector<int> run_commands(const std::vector<CommandToRun>& commands, const std::string& temporary_folder);

/// The words of a text, split at blanks.
std::vector<std::string> words(const std::string& text);

}  // namespace sparsedyn
