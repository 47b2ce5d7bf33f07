#include "inertia_factor.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "sparsedyn/model/detail/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

InertiaFactor::InertiaFactor(const Model& model, const std::vector<std::vector<int>>& coupled)
    : n_(model.nv), before_(model.nv), diagonal_(model.nv) {
  std::vector<std::set<int>> near(n_);
  const auto tie = [&](int i, int j) {
    if (i != j) near[std::max(i, j)].insert(std::min(i, j));
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
  for (int k = n_ - 1; k >= 0; --k)  // what k leaves behind ties all that it touched
    for (int i : near[k])
      for (int j : near[k])
        if (j < i) near[i].insert(j);
  for (int i = 0; i < n_; ++i) before_[i].assign(near[i].begin(), near[i].end());
}

int InertiaFactor::factor(double* H) noexcept {
  constexpr double rounding = 1e-14;
  for (int k = 0; k < n_; ++k) diagonal_[k] = H[static_cast<std::ptrdiff_t>(k) * n_ + k];
  for (int k = n_ - 1; k >= 0; --k) {
    double* row = H + static_cast<std::ptrdiff_t>(k) * n_;
    if (!(row[k] > rounding * diagonal_[k])) return k;
    for (std::size_t b = before_[k].size(); b-- > 0;) {
      const int i = before_[k][b];
      const double l = row[i] / row[k];
      for (std::size_t c = 0; c <= b; ++c) H[static_cast<std::ptrdiff_t>(i) * n_ + before_[k][c]] -= l * row[before_[k][c]];
      row[i] = l;
    }
  }
  return -1;
}

}  // namespace sparsedyn
