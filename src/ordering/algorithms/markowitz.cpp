// Markowitz' greedy order (Management Science 3, 1957): next comes the pivot that costs least now, among those that are not
// small beside their column at any of several states (threshold pivoting as in Duff, Erisman & Reid 2017, §7.8, for all
// states at once).
#include <limits>

#include "active_matrix.hpp"
#include "ordering/strategies.hpp"

namespace sparsedyn {
namespace {

struct Pivot {
  int row = -1, column = -1;
  long cost = std::numeric_limits<long>::max();
  double quality = 0;
};

/// Multiplications of one elimination step, the scaling of the shorter side with them.
long step_cost(const ActiveMatrix& A, int r, int c) {
  const long across = A.row_count(r) - 1, down = A.column_count(c) - 1;
  return across * down + std::min(across, down);
}

class PivotSearch {
 public:
  PivotSearch(const ActiveMatrix& A, double threshold) : A_(A), threshold_(threshold) {}

  /// Looks along the shortest rows and columns in turn (Zlatev 1980: a few of them suffice).
  Pivot best() {
    auto row = A_.rows_by_count().begin();
    auto column = A_.columns_by_count().begin();
    for (int looked_at = 0; looked_at < enough || best_.row < 0;) {
      const bool rows_left = row != A_.rows_by_count().end(), columns_left = column != A_.columns_by_count().end();
      if (!rows_left && !columns_left) break;
      const bool take_row = rows_left && (!columns_left || row->first <= column->first);
      const long shortest = (take_row ? row->first : column->first) - 1;
      if (best_.row >= 0 && best_.cost <= shortest * shortest) break;
      const bool found = take_row ? along_row((row++)->second) : along_column((column++)->second);
      looked_at += found;
    }
    return best_;
  }

 private:
  static constexpr int enough = 6;

  bool along_row(int r) {
    bool found = false;
    for (const ActiveMatrix::Entry& entry : A_.row(r)) found |= consider(r, entry.column);
    return found;
  }
  bool along_column(int c) {
    bool found = false;
    for (int r : A_.rows_of_column(c)) found |= consider(r, c);
    return found;
  }
  bool consider(int r, int c) {
    const long cost = step_cost(A_, r, c);
    if (cost > best_.cost) return true;
    const double quality = A_.quality(r, c);
    if (!(quality >= threshold_) || quality == 0) return false;
    if (cost < best_.cost || quality > best_.quality) best_ = {r, c, cost, quality};
    return true;
  }

  const ActiveMatrix& A_;
  const double threshold_;
  Pivot best_;
};

}  // namespace

std::optional<Order> markowitz_order(const OrderingProblem& problem, double threshold, long most_cost) {
  ActiveMatrix A(problem);
  Order order;
  for (long cost = 0; !A.empty();) {
    Pivot pivot;
    for (double bound = threshold; pivot.row < 0 && bound > 1e-9; bound *= 1e-2) pivot = PivotSearch(A, bound).best();
    if (pivot.row < 0 || (cost += pivot.cost) > most_cost) return {};
    order.rows.push_back(pivot.row), order.columns.push_back(pivot.column);
    A.eliminate(pivot.row, pivot.column);
  }
  return order;
}

std::vector<Candidate> markowitz_candidates(const OrderingProblem& problem, long most_cost) {
  std::vector<Candidate> candidates;
  for (double threshold : {0.5, 0.1, 0.01})
    if (const std::optional<Order> order = markowitz_order(problem, threshold, most_cost))
      candidates.push_back({"markowitz", *order});
  return candidates;
}

}  // namespace sparsedyn
