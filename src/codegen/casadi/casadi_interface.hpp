// What CasADi asks an external function for, in C; `@` stands for the program's name.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn::casadi_text {

/// `by` for each `what`.
std::string replaced(std::string text, const std::string& what, const std::string& by);

/// A program within another's text: its header in place of the line that includes it.
std::string within(const VectorisedProgram& program, const std::string& name);

/// Of a vector (one column) or a matrix; without entries where CasADi hands none.
struct Shape {
  int rows, columns;
  bool entries;
  bool operator==(const Shape& other) const {
    return rows == other.rows && columns == other.columns && entries == other.entries;
  }
};
using Shapes = std::vector<Shape>;

/// The different ones among these as CasADi's sparsities, and the list of them.
std::string sparsities(const Shapes& shapes);

/// What CasADi asks of a function (jac_@): its shapes and its scratch. `numbers`: of scratch; `all`: the list of shapes.
std::string interface(const std::string& function, const Shapes& inputs, const Shapes& outputs, const std::string& numbers,
                      const Shapes& all);

/// These functions, declared before they are defined, as -Wmissing-prototypes asks.
std::string declarations(const std::vector<std::string>& functions);

}  // namespace sparsedyn::casadi_text
