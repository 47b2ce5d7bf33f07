#include "row_output.hpp"

#include <cmath>

#include "algorithms/indexed_name.hpp"
#include "io/csv_writer.hpp"

namespace sparsedyn::cli {
namespace {

class Table : public RowOutput {
 public:
  Table(const std::string& path, std::vector<std::string> header, bool timed) : out_(path), outputs_(header.size()) {
    if (timed) header.insert(header.begin(), "time");
    out_.header(header);
  }
  void row(const std::string* time, const double* values) override {
    if (time) out_.raw(*time);
    for (std::size_t k = 0; k < outputs_; ++k) values && !std::isnan(values[k]) ? out_.number(values[k]) : out_.empty();
    out_.end_row();
  }
  void commit() override { out_.commit(); }

 private:
  CsvWriter out_;
  std::size_t outputs_;
};

class LongForm : public RowOutput {
 public:
  LongForm(const std::string& path, const std::vector<std::string>& names, bool timed) : out_(path) {
    for (const std::string& name : names) entries_.push_back(indexed_name(name).value());
    std::vector<std::string> header{"row", "tensor", "i", "j", "k", "value"};
    if (timed) header.insert(header.begin(), "time");
    out_.header(header);
  }
  void row(const std::string* time, const double* values) override {
    const auto start = [&] {
      if (time) out_.raw(*time);
      out_.number(static_cast<double>(rows_));
    };
    for (std::size_t e = 0; values && e < entries_.size(); ++e) {
      start();
      out_.raw(entries_[e].tensor);
      for (int index : entries_[e].indices) out_.number(index);
      out_.number(values[e]);
      out_.end_row();
    }
    if (!values) {
      start();
      for (int c = 0; c < 5; ++c) out_.empty();
      out_.end_row();
    }
    ++rows_;
  }
  void commit() override { out_.commit(); }

 private:
  CsvWriter out_;
  std::vector<IndexedName> entries_;
  long rows_ = 0;
};

}  // namespace

std::unique_ptr<RowOutput> table_output(const std::string& path, const std::vector<std::string>& names, bool timed) {
  return std::make_unique<Table>(path, names, timed);
}
std::unique_ptr<RowOutput> long_form_output(const std::string& path, const std::vector<std::string>& names, bool timed) {
  return std::make_unique<LongForm>(path, names, timed);
}

}  // namespace sparsedyn::cli
