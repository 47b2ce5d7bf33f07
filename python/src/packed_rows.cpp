#include "packed_rows.hpp"

#include <algorithm>

#include "sparsedyn/model/configuration.hpp"
#include "tiles.hpp"

namespace sparsedyn::python {

PackedRows::PackedRows(const Rows& rows, PackedWorks& works, const Model* normalised)
    : rows_(rows), works_(works), normalised_(normalised), width_(works.width()) {
  const auto columns = [&](npy_intp size) { return Lines(static_cast<std::size_t>(size * width_)); };
  for (std::size_t k = 0; k < rows.inputs.size(); ++k) {
    inputs_.push_back(columns(rows.in_size(static_cast<int>(k))));
    arg_.push_back(inputs_.back().data());
  }
  results_ = columns(rows.out_size(0));
  sample_.resize(static_cast<std::size_t>(std::max(rows.out_size(0), rows.in_size(0))));
}

bool PackedRows::evaluate(PackedAlgorithm algorithm, npy_intp i, npy_intp n) {
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    if (!gather(static_cast<int>(k), i, n, inputs_[k].data())) return false;
  if (!works_.evaluate(algorithm, arg_.data(), results_.data())) return false;
  if (!all_finite(results_.data(), rows_.out_size(0) * width_)) return false;
  scatter(i, n);
  return true;
}

/// What is missing of a register is filled with the last sample. False where a number is not finite.
bool PackedRows::gather(int input, npy_intp i, npy_intp n, double* columns) {
  const npy_intp size = rows_.in_size(input);
  const bool unit = input == 0 && normalised_;
  if (n == width_ && rows_.in_stride(input) == size && !unit) return rows_to_columns(rows_.in(input, i), size, n, columns);
  for (npy_intp s = 0; s < width_; ++s) {
    const double* row = rows_.in(input, i + std::min(s, n - 1));
    if (unit) {
      std::copy_n(row, size, sample_.data());
      if (!normalise(*normalised_, sample_.data())) return false;
      row = sample_.data();
    }
    for (npy_intp e = 0; e < size; ++e) columns[e * width_ + s] = row[e];
  }
  return all_finite(columns, size * width_);
}

void PackedRows::scatter(npy_intp i, npy_intp n) {
  const OutputArray& output = rows_.outputs[0];
  const npy_intp size = rows_.out_size(0);
  if (n == width_ && output.contiguous()) {
    columns_to_rows(results_.data(), size, n, output.data() + i * size);
    return;
  }
  for (npy_intp s = 0; s < n; ++s) {
    double* to = output.contiguous() ? output.data() + (i + s) * size : sample_.data();
    for (npy_intp e = 0; e < size; ++e) to[e] = results_[e * width_ + s];
    if (!output.contiguous()) output.scatter(to, rows_.batch, rows_.output_specs[0].core, i + s);
  }
}

}  // namespace sparsedyn::python
