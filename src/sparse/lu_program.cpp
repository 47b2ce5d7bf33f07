#include "sparsedyn/sparse/lu_program.hpp"

#include <algorithm>
#include <utility>

#include "sparse/steps/shared_values.hpp"

namespace sparsedyn {
namespace {

/// Writes the steps of A = L U row by row ("up-looking"), then of L y = b and U x = y.
/// At each pivot either the column of L or the row of U (and y) is divided by it: the shorter one.
class Writer {
 public:
  Writer(const Pattern& pattern, const Order& order, const Elimination& lu, const UnitEntries& unit)
      : pattern_(pattern), order_(order), lu_(lu), unit_(unit), n_(lu.size()), position_(n_), lower_entries_(n_, 0) {
    for (int k = 0; k < n_; ++k) position_[order.columns[k]] = k;
    for (int j : lu.lower) ++lower_entries_[j];
    program_.right_side = pattern.entries();
    program_.cells = pattern.entries() + n_;
    lower_cell_.resize(lu.lower.size()), upper_cell_.resize(lu.upper.size());
    grown_.assign(n_, 0), pivot_cell_.resize(n_), reciprocal_.assign(n_, no_cell), y_.resize(n_), x_.resize(n_);
  }

  LUProgram write(const std::vector<int>& outputs) {
    const int end_of_factor = write_steps();
    divide(pattern_.partner.empty() ? end_of_factor : share(end_of_factor), outputs);
    return std::move(program_);
  }

  Flops cost(const std::vector<int>& outputs) {
    write_steps();
    const std::vector<char> needed = needed_for(outputs);
    Flops sum;
    for (std::size_t s = 0; s < needed.size(); ++s)
      if (needed[s]) sum = sum + flops(steps_.list[s]);
    return sum;
  }

 private:
  using Terms = std::vector<Steps::Term>;
  struct WorkRow {
    explicit WorkRow(int n) : source(n, no_cell), updates(n) {}
    std::vector<int> source;     // the matrix' own entry at a position, or no_cell
    std::vector<Terms> updates;  // products to be subtracted there
  };

  /// All steps; returns how many of them factor.
  int write_steps() {
    WorkRow work(n_);
    for (int k = 0; k < n_; ++k) factor_row(k, work);
    const int end_of_factor = static_cast<int>(steps_.list.size());
    for (int k = 0; k < n_; ++k) forward(k);
    for (int k = n_; k-- > 0;) backward(k);
    program_.solution.resize(n_);
    for (int k = 0; k < n_; ++k) program_.solution[order_.columns[k]] = x_[k];
    return end_of_factor;
  }

  /// Leaves out what symmetry repeats; returns how many steps factor then.
  int share(int end_of_factor) {
    SharedValues shared = share_values(steps_, program_.cells, end_of_factor, symmetric_inputs(pattern_, unit_));
    for (std::vector<int>* cells : {&program_.solution, &lower_cell_, &upper_cell_, &pivot_cell_, &reciprocal_})
      for (int& cell : *cells)
        if (cell >= 0) cell = shared.same[cell];
    steps_ = std::move(shared.steps);
    program_.cells = shared.cells;
    return shared.end_of_factor;
  }

  std::vector<char> needed_for(const std::vector<int>& outputs) const {
    std::vector<int> wanted;
    if (outputs.empty()) wanted = program_.solution;
    for (int column : outputs) wanted.push_back(program_.solution[column]);
    return needed_steps(steps_, wanted, program_.cells);
  }

  int new_cell() { return program_.cells++; }
  int lower_begin(int k) const { return lu_.lower_start[k]; }
  int lower_end(int k) const { return lu_.lower_start[k + 1]; }
  int upper_begin(int k) const { return lu_.upper_start[k]; }
  int upper_end(int k) const { return lu_.upper_start[k + 1]; }
  bool divides_upper(int k) const { return upper_end(k) - upper_begin(k) <= lower_entries_[k]; }
  int scale_of_upper(int k) const { return divides_upper(k) ? reciprocal_[k] : no_cell; }
  int scale_of_lower(int k) const { return divides_upper(k) ? no_cell : reciprocal_[k]; }

  /// The cell of (source − Σ terms) · scale: `source` itself where nothing happens to it.
  int compute(int source, const Terms& terms, int scale) {
    if (terms.empty() && scale == no_cell) return source;
    Step step{new_cell(), source, scale, false, static_cast<int>(steps_.terms.size()), 0};
    steps_.terms.insert(steps_.terms.end(), terms.begin(), terms.end());
    step.end_term = static_cast<int>(steps_.terms.size());
    steps_.list.push_back(step);
    return step.target;
  }

  int finish(WorkRow& work, int position, int scale) {
    const int cell = compute(work.source[position], work.updates[position], scale);
    work.source[position] = no_cell;
    work.updates[position].clear();
    return cell;
  }

