#include <algorithm>
#include <cmath>
#include <random>

#include "hard_row_ranks.hpp"
#include "model/samples.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 20;
constexpr double zero = 1e-9;

/// The zero posture and random ones, the same in every run.
std::vector<std::vector<double>> tried_states(const Model& model) {
  std::mt19937 rng(1);
  std::vector<std::vector<double>> states(1 + random_states, std::vector<double>(static_cast<std::size_t>(model.nq)));
  neutral(model, states[0].data());
  for (int k = 1; k <= random_states; ++k) uniform_sample(model, rng, states[static_cast<std::size_t>(k)].data());
  return states;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Which of the rows are independent of those before them: Gram–Schmidt, twice. Rows are of size one, or less at this state.
std::vector<char> independent_rows(std::vector<std::vector<double>> rows) {
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

}  // namespace

HardRowRanks::HardRowRanks(const Model& model, const ConstraintSet& set)
    : rows_(model, resolved(model, hard_part(set), inverse_weights(model))), ws_(model), still_(model.nv, 0.0) {
  size_.assign(static_cast<std::size_t>(rows_.rows()), 0.0);
  for (const std::vector<double>& q : tried_states(model)) {
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

std::vector<char> HardRowRanks::independent(const double* q) {
  std::vector<std::vector<double>> J = rows_at(q);
  for (std::size_t r = 0; r < J.size(); ++r)
    for (double& x : J[r]) x = size_[r] > 0 ? x / size_[r] : 0;
  return independent_rows(std::move(J));
}

int HardRowRanks::rank(const double* q) {
  const std::vector<char> found = independent(q);
  return static_cast<int>(std::count(found.begin(), found.end(), 1));
}

HardRows hard_rows(const Model& model, const ConstraintSet& set) {
  HardRowRanks ranks(model, set);
  std::vector<std::string> names;
  for (const RowBlock& b : ranks.blocks())
    for (const std::string& name : equality_rows(b.name, b.rows)) names.push_back(name);

  HardRows found;
  found.rows = static_cast<int>(names.size());
  std::vector<char> ever(names.size(), 0);
  for (const std::vector<double>& q : tried_states(model)) {
    const std::vector<char> independent = ranks.independent(q.data());
    found.rank = std::max(found.rank, static_cast<int>(std::count(independent.begin(), independent.end(), 1)));
    for (std::size_t r = 0; r < names.size(); ++r) ever[r] = ever[r] || independent[r];
  }
  found.freedoms = model.nv - found.rank;
  for (std::size_t r = 0; r < names.size(); ++r)
    if (!ever[r]) found.redundant.push_back(names[r]);
  return found;
}

}  // namespace sparsedyn
