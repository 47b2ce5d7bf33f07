#include "cli/long_form.hpp"

namespace sparsedyn::cli {

LongForm::LongForm(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::size_t i = name.find('.'), j = name.find('.', i + 1), k = name.find('.', j + 1);
    entries_.push_back({name.substr(0, i), std::stod(name.substr(i + 1, j - i - 1)), std::stod(name.substr(j + 1, k - j - 1)),
                        std::stod(name.substr(k + 1))});
  }
}

void LongForm::write(CsvWriter& out, const std::string* time, long row, const double* values) const {
  const auto start = [&] {
    if (time) out.raw(*time);
    out.number(static_cast<double>(row));
  };
  if (!values) {
    start();
    for (int c = 0; c < 5; ++c) out.empty();
    out.end_row();
    return;
  }
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    start();
    out.raw(entry.tensor);
    for (double index : {entry.i, entry.j, entry.k}) out.number(index);
    out.number(values[e]);
    out.end_row();
  }
}

}  // namespace sparsedyn::cli
