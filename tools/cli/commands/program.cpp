#include "program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <set>
#include <sstream>

#include "cli/support/command.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/options.hpp"
#include "cli/support/terminal.hpp"
#include "io/csv_writer.hpp"
#include "io/files/run_files.hpp"
#include "io/files/traces.hpp"
#include "io/printable.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::cli {
namespace {

/// One empty line between the headings' options, where CLI11 leaves two.
std::string with_single_gaps(std::string help) {
  for (std::size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
  return help;
}

/// The text of --help as wide as the terminal of this descriptor; elsewhere its lines stay whole, for completions are made of
/// them.
std::string shown_help(const std::string& help, int descriptor) {
  const int width = terminal_width(0, descriptor);
  const std::string text = with_single_gaps(help);
  return width > 0 ? wrapped_help(text, width) : text;
}

/// What nohup and a shell's background let a program ignore stays ignored.
void end_without_traces_on_signals() {
#ifdef _WIN32
  const int signals[] = {SIGINT, SIGTERM};
#else
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
#endif
  for (int signal : signals)
    if (std::signal(signal, end_without_traces) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void add_commands(Command program, Chosen& chosen) {
  std::string left_out;
  for (const KnownCommand& command : known_commands())
    if (command.add)
      command.add(program, chosen);
    else
      left_out += "\n  " + command.name + ": " + command.option;
  if (!left_out.empty()) program.footer("Left out of this build, with the option of CMake that brings them:" + left_out);
}

/// Throws where the user asks for a command that this build leaves out.
void refuse_left_out(const std::string& asked) {
  for (const KnownCommand& command : known_commands())
    if (!command.add && command.name == asked) throw UsageError(left_out(asked, command.option));
}

int refuse_with(const char* what, ExitCode code) {
  complain(printable(what));
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

/// The first argument that looks like an option and is none of this command: "--sensor" of "--sensor=x"; "" where there is
/// none.
std::string unknown_option(const CLI::App& command) {
  for (const std::string& argument : command.remaining())
    if (argument.size() > 1 && argument[0] == '-' && argument != "--") return argument.substr(0, argument.find('='));
  return "";
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> names_of_commands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// What the user wrote behind an option of this command; nothing where it has no such option.
std::string text_of(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option && !option->results().empty() ? option->results().front() : "";
}

/// "; …" where a file's name stands behind --outputs, one letter from --output.
std::string hint_of_file(const std::string& outputs) {
  const bool file = outputs.find('/') != std::string::npos || outputs.find(".csv") != std::string::npos ||
                    outputs.find(".json") != std::string::npos;
  return file ? "; --outputs takes names, as in tau,ddq; expected --output before the file " + outputs : "";
}

/// Where outputs' names, such as tau,acc.hand, stand behind --output: such a file may be meant, and is written.
void note_names_for_a_file(const CLI::App& command) {
  static const std::set<std::string> kinds{"tau", "ddq", "f", "fx", "acc", "q", "dq", "foot", "bias", "contact", "nis"};
  const std::string path = text_of(command, "--output");
  if (path.empty() || !command.get_option_no_throw("--outputs") || !text_of(command, "--outputs").empty()) return;
  std::istringstream items(path);
  for (std::string item; std::getline(items, item, ',');) {
    const std::string ending = item.substr(std::min(item.rfind('.'), item.size()));
    if (kinds.count(item.substr(0, item.find('.'))) == 0 || ending == ".csv" || ending == ".json") return;
  }
  note({}, "--output " + path + " is the file that is written; names of outputs stand behind --outputs");
}

/// CLI11 says of an unknown command that one is required, and of a mistyped option that the right one is missing.
std::string usage_message(const CLI::App& program, char** argv, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (chosen.empty() && argv[1][0] != '-')
    return std::string(argv[1]) + ": not a command" + suggestions_text(argv[1], names_of_commands(program)) +
           "; expected one of those that --help lists";
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::string unknown = unknown_option(command);
  if (unknown.empty()) return std::string("sparsedyn: ") + error.what() + hint_of_file(text_of(command, "--outputs"));
  const std::string of = chosen.empty() ? "sparsedyn" : command.get_name();
  return unknown + ": not an option of " + of + suggestions_text(unknown, names_of_options(command)) +
         "; expected one of those that " + (chosen.empty() ? "" : of + " ") + "--help lists";
}

}  // namespace

std::vector<ProgramOption> program_options() {
  CLI::App program;
  Chosen chosen;
  std::vector<FileOption> files;
  add_commands({&program, &files}, chosen);
  std::vector<ProgramOption> options;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    for (const CLI::Option* option : command->get_options()) {
      ProgramOption entry{command->get_name(), "", option->get_type_name(), option->get_required(), {}};
      entry.name = !option->get_snames().empty()   ? "-" + option->get_snames().front()
                   : !option->get_lnames().empty() ? "--" + option->get_lnames().front()
                                                   : option->get_name();
      for (const FileOption& file : files)
        if (file.command == entry.command && file.name == entry.name) entry.file = file.role;
      options.push_back(std::move(entry));
    }
  return options;
}

int run(int argc, char** argv) {
  use_standard_streams_as_bytes();
  end_without_traces_on_signals();
  CLI::App program("Robot dynamics as one sparse linear system, its elimination order chosen offline.", "sparsedyn");
  program.set_version_flag("--version", "sparsedyn " SPARSEDYN_VERSION);
  program.require_subcommand(1);
  Chosen chosen;
  std::vector<FileOption> files;
  std::string outputs;  // as the user wrote them
  add_commands({&program, &files}, chosen);
  try {
    if (argc > 1) refuse_left_out(argv[1]);
    program.parse(arguments_in_reverse(argc, argv));
    RunFiles run;
    declare_files(files, program.get_subcommands().front()->get_name(), run);
    const CLI::App& command = *program.get_subcommands().front();
    outputs = text_of(command, "--outputs");
    if (command.count("--quiet") == 0) note_names_for_a_file(command);
    const ExitCode code = chosen();
    run.commit();
    return static_cast<int>(code);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream said;
    const int code = program.exit(help_or_version, said, said);
    std::fputs(shown_help(said.str(), STDOUT_FILENO).c_str(), stdout);
    return code;
  } catch (const CLI::ParseError& error) {
    if (argc < 2) {
      std::fputs(shown_help(program.help(), STDERR_FILENO).c_str(), stderr);
      return static_cast<int>(ExitCode::usage);
    }
    return refuse_with(usage_message(program, argv, error).c_str(), ExitCode::usage);
  } catch (const UsageError& error) {
    return refuse_with(error.what(), ExitCode::usage);
  } catch (const FilesClash& error) {
    return refuse_with(error.what(), ExitCode::usage);
  } catch (const UnknownName& error) {
    return refuse_with(error.what(), ExitCode::usage);
  } catch (const UnknownOutput& error) {
    return refuse_with((std::string("--outputs: ") + error.what() + hint_of_file(outputs)).c_str(), ExitCode::usage);
  } catch (const InputError& error) {
    return refuse_with(error.what(), ExitCode::bad_input);
  } catch (const OddInput& odd) {
    for (const std::string& warning : odd.warnings)
      refuse_with((warning + "; expected no warning (--strict)").c_str(), ExitCode::bad_input);
    return static_cast<int>(ExitCode::bad_input);
  } catch (const NotFinite& number) {
    return refuse_with(number.what(), ExitCode::numerical);
  } catch (const std::bad_alloc&) {
    return refuse_with("out of memory", ExitCode::bad_input);
  } catch (const std::exception& unforeseen) {
    return refuse_with((std::string("sparsedyn failed: ") + unforeseen.what()).c_str(), ExitCode::numerical);
  }
}

}  // namespace sparsedyn::cli
