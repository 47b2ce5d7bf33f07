#include "sparsedyn/jit/compiled_program.hpp"

#include <dlfcn.h>
#include <stdlib.h>

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

std::string key_of(const CProgram& code, const std::string& version, const std::vector<std::string>& command) {
  FnvHash hash;
  for (const std::string& word : command) hash.add(word);
  for (const std::string& text : {version, processor(), code.source, code.header}) hash.add(text);
  return hash.hexadecimal() + "-" + std::to_string(code.source.size());
}

void compile(std::vector<std::string> command, const ScratchFolder& work) {
  const std::string compiler = command[0];
  for (const char* word : {"-o", "program.so", "program.c", "-lm"})
    command.push_back(std::string(word).substr(0, 7) == "program" ? work / word : word);
  const int code = run_command(command, work / "messages", work.path());
  if (code == 0) return;
  std::string first = text_of(work / "messages").substr(0, 300);
  first = first.substr(0, first.find('\n'));
  throw CompilerFailure("'" + compiler + "' failed with exit code " + std::to_string(code) + (first.empty() ? "" : ": ") +
                        first);
}

}  // namespace

CompiledProgram::CompiledProgram(const CProgram& code, const std::string& name, const CompileOptions& options) try {
  std::vector<std::string> command = words_of(options.compiler, "CC", "cc");
  const ScratchFolder work("sparsedyn");
  const std::string version = compiler_version(command, work);
  for (const char* word : {"-std=c99", "-fPIC", "-shared"}) command.push_back(word);
  for (const std::string& flag : words_of(options.flags, "CFLAGS", "-O2 -march=native -ffp-contract=fast"))
    command.push_back(flag);
  const FileCache cache(options.cache, "so");
  const std::string key = key_of(code, version, command);
  if (const std::string kept = cache.read(key); !kept.empty()) {
    write_scratch_file(work / "kept.so", kept);  // what was checked is what is loaded, whoever renames what meanwhile
    cached_ = load(work / "kept.so", name) || load(cache.path_of(key), name);
    if (cached_) return;
    cache.remove(key);
  }
  write_scratch_file(work / "program.c", code.source);
  write_scratch_file(work / (name + ".h"), code.header);
  compile(command, work);
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
