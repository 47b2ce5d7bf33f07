// NumPy's array files (.npy, format 1.0): read by numpy.load in one call, and by most other tools.
#pragma once

#include <string>
#include <vector>

#include "output_file.hpp"

namespace sparsedyn {

/// An array of doubles that grows along its first axis. The file appears when commit() is called (see OutputFile).
class NpyWriter {
 public:
  /// `shape`: of one slice. Throws InputError where the path cannot be written.
  NpyWriter(const std::string& path, std::vector<long> shape);

  /// The next slice, its last index fastest.
  void slice(const double* values);
  void commit();

 private:
  std::string header() const;

  OutputFile file_;
  std::vector<long> shape_;
  long size_ = 1, slices_ = 0;
};

}  // namespace sparsedyn
