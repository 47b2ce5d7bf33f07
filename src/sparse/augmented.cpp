#include <stdexcept>
#include <utility>

#include "fill_augmented.hpp"

namespace sparsedyn {
Augmented::Augmented(const Pattern& rows, std::vector<char> exact, std::vector<char> prior)
    : m_(rows.rows),
      n_(rows.columns),
      rows_(rows),
      exact_(std::move(exact)),
      prior_(std::move(prior)),
      above_(rows.entries()),
      below_(rows.entries()),
      unit_(rows.rows, -1),
      prior_cell_(rows.columns, -1) {
  if (static_cast<int>(exact_.size()) != m_) throw std::invalid_argument("augmented system: one flag a row is expected");
  if (prior_.empty()) prior_.assign(n_, 0);
  if (static_cast<int>(prior_.size()) != n_) throw std::invalid_argument("augmented system: one prior a column is expected");

  pattern_.rows = pattern_.columns = m_ + n_;
  pattern_.row_start.push_back(0);
  for (int r = 0; r < m_; ++r) {
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e) {
      above_[e] = pattern_.entries();
      pattern_.column.push_back(rows_.column[e]);
    }
    if (!exact_[r]) {
      unit_[r] = pattern_.entries();
      pattern_.column.push_back(n_ + r);
    }
    pattern_.row_start.push_back(pattern_.entries());
  }
  std::vector<std::vector<std::pair<int, int>>> by_column(n_);  // (row, entry), rows ascending
  for (int r = 0; r < m_; ++r)
    for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e) by_column[rows_.column[e]].push_back({r, e});
  for (int j = 0; j < n_; ++j) {
    if (prior_[j]) {
      prior_cell_[j] = pattern_.entries();
      pattern_.column.push_back(j);
    }
    for (const auto& [r, e] : by_column[j]) {
      below_[e] = pattern_.entries();
      pattern_.column.push_back(n_ + r);
    }
    pattern_.row_start.push_back(pattern_.entries());
  }
  for (int r = 0; r < m_; ++r) pattern_.partner.push_back(n_ + r);
  for (int j = 0; j < n_; ++j) pattern_.partner.push_back(j);
}

UnitEntries Augmented::unit_entries(const UnitEntries& rows) const {
  UnitEntries unit(pattern_.entries(), 0);
  for (int r = 0; r < m_; ++r)
    if (unit_[r] >= 0)
      unit[unit_[r]] = 1;
    else
      for (int e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e) unit[above_[e]] = unit[below_[e]] = rows[e];
  return unit;
}

std::vector<char> Augmented::exact_rows() const {
  std::vector<char> flags = exact_;
  flags.resize(m_ + n_, 0);
  return flags;
}

template void Augmented::fill(const double*, const double*, const double*, const double*, double*, double*) const noexcept;
template void Augmented::fill(const Batch*, const Batch*, const Batch*, const Batch*, Batch*, Batch*) const noexcept;

}  // namespace sparsedyn
