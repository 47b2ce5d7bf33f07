// A straight-line stage of contact dynamics as it is evaluated here, its vectors by name.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class EvaluatedStage {
 public:
  explicit EvaluatedStage(Program program);

  /// Its vectors; nullptr for those that it does not have.
  /// @{
  double* input(const char* name) noexcept { return vector(program_.inputs(), inputs_, name); }
  const double* output(const char* name) noexcept { return vector(program_.outputs(), outputs_, name); }
  /// @}
  /// n numbers into an input, where there is one of that name.
  void set(const char* name, const double* x) noexcept;
  /// Zeros into it, likewise.
  void clear(const char* name) noexcept;
  /// False if a result is not finite.
  bool evaluate() noexcept;

 private:
  static double* vector(const std::vector<Port>& ports, std::vector<std::vector<double>>& vectors, const char* name) noexcept;

  Program program_;
  std::vector<std::vector<double>> inputs_, outputs_;
  std::vector<const double*> arg_;
  std::vector<double*> res_;
  std::vector<double> workspace_;
};

}  // namespace sparsedyn
