// The scalars for which the library holds compiled code. SPARSEDYN_FOR_EACH_SCALAR(X) writes X(double) X(float) X(complex).
// Headers declare `extern template` with it; sources define the real ones with SPARSEDYN_FOR_EACH_REAL, complex_step.cpp the
// other.
#pragma once

#include <complex>

#define SPARSEDYN_FOR_EACH_REAL(X) \
  X(double)                        \
  X(float)
#define SPARSEDYN_FOR_EACH_SCALAR(X) \
  SPARSEDYN_FOR_EACH_REAL(X)         \
  X(std::complex<double>)
