#include "inertia_factor.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <utility>

#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

std::vector<std::vector<int>> tied_freedoms(const Model& model, const std::vector<std::vector<int>>& coupled) {
  std::vector<std::set<int>> near(model.nv);
  const auto tie = [&](int i, int j) {
    if (i != j) near[i].insert(j), near[j].insert(i);
  };
  const Model& tree = model.tree();
  for (const Body& body : tree.bodies)
    for (int c = 0; c < freedoms(body.joint); ++c) {
      const int own = entry_of(model, body.v + c).index;
      for (int d = 0; d < c; ++d) tie(own, entry_of(model, body.v + d).index);
      for (int k = body.parent; k >= 0; k = tree.bodies[k].parent)
        for (int d = 0; d < freedoms(tree.bodies[k].joint); ++d) tie(own, entry_of(model, tree.bodies[k].v + d).index);
    }
  for (const std::vector<int>& set : coupled)
    for (int i : set)
      for (int j : set) tie(i, j);
  std::vector<std::vector<int>> tied;
  for (const std::set<int>& others : near) tied.emplace_back(others.begin(), others.end());
  return tied;
}

InertiaFactor::InertiaFactor(const Model& model, const std::vector<std::vector<int>>& coupled, std::vector<int> order)
    : n_(model.nv), order_(std::move(order)), before_(model.nv), diagonal_(model.nv) {
  if (order_.empty())
    for (int k = n_ - 1; k >= 0; --k) order_.push_back(k);
  std::vector<int> stays(n_, -1);  // how many go after it
  for (std::size_t step = 0; step < order_.size(); ++step)
    if (order_[step] >= 0 && order_[step] < n_) stays[order_[step]] = n_ - 1 - static_cast<int>(step);
  if (static_cast<int>(order_.size()) != n_ || std::count(stays.begin(), stays.end(), -1) > 0)
    throw std::invalid_argument("an order of elimination that is no permutation of the robot's freedoms");
  const std::vector<std::vector<int>> tied = tied_freedoms(model, coupled);
  std::vector<std::set<int>> near(n_);  // by how long they stay
  for (int k = 0; k < n_; ++k)
    for (int i : tied[k])
      if (stays[i] < stays[k]) near[k].insert(stays[i]);
  for (int k : order_)  // what k leaves behind ties all that it touched
    for (int i : near[k])
      for (int j : near[k])
        if (j < i) near[order_[n_ - 1 - i]].insert(j);
  for (int k = 0; k < n_; ++k)
    for (int i : near[k]) {
      before_[k].push_back(order_[n_ - 1 - i]);
      if (before_[k].back() > k) above_.emplace_back(k, before_[k].back());
    }
}

int InertiaFactor::factor(double* H) noexcept {
  constexpr double rounding = 1e-14;
  for (int k = 0; k < n_; ++k) diagonal_[k] = H[static_cast<std::ptrdiff_t>(k) * n_ + k];
  for (const auto& [k, i] : above_) H[static_cast<std::ptrdiff_t>(k) * n_ + i] = H[static_cast<std::ptrdiff_t>(i) * n_ + k];
  for (int k : order_) {
    double* row = H + static_cast<std::ptrdiff_t>(k) * n_;
    if (!(row[k] > rounding * diagonal_[k])) return k;
    const std::vector<int>& before = before_[k];
    const double inverse = 1 / row[k];
    for (std::size_t b = before.size(); b-- > 0;) {
      double* of_b = H + static_cast<std::ptrdiff_t>(before[b]) * n_;
      const double l = row[before[b]] * inverse;
      for (std::size_t c = 0; c <= b; ++c) of_b[before[c]] -= l * row[before[c]];
      row[before[b]] = l;
    }
  }
  return -1;
}

}  // namespace sparsedyn
