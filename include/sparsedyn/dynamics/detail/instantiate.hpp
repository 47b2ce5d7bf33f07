// The scalars for which the library holds compiled code. SPARSEDYN_FOR_EACH_SCALAR(X) writes X(double) X(float) X(complex):
// headers declare `extern template` with it, sources define.
#pragma once

#include <complex>

#define SPARSEDYN_FOR_EACH_SCALAR(X) \
  X(double)                          \
  X(float)                           \
  X(std::complex<double>)
