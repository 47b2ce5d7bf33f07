#include "between.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {
const double one_turn = 2 * std::acos(-1.0), nearly_one_turn = 0.9 * one_turn;
}

double between(double before, double after, double share, bool may_turn) noexcept {
  double step = after - before;
  if (may_turn && std::abs(step) > nearly_one_turn && std::abs(step) < 2 * one_turn - nearly_one_turn)
    step -= std::copysign(one_turn, step);
  return before + share * step;
}

std::array<double, 4> turn_between(const std::array<double, 4>& from, const std::array<double, 4>& to, double share) noexcept {
  std::array<double, 4> q{};
  double dot = 0, squares = 0;
  for (std::size_t k = 0; k < 4; ++k) dot += from[k] * to[k];
  for (std::size_t k = 0; k < 4; ++k) {
    q[k] = from[k] + share * (std::copysign(1.0, dot) * to[k] - from[k]);
    squares += q[k] * q[k];
  }
  for (double& x : q) x /= std::sqrt(squares);
  return q;
}

std::vector<std::array<std::size_t, 4>> orientations(const std::vector<std::string>& columns) {
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  std::vector<std::array<std::size_t, 4>> found;
  for (const std::string& column : columns) {
    if (column.size() < 3 || column.compare(column.size() - 3, 3, ".qx") != 0) continue;
    const std::string stem = column.substr(0, column.size() - 1);
    const std::array<std::size_t, 4> four{place(column), place(stem + "y"), place(stem + "z"), place(stem + "w")};
    if (std::all_of(four.begin(), four.end(), [&](std::size_t c) { return c < columns.size(); })) found.push_back(four);
  }
  return found;
}

}  // namespace sparsedyn
