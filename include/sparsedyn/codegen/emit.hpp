// Writes a Program as code that needs nothing but a C or C++ compiler, under no licence but the user's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// Text of the three files NAME.c, NAME.h and NAME.json.
struct CProgram {
  std::string source, header, manifest;  // NAME.c, NAME.h, NAME.json
};

/// How a program is written out.
struct EmitOptions {
  std::string description;  // one line at the top of the files
  int largest_part = 7500;  // operations and results in one function of the text: bounds the compiler's time
  std::vector<std::pair<std::string, std::vector<std::string>>> manifest_lists;  // further lists of names in the manifest
  bool single_precision = false;  // in C: floats in place of doubles, in arguments too
  bool batch = true;              // in C with NAME_batch and NAME_batch_status, which take most of the compiler's time
};

/// C99: CasADi's external-function interface (NAME, NAME_n_in, NAME_n_out, NAME_name_in, NAME_name_out, NAME_sparsity_in,
/// NAME_sparsity_out, NAME_work); NAME returns 1, and writes nothing, if an input is not finite. NAME_batch(arg, res, n) takes
/// n samples as structures of arrays (element e of sample s at arg[k][e n + s]), several at once where the compiler has vector
/// extensions; results must not overlap inputs. NAME_batch_status(arg, res, n, status) also says which samples have an input
/// that is not finite. With `single_precision` all of this is in floats, rounded from the numbers here: results differ by some
/// 1e-6 of the largest term that they are summed of; what a division loses beside that, as in ill-conditioned forward dynamics,
/// is lost here a billion times sooner. CasADi, which hands doubles, is refused. Counts in the manifest are those of the text
/// of NAME. Throws std::invalid_argument if `name` or the name of a port is not a C identifier, or a number is out of floats'
/// range.
CProgram emit_c(const Program& program, const std::string& name, const EmitOptions& options = {});
/// The same, with vectors for one sample where the compiler has them.
CProgram emit_c(const VectorisedProgram& program, const std::string& name, const EmitOptions& options = {});

/// A C++ header: template <class Scalar> void NAME(const Scalar* const* arg, Scalar* const* res). Scalar needs the operations
/// + − * / with itself and with double, and sin, cos and sqrt where they occur.
std::string emit_cpp(const Program& program, const std::string& name, const EmitOptions& options = {});

/// A file of code: NAME and `ending` are its name.
struct CodeFile {
  std::string ending;  // ".c"
  std::string text;    // all of it
};

/// Names of the languages that programs are written in: c and cpp, as above, and what src/codegen/emit/emitters.hpp has
/// besides.
std::vector<std::string> emitted_languages();

/// A program in one of these. Throws std::invalid_argument for an unknown language, or a name that the language cannot have.
std::vector<CodeFile> emit_files(const VectorisedProgram& program, const std::string& language, const std::string& name,
                                 const EmitOptions& options = {});

}  // namespace sparsedyn
