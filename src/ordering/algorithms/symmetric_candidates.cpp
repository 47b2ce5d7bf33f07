// Orders that keep a quasi-definite matrix symmetric, so that elimination computes half of it. Rows of exact equations, whose
// diagonal is zero, are paired with unknowns beforehand (2 × 2 pivots: Duff & Pralet, SIAM J. Matrix Anal. 27, 2005); rows with
// noise and the other unknowns have pivots of one sign each, which no order lets vanish (Vanderbei, SIAM J. Optim. 5, 1995).
// Among these pivots the one that adds the fewest entries comes next (minimum fill: Tinney & Walker 1967).
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cheapest_matching.hpp"
#include "minimum_fill.hpp"
#include "ordering/candidates.hpp"
#include "ordering/fallback_order.hpp"
#include "ordering/strategies.hpp"

namespace sparsedyn {
namespace {

constexpr int tries = 12;  // with ties decided otherwise each time
constexpr int proposed = 3;
constexpr int rounds = 4;  // each probes the states where the one before fails
constexpr double sound = 1e-3;

constexpr double forbidden = std::numeric_limits<double>::infinity();

using Values = SymmetricMatrix::Values;

/// Each entry's numbers at the samples in turn, from place `first` on.
void probe(const Pattern& pattern, const Samples& samples, int first, std::vector<Values>& probed) {
  std::vector<double> values(pattern.entries()), right_side(pattern.rows);
  for (int k = first; k < SymmetricMatrix::states; ++k) {
    samples.fill(state_in_turn(samples, k - first), values.data(), right_side.data());
    for (std::size_t e = 0; e < values.size(); ++e) probed[e][k] = values[e];
  }
}

/// −log of how small each entry gets beside the largest of its row: 0 for one that is ±1 whatever the state, infinite for one
/// that is zero wherever one looks (of a measurement left out). In whole multiples of 2⁻²⁰, whose sums are exact: matchings
/// whose products are equal tie, whatever a library's logarithm rounds.
std::vector<double> weakness(const OrderingProblem& problem, const std::vector<Values>& values) {
  constexpr double least_told = 1e-30;
  const Pattern& pattern = problem.pattern;
  std::vector<double> result(pattern.entries(), forbidden);
  for (int r = 0; r < pattern.rows; ++r) {
    Values largest{};
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e)
      for (int k = 0; k < SymmetricMatrix::states; ++k) largest[k] = std::max(largest[k], std::abs(values[e][k]));
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
      double least = 1.0;
      for (int k = 0; k < SymmetricMatrix::states; ++k) least = std::min(least, std::abs(values[e][k]) / largest[k]);
      if (values[e] != Values{})
        result[e] = !problem.unit.empty() && problem.unit[e]
                        ? 0
                        : 0x1p-20 * std::round(-0x1p20 * std::log(std::max(least, least_told)));
    }
  }
  return result;
}

/// The pivots: exact rows, each with an unknown of its own, where its entries are strongest; all other indices alone. Empty
/// where an exact row finds no unknown.
std::vector<DiagonalPivot> paired_pivots(const OrderingProblem& problem, std::vector<double> weak) {
  const Pattern& pattern = problem.pattern;
  std::vector<int> index(pattern.columns), exact_rows, mate(pattern.rows, -1);
  for (int r = 0; r < pattern.rows; ++r) index[pattern.partner[r]] = r;
  for (int r = 0; r < pattern.rows; ++r)
    if (problem.exact[r]) exact_rows.push_back(r);
  for (int e = 0; e < pattern.entries(); ++e)
    if (problem.exact[index[pattern.column[e]]]) weak[e] = forbidden;  // a multiplier
  const std::vector<int> column = cheapest_matching(pattern, exact_rows, weak);
  for (int r : exact_rows) {
    if (column[r] < 0) return {};
    mate[index[column[r]]] = r, mate[r] = index[column[r]];
  }
  std::vector<DiagonalPivot> pivots;
  for (int i = 0; i < pattern.rows; ++i)
    if (mate[i] < 0 || problem.exact[i]) pivots.push_back({i, mate[i]});
  return pivots;
}

/// Rows with each other's columns, first the one whose diagonal is zero: then less is subtracted from the other.
void append(const SymmetricMatrix& A, const Pattern& pattern, DiagonalPivot pivot, Order& order) {
  if (pivot.second >= 0 && A.has(pivot.first, pivot.first)) std::swap(pivot.first, pivot.second);
  const int last = pivot.second < 0 ? pivot.first : pivot.second;
  order.rows.push_back(pivot.first), order.columns.push_back(pattern.partner[last]);
  if (pivot.second >= 0) order.rows.push_back(last), order.columns.push_back(pattern.partner[pivot.first]);
}

