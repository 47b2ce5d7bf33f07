#include "file_options.hpp"

#include "exit_code.hpp"
#include "io/files/run_files.hpp"
#include "sparsedyn/json/files.hpp"

namespace sparsedyn::cli {
namespace {

std::vector<std::string> texts_of(const FileOption& option) {
  std::vector<std::string> texts = option.several ? *option.several : std::vector<std::string>{*option.one};
  if (texts.size() == 1 && texts[0].empty()) texts.clear();  // not given
  return texts;
}

/// How the user named it: "--log in.csv"; an argument by its place by its text alone.
std::string said(const FileOption& option, const std::string& text) {
  return option.name[0] == '-' ? option.name + " " + text : text;
}

bool is_input(const FileOption& option) { return option.role == FileRole::input || option.role == FileRole::sensor_set; }

void declare(const FileOption& option, RunFiles& run) {
  for (const std::string& text : texts_of(option)) {
    if (is_input(option)) {
      if (option.role == FileRole::input || builtin_sensor_sets().count(text) == 0) run.will_read(text, said(option, text));
    } else {
      run.will_write(text, said(option, text));
      if (option.files)
        for (const std::string& file : option.files()) run.will_write(file, said(option, text) + " (" + file + ")");
    }
  }
}

void refuse_shared_input(const std::vector<FileOption>& table, const std::string& command) {
  std::string first;
  for (const FileOption& option : table) {
    if (option.command != command || !is_input(option)) continue;
    for (const std::string& text : texts_of(option)) {
      if (text != "-") continue;
      if (!first.empty()) throw UsageError(first + " and " + option.name + ": more than one input is -");
      first = option.name;
    }
  }
}

}  // namespace

void declare_files(const std::vector<FileOption>& table, const std::string& command, RunFiles& run) {
  refuse_shared_input(table, command);
  for (const bool inputs : {true, false})
    for (const FileOption& option : table)
      if (option.command == command && is_input(option) == inputs) declare(option, run);
}

}  // namespace sparsedyn::cli
