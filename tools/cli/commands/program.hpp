// The program `sparsedyn`: its commands, and what becomes of their errors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/support/exit_code.hpp"
#include "cli/support/file_options.hpp"

namespace sparsedyn::cli {

class Command;

/// Parses the arguments, runs the command and returns the exit code. Errors are written to stderr.
int run(int argc, char** argv);

/// An option, or an argument by its place, of one command.
struct ProgramOption {
  std::string command, name, type;  // "solve", "--log" (the shorter one of two), "TEXT"; no type: a flag
  bool required;
  std::optional<FileRole> file;  // where it names one
};
/// All of the program.
std::vector<ProgramOption> program_options();

/// Where a subcommand leaves what is to be done once all arguments have been parsed.
using Chosen = std::function<ExitCode()>;

// Each adds its subcommand; one file a command.
void add_info(Command program, Chosen& chosen);
void add_check(Command program, Chosen& chosen);
void add_optimise(Command program, Chosen& chosen);
void add_solve(Command program, Chosen& chosen);
void add_compute(Command program, Chosen& chosen);
void add_track(Command program, Chosen& chosen);
void add_live(Command program, Chosen& chosen);
void add_flops(Command program, Chosen& chosen);
void add_simulate(Command program, Chosen& chosen);
void add_differentiate(Command program, Chosen& chosen);
void add_inspect(Command program, Chosen& chosen);
void add_sensors(Command program, Chosen& chosen);
void add_verify(Command program, Chosen& chosen);
void add_generate(Command program, Chosen& chosen);
void add_identify(Command program, Chosen& chosen);
void add_excite(Command program, Chosen& chosen);

/// A command of the program, or one that this build of it leaves out.
struct KnownCommand {
  std::string name;
  void (*add)(Command program, Chosen& chosen);  // null: left out
  std::string option;                            // of CMake, which brings what is left out
};
/// In the order of --help, as tools/CMakeLists.txt lists them.
const std::vector<KnownCommand>& known_commands();

}  // namespace sparsedyn::cli
