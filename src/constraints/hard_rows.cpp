#include <algorithm>
#include <cmath>
#include <random>

#include "hard_row_ranks.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 20;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Which of the rows are independent of those before them: Gram–Schmidt, twice. Rows are of size one, or less at this state.
std::vector<char> independent_rows(std::vector<std::vector<double>> rows, double zero) {
  std::vector<char> independent(rows.size(), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < r; ++k) {
        if (!independent[k]) continue;
        const double share = product(rows[k], rows[r]);
        for (std::size_t i = 0; i < rows[r].size(); ++i) rows[r][i] -= share * rows[k][i];
      }
    const double left = std::sqrt(product(rows[r], rows[r]));
    independent[r] = left > zero;
    for (double& x : rows[r]) x /= left;
  }
  return independent;
}

int rank_of(const std::vector<char>& independent) {
  return static_cast<int>(std::count(independent.begin(), independent.end(), 1));
}

}  // namespace

std::vector<int> put_onto_loops(const Model& model, const ConstraintSet& set, std::vector<std::vector<double>>& q,
                                std::string& open) {
  constexpr double rounding = 1e-12;
  LoopProjection loops(model, set);
  std::vector<double> still(static_cast<std::size_t>(model.nv));
  std::vector<int> closed;
  for (std::vector<double>& posture : q) {
    std::fill(still.begin(), still.end(), 0.0);
    const ProjectionStatus status = loops.project(posture.data(), still.data());
    closed.push_back(!status.ok() ? 0 : status.gap <= rounding ? 2 : 1);
    if (!status.ok() && open.empty()) open = loops.describe(status);
  }
  return closed;
}

std::vector<std::vector<double>> rank_postures(const Model& model, const ConstraintSet& set) {
  std::mt19937 rng(1);
  std::vector<std::vector<double>> q(1 + random_states, std::vector<double>(static_cast<std::size_t>(model.nq))), best;
  neutral(model, q[0].data());
  for (int k = 1; k <= random_states; ++k) random_configuration(model, rng, q[static_cast<std::size_t>(k)].data());
  std::string unused;
  const std::vector<int> closed = put_onto_loops(model, set, q, unused);
  const int most = *std::max_element(closed.begin(), closed.end());
  for (std::size_t k = 0; k < q.size(); ++k)
    if (closed[k] == most) best.push_back(std::move(q[k]));
  return best;
}

HardRowRanks::HardRowRanks(const Model& model, const ConstraintSet& set)
    : postures_(rank_postures(model, set)),
      rows_(model, resolved(model, hard_part(set), inverse_weights(model))),
      ws_(model),
      still_(model.nv, 0.0) {
  size_.assign(static_cast<std::size_t>(rows_.rows()), 0.0);
  for (const std::vector<double>& q : postures_) {
    const std::vector<std::vector<double>> J = rows_at(q.data());
    for (std::size_t r = 0; r < J.size(); ++r) size_[r] = std::max(size_[r], std::sqrt(product(J[r], J[r])));
  }
}

std::vector<std::vector<double>> HardRowRanks::rows_at(const double* q) {
  rows_.at(ws_, q, still_.data());
  std::vector<std::vector<double>> J;
  for (int r = 0; r < rows_.rows(); ++r) J.emplace_back(rows_.row(r), rows_.row(r) + still_.size());
  return J;
}

std::vector<char> HardRowRanks::independent(const double* q, double zero) {
  std::vector<std::vector<double>> J = rows_at(q);
  for (std::size_t r = 0; r < J.size(); ++r)
    for (double& x : J[r]) x = size_[r] > 0 ? x / size_[r] : 0;
  return independent_rows(std::move(J), zero);
}

int HardRowRanks::rank(const double* q, double zero) { return rank_of(independent(q, zero)); }

HardRows hard_rows(const Model& model, const ConstraintSet& set) {
  HardRowRanks ranks(model, set);
  std::vector<std::string> names;
  for (const RowBlock& b : ranks.blocks())
    for (const std::string& name : equality_rows(b.name, b.rows)) names.push_back(name);

  HardRows found;
  found.rows = static_cast<int>(names.size());
  std::vector<std::vector<char>> independent;
  for (const std::vector<double>& q : ranks.postures()) {
    independent.push_back(ranks.independent(q.data()));
    found.rank = std::max(found.rank, rank_of(independent.back()));
  }
  std::vector<char> ever(names.size(), 0);
  for (const std::vector<char>& rows : independent)  // where others are lost, a row may say what it never does
    for (std::size_t r = 0; r < names.size(); ++r) ever[r] = ever[r] || (rows[r] && rank_of(rows) == found.rank);
  found.freedoms = model.nv - found.rank;
  for (std::size_t r = 0; r < names.size(); ++r)
    if (!ever[r]) found.redundant.push_back(names[r]);
  return found;
}

}  // namespace sparsedyn
