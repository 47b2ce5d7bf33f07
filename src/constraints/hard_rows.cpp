#include <algorithm>
#include <cmath>
#include <random>

#include "rows.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr int random_states = 20;
constexpr double zero = 1e-9;

/// Which of the rows (of nv numbers each) are independent of those before them: Gram–Schmidt, twice.
std::vector<char> independent_rows(std::vector<std::vector<double>> rows) {
  std::vector<char> independent(rows.size(), 0);
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto scale_to_one = [&](std::vector<double>& row) {
    const double size = std::sqrt(product(row, row));
    if (size > 0)
      for (double& x : row) x /= size;
    return size;
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (scale_to_one(rows[r]) == 0) continue;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < r; ++k) {
        if (!independent[k]) continue;
        const double share = product(rows[k], rows[r]);
        for (std::size_t i = 0; i < rows[r].size(); ++i) rows[r][i] -= share * rows[k][i];
      }
    independent[r] = scale_to_one(rows[r]) > zero;
  }
  return independent;
}

}  // namespace

HardRows hard_rows(const Model& model, const ConstraintSet& set) {
  ConstraintRows rows(model, resolved(model, hard_part(set), inverse_weights(model)));
  std::vector<std::string> names;
  for (const RowBlock& b : rows.blocks())
    for (const std::string& name : equality_rows(b.name, b.rows)) names.push_back(name);

  HardRows found;
  found.rows = rows.rows();
  std::vector<char> ever(names.size(), 0);
  Workspace<double> ws(model);
  std::mt19937 rng(1);
  std::vector<double> q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv), 0.0);
  for (int k = 0; k <= random_states; ++k) {
    if (k == 0)
      neutral(model, q.data());
    else
      random_configuration(model, rng, q.data());
    rows.at(ws, q.data(), v.data());
    std::vector<std::vector<double>> J;
    for (int r = 0; r < rows.rows(); ++r) J.emplace_back(rows.row(r), rows.row(r) + model.nv);
    const std::vector<char> independent = independent_rows(J);
    found.rank = std::max(found.rank, static_cast<int>(std::count(independent.begin(), independent.end(), 1)));
    for (std::size_t r = 0; r < names.size(); ++r) ever[r] = ever[r] || independent[r];
  }
  found.freedoms = model.nv - found.rank;
  for (std::size_t r = 0; r < names.size(); ++r)
    if (!ever[r]) found.redundant.push_back(names[r]);
  return found;
}

}  // namespace sparsedyn
