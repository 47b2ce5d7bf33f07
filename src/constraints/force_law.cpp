#include "force_law.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

/// f = −D j and its Hessian for row i, or zero where the row is open.
void linear_row(const LawNumbers& law, int i, bool closed, const double* j, double* f, double* h) noexcept {
  f[i] = closed ? -law.D[i] * j[i] : 0;
  if (h) h[i * law.rows + i] = closed ? law.D[i] : 0;
}

void bounded(const LawNumbers& law, const double* j, double* f, double* h) noexcept {
  linear_row(law, 0, law.D[0] * std::abs(j[0]) < law.bound, j, f, h);
  if (law.D[0] * std::abs(j[0]) >= law.bound) f[0] = j[0] > 0 ? -law.bound : law.bound;
}

/// In U = (μ̄ j_n, μ_k j_k), N = U_n, T = |U_t|: open where N ≥ μ̄ T, all rows linear where μ̄ N + T ≤ 0, and between
///   s = ½ D_m (N − μ̄ T)²,   D_m = D_n / (μ̄² (1 + μ̄²)):   the distance to the cone.
void elliptic(const LawNumbers& law, const double* j, double* f, double* h) noexcept {
  const int n = law.rows;
  const double mu = law.mu;
  std::array<double, 6> scale{}, U{};
  scale[0] = mu, U[0] = mu * j[0];
  double T = 0;
  for (int k = 1; k < n; ++k) {
    scale[k] = law.friction[k - 1], U[k] = scale[k] * j[k];
    T += U[k] * U[k];
  }
  T = std::sqrt(T);
  const double N = U[0];
  const bool open = N >= mu * T || (T <= 0 && N >= 0), sticks = !open && (mu * N + T <= 0 || T <= 0);
  if (open || sticks) {
    for (int i = 0; i < n; ++i) linear_row(law, i, sticks, j, f, h);
    return;
  }
  const double Dm = law.D[0] / (mu * mu * (1 + mu * mu)), e = N - mu * T;
  f[0] = -Dm * e * mu;
  for (int k = 1; k < n; ++k) f[k] = Dm * e * mu * (U[k] / T) * scale[k];
  if (!h) return;
  h[0] = Dm * mu * mu;
  for (int k = 1; k < n; ++k) {
    h[k] = h[k * n] = -Dm * mu * (U[k] / T) * mu * scale[k];
    for (int l = 1; l < n; ++l) {
      const double both = mu * (N / T) * (U[k] / T) * (U[l] / T) + (k == l ? mu * mu - mu * (N / T) : 0);
      h[k * n + l] = Dm * both * scale[k] * scale[l];
    }
  }
}

}  // namespace

void force(const LawNumbers& law, const double* j, double* f, double* h) noexcept {
  if (h) std::fill_n(h, law.rows * law.rows, 0.0);
  switch (law.law) {
    case Law::quadratic:
      for (int i = 0; i < law.rows; ++i) {
        linear_row(law, i, true, j, f, h);
        f[i] += law.pull[i];
      }
      return;
    case Law::one_sided:
      for (int i = 0; i < law.rows; ++i) linear_row(law, i, j[i] < 0, j, f, h);
      return;
    case Law::bounded: return bounded(law, j, f, h);
    case Law::elliptic: return elliptic(law, j, f, h);
  }
}

}  // namespace sparsedyn
