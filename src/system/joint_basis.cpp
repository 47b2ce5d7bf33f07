#include "sparsedyn/system/joint_basis.hpp"

#include <cmath>

namespace sparsedyn {
namespace {

using Vector6 = std::array<double, 6>;

double dot(const Vector6& a, const Vector6& b) {
  double sum = 0;
  for (int k = 0; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}

/// Each freedom's place among the six: its largest component where no larger one is left, so that no pivot is small.
std::array<int, 6> places(const std::array<Vector6, 6>& S, int n) {
  std::array<int, 6> place{};
  std::array<bool, 6> has_place{}, taken{};
  for (int round = 0; round < n; ++round) {
    int freedom = -1, component = -1;
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < 6; ++c)
        if (!has_place[k] && !taken[c] && (freedom < 0 || std::abs(S[k][c]) > std::abs(S[freedom][component])))
          freedom = k, component = c;
    place[freedom] = component;
    has_place[freedom] = taken[component] = true;
  }
  return place;
}

/// The rest of a unit vector beside orthonormal ones, twice for rounding.
Vector6 rest_of_unit(int c, const std::array<Vector6, 6>& known, int count) {
  Vector6 x{};
  x[c] = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < count; ++k) {
      const double along = dot(x, known[k]);
      for (int i = 0; i < 6; ++i) x[i] -= along * known[k][i];
    }
    const double length = std::sqrt(dot(x, x));
    for (double& e : x) e = std::abs(e) < 1e-15 * length ? 0.0 : e / length;
  }
  return x;
}

}  // namespace

JointBasis identity_basis() {
  JointBasis basis;
  for (int k = 0; k < 6; ++k) basis.B[k][k] = 1;
  return basis;
}

JointBasis joint_basis(const Motion<double>* S, int n) {
  JointBasis basis;
  std::array<Vector6, 6> freedoms{}, known{};
  for (int k = 0; k < n; ++k)
    for (int c = 0; c < 6; ++c) freedoms[k][c] = component(S[k], c);
  basis.along = places(freedoms, n);
  std::array<bool, 6> taken{};
  for (int k = 0; k < n; ++k) {
    const double square = dot(freedoms[k], freedoms[k]), length = std::sqrt(square);
    taken[basis.along[k]] = true;
    for (int c = 0; c < 6; ++c) basis.B[c][basis.along[k]] = freedoms[k][c] / square, known[k][c] = freedoms[k][c] / length;
  }
  for (int c = 0, count = n; c < 6; ++c) {
    if (taken[c]) continue;
    known[count] = rest_of_unit(c, known, count);
    for (int r = 0; r < 6; ++r) basis.B[r][c] = known[count][r];
    ++count;
  }
  basis.identity = basis.B == identity_basis().B;
  return basis;
}

}  // namespace sparsedyn
