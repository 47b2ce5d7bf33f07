#include "support.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::test {
namespace {

int body_of(const Model& model, int freedom) {
  int found = 0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (model.bodies[b].v <= freedom) found = b;
  return found;
}

}  // namespace

double condition(const Model& model, const State& s, const std::vector<double>& Minv) {
  MomentWorkspace<double> ws(model);
  RneaMatrices<double> x(model);
  rnea_derivatives(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), x.out());
  double M = 0, inverse = 0;
  for (double e : x.M) M = std::max(M, std::abs(e));
  for (double e : Minv) inverse = std::max(inverse, std::abs(e));
  return std::max(1.0, M * inverse);
}

bool on_one_branch(const Model& model, int i, int k) {
  int low = body_of(model, std::max(i, k));
  const int high = body_of(model, std::min(i, k));
  while (low > high) low = model.bodies[low].parent;
  return low == high;
}

}  // namespace sparsedyn::test
