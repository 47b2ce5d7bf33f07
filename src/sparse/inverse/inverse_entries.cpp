#include "sparse/inverse/inverse_entries.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace sparsedyn {
namespace {

/// L by columns: the rows below each pivot, and where Elimination has them.
struct LowerColumns {
  explicit LowerColumns(const Elimination& lu)
      : start(static_cast<std::size_t>(lu.size()) + 1, 0), row(lu.lower.size()), index(lu.lower.size()) {
    for (int j : lu.lower) ++start[j + 1];
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    std::vector<int> next = start;
    for (int k = 0; k < lu.size(); ++k)
      for (int l = lu.lower_start[k]; l < lu.lower_start[k + 1]; ++l) {
        const int at = next[lu.lower[l]]++;
        row[at] = k, index[at] = l;
      }
  }
  std::vector<int> start, row, index;
};

/// Collects entries level by level, where the level of z_ij is the smaller of i and j: what it follows from has higher levels,
/// but for entries of column i that z_ii follows from.
class EntryCollector {
 public:
  EntryCollector(const Pattern& pattern, const Order& order, const Elimination& lu, const std::vector<char>& divides_upper)
      : lu_(lu),
        lower_(lu),
        divides_upper_(divides_upper),
        row_at_(order.rows),
        column_at_(order.columns),
        row_position_(lu.size()),
        column_position_(lu.size()),
        of_level_(lu.size()) {
    for (int k = 0; k < lu.size(); ++k) row_position_[order.rows[k]] = k, column_position_[order.columns[k]] = k;
    if (pattern.partner.empty()) return;
    partner_ = pattern.partner, row_of_.resize(partner_.size());
    for (std::size_t r = 0; r < partner_.size(); ++r) row_of_[partner_[r]] = static_cast<int>(r);
  }

  SelectedEntries collect(const std::vector<InverseEntry>& wanted) {
    std::vector<int> numbers;
    for (const InverseEntry& entry : wanted)
      numbers.push_back(number_of(column_position_[entry.column], row_position_[entry.row]));
    for (std::size_t level = 0; level < of_level_.size(); ++level) {
      for (std::size_t k = 0; k < of_level_[level].size(); ++k)  // grows: a diagonal entry adds to its own level
        note_terms(of_level_[level][k]);
    }
    write();
    for (int number : numbers) result_.at.push_back(written_[number]);
    return std::move(result_);
  }

 private:
  struct Found {
    int i, j;
    bool by_upper;
    int first_term = 0, end_term = 0;  // in terms_
  };

  /// Of the entry in that place, or of the equal one.
  int number_of(int i, int j) {
    if (!partner_.empty()) {
      const int other_i = column_position_[partner_[row_at_[j]]], other_j = row_position_[row_of_[column_at_[i]]];
      if (is_better(other_i, other_j, i, j)) i = other_i, j = other_j;
    }
    const auto [at, is_new] = known_.emplace(static_cast<std::int64_t>(i) * lu_.size() + j, static_cast<int>(found_.size()));
    if (is_new) {
      of_level_[std::min(i, j)].push_back(at->second);
      found_.push_back({i, j, i == j ? divides_upper_[i] != 0 : i < j});
    }
    return at->second;
  }

  int terms_at(int i, int j) const {
    return i <= j ? lu_.upper_start[i + 1] - lu_.upper_start[i] : lower_.start[j + 1] - lower_.start[j];
  }

  bool is_better(int i, int j, int than_i, int than_j) const {
    const int level = std::min(i, j), other = std::min(than_i, than_j);
    if (level != other) return level > other;
    const int terms = terms_at(i, j), others = terms_at(than_i, than_j);
    return terms != others ? terms < others : i < than_i;
  }

  void note_terms(int number) {
    const Found entry = found_[number];
    const int first = static_cast<int>(terms_.size());
    if (entry.by_upper)
      for (int u = lu_.upper_start[entry.i]; u < lu_.upper_start[entry.i + 1]; ++u)
        terms_.push_back({u, number_of(lu_.upper[u], entry.j)});
    else
      for (int l = lower_.start[entry.j]; l < lower_.start[entry.j + 1]; ++l)
        terms_.push_back({lower_.index[l], number_of(entry.i, lower_.row[l])});
    found_[number].first_term = first, found_[number].end_term = static_cast<int>(terms_.size());
  }

  /// From the highest level down, diagonal entries last, without what is zero.
  void write() {
    written_.assign(found_.size(), -1);
    for (std::size_t level = of_level_.size(); level-- > 0;)
      for (const bool diagonal : {false, true})
        for (int number : of_level_[level])
          if ((found_[number].i == found_[number].j) == diagonal) write(number);
  }
  void write(int number) {
    const Found& entry = found_[number];
    const int first = static_cast<int>(result_.terms.size());
    for (int t = entry.first_term; t < entry.end_term; ++t)
      if (const int at = written_[terms_[t].entry]; at >= 0) result_.terms.push_back({terms_[t].factor, at});
    const int end = static_cast<int>(result_.terms.size());
    if (first == end && entry.i != entry.j) return;
    written_[number] = static_cast<int>(result_.list.size());
    result_.list.push_back({entry.i, entry.j, entry.by_upper, first, end});
  }

  const Elimination& lu_;
  LowerColumns lower_;
  const std::vector<char>& divides_upper_;
  std::vector<int> row_at_, column_at_, row_position_, column_position_;
  std::vector<int> partner_, row_of_;  // of a symmetric pattern: row -> its column, and back
  std::unordered_map<std::int64_t, int> known_;
  std::vector<Found> found_;
  std::vector<SelectedEntries::Term> terms_;  // entry: number in found_
  std::vector<std::vector<int>> of_level_;
  std::vector<int> written_;  // number -> index in the result, or -1
  SelectedEntries result_;
};

}  // namespace

SelectedEntries selected_entries(const Pattern& pattern, const Order& order, const Elimination& elimination,
                                 const std::vector<char>& divides_upper, const std::vector<InverseEntry>& wanted) {
  return EntryCollector(pattern, order, elimination, divides_upper).collect(wanted);
}

}  // namespace sparsedyn
