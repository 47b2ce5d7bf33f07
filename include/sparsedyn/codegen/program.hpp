// A straight-line program: what the requested outputs need of a recorded graph, in an order that keeps live values few.
// It can be evaluated here, without a compiler, or written out as code.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/codegen/graph.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

namespace sparsedyn {

/// Adds what a node costs; signs and comparisons are free.
void count(Op op, OperationCounts& counts);

/// A straight-line program; never changes once built.
class Program {
 public:
  Program() = default;  // of nothing
  /// results[k][e]: element e of output k, recorded in `graph`. Deterministic: equal recordings give equal programs.
  Program(const Graph& graph, std::vector<Port> inputs, std::vector<Port> outputs,
          const std::vector<std::vector<Ref>>& results);
  /// Of nodes that are in the order of evaluation already, as nodes() says; body and angles likewise.
  Program(std::vector<Node> nodes, int body, std::vector<int> angles, std::vector<Port> inputs, std::vector<Port> outputs,
          std::vector<std::vector<Ref>> results);
  /// What these alone need: outputs (`tau`) or elements (`tau.elbow`, `tau.base`). Throws std::invalid_argument for others.
  Program only(const std::vector<std::string>& outputs) const;

  /// The vectors that it reads, with names of their elements.
  const std::vector<Port>& inputs() const { return inputs_; }
  /// The vectors that it writes, likewise.
  const std::vector<Port>& outputs() const { return outputs_; }
  /// For each element of each output the node that is its value.
  const std::vector<std::vector<Ref>>& results() const { return results_; }
  /// In the order of evaluation: constants and inputs; what the angles need; sines and cosines; the rest.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Angles whose sine or cosine is taken and which need neither: all of these can be taken at once. Node indices.
  const std::vector<int>& angles() const { return angles_; }
  /// First node after the sines and cosines of angles().
  int body() const { return body_; }
  /// Operations of one evaluation.
  OperationCounts counts() const;

  /// arg[k], res[k]: input and output vectors; workspace: nodes().size() doubles. False if a result is not finite.
  bool evaluate(const double* const* arg, double* const* res, double* workspace) const noexcept;
  /// The same in single precision, each operation rounded to a float, as code in single precision does.
  bool evaluate(const float* const* arg, float* const* res, float* workspace) const noexcept;

 private:
  template <class S>
  bool evaluate_in(const S* const* arg, S* const* res, S* workspace) const noexcept;
  Program(const std::vector<Node>& recorded, std::vector<Port> inputs, std::vector<Port> outputs,
          const std::vector<std::vector<Ref>>& results);

  std::vector<Port> inputs_, outputs_;
  std::vector<std::vector<Ref>> results_;
  std::vector<Node> nodes_;
  std::vector<int> angles_;
  int body_ = 0;
};

/// A form of a program in which one operation is done on several numbers: what a pass finds, src/codegen/vector.
struct SuperwordProgram;

/// A program and its form in vectors, for code that computes one sample.
struct VectorisedProgram {
  Program program;                                     // elements that may be in any order are in that of the vectors
  std::shared_ptr<const SuperwordProgram> superwords;  // nullptr: they would save too little

  /// The program of these outputs alone (as Program::only). It has no superword program, unless `outputs` are all outputs.
  VectorisedProgram only(const std::vector<std::string>& outputs) const;
};

// A program written as code that needs nothing but a C or C++ compiler, under no licence but the user's.

/// Text of the three files NAME.c, NAME.h and NAME.json.
struct CProgram {
  std::string source, header, manifest;  // NAME.c, NAME.h, NAME.json
  std::vector<std::string> units =
      {};  // further texts of C, to be compiled beside NAME.c and linked with it: EmitOptions::units
};

/// How a program is written out.
struct EmitOptions {
  std::string description;  // one line at the top of the files
  int largest_part = 7500;  // operations and results in one function of the text: bounds the compiler's time
  std::vector<std::pair<std::string, std::vector<std::string>>> manifest_lists;  // further lists of names in the manifest
  std::vector<std::pair<std::string, std::vector<double>>> nominal = {};  // in C, by input: values, as NAME_INPUT_nominal
  bool single_precision = false;                                          // in C: floats in place of doubles, in arguments too
  bool batch = true;    // in C with NAME_batch and NAME_batch_status, which take most of the compiler's time
  bool vectors = true;  // in C with the compiler's vectors; else plain C of one number at a time
  int units = 0;        // in C: how many further texts the vectors of a long program go to, and NAME computes one sample as
                        // a vector of equal ones, which needs the compiler's vectors; 0: all is in NAME.c
  bool checked = true;  // in C: NAME looks whether all inputs are finite; else not, and results may be NaN
  std::vector<int> quaternions = {};  // in C, `checked`: where those begin in the first input that the program scales to norm 1
                                      // (with_normalised_quaternions); NAME returns 1 where |u|² is out of [1e-280, 1e280]
};

/// C99: CasADi's external-function interface (NAME, NAME_n_in, NAME_n_out, NAME_name_in, NAME_name_out, NAME_sparsity_in,
/// NAME_sparsity_out, NAME_work); NAME returns 1, and writes nothing, if an input is not finite (`checked`). NAME_batch(arg,
/// res, n) takes n samples as structures of arrays (element e of sample s at arg[k][e n + s]), several at once where the
/// compiler has vector extensions; results must not overlap inputs. NAME_batch_status(arg, res, n, status) also says which
/// samples have an input that is not finite. With `single_precision` all of this is in floats, rounded from the numbers here:
/// results differ by some 1e-6 of the largest term that they are summed of; what a division loses beside that, as in
/// ill-conditioned forward dynamics, is lost here a billion times sooner. CasADi, which passes doubles, is refused. Counts in
/// the manifest are those of the text of NAME. Throws std::invalid_argument if `name` or the name of a port is not a C
/// identifier, or a number is out of floats' range.
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
