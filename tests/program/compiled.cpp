#include "compiled.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace sparsedyn::test {

std::vector<std::string> c_compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (std::system(("command -v " + std::string(name) + " > /dev/null 2>&1").c_str()) == 0) found.push_back(name);
  return found;
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sparsedynXXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

CompiledProgram::CompiledProgram(const CProgram& code, const std::string& name, const std::string& compiler,
                                 const std::string& flags)
    : name_(name) {
  const Folder folder;
  write(folder / (name + ".c"), code.source);
  write(folder / (name + ".h"), code.header);
  const std::string command = compiler + " -std=c99 -Wall -Wextra -Wpedantic -Werror -fPIC -shared " + flags + " -o " +
                              (folder / "program.so") + " " + (folder / (name + ".c")) + " -lm";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  library_ = dlopen((folder / "program.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw std::runtime_error(dlerror());
}
CompiledProgram::~CompiledProgram() { dlclose(library_); }

void* CompiledProgram::symbol(const std::string& name) const {
  void* found = dlsym(library_, name.c_str());
  if (!found) throw std::runtime_error("no symbol " + name);
  return found;
}

int CompiledProgram::call(const double** arg, double** res) const {
  using Function = int (*)(const double**, double**, long long*, double*, int);
  return reinterpret_cast<Function>(symbol(name_))(arg, res, nullptr, nullptr, 0);
}

void CompiledProgram::batch(const double* const* arg, double* const* res, long n) const {
  using Function = void (*)(const double* const*, double* const*, long);
  reinterpret_cast<Function>(symbol(name_ + "_batch"))(arg, res, n);
}

}  // namespace sparsedyn::test
