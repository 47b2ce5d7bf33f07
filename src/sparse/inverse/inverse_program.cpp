#include "sparse/inverse/inverse_program.hpp"

#include <algorithm>

#include "sparse/steps/steps.hpp"

namespace sparsedyn {
namespace {

/// Writes selected entries as steps.
class SweepWriter {
 public:
  explicit SweepWriter(const Plan& plan) : plan_(plan), factors_(plan.program.factors) { program_.cells = plan.program.cells; }

  InverseProgram write(const std::vector<InverseEntry>& wanted) {
    const SelectedEntries entries =
        selected_entries(plan_.pattern, plan_.order, plan_.elimination, factors_.divides_upper, wanted);
    for (const SelectedEntry& entry : entries.list) write(entry, entries.terms);
    for (int entry : entries.at) program_.at.push_back(entry < 0 ? no_cell : cell_[entry]);
    program_.sweep = encoded(steps_, order_of_steps(steps_, program_.cells));
    program_.needs_complete = !plan_.program.complete.runs.empty();
    return std::move(program_);
  }

 private:
  /// z = (source − Σ factor z) · scale: rows of U, and columns of L, that are not stored divided by their pivots are divided
  /// now.
  void write(const SelectedEntry& entry, const std::vector<SelectedEntries::Term>& terms) {
    const int pivot = entry.by_upper ? entry.i : entry.j;
    const bool divided = (factors_.divides_upper[pivot] != 0) == entry.by_upper;
    const int source = entry.i == entry.j ? inverse_of_pivot(entry.i) : no_cell;
    if (entry.first_term == entry.end_term) return cell_.push_back(source);
    Step step{program_.cells++,
              source,
              divided ? no_cell : factors_.reciprocal[pivot],
              false,
              static_cast<int>(steps_.terms.size()),
              0};
    const std::vector<int>& factor = entry.by_upper ? factors_.upper : factors_.lower;
    for (int t = entry.first_term; t < entry.end_term; ++t)
      steps_.terms.push_back({factor[terms[t].factor], cell_[terms[t].entry]});
    step.end_term = static_cast<int>(steps_.terms.size());
    steps_.list.push_back(step);
    cell_.push_back(step.target);
  }

  /// Its cell; a pivot that is ±1 at every state is its own inverse.
  int inverse_of_pivot(int k) const {
    if (factors_.reciprocal[k] >= 0) return factors_.reciprocal[k];
    const Pattern& pattern = plan_.pattern;
    const int row = plan_.order.rows[k];
    const auto begin = pattern.column.begin() + pattern.row_start[row],
               end = pattern.column.begin() + pattern.row_start[row + 1];
    return static_cast<int>(std::lower_bound(begin, end, plan_.order.columns[k]) - pattern.column.begin());
  }

  const Plan& plan_;
  const LUProgram::Factors& factors_;
  Steps steps_;
  std::vector<int> cell_;  // of each entry
  InverseProgram program_;
};

}  // namespace

InverseProgram inverse_program(const Plan& plan, const std::vector<InverseEntry>& wanted) {
  return SweepWriter(plan).write(wanted);
}

}  // namespace sparsedyn
