// Products of n × n matrices and n × n × n tensors, row by row.
#pragma once

#include "findings.hpp"

namespace outside {

inline Numbers product(int n, const Numbers& A, const Numbers& B) {
  Numbers C(A.size(), 0.0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
  return C;
}
inline Numbers times(int n, const Numbers& A, const Numbers& x) {
  Numbers y(A.size() / static_cast<std::size_t>(n), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (int k = 0; k < n; ++k) y[i] += A[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)] * x[k];
  return y;
}
inline double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
inline Numbers identity(int n) {
  Numbers I(static_cast<std::size_t>(n * n), 0.0);
  for (int k = 0; k < n; ++k) I[k * n + k] = 1;
  return I;
}
/// Σ over the place of three that is named: T[a,b,c] x_c, T[a,c,b] x_c, x_a T[a,b,c].
enum class Over { last, middle, first };
inline Numbers contracted(int n, const Numbers& T, Over place, const Numbers& x) {
  Numbers out(static_cast<std::size_t>(n * n), 0.0);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) {
        const double t = T[static_cast<std::size_t>((a * n + b) * n + c)];
        if (place == Over::last) out[a * n + b] += t * x[c];
        if (place == Over::middle) out[a * n + c] += t * x[b];
        if (place == Over::first) out[b * n + c] += t * x[a];
      }
  return out;
}

}  // namespace outside
