#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "algorithms/indexed_name.hpp"
#include "cli/support/exit_code.hpp"
#include "io/files/run_files.hpp"
#include "io/npy_writer.hpp"
#include "row_output.hpp"

namespace sparsedyn::cli {
namespace {

/// One tensor's file, and its current row.
struct TensorFile {
  TensorFile(const std::string& folder, const std::string& tensor, const std::vector<long>& shape, std::size_t size)
      : name(tensor), file(folder + "/" + tensor + ".npy", shape), dense(size, 0.0) {}
  std::string name;
  NpyWriter file;
  std::vector<double> dense;
};

class NumpyFiles : public RowOutput {
 public:
  NumpyFiles(const std::string& folder, const std::vector<std::string>& names, bool lower_triangles) {
    std::vector<IndexedName> entries;
    for (const std::string& name : names) {
      const auto entry = indexed_name(name);
      if (!entry)
        throw UsageError("--npy: " + name + " is not the entry of a matrix; expected an algorithm that gives matrices");
      entries.push_back(*entry);
    }
    make_output_folder(folder);
    const std::map<std::string, std::vector<long>> shapes = shapes_of(entries);
    for (const IndexedName& entry : entries) {
      const std::vector<long>& shape = shapes.at(entry.tensor);
      std::size_t at = 0;
      for (std::size_t d = 0; d < shape.size(); ++d)
        at = at * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(entry.indices[d]);
      double* const dense = file_of(folder, entry.tensor, shape).dense.data();
      places_.push_back(dense + at);
      if (lower_triangles) mirrored_.push_back(dense + entry.indices[1] * shape[1] + entry.indices[0]);
    }
  }

  void row(const std::string*, const double* values) override {
    if (values)
      for (std::size_t e = 0; e < places_.size(); ++e) *places_[e] = values[e];
    for (std::size_t e = 0; values && e < mirrored_.size(); ++e) *mirrored_[e] = values[e];
    for (TensorFile& tensor : tensors_) {
      if (values) {
        tensor.file.slice(tensor.dense.data());
      } else {
        failed_.assign(tensor.dense.size(), std::numeric_limits<double>::quiet_NaN());
        tensor.file.slice(failed_.data());
      }
    }
  }
  void commit() override {
    for (TensorFile& tensor : tensors_) tensor.file.commit();
  }

 private:
  /// The last entry along each axis is always among the names.
  static std::map<std::string, std::vector<long>> shapes_of(const std::vector<IndexedName>& entries) {
    std::map<std::string, std::vector<long>> shapes;
    for (const IndexedName& entry : entries) {
      std::vector<long>& shape = shapes[entry.tensor];
      shape.resize(entry.indices.size(), 0);
      for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], entry.indices[d] + 1L);
    }
    return shapes;
  }

  TensorFile& file_of(const std::string& folder, const std::string& tensor, const std::vector<long>& shape) {
    const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorFile& t) { return t.name == tensor; });
    if (found != tensors_.end()) return *found;
    std::size_t size = 1;
    for (long extent : shape) size *= static_cast<std::size_t>(extent);
    return tensors_.emplace_back(folder, tensor, shape, size);
  }

  std::deque<TensorFile> tensors_;  // stay where they are
  std::vector<double*> places_;     // of each output
  std::vector<double*> mirrored_;   // of a lower triangle, above the diagonal
  std::vector<double> failed_;
};

}  // namespace

std::unique_ptr<RowOutput> numpy_output(const std::string& folder, const std::vector<std::string>& names,
                                        bool lower_triangles) {
  return std::make_unique<NumpyFiles>(folder, names, lower_triangles);
}

}  // namespace sparsedyn::cli
