// The statements of a program, cut into parts of bounded size. The same text serves plain doubles and vectors of them.
#pragma once

#include <string>
#include <vector>

#include "emit_batch.hpp"
#include "expression_text.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// The shortest decimal that reads back as x, always with a point or an exponent.
std::string shortest_decimal(double x);

/// How a language, or one element type in it, is written: patterns whose marks are a dollar and a letter. The defaults are C's.
struct Dialect {
  std::string line = "  $X;\n";                     // a statement $X in a text
  std::string definition = "const double $N = $X";  // of a name $N
  std::string load = "$P[$E]";                      // element $E of the port's pointer $P
  std::string store = "$P[$E] = $X";
  std::string kept = "kept[$I]", keep = "kept[$I] = $X";  // value $I that passes from part to part
  std::string sine = "sine[$K]", cosine = "cosine[$K]";   // of angle $K
  std::string angle = "angle[$K] = $X";
  std::string constant = "$C";  // a value from the literal $C
  std::string factor = "$C";    // the literal $C where it is added to, or multiplies, a value
  std::string sqrt = "sqrt($A)", sin = "sin($A)", cos = "cos($A)", tanh = "tanh($A)";
  std::string abs = "fabs($A)", min = "fmin($A, $B)";
  std::string turn;  // step $S towards sine and cosine of angle $K; empty: they are there
  Operators operators;
  int first_index = 0;                                 // of arrays: what $E, $I and $K begin with
  std::string (*literal)(double) = &shortest_decimal;  // $C
};

struct Statements {
  std::vector<std::string> parts;  // bodies of functions; results are written in them
  int kept = 0;                    // values that pass from part to part, in an array of this name
  OperationCounts counts;          // of the text; sines and cosines of angles() apart
};

/// Whether the program has this operation.
bool uses(const Program& program, Op op);

/// The text uses these names: in_PORT and out_PORT for pointers; those of the dialect. Where `sources` are given, results that
/// they take from elsewhere are not written (emit_batch.hpp).
Statements emit_statements(const Program& program, const Dialect& dialect, int largest_part, const ResultSources& sources = {});

/// The assignments angle[k] = …; for the program's angles, in one part.
Statements emit_angles(const Program& program, const Dialect& dialect);

/// The declaration of a local array of n elements in C; of one where n is 0, since C has no empty arrays.
std::string array(const std::string& type, const std::string& name, std::size_t n);

}  // namespace sparsedyn
