#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <csignal>
#include <cstdio>

#include "cli/command.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/io/near_names.hpp"
#include "sparsedyn/io/output_file.hpp"
#include "sparsedyn/io/printable.hpp"
#include "sparsedyn/solve/outputs.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::cli {
namespace {

extern "C" void end_without_traces(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void add_commands(Command program, Chosen& chosen) {
  add_info(program, chosen);
  add_check(program, chosen);
  add_optimise(program, chosen);
  add_solve(program, chosen);
  add_compute(program, chosen);
  add_flops(program, chosen);
  add_simulate(program, chosen);
  add_sensors(program, chosen);
  add_generate(program, chosen);
}

int complain(const char* what, ExitCode code) {
  std::fprintf(stderr, "%s\n", printable(what).c_str());
  return static_cast<int>(code);
}

/// CLI11 takes -.5 for an option and -0.5 for a number.
std::vector<std::string> arguments_in_reverse(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string text = argv[i];
    if (text.size() > 2 && text[0] == '-' && text[1] == '.' && std::isdigit(static_cast<unsigned char>(text[2])))
      text.insert(1, "0");
    arguments.push_back(text);
  }
  return arguments;
}

/// CLI11 says of an unknown command that one is required.
std::string usage_message(const CLI::App& program, int argc, char** argv, const CLI::ParseError& error) {
  if (argc < 2 || argv[1][0] == '-' || !program.get_subcommands().empty()) return std::string("sparsedyn: ") + error.what();
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  return std::string(argv[1]) + ": not a command" + near_names_text(argv[1], commands) +
         "; expected one of those that --help lists";
}

}  // namespace

int run(int argc, char** argv) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, end_without_traces);
  CLI::App program("Robot dynamics as one sparse linear system, its elimination order chosen offline.", "sparsedyn");
  program.set_version_flag("--version", "sparsedyn " SPARSEDYN_VERSION);
  program.require_subcommand(1);
  Chosen chosen;
  add_commands(Command(&program), chosen);
  try {
    program.parse(arguments_in_reverse(argc, argv));
    return static_cast<int>(chosen());
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return complain(usage_message(program, argc, argv, error).c_str(), ExitCode::usage);
  } catch (const UsageError& error) {
    return complain(error.what(), ExitCode::usage);
  } catch (const UnknownName& error) {
    return complain(error.what(), ExitCode::usage);
  } catch (const UnknownOutput& error) {
    return complain((std::string("--outputs: ") + error.what()).c_str(), ExitCode::usage);
  } catch (const InputError& error) {
    return complain(error.what(), ExitCode::bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", ExitCode::bad_input);
  } catch (const std::exception& unforeseen) {
    return complain((std::string("sparsedyn failed: ") + unforeseen.what()).c_str(), ExitCode::numerical);
  }
}

}  // namespace sparsedyn::cli