/// The greedy choice among pivots.
class LeastFill {
 public:
  /// pairs_first: exact rows and their unknowns before all others.
  LeastFill(SymmetricMatrix A, const std::vector<DiagonalPivot>& pivots, unsigned seed, bool pairs_first = false)
      : A_(std::move(A)),
        pivots_(pivots),
        pivot_of_(A_.size()),
        rank_(pivots.size()),
        state_(pivots.size(), unknown),
        fill_(pivots.size(), 0) {
    std::minstd_rand rng(seed);
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      rank_[k] = seed ? static_cast<int>(rng()) : static_cast<int>(k);
      pivot_of_[pivots[k].first] = static_cast<int>(k);
      if (pivots[k].second >= 0) pivot_of_[pivots[k].second] = static_cast<int>(k), pairs_ahead_ += pairs_first;
    }
  }

  /// None where some pivot stays zero.
  std::optional<Order> order(const Pattern& pattern) {
    Order result;
    for (std::size_t step = 0; step < pivots_.size(); ++step) {
      const int next = best();
      if (next < 0) return {};
      append(A_, pattern, pivots_[next], result);
      state_[next] = gone;
      if (pairs_ahead_ > 0) --pairs_ahead_;
      for (int i : A_.eliminate(pivots_[next])) ask_again(i);
    }
    return result;
  }

 private:
  /// What is known of a pivot's fill: nothing, or the least it can be; all; that it is too small for now.
  enum State : char { unknown, counted, unsound, gone };

  void ask_again(int index) {
    State& state = state_[pivot_of_[index]];
    if (state != gone) state = unknown, fill_[pivot_of_[index]] = 0;
  }

  /// Of the pivots that are not small, the one that adds least; where all are, the least small.
  int best() {
    for (int found = least(); found >= 0; found = least()) {
      if (A_.soundness(pivots_[found]) >= sound) return found;
      state_[found] = unsound;
    }
    int strongest = -1;
    double most = 1e-12;
    for (std::size_t k = 0; k < pivots_.size(); ++k) {
      if (state_[k] != unsound || !has_its_turn(k)) continue;
      if (const double soundness = A_.soundness(pivots_[k]); soundness > most)
        most = soundness, strongest = static_cast<int>(k);
    }
    return strongest;
  }

  int least() {
    int best = -1;
    const auto consider = [&](std::size_t k) {
      if (best < 0 || fill_[k] < fill_[best] || (fill_[k] == fill_[best] && rank_[k] < rank_[best])) best = static_cast<int>(k);
    };
    for (std::size_t k = 0; k < pivots_.size(); ++k)
      if (state_[k] == counted && has_its_turn(k)) consider(k);
    for (std::size_t k = 0; k < pivots_.size(); ++k) {  // the others, no further than to see that they add more
      if (state_[k] != unknown || !has_its_turn(k) || (best >= 0 && fill_[k] > fill_[best]) || !A_.regular(pivots_[k]))
        continue;
      const long most = best < 0 ? std::numeric_limits<long>::max() : fill_[best];
      fill_[k] = A_.fill(pivots_[k], most);
      if (fill_[k] > most) continue;
      state_[k] = counted;
      consider(k);
    }
    return best;
  }

  bool has_its_turn(std::size_t k) const { return pairs_ahead_ == 0 || pivots_[k].second >= 0; }

  SymmetricMatrix A_;
  const std::vector<DiagonalPivot>& pivots_;
  int pairs_ahead_ = 0;
  std::vector<int> pivot_of_, rank_;
  std::vector<State> state_;
  std::vector<long> fill_;
};

/// The cheapest of the orders whose pivots are sound at the states probed.
std::vector<Candidate> sound_candidates(const OrderingProblem& problem, const std::vector<Values>& values) {
  const std::vector<DiagonalPivot> pivots = paired_pivots(problem, weakness(problem, values));
  if (pivots.empty()) return {};
  const SymmetricMatrix A(problem.pattern, values);
  std::vector<Candidate> candidates;
  for (unsigned seed = 0; seed < tries; ++seed)
    if (std::optional<Order> order = LeastFill(A, pivots, seed).order(problem.pattern))
      candidates.push_back({"least fill", std::move(*order)});
  candidates = cheapest_first(problem, candidates);
  if (candidates.size() > std::size_t{proposed}) candidates.erase(candidates.begin() + proposed, candidates.end());
  return candidates;
}

}  // namespace

std::vector<Candidate> symmetric_candidates(const OrderingProblem& problem) {
  if (problem.pattern.partner.empty() || problem.exact.empty()) return {};
  std::vector<Values> values(problem.pattern.entries());
  probe(problem.pattern, problem.samples, 0, values);
  std::vector<Candidate> candidates = sound_candidates(problem, values);
  for (int round = 1; round < rounds && !candidates.empty(); ++round) {
    const Plan plan = make_plan(problem.pattern, candidates.front().order, problem.unit);
    const Samples weak = weakest_states(plan, problem.samples, SymmetricMatrix::states / 2);
    if (measure_health(plan, weak).healthy()) break;
    probe(problem.pattern, weak, SymmetricMatrix::states / 2, values);
    candidates = sound_candidates(problem, values);
  }
  return candidates;
}

std::optional<Order> exact_rows_first(const OrderingProblem& problem) {
  std::vector<Values> values(problem.pattern.entries());
  probe(problem.pattern, problem.samples, 0, values);
  const std::vector<DiagonalPivot> pivots = paired_pivots(problem, weakness(problem, values));
  if (pivots.empty()) return {};
  return LeastFill(SymmetricMatrix(problem.pattern, values), pivots, 0, true).order(problem.pattern);
}

}  // namespace sparsedyn
