#include "sparsedyn/jit/compiled_program.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include "io/file_cache.hpp"
#include "io/fnv_hash.hpp"
#include "io/output_file.hpp"
#include "io/scratch_folder.hpp"
#include "io/text_file.hpp"
#include "run_command.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

/// The words of what is asked for, else of an environment variable, else the usual ones.
std::vector<std::string> words_of(const std::string& asked, const char* variable, const char* usual) {
  std::vector<std::string> found = words(asked);
  const char* from_environment = getenv(variable);
  if (found.empty() && from_environment) found = words(from_environment);
  return found.empty() ? words(usual) : found;
}

/// What -march=native depends on.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string text, line;
  while (std::getline(info, line) && !line.empty())
    for (const char* kind : {"model name", "flags", "Features", "CPU part"})
      if (line.compare(0, std::string(kind).size(), kind) == 0) text += line;
  return text;
}

/// The compiler's name and version; throws where it does not answer.
std::string compiler_version(const std::vector<std::string>& compiler, const ScratchFolder& work) {
  std::vector<std::string> ask = compiler;
  ask.push_back("--version");
  if (run_command(ask, work / "version", work.path()) != 0)
    throw CompilerFailure("no C compiler: '" + compiler[0] + "' does not run");
  return text_of(work / "version");
}

/// The runtimes of these sanitizers must come first in a process, and end one that loads them later.
void require_loadable(const std::vector<std::string>& command) {
  for (const std::string& word : command)
    for (const char* sanitizer : {"address", "thread", "memory", "leak"})
      if (word.compare(0, 10, "-fsanitize") == 0 && word.find(sanitizer) != std::string::npos)
        throw CompilerFailure("what is compiled with " + word + " cannot be loaded into a running program");
}

std::string fingerprint_of(const CProgram& code) {
  FnvHash hash;
  for (const std::string* text : {&code.source, &code.header}) hash.add(*text);
  for (const std::string& unit : code.units) hash.add(unit);
  return hash.hexadecimal() + " " + std::to_string(code.source.size());
}

std::string key_of(const std::string& fingerprint, const std::string& version, const std::vector<std::string>& command) {
  FnvHash hash;
  for (const std::string& word : command) hash.add(word);
  for (const std::string& text : {version, processor(), fingerprint}) hash.add(text);
  return hash.hexadecimal();
}

[[noreturn]] void fail(const std::string& compiler, int code, const std::string& messages) {
  const std::string first = messages.substr(0, std::min(messages.find('\n'), std::string::size_type(300)));
  throw CompilerFailure("'" + compiler + "' failed with exit code " + std::to_string(code) + (first.empty() ? "" : ": ") +
                        first);
}

std::vector<std::string> with(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

/// One text: compiled and linked in one go.
void compile(const std::vector<std::string>& command, const CProgram& code, const ScratchFolder& work) {
  write_scratch_file(work / "program.c", code.source);
  const std::vector<std::string> all = with(command, {"-shared", "-o", work / "program.so", work / "program.c", "-lm"});
  if (const int rc = run_command(all, work / "messages", work.path()); rc != 0)
    fail(command[0], rc, text_of(work / "messages"));
}

/// Several texts, all at once. NAME.c then holds little but the loop that hands batches to the vectors' texts.
void compile_units(const std::vector<std::string>& command, const CProgram& code, const ScratchFolder& work) {
  std::vector<CommandToRun> jobs;
  std::vector<std::string> link = with(command, {"-shared", "-o", work / "program.so"});
  const auto add = [&](const std::string& text) {
    const std::string base = "unit" + std::to_string(jobs.size());
    write_scratch_file(work / (base + ".c"), text);
    const std::string object = work / (base + ".o");
    jobs.push_back({with(command, {"-c", "-o", object, work / (base + ".c")}), work / (base + ".messages")});
    link.push_back(object);
  };
  add(code.source);
  for (const std::string& unit : code.units) add(unit);
  const std::vector<int> codes = run_commands(jobs, work.path());
  for (std::size_t k = 0; k < jobs.size(); ++k)
    if (codes[k] != 0) fail(command[0], codes[k], text_of(jobs[k].output_file));
  link.push_back("-lm");
  if (const int rc = run_command(link, work / "messages", work.path()); rc != 0)
    fail(command[0], rc, text_of(work / "messages"));
}

}  // namespace

CompiledProgram::CompiledProgram(const CProgram& code, const std::string& name, const CompileOptions& options)
    : CompiledProgram(
          fingerprint_of(code), [&code] { return code; }, name, options) {}

CompiledProgram::CompiledProgram(const std::string& fingerprint, const std::function<CProgram()>& write,
                                 const std::string& name, const CompileOptions& options) try {
  std::vector<std::string> command = words_of(options.compiler, "CC", "cc");
  const ScratchFolder work("sparsedyn");
  const std::string version = compiler_version(command, work);
  for (const char* word : {"-std=c99", "-fPIC"}) command.push_back(word);
  for (const std::string& flag : words_of(options.flags, "CFLAGS", "-O2 -march=native -ffp-contract=fast"))
    command.push_back(flag);
  require_loadable(command);
  const FileCache cache(options.cache, "so");
  const std::string key = key_of(fingerprint, version, command);
  if (const std::string kept = cache.read(key); !kept.empty()) {
    write_scratch_file(work / "kept.so", kept);  // what was checked is what is loaded, whoever renames what meanwhile
    cached_ = load(work / "kept.so", name) || load(cache.path_of(key), name);
    if (cached_) return;
    cache.remove(key);
  }
  const CProgram code = write();
  write_scratch_file(work / (name + ".h"), code.header);
  if (code.units.empty())
    compile(command, code, work);
  else
    compile_units(command, code, work);
  const bool kept = cache.keep(key, text_of(work / "program.so"));
  if (load(work / "program.so", name) || (kept && load(cache.path_of(key), name))) return;
  throw CompilerFailure("what '" + command[0] + "' made cannot be loaded");
} catch (const InputError& error) {  // there is no room to compile in
  throw CompilerFailure(error.what());
}

CompiledProgram::~CompiledProgram() {
  if (library_) dlclose(library_);
}

bool CompiledProgram::load(const std::string& path, const std::string& name) {
  if (path.empty()) return false;  // which would be this program
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) return false;
  call_ = reinterpret_cast<decltype(call_)>(dlsym(library_, name.c_str()));
  batch_ = reinterpret_cast<decltype(batch_)>(dlsym(library_, (name + "_batch").c_str()));
  if (call_ && batch_) return true;
  dlclose(library_);
  library_ = nullptr;
  return false;
}

void* CompiledProgram::symbol(const std::string& name) const {
  void* found = dlsym(library_, name.c_str());
  if (!found) throw CompilerFailure("no function " + name);
  return found;
}

}  // namespace sparsedyn
