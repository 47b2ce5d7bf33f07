// A command's arguments, as the commands declare them. CLI11 does the work in command.cpp alone: compiled into every command,
// its inline functions were half of the program's build.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/support/file_options.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sparsedyn::cli {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required(bool whether = true);
  Option expected(int values);
  Option allow_extra_args(bool whether);  // whether one --option takes several values
  Option capture_default_str();           // --help shows the value that the variable has now

 private:
  CLI::Option* option_;
};

/// Names are those of CLI11: "ROBOT" is an argument by its place, "-o,--output" an option. The variables outlive the parsing.
/// An empty text is refused. What names a file is an add_file: so it enters the table by which files are kept apart.
class Command {
 public:
  /// Both outlive the parsing.
  Command(CLI::App* app, std::vector<FileOption>* files) : app_(app), files_(files) {}

  Command add_subcommand(const std::string& name, const std::string& summary);
  void alias(const std::string& name);
  /// The same command, whose options --help shows under this heading from here on, after those without one.
  Command under(const std::string& heading) const;

  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, double& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<double>& value, const std::string& help);
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option add_option(const std::string& names, std::vector<double>& values, const std::string& help);
  Option add_file(const std::string& names, std::string& path, FileRole role, const std::string& help);
  Option add_file(const std::string& names, std::vector<std::string>& paths, FileRole role, const std::string& help);
  /// `files`: those that are going to be written in the folder, as far as their names are known once options are parsed.
  Option add_folder(const std::string& names, std::string& path, std::function<std::vector<std::string>()> files,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  Option get_option(const std::string& name);  // one that was added before

  void footer(const std::string& text);
  void callback(std::function<void()> chosen);  // called when this is the command that the user wrote

 private:
  Option headed(CLI::Option* option) const;

  CLI::App* app_;
  std::vector<FileOption>* files_;
  std::string heading_;  // "": CLI11's own
};

}  // namespace sparsedyn::cli
