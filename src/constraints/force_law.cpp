#include "force_law.hpp"

#include <algorithm>

namespace sparsedyn {

void force(const LawNumbers& law, const double* j, double* f, double* h) noexcept {
  const int n = law.rows;
  if (law.law == Law::elliptic) return law_ellipse(n, law.friction.data(), law.mu, law.sliding, law.D.data(), j, f, h, n);
  if (h) std::fill_n(h, n * n, 0.0);
  for (int i = 0; i < n; ++i) {
    double slope = law.D[i];
    if (law.law == Law::quadratic)
      f[i] = law.pull[i] - slope * j[i];
    else if (law.law == Law::one_sided)
      law_one_sided(law.D[i], j[i], f + i, &slope);
    else
      law_bounded(law.D[i], law.bound, j[i], f + i, &slope);
    if (h) h[i * n + i] = slope;
  }
}

void look_ahead(const LawNumbers& law, const double* j, const double* dj, LawOutlook& outlook) noexcept {
  if (law.law == Law::elliptic) law_look_ahead(law.rows, law.friction.data(), law.D.data(), j, dj, &outlook);
}

void add_slope_along(const LawNumbers& law, const LawOutlook& outlook, const double* j, const double* dj, double alpha,
                     double& first, double& second) noexcept {
  if (law.law == Law::elliptic)
    return law_along_ellipse(law.mu, law.sliding, &outlook, j[0] + alpha * dj[0], dj[0], alpha, &first, &second);
  for (int i = 0; i < law.rows; ++i) {
    const double there = j[i] + alpha * dj[i];
    double f = law.pull[i] - law.D[i] * there, h = law.D[i];
    if (law.law == Law::one_sided)
      law_one_sided(law.D[i], there, &f, &h);
    else if (law.law == Law::bounded)
      law_bounded(law.D[i], law.bound, there, &f, &h);
    first -= f * dj[i], second += h * dj[i] * dj[i];
  }
}

}  // namespace sparsedyn
