#include "columns.hpp"

namespace sparsedyn {

AlgorithmColumns vector_columns(const char* kind, const std::vector<std::string>& names, int output) {
  AlgorithmColumns columns;
  for (const std::string& name : names) columns.push_back({kind + ("." + name), output, static_cast<int>(columns.size())});
  return columns;
}

AlgorithmColumns matrix_columns(const std::vector<const char*>& kinds, int rows, int columns, int first) {
  AlgorithmColumns all;
  for (std::size_t m = 0; m < kinds.size(); ++m)
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < columns; ++k)
        all.push_back({std::string(kinds[m]) + '.' + std::to_string(i) + '.' + std::to_string(k), first + static_cast<int>(m),
                       i * columns + k});
  return all;
}

AlgorithmColumn tensor_column(const char* kind, int output, int n, int i, int j, int k) {
  return {std::string(kind) + '.' + std::to_string(i) + '.' + std::to_string(j) + '.' + std::to_string(k), output,
          (i * n + j) * n + k};
}

std::vector<std::string> pose_columns(const std::string& link) {
  std::vector<std::string> names;
  for (const char* part : {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"}) names.push_back("pose." + link + part);
  return names;
}

}  // namespace sparsedyn
