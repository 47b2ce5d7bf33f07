// The program `sparsedyn`: its commands, and what becomes of their errors.
#pragma once

#include <functional>

#include "cli/exit_code.hpp"

namespace CLI {
class App;
}

namespace sparsedyn::cli {

/// Parses the arguments, runs the command and returns the exit code. Errors are written to stderr.
int run(int argc, char** argv);

/// Where a subcommand leaves what is to be done once all arguments have been parsed.
using Chosen = std::function<ExitCode()>;

// Each adds its subcommand; one file a command.
void add_info(CLI::App& program, Chosen& chosen);
void add_check(CLI::App& program, Chosen& chosen);
void add_optimise(CLI::App& program, Chosen& chosen);
void add_solve(CLI::App& program, Chosen& chosen);
void add_compute(CLI::App& program, Chosen& chosen);
void add_flops(CLI::App& program, Chosen& chosen);
void add_simulate(CLI::App& program, Chosen& chosen);
void add_sensors(CLI::App& program, Chosen& chosen);
void add_generate(CLI::App& program, Chosen& chosen);

}  // namespace sparsedyn::cli