  void factor_row(int k, WorkRow& work) {
    const int r = order_.rows[k];
    for (int e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) work.source[position_[pattern_.column[e]]] = e;
    for (int l = lower_begin(k); l < lower_end(k); ++l) {
      const int j = lu_.lower[l];
      lower_cell_[l] = finish(work, j, scale_of_lower(j));
      for (int u = upper_begin(j); u < upper_end(j); ++u)
        work.updates[lu_.upper[u]].push_back({lower_cell_[l], upper_cell_[u]});
    }
    const int first_own_cell = program_.cells;
    pivot_cell_[k] = finish(work, k, no_cell);
    invert_pivot(k);
    grown_[k] = pivot_cell_[k] >= first_own_cell;
    for (int u = upper_begin(k); u < upper_end(k); ++u) {
      if (!work.updates[lu_.upper[u]].empty()) grown_[k] = 1;
      upper_cell_[u] = finish(work, lu_.upper[u], scale_of_upper(k));
    }
  }

  /// +1, −1 or 0 where nothing is known.
  int unit_value(int cell) const { return cell < static_cast<int>(unit_.size()) ? unit_[cell] : 0; }

  void invert_pivot(int k) {
    const int known = unit_value(pivot_cell_[k]);
    if (known != 0) {
      reciprocal_[k] = known > 0 ? no_cell : minus_one;
      return;
    }
    reciprocal_[k] = new_cell();
    const int here = static_cast<int>(steps_.terms.size());
    steps_.list.push_back({reciprocal_[k], pivot_cell_[k], no_cell, true, here, here});
  }

  void forward(int k) {
    Terms terms;
    for (int l = lower_begin(k); l < lower_end(k); ++l) terms.push_back({lower_cell_[l], y_[lu_.lower[l]]});
    y_[k] = compute(program_.right_side + order_.rows[k], terms, scale_of_upper(k));
  }

  void backward(int k) {
    Terms terms;
    for (int u = upper_begin(k); u < upper_end(k); ++u) terms.push_back({upper_cell_[u], x_[lu_.upper[u]]});
    x_[k] = compute(y_[k], terms, scale_of_lower(k));
  }

  /// Parts the steps into what the outputs need and what they do not.
  void divide(int end_of_factor, const std::vector<int>& outputs) {
    const std::vector<char> needed = needed_for(outputs);
    std::vector<int> factor, solve, complete;
    std::vector<char> computed(program_.cells, 0);
    std::fill_n(computed.begin(), program_.right_side, 1);
    for (int s = 0; s < static_cast<int>(steps_.list.size()); ++s) {
      (!needed[s] ? complete : s < end_of_factor ? factor : solve).push_back(s);
      computed[steps_.list[s].target] = needed[s];
    }
    // Sharing leaves few neighbours that are reduced by the same rows: there, lanes would only add shapes.
    const int lanes = pattern_.partner.empty() ? interpreter::most_lanes : 1;
    const auto packed = [&](const std::vector<int>& chosen) {
      const Steps joined = joined_lanes(steps_, chosen, lanes);
      return encoded(joined, order_of_steps(joined, program_.cells));
    };
    program_.factor = packed(factor), program_.solve = packed(solve), program_.complete = packed(complete);
    // A pivot whose inverse another cell holds already (share) may not be computed at all: nothing is divided by it.
    for (int k = 0; k < n_; ++k)
      if (reciprocal_[k] >= 0 && computed[reciprocal_[k]] && computed[pivot_cell_[k]])
        program_.pivots.push_back({pivot_cell_[k], reciprocal_[k], order_.rows[k], order_.columns[k]});
    note_grown_rows(computed);
    program_.factors = {lower_cell_, upper_cell_, reciprocal_, std::vector<char>(n_)};
    for (int k = 0; k < n_; ++k) program_.factors.divides_upper[k] = divides_upper(k);
  }

  void note_grown_rows(const std::vector<char>& computed) {
    for (int k = 0; k < n_; ++k) {
      if (!grown_[k] || !computed[pivot_cell_[k]]) continue;
      const int first = static_cast<int>(program_.upper.size());
      for (int u = upper_begin(k); u < upper_end(k); ++u)
        if (computed[upper_cell_[u]]) program_.upper.push_back(upper_cell_[u]);
      const int end = static_cast<int>(program_.upper.size());
      program_.grown_rows.push_back({order_.rows[k], pivot_cell_[k], scale_of_upper(k) >= 0, first, end});
    }
  }

  const Pattern& pattern_;
  const Order& order_;
  const Elimination& lu_;
  const UnitEntries& unit_;
  const int n_;
  std::vector<int> position_, lower_entries_;
  std::vector<char> grown_;  // row k of U holds an entry that the matrix does not hold
  std::vector<int> lower_cell_, upper_cell_, pivot_cell_, reciprocal_, y_, x_;
  Steps steps_;
  LUProgram program_;
};

}  // namespace

LUProgram lu_program(const Pattern& pattern, const Order& order, const Elimination& elimination, const UnitEntries& unit,
                     const std::vector<int>& outputs) {
  return Writer(pattern, order, elimination, unit).write(outputs);
}

Flops lu_cost(const Pattern& pattern, const Order& order, const Elimination& elimination, const UnitEntries& unit,
              const std::vector<int>& outputs) {
  return Writer(pattern, order, elimination, unit).cost(outputs);
}

}  // namespace sparsedyn
