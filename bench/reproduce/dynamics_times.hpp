// Times of inverse and forward dynamics, of their derivatives, and of the inverse of M.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::reproduce {

/// Microseconds of processor time a call: medians over rounds through random states.
struct DynamicsTimes {
  double id, id_analytic, id_differences;
  double fd, fd_analytic, fd_differences;
  double minverse;
};

DynamicsTimes measure(const Model& model);

}  // namespace sparsedyn::reproduce
