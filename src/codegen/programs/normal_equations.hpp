// What least squares over many samples sums up of a generated regressor: Yᵀ W Y and Yᵀ W tau, W = diag(w), as C99 to stand
// behind the regressor's text. Only products of columns that share a row are made: two bodies meet in the rows of the freedoms
// that move both, and these lie side by side. Samples fill the processor's vectors, so no width of a block wastes any, and a
// tile of the sum is kept in registers while freedoms and samples pass by.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/dynamics/regressor.hpp"

namespace sparsedyn {

/// C99 text.
struct NormalEquations {
  std::string source, declaration;  // for NAME.c and NAME.h
  long flops = 0;                   // of the sum, a sample: products, sums, weights
};

/// NAME_normal(Y, tau, w, n, sum, b) for the program of algorithm `regressor` with these parameters adds n samples. Y: its
/// output; tau, w: a number a row each; sum: parameters × parameters, opaque, zero at first; b: parameters. w null: ones; tau
/// or b null: the sum alone. NAME_normal_batch: the same of what NAME_batch wrote. NAME_normal_matrix(sum, A) writes the
/// symmetric matrix, row by row. The program may lack elements of Y: what it lacks costs nothing and is zero in the sum, whole
/// columns above all (those of base parameters suffice).
NormalEquations normal_equations(const Program& regressor, const ParameterIndex& index, int rows, const std::string& name);
/// Among the files of NAME in C.
void add(const NormalEquations& equations, std::vector<CodeFile>& files);

}  // namespace sparsedyn
