#include <algorithm>
#include <deque>
#include <filesystem>
#include <limits>

#include "cli/support/exit_code.hpp"
#include "cli/support/indexed_name.hpp"
#include "io/npy_writer.hpp"
#include "row_output.hpp"
#include "sparsedyn/io/input_error.hpp"

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
  NumpyFiles(const std::string& folder, const std::vector<std::string>& names, int nv) {
    std::vector<IndexedName> entries;
    for (const std::string& name : names) {
      const auto entry = indexed_name(name);
      if (!entry)
        throw UsageError("--npy: " + name + " is not the entry of a matrix; expected an algorithm that gives matrices");
      entries.push_back(*entry);
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw InputError(folder, 0, "", "cannot be made: " + error.message(), "");
    for (const IndexedName& entry : entries) {
      std::size_t at = 0, size = 1;
      for (int index : entry.indices) at = at * static_cast<std::size_t>(nv) + static_cast<std::size_t>(index), size *= nv;
      places_.push_back(file_of(folder, entry, nv, size).dense.data() + at);
    }
  }

  void row(const std::string*, const double* values) override {
    if (values)
      for (std::size_t e = 0; e < places_.size(); ++e) *places_[e] = values[e];
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
  TensorFile& file_of(const std::string& folder, const IndexedName& entry, int nv, std::size_t size) {
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorFile& t) { return t.name == entry.tensor; });
    if (found != tensors_.end()) return *found;
    return tensors_.emplace_back(folder, entry.tensor, std::vector<long>(entry.indices.size(), nv), size);
  }

  std::deque<TensorFile> tensors_;  // stay where they are
  std::vector<double*> places_;     // of each output
  std::vector<double> failed_;
};

}  // namespace

std::unique_ptr<RowOutput> numpy_output(const std::string& folder, const std::vector<std::string>& names, int nv) {
  return std::make_unique<NumpyFiles>(folder, names, nv);
}

}  // namespace sparsedyn::cli
