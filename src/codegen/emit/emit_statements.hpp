// The statements of a program, cut into parts of bounded size. The same text serves plain doubles and vectors of them.
#pragma once

#include <string>
#include <vector>

#include "emit_batch.hpp"
#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// How one element type reads and writes.
struct Dialect {
  std::string scalar;                          // type of a value
  std::string load, store;                     // with $P for the pointer and $E for the element; store ends in "= "
  std::string constant;                        // a value from the literal $C
  std::string factor;                          // the literal $C where it is added to, or multiplies, a value
  std::string sqrt, sin, cos, tanh, abs, min;  // names of the functions
  std::string turn;                            // step $S towards sine and cosine of angle $K; empty: they are there
};

struct Statements {
  std::vector<std::string> parts;  // bodies of functions; results are written in them
  int kept = 0;                    // values that pass from part to part, in an array of this name
  OperationCounts counts;          // of the text; sines and cosines of angles() apart
};

/// Whether the program has this operation.
bool uses(const Program& program, Op op);

/// The text uses these names: in_PORT and out_PORT (pointers); sine and cosine, and angle where there are turns (arrays by
/// angle); kept. Where `sources` are given, results that they take from elsewhere are not written (emit_batch.hpp).
Statements emit_statements(const Program& program, const Dialect& dialect, int largest_part, const ResultSources& sources = {});

/// The assignments angle[k] = …; for the program's angles, in one part.
Statements emit_angles(const Program& program, const Dialect& dialect);

/// The declaration of a local array of n elements; of one where n is 0, since C has no empty arrays.
std::string array(const std::string& type, const std::string& name, std::size_t n);

/// The shortest decimal that reads back as x, always with a point or an exponent.
std::string literal(double x);

}  // namespace sparsedyn
