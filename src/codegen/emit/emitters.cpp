#include "emitters.hpp"

#include <stdexcept>

namespace sparsedyn {

std::vector<std::string> emitted_languages() {
  std::vector<std::string> names;
  for (const Language& l : all_languages()) names.push_back(l.name);
  return names;
}

std::vector<CodeFile> emit_files(const VectorisedProgram& program, const std::string& language, const std::string& name,
                                 const EmitOptions& options) {
  for (const Language& l : all_languages())
    if (l.name == language) return l.emitter(program, name, options);
  throw std::invalid_argument("no programs are written in " + language);
}

}  // namespace sparsedyn
