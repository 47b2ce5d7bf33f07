// Names of the entries of outputs, as logs have them.
#pragma once

#include "sparsedyn/algorithms/algorithm.hpp"

namespace sparsedyn {

using AlgorithmColumns = std::vector<AlgorithmColumn>;

/// KIND.NAME for each of the names: the entries of an output, in order.
AlgorithmColumns vector_columns(const char* kind, const std::vector<std::string>& names, int output = 0);

/// KIND.i.k for each of the matrices, the output `first` and those after it, row by row.
AlgorithmColumns matrix_columns(const std::vector<const char*>& kinds, int rows, int columns, int first = 0);

/// KIND.i.j.k, entry [i,j,k] of an output of n × n × n.
AlgorithmColumn tensor_column(const char* kind, int output, int n, int i, int j, int k);

/// pose.LINK.x .y .z .qx .qy .qz .qw.
std::vector<std::string> pose_columns(const std::string& link);

inline AlgorithmColumns operator+(AlgorithmColumns a, const AlgorithmColumns& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace sparsedyn
