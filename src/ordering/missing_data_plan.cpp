#include "missing_data_plan.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "search_order.hpp"
#include "strategies.hpp"

namespace sparsedyn {
namespace {

/// The augmented system without the residuals of its noisy rows: each is eliminated by its own row, where its coefficient is 1
/// whether the measurement is there or not.
struct Reduced {
  explicit Reduced(const Augmented& augmented);
  void fill(const double* full, const double* right_side, double* values, double* b) const;

  struct Product {
    int target, below, above;  // values[target] -= full[below] · full[above]
  };
  const Pattern& full;
  Pattern pattern;
  std::vector<int> row, column;             // of the full system
  std::vector<std::pair<int, int>> copied;  // target, entry of the full pattern
  std::vector<Product> products;
  std::vector<std::array<int, 3>> moved;  // b[0] -= full[1] · right_side[2]
};

Reduced::Reduced(const Augmented& augmented) : full(augmented.pattern()) {
  const int m = augmented.equations(), n = augmented.unknowns();
  std::vector<int> index(m + n, -1);  // of a column of the full system
  for (int j = 0; j < m + n; ++j)
    if (j < n || augmented.exact(j - n)) index[j] = static_cast<int>(column.size()), column.push_back(j);
  for (int r = 0; r < m + n; ++r)
    if (r >= m || augmented.exact(r)) row.push_back(r);
  pattern.rows = pattern.columns = static_cast<int>(row.size());
  pattern.row_start.push_back(0);
  std::vector<int> place(column.size(), -1);
  for (std::size_t k = 0; k < row.size(); ++k) {
    std::vector<int> columns;
    const auto note = [&](int j) {
      if (place[index[j]] < 0) place[index[j]] = 0, columns.push_back(index[j]);
    };
    for (int pass = 0; pass < 2; ++pass) {
      for (int e = full.row_start[row[k]]; e < full.row_start[row[k] + 1]; ++e) {
        const int j = full.column[e];
        if (index[j] >= 0) {
          pass ? copied.push_back({place[index[j]], e}) : note(j);
          continue;
        }
        for (int a = full.row_start[j - n]; a < full.row_start[j - n + 1]; ++a) {
          if (full.column[a] >= n) continue;
          pass ? products.push_back({place[full.column[a]], e, a}) : note(full.column[a]);
        }
        if (pass) moved.push_back({static_cast<int>(k), e, j - n});
      }
      if (pass) break;
      std::sort(columns.begin(), columns.end());
      for (std::size_t c = 0; c < columns.size(); ++c) place[columns[c]] = pattern.entries() + static_cast<int>(c);
      pattern.column.insert(pattern.column.end(), columns.begin(), columns.end());
    }
    for (int c : columns) place[c] = -1;
    pattern.row_start.push_back(pattern.entries());
  }
  for (int r : row) pattern.partner.push_back(index[full.partner[r]]);
}

void Reduced::fill(const double* values_in, const double* right_side, double* values, double* b) const {
  std::fill_n(values, pattern.entries(), 0.0);
  for (const auto& [target, e] : copied) values[target] += values_in[e];
  for (const Product& p : products) values[p.target] -= values_in[p.below] * values_in[p.above];
  for (std::size_t k = 0; k < row.size(); ++k) b[k] = right_side[row[k]];
  for (const auto& [k, e, r] : moved) b[k] -= values_in[e] * right_side[r];
}

/// `problem` in these terms. Both must outlive it.
OrderingProblem inner_problem(const Reduced& reduced, const OrderingProblem& problem) {
  OrderingProblem inner;
  inner.pattern = reduced.pattern;
  for (int r : reduced.row) inner.exact.push_back(problem.exact[r]);
  inner.samples = problem.samples;
  inner.samples.moved = nullptr;
  const auto values = std::make_shared<std::vector<double>>(problem.pattern.entries());
  const auto right_side = std::make_shared<std::vector<double>>(problem.pattern.rows);
  inner.samples.fill = [&reduced, &problem, values, right_side](int s, double* a, double* b) {
    problem.samples.fill(s, values->data(), right_side->data());
    reduced.fill(values->data(), right_side->data(), a, b);
  };
  return inner;
}

/// Residuals of noisy rows, then the rest in the order found for it.
Plan residuals_first(const Augmented& augmented, const OrderingProblem& problem, const Reduced& reduced, const Order& inner) {
  Order order;
  for (int r = 0; r < augmented.equations(); ++r)
    if (!augmented.exact(r)) order.rows.push_back(r), order.columns.push_back(augmented.unknowns() + r);
  for (int r : inner.rows) order.rows.push_back(reduced.row[r]);
  for (int c : inner.columns) order.columns.push_back(reduced.column[c]);
  return make_plan(problem.pattern, order, problem.unit);
}

}  // namespace

std::optional<Plan> missing_data_plan(const Augmented& augmented, const OrderingProblem& problem,
                                      const OptimiseOptions& options) {
  const Reduced reduced(augmented);
  try {
    const OptimiseResult result = search_order(inner_problem(reduced, problem), options);
    return residuals_first(augmented, problem, reduced, result.plan.order);
  } catch (const std::domain_error&) {
    return {};
  }
}

std::optional<Plan> open_gaps_plan(const Augmented& augmented, const OrderingProblem& problem) {
  const Reduced reduced(augmented);
  try {
    const std::optional<Order> order = exact_rows_first(inner_problem(reduced, problem));
    if (!order) return {};
    return residuals_first(augmented, problem, reduced, *order);
  } catch (const std::domain_error&) {
    return {};
  }
}

}  // namespace sparsedyn
