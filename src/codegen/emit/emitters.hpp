// The languages that programs are written in, each in a file of its own.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Writes a program as NAME's files.
using Emitter = std::vector<CodeFile>(const VectorisedProgram& program, const std::string& name, const EmitOptions& options);

Emitter c_files, cpp_files;
struct Language {
  std::string name;
  Emitter* emitter;
};
inline std::vector<Language> all_languages() { return {{"c", c_files}, {"cpp", cpp_files}}; }

}  // namespace sparsedyn
