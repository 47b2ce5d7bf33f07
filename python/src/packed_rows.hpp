// Rows of a batch into the columns of PackedWorks and back.
#pragma once

#include <vector>

#include "batch.hpp"
#include "lines.hpp"
#include "packed.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::python {

class PackedRows {
 public:
  /// `normalised`: the model whose quaternions input 0 holds, which are brought to unit length; or null.
  PackedRows(const Rows& rows, PackedWorks& works, const Model* normalised);

  npy_intp width() const { return width_; }
  /// Samples i … i + n − 1, n ≤ width(). False where one may have no answer; results are then not to be used.
  bool evaluate(PackedAlgorithm algorithm, npy_intp i, npy_intp n);

 private:
  bool gather(int input, npy_intp i, npy_intp n, double* columns);
  void scatter(npy_intp i, npy_intp n);

  const Rows& rows_;
  PackedWorks& works_;
  const Model* normalised_;
  npy_intp width_;
  std::vector<Lines> inputs_;       // columns of each
  std::vector<const double*> arg_;  // where they begin
  Lines results_;
  std::vector<double> sample_;
};

}  // namespace sparsedyn::python
