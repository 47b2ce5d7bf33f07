// Generated C, compiled by the system's compilers at test time, loaded and called.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/program/emit.hpp"

namespace sparsedyn::test {

/// Compilers found on this machine, of gcc and clang; none: the caller says that it skips.
std::vector<std::string> c_compilers();

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

void write(const std::string& path, const std::string& text);

class CompiledProgram {
 public:
  /// Throws std::runtime_error if the compiler does, or warns.
  CompiledProgram(const CProgram& code, const std::string& name, const std::string& compiler, const std::string& flags);
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;

  int call(const double** arg, double** res) const;
  void batch(const double* const* arg, double* const* res, long n) const;
  void* symbol(const std::string& name) const;

 private:
  std::string name_;
  void* library_;
};

}  // namespace sparsedyn::test
