#include "snap.hpp"

#include <cmath>
#include <utility>

namespace sparsedyn {
namespace {

bool exact(double x) { return x == 0.0 || x == 1.0 || x == -1.0; }

Vec3<double> row(const Mat3<double>& R, int i) { return {{R(i, 0), R(i, 1), R(i, 2)}}; }
/// By division: a vector with one entry becomes exactly ±1.
Vec3<double> unit(const Vec3<double>& a) {
  const double length = std::sqrt(dot(a, a));
  return {{a[0] / length, a[1] / length, a[2] / length}};
}

/// Which entries are zero, closed under orthogonality: a second zero in a row (column) makes the third entry ±1, and that
/// one's column (row) zero.
struct Zeros {
  bool at[3][3] = {};
  int in_row(int i) const { return at[i][0] + at[i][1] + at[i][2]; }
  int in_column(int k) const { return at[0][k] + at[1][k] + at[2][k]; }

  Zeros(const Mat3<double>& R, double tolerance) {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) at[i][k] = std::abs(R(i, k)) <= tolerance;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        const bool alone_in_row = in_row(i) == 2 && !at[i][k], alone_in_column = in_column(k) == 2 && !at[i][k];
        for (int j = 0; j < 3 && (alone_in_row || alone_in_column); ++j) {
          if (j != i) at[j][k] = true;
          if (j != k) at[i][j] = true;
        }
      }
  }
};

}  // namespace

int snap(Mat3<double>& R, double tolerance) {
  if (!(tolerance > 0)) return 0;
  const Zeros zeros(R, tolerance);
  // Gram–Schmidt from the row with most zeros, which keeps them; the third row is the cross product of the two others.
  int first = 0;
  for (int i = 1; i < 3; ++i)
    if (zeros.in_row(i) > zeros.in_row(first)) first = i;
  if (zeros.in_row(first) == 0 || zeros.in_row(first) == 3) return 0;
  int second = (first + 1) % 3, third = (first + 2) % 3;
  if (zeros.in_row(third) > zeros.in_row(second)) std::swap(second, third);
  Vec3<double> a = row(R, first), b = row(R, second);
  for (int k = 0; k < 3; ++k) {
    if (zeros.at[first][k]) a[k] = 0;
    if (zeros.at[second][k]) b[k] = 0;
  }
  a = unit(a);
  b = unit(b - dot(a, b) * a);
  const Vec3<double> c = second == (first + 1) % 3 ? cross(a, b) : cross(b, a);
  int made_exact = 0;
  for (int k = 0; k < 3; ++k) {
    made_exact +=
        (exact(a[k]) && a[k] != R(first, k)) + (exact(b[k]) && b[k] != R(second, k)) + (exact(c[k]) && c[k] != R(third, k));
    R(first, k) = a[k], R(second, k) = b[k], R(third, k) = c[k];
  }
  return made_exact;
}

int snap(Vec3<double>& axis, double tolerance) {
  if (!(tolerance > 0)) return 0;
  Vec3<double> near = axis;
  for (int k = 0; k < 3; ++k)
    if (std::abs(near[k]) <= tolerance) near[k] = 0;
  if (!(dot(near, near) > 0)) return 0;
  near = unit(near);
  int made_exact = 0;
  for (int k = 0; k < 3; ++k) made_exact += exact(near[k]) && near[k] != axis[k];
  axis = near;
  return made_exact;
}

}  // namespace sparsedyn
