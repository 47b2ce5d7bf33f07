// Orders that keep a quasi-definite matrix symmetric, so that elimination computes half of it. Rows of exact equations, whose
// diagonal is zero, are paired with unknowns beforehand (2 × 2 pivots: Duff & Pralet, SIAM J. Matrix Anal. 27, 2005); rows with
// noise and the other unknowns have pivots of one sign each, which no order lets vanish (Vanderbei, SIAM J. Optim. 5, 1995).
// Among these pivots the one that adds the fewest entries comes next (minimum fill: Tinney & Walker 1967).
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "minimum_fill.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

constexpr int tries = 12;  // with ties decided otherwise each time
constexpr int probed_states = 8;

/// Entries that are zero wherever one looks (those of a measurement left out), others, those that are never small in their
/// row, those that are ±1.
enum Strength { absent, any, sound, unit };

/// Of all entries, at a few states.
std::vector<Strength> strengths(const OrderingProblem& problem) {
  const Pattern& pattern = problem.pattern;
  std::vector<double> values(pattern.entries()), right_side(pattern.rows), least(pattern.entries(), 1.0);
  std::vector<char> present(pattern.entries(), 0);
  for (int k = 0; k < probed_states; ++k) {
    problem.samples.fill(state_in_turn(problem.samples, k), values.data(), right_side.data());
    for (int r = 0; r < pattern.rows; ++r) {
      double largest = 0;
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) largest = std::max(largest, std::abs(values[e]));
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        if (values[e] != 0) present[e] = 1;
        least[e] = std::min(least[e], std::abs(values[e]) / largest);
      }
    }
  }
  std::vector<Strength> strength(pattern.entries(), any);
  for (int e = 0; e < pattern.entries(); ++e)
    strength[e] = !present[e] ? absent : !problem.unit.empty() && problem.unit[e] ? unit : least[e] > 0.05 ? sound : any;
  return strength;
}

/// The pattern without entries that are absent: nothing may rely on them as a pivot.
Pattern present_entries(const Pattern& pattern, const std::vector<Strength>& strength) {
  Pattern present;
  present.rows = pattern.rows, present.columns = pattern.columns, present.partner = pattern.partner;
  present.row_start.push_back(0);
  for (int r = 0; r < pattern.rows; ++r) {
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      if (strength[e] != absent) present.column.push_back(pattern.column[e]);
    present.row_start.push_back(present.entries());
  }
  return present;
}

/// A largest matching of the exact rows to unknowns, by augmenting paths, strong entries first.
class Pairing {
 public:
  Pairing(const OrderingProblem& problem, const std::vector<Strength>& strength)
      : pattern_(problem.pattern),
        exact_(problem.exact),
        strength_(strength),
        index_(pattern_.columns),
        seen_(pattern_.rows, -1),
        mate_(pattern_.rows, -1) {
    for (int r = 0; r < pattern_.rows; ++r) index_[pattern_.partner[r]] = r;
  }

  /// The pivots: exact rows with their unknowns, all other indices alone. Empty where an exact row finds no unknown.
  std::vector<DiagonalPivot> pivots() {
    for (Strength least : {unit, sound, any})
      for (int r = 0; r < pattern_.rows; ++r)
        if (exact_[r] && mate_[r] < 0) ++trial_, augment(r, least);
    std::vector<DiagonalPivot> result;
    for (int i = 0; i < pattern_.rows; ++i) {
      if (exact_[i] && mate_[i] < 0) return {};
      if (mate_[i] < 0 || exact_[i]) result.push_back({i, mate_[i]});
    }
    return result;
  }

 private:
  bool augment(int row, Strength least) {
    for (int e = pattern_.row_start[row]; e < pattern_.row_start[row + 1]; ++e) {
      const int unknown = index_[pattern_.column[e]];
      if (strength_[e] < least || exact_[unknown] || seen_[unknown] == trial_) continue;
      seen_[unknown] = trial_;
      if (mate_[unknown] >= 0 && !augment(mate_[unknown], least)) continue;
      mate_[unknown] = row, mate_[row] = unknown;
      return true;
    }
    return false;
  }

  const Pattern& pattern_;
  const std::vector<char>& exact_;
  const std::vector<Strength>& strength_;
  std::vector<int> index_, seen_, mate_;
  int trial_ = 0;
};

/// Rows with each other's columns, first the one whose diagonal is zero: then less is subtracted from the other.
void append(const SymmetricPattern& A, const Pattern& pattern, DiagonalPivot pivot, Order& order) {
  if (pivot.second >= 0 && A.has(pivot.first, pivot.first)) std::swap(pivot.first, pivot.second);
  const int last = pivot.second < 0 ? pivot.first : pivot.second;
  order.rows.push_back(pivot.first), order.columns.push_back(pattern.partner[last]);
  if (pivot.second >= 0) order.rows.push_back(last), order.columns.push_back(pattern.partner[pivot.first]);
}

/// None where some pivot stays zero.
std::optional<Order> least_fill(const Pattern& pattern, const std::vector<DiagonalPivot>& pivots, unsigned seed) {
  SymmetricPattern A(pattern);
  std::minstd_rand rng(seed);
  std::vector<int> pivot_of(pattern.rows), rank(pivots.size());
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    pivot_of[pivots[k].first] = static_cast<int>(k), rank[k] = seed ? static_cast<int>(rng()) : static_cast<int>(k);
    if (pivots[k].second >= 0) pivot_of[pivots[k].second] = static_cast<int>(k);
  }
  std::vector<long> fill(pivots.size(), 0);  // counted, or what it is at least
  std::vector<char> left(pivots.size(), 1), counted(pivots.size(), 0);
  Order order;
  for (std::size_t step = 0; step < pivots.size(); ++step) {
    int best = -1;
    const auto consider = [&](std::size_t k) {
      if (best < 0 || fill[k] < fill[best] || (fill[k] == fill[best] && rank[k] < rank[best])) best = static_cast<int>(k);
    };
    for (std::size_t k = 0; k < pivots.size(); ++k)
      if (left[k] && counted[k] && A.regular(pivots[k])) consider(k);
    for (std::size_t k = 0; k < pivots.size(); ++k) {  // the others, no further than to see that they add more
      if (!left[k] || counted[k] || (best >= 0 && fill[k] > fill[best]) || !A.regular(pivots[k])) continue;
      const long most = best < 0 ? std::numeric_limits<long>::max() : fill[best];
      fill[k] = A.fill(pivots[k], most);
      counted[k] = fill[k] <= most;
      if (counted[k]) consider(k);
    }
    if (best < 0) return {};
    append(A, pattern, pivots[best], order);
    left[best] = 0;
    for (int i : A.eliminate(pivots[best])) {
      fill[pivot_of[i]] = counted[pivot_of[i]] = 0;
      for (int j : A.neighbours(i)) fill[pivot_of[j]] = counted[pivot_of[j]] = 0;
    }
  }
  return order;
}

}  // namespace

std::vector<Candidate> symmetric_candidates(const OrderingProblem& problem) {
  std::vector<Candidate> candidates;
  if (problem.pattern.partner.empty() || problem.exact.empty()) return candidates;
  const std::vector<Strength> strength = strengths(problem);
  const std::vector<DiagonalPivot> pivots = Pairing(problem, strength).pivots();
  const Pattern present = present_entries(problem.pattern, strength);
  for (unsigned seed = 0; seed < tries && !pivots.empty(); ++seed)
    if (const std::optional<Order> order = least_fill(present, pivots, seed)) candidates.push_back({"least fill", *order});
  return candidates;
}

}  // namespace sparsedyn
